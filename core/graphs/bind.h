// The parts of this room's extension module.
#pragma once

#include <nanobind/nanobind.h>

#include "common/numpy.h"
#include "graphs/solvers/control.h"

// A solver's answer: what it found, by name.
using Answer = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

// Whether Ctrl-C was pressed; the exception stays set for the binding to raise.
inline bool interrupted_by_user() {
  nanobind::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

// A trace as arrays by name.
inline Answer to_dict(turbotree::graphs::Trace&& trace) {
  using turbotree::numpy::to_numpy;
  Answer answer;
  answer["iteration"] = to_numpy(std::move(trace.iteration));
  answer["upper_bound"] = to_numpy(std::move(trace.upper_bound));
  answer["value"] = to_numpy(std::move(trace.value));
  answer["primal_residual"] = to_numpy(std::move(trace.primal_residual));
  answer["dual_residual"] = to_numpy(std::move(trace.dual_residual));
  answer["active"] = to_numpy(std::move(trace.active));
  return answer;
}

void bind_admm(nanobind::module_& m);
void bind_branch_and_bound(nanobind::module_& m);
void bind_belief_propagation(nanobind::module_& m);
void bind_subgradient(nanobind::module_& m);
