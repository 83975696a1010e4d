#include "graphs/bind.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include "common/numpy.h"
#include "graphs/solvers/admm.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree::graphs;
using namespace turbotree::numpy;

namespace {

nb::dict admm(const Graph& graph, std::int64_t max_iterations, double residual_threshold,
              double penalty, bool adapt_penalty, double step, double relative_gap, double cutoff,
              double time_limit_seconds, bool trace) {
  AdmmOptions options;
  options.max_iterations = max_iterations;
  options.residual_threshold = residual_threshold;
  options.penalty = penalty;
  options.adapt_penalty = adapt_penalty;
  options.step = step;
  options.relative_gap = relative_gap;
  options.cutoff = cutoff;
  Control control;
  control.time_limit_seconds = time_limit_seconds;
  control.trace = trace;
  control.interrupted = interrupted_by_user;
  AdmmResult result;
  std::vector<double> relaxed, link_scores;
  double last_penalty;
  {
    nb::gil_scoped_release release;
    control.start();
    Admm solver(graph);
    result = solver.run(options, control);
    relaxed = solver.consensus();
    link_scores = solver.link_scores();
    last_penalty = solver.penalty();
  }
  if (PyErr_Occurred()) throw nb::python_error();
  nb::dict answer;
  answer["outcome"] = static_cast<int>(result.outcome);
  answer["iterations"] = result.iterations;
  answer["value"] = result.value;
  answer["upper_bound"] = result.upper_bound;
  answer["values"] = to_numpy(std::move(result.values));
  answer["relaxed"] = to_numpy(std::move(relaxed));
  answer["link_scores"] = to_numpy(std::move(link_scores));
  answer["penalty"] = last_penalty;
  if (trace) {
    answer["trace_iteration"] = to_numpy(std::move(result.trace.iteration));
    answer["trace_upper_bound"] = to_numpy(std::move(result.trace.upper_bound));
    answer["trace_value"] = to_numpy(std::move(result.trace.value));
    answer["trace_primal"] = to_numpy(std::move(result.trace.primal_residual));
    answer["trace_dual"] = to_numpy(std::move(result.trace.dual_residual));
    answer["trace_active"] = to_numpy(std::move(result.trace.active));
  }
  return answer;
}

}  // namespace

void bind_admm(nb::module_& m) {
  m.def("admm", &admm, "graph"_a, "max_iterations"_a, "residual_threshold"_a, "penalty"_a,
        "adapt_penalty"_a, "step"_a, "relative_gap"_a, "cutoff"_a, "time_limit_seconds"_a,
        "trace"_a);
}
