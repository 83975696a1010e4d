// Solvers on one graph and on many, and what they find.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/interrupt.h"
#include "common/numpy.h"
#include "graphs/bindings/bind.h"
#include "graphs/solvers/answer.h"
#include "graphs/solvers/batch.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree;
using namespace turbotree::graphs;
using namespace turbotree::numpy;

namespace {

using Floats = std::optional<std::vector<double>>;
using Self = nb::handle_t<Answer>;

// Arrays refer to the answer's own memory and keep it alive.
template <class T, class Stored>
std::optional<Output<T>> array_of(Self self, std::optional<std::vector<Stored>>& values) {
  static_assert(sizeof(T) == sizeof(Stored));
  if (!values) return std::nullopt;
  return Output<T>(values->data(), {values->size()}, self);
}

template <Floats Answer::*field>
std::optional<Output<double>> floats(Self self) {
  return array_of<double>(self, nb::cast<Answer&>(self).*field);
}

std::optional<Output<bool>> values(Self self) {
  return array_of<bool>(self, nb::cast<Answer&>(self).values);
}

std::optional<Output<bool>> all_values(Self self) {
  return array_of<bool>(self, nb::cast<Answer&>(self).all_values);
}

using Columns = nb::typed<nb::dict, nb::str, nb::any>;

std::optional<Columns> trace(Answer& answer) {
  if (!answer.trace) return std::nullopt;
  Trace rows = std::move(*answer.trace);
  answer.trace.reset();
  Columns columns;
  columns["iteration"] = to_numpy(std::move(rows.iteration));
  columns["upper_bound"] = to_numpy(std::move(rows.upper_bound));
  columns["value"] = to_numpy(std::move(rows.value));
  columns["primal_residual"] = to_numpy(std::move(rows.primal_residual));
  columns["dual_residual"] = to_numpy(std::move(rows.dual_residual));
  columns["active"] = to_numpy(std::move(rows.active));
  // Columns that the solver does not have are omitted, and are NaN in Python.
  if (!rows.moving_variables.empty()) {
    columns["moving_variables"] = to_numpy(std::move(rows.moving_variables));
    columns["moving_factors"] = to_numpy(std::move(rows.moving_factors));
    columns["moving_links"] = to_numpy(std::move(rows.moving_links));
  }
  return columns;
}

// Whether nobody wants the answer any more, or the best so far is enough (turbotree.interrupts).
bool asked_to_stop() {
  if (interrupted_by_user()) return true;
  nb::gil_scoped_acquire acquire;
  try {
    return nb::cast<bool>(nb::module_::import_("turbotree.interrupts").attr("enough")());
  } catch (nb::python_error& error) {
    error.restore();
    return true;
  }
}

Answer solve_one(const Solver& solver, const Graph& graph, const std::optional<nb::any>& report) {
  Control control = solver.control;
  control.interrupted = asked_to_stop;
  if (report)
    control.report = [&](double value, double bound, const std::vector<std::uint8_t>& values) {
      nb::gil_scoped_acquire acquire;
      if (PyErr_Occurred() != nullptr) return;
      try {
        (*report)(value, bound, to_numpy(std::vector<std::uint8_t>(values)));
      } catch (nb::python_error& error) {
        error.restore();  // the solver will be told to stop
      }
    };
  return run_unlocked([&] { return solver.solve(graph, control); });
}

// One after the other without Python's lock in between, which other threads would have to give back
// for every graph; small ones take less time than that.
std::vector<Answer> solve_in_turn(const Solver& solver, const std::vector<const Graph*>& graphs) {
  return run_unlocked([&] {
    std::vector<Answer> answers;
    answers.reserve(graphs.size());
    for (const Graph* graph : graphs) {
      Control control = solver.control;
      control.interrupted = asked_to_stop;
      answers.push_back(solver.solve(*graph, control));
      if (answers.back().status == Answer::Status::kInfeasible) break;
      Watch::look_now();
    }
    return answers;
  });
}

std::unique_ptr<Batch> make_batch(const Solver& solver, std::int64_t threads) {
  return std::make_unique<Batch>(solver.solve, solver.control, threads);
}

bool add(Batch& batch, std::unique_ptr<Graph> graph) {
  for (const BlockArrays& block : graph->blocks)
    require(block.oracles.empty(), "a batch cannot ask Python's oracles");
  return batch.add(std::move(graph));
}

std::optional<Answer> next(Batch& batch) {
  return run_unlocked([&] { return batch.next(interrupted_by_user); });
}

}  // namespace

void bind_answers(nb::module_& m) {
  nb::class_<Answer>(m, "Answer")
      .def_prop_ro("status", [](const Answer& a) { return static_cast<int>(a.status); })
      .def_ro("impossible_factor", &Answer::impossible_factor)
      .def_ro("iterations", &Answer::iterations)
      .def_ro("value", &Answer::value)
      .def_ro("upper_bound", &Answer::upper_bound)
      .def_ro("seconds", &Answer::seconds)
      .def_ro("tolerance", &Answer::tolerance)
      .def_prop_ro("values", &values)
      .def_prop_ro("all_values", &all_values)
      .def_prop_ro("all_scores", &floats<&Answer::all_scores>)
      .def_prop_ro("relaxed", &floats<&Answer::relaxed>)
      .def_prop_ro("link_scores", &floats<&Answer::link_scores>)
      .def_prop_ro("consensus", &floats<&Answer::consensus>)
      .def_ro("penalty", &Answer::penalty)
      .def_prop_ro("probabilities", &floats<&Answer::probabilities>)
      .def_prop_ro("expectations", &floats<&Answer::expectations>)
      .def_ro("log_partition", &Answer::log_partition)
      .def_ro("entropy", &Answer::entropy)
      .def_ro("converged", &Answer::converged)
      .def("take_trace", &trace, "The columns of the trace, once.");

  nb::class_<Solver>(m, "Solver")
      .def("solve", &solve_one, "graph"_a, "report"_a = nb::none())
      .def("solve_in_turn", &solve_in_turn, "graphs"_a,
           "The answers of some graphs in their order, up to the first infeasible one.");

  nb::class_<Batch>(m, "Batch")
      .def(nb::new_(&make_batch), "solver"_a, "threads"_a)
      .def("add", &add, "graph"_a,
           "Hand over a graph; false if an earlier one has failed and no more are needed.")
      .def("next", &next, "The answer of the next graph in their order; None after the last one.");
}
