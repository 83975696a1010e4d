#include "graphs/bind.h"

#include <nanobind/nanobind.h>

#include "common/numpy.h"
#include "graphs/solvers/belief_propagation.h"
#include "graphs/solvers/bethe.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree::graphs;
using namespace turbotree::numpy;

namespace {

Answer run(const Graph& graph, bool sums, int schedule, std::int64_t max_iterations,
             double tolerance, double damping, double time_limit_seconds, bool trace) {
  require(schedule >= 0 && schedule <= 2, "no schedule has this number");
  BeliefPropagationOptions options;
  options.sums = sums;
  options.schedule = static_cast<Schedule>(schedule);
  options.max_iterations = max_iterations;
  options.tolerance = tolerance;
  options.damping = damping;
  Control control;
  control.time_limit_seconds = time_limit_seconds;
  control.trace = trace;
  control.interrupted = interrupted_by_user;
  BeliefPropagationResult result;
  {
    nb::gil_scoped_release release;
    control.start();
    result = BeliefPropagation(graph).run(options, control);
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  Answer answer;
  answer["impossible_factor"] = result.impossible_factor;
  answer["converged"] = result.converged;
  answer["iterations"] = result.iterations;
  answer["probabilities"] = to_numpy(std::move(result.probabilities));
  answer["log_partition"] = result.log_partition;
  answer["entropy"] = result.entropy;
  answer["value"] = result.value;
  answer["upper_bound"] = result.upper_bound;
  answer["values"] = to_numpy(std::move(result.values));
  if (trace) answer["trace"] = to_dict(std::move(result.trace));
  return answer;
}

Answer bethe(const Graph& graph, const Input<double>& probabilities, double tolerance,
               std::int64_t max_steps) {
  require(probabilities.shape(0) == graph.scores.size(), "one probability a variable is needed");
  Control control;
  control.interrupted = interrupted_by_user;
  BetheResult result;
  {
    nb::gil_scoped_release release;
    control.start();
    result = bethe_entropy(graph, view(probabilities), tolerance, max_steps, control);
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  Answer answer;
  answer["entropy"] = result.entropy;
  answer["misfit_factor"] = result.misfit_factor;
  return answer;
}

}  // namespace

void bind_belief_propagation(nb::module_& m) {
  m.def("belief_propagation", &run, "graph"_a, "sums"_a, "schedule"_a, "max_iterations"_a,
        "tolerance"_a, "damping"_a, "time_limit_seconds"_a, "trace"_a);
  m.def("bethe_entropy", &bethe, "graph"_a, "probabilities"_a, "tolerance"_a, "max_steps"_a);
}
