// The parts of this package's extension module.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "common/unlocked.h"
#include "graphs/graph.h"
#include "graphs/solvers/answer.h"
#include "graphs/solvers/control.h"

// A solver with its options, as Python holds it.
struct Solver {
  turbotree::graphs::Solve solve;
  turbotree::graphs::Control control;  // the pattern of every graph's own

  template <class Options>
  static Solver with(const Options& options, double time_limit_seconds, bool trace) {
    using namespace turbotree::graphs;
    return of(
        [options](const Graph& graph, Control& control) {
          return turbotree::graphs::solve(graph, options, control);
        },
        time_limit_seconds, trace);
  }

  static Solver of(turbotree::graphs::Solve solve, double time_limit_seconds, bool trace) {
    Solver solver{std::move(solve), {}};
    solver.control.time_limit_seconds = time_limit_seconds;
    solver.control.trace = trace;
    return solver;
  }
};

// Runs without Python's lock; raises what Ctrl-C or a user's function left.
template <class Function>
auto run_unlocked(Function&& function) {
  auto result = [&] {
    const turbotree::Unlocked unlocked;
    return function();
  }();
  if (PyErr_Occurred() != nullptr) throw nanobind::python_error();
  return result;
}

void bind_graph(nanobind::module_& m);
void bind_factors(nanobind::module_& m);
void bind_answers(nanobind::module_& m);
void bind_solvers(nanobind::module_& m);
