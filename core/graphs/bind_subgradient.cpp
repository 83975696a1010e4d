#include "graphs/bind.h"

#include <nanobind/nanobind.h>

#include "common/numpy.h"
#include "graphs/solvers/subgradient.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree::graphs;
using namespace turbotree::numpy;

namespace {

Answer run(const Graph& graph, int rule, double step, std::int64_t max_iterations,
             double relative_gap, double time_limit_seconds, bool trace) {
  require(rule >= 0 && rule <= 2, "no rule for steps has this number");
  SubgradientOptions options;
  options.rule = static_cast<StepRule>(rule);
  options.step = step;
  options.max_iterations = max_iterations;
  options.relative_gap = relative_gap;
  Control control;
  control.time_limit_seconds = time_limit_seconds;
  control.trace = trace;
  control.interrupted = interrupted_by_user;
  SubgradientResult result;
  {
    nb::gil_scoped_release release;
    control.start();
    result = Subgradient(graph).run(options, control);
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  Answer answer;
  answer["optimal"] = result.optimal;
  answer["infeasible"] = result.infeasible;
  answer["impossible_factor"] = result.impossible_factor;
  answer["iterations"] = result.iterations;
  answer["value"] = result.value;
  answer["upper_bound"] = result.upper_bound;
  answer["values"] = to_numpy(std::move(result.values));
  answer["relaxed"] = to_numpy(std::move(result.relaxed));
  if (trace) answer["trace"] = to_dict(std::move(result.trace));
  return answer;
}

}  // namespace

void bind_subgradient(nb::module_& m) {
  m.def("subgradient", &run, "graph"_a, "rule"_a, "step"_a, "max_iterations"_a, "relative_gap"_a,
        "time_limit_seconds"_a, "trace"_a);
}
