#include <nanobind/nanobind.h>

#include "common/numpy.h"
#include "graphs/bind.h"
#include "graphs/solvers/branch_and_bound.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree::graphs;
using namespace turbotree::numpy;

namespace {

Answer branch_and_bound(const Graph& graph, std::int64_t max_nodes,
                        std::int64_t max_rounds_per_node, double relative_gap,
                        double time_limit_seconds, bool trace) {
  BranchAndBoundOptions options;
  options.max_nodes = max_nodes;
  options.relative_gap = relative_gap;
  options.relaxation.max_iterations = max_rounds_per_node;
  Control control;
  control.time_limit_seconds = time_limit_seconds;
  control.trace = trace;
  control.interrupted = interrupted_by_user;
  BranchAndBoundResult result;
  {
    nb::gil_scoped_release release;
    control.start();
    result = BranchAndBound(graph, options, control).run();
  }
  if (PyErr_Occurred()) throw nb::python_error();
  Answer answer;
  answer["outcome"] = static_cast<int>(result.outcome);
  answer["impossible_factor"] = result.impossible_factor;
  answer["nodes"] = result.nodes;
  answer["value"] = result.value;
  answer["upper_bound"] = result.upper_bound;
  answer["values"] = to_numpy(std::move(result.values));
  answer["relaxed"] = to_numpy(std::move(result.relaxed));
  if (trace) answer["trace"] = to_dict(std::move(result.trace));
  return answer;
}

}  // namespace

void bind_branch_and_bound(nb::module_& m) {
  m.def("branch_and_bound", &branch_and_bound, "graph"_a, "max_nodes"_a, "max_rounds_per_node"_a,
        "relative_gap"_a, "time_limit_seconds"_a, "trace"_a);
}
