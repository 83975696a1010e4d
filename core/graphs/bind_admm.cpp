#include "graphs/bind.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "common/numpy.h"
#include "graphs/solvers/admm.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree::graphs;
using namespace turbotree::numpy;

namespace {

using Start = std::optional<std::tuple<Input<double>, Input<double>, double>>;

Answer admm(const Graph& graph, std::int64_t max_iterations, double residual_threshold,
            double penalty, bool adapt_penalty, double step, bool extrapolate, double relative_gap,
            double time_limit_seconds, bool trace, const Start& start) {
  AdmmOptions options;
  options.max_iterations = max_iterations;
  options.residual_threshold = residual_threshold;
  options.penalty = penalty;
  options.adapt_penalty = adapt_penalty;
  options.step = step;
  options.extrapolate = extrapolate;
  options.relative_gap = relative_gap;
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
    if (start) {
      const auto& [scores, consensus, previous_penalty] = *start;
      require(scores.shape(0) == static_cast<std::size_t>(graph.links()) &&
                  consensus.shape(0) == graph.scores.size(),
              "the start does not fit the graph");
      solver.warm_start(view(scores), view(consensus), previous_penalty);
    }
    result = solver.run(options, control);
    relaxed = solver.consensus();
    link_scores = solver.link_scores();
    last_penalty = solver.penalty();
  }
  if (PyErr_Occurred()) throw nb::python_error();
  Answer answer;
  answer["outcome"] = static_cast<int>(result.outcome);
  answer["impossible_factor"] = result.impossible_factor;
  answer["iterations"] = result.iterations;
  answer["value"] = result.value;
  answer["upper_bound"] = result.upper_bound;
  answer["values"] = to_numpy(std::move(result.values));
  answer["relaxed"] = to_numpy(std::move(relaxed));
  answer["link_scores"] = to_numpy(std::move(link_scores));
  answer["penalty"] = last_penalty;
  if (trace) answer["trace"] = to_dict(std::move(result.trace));
  return answer;
}

}  // namespace

void bind_admm(nb::module_& m) {
  m.def("admm", &admm, "graph"_a, "max_iterations"_a, "residual_threshold"_a, "penalty"_a,
        "adapt_penalty"_a, "step"_a, "extrapolate"_a, "relative_gap"_a, "time_limit_seconds"_a,
        "trace"_a, "start"_a.none());
}
