// The solvers by name: each makes a Solver of its options.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "common/numpy.h"
#include "graphs/bindings/bind.h"
#include "graphs/factors.h"
#include "graphs/presolve/magnitudes.h"
#include "graphs/solvers/answer.h"
#include "graphs/solvers/belief_propagation/bethe.h"
#include "graphs/solvers/sparsemap.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree;
using namespace turbotree::graphs;
using namespace turbotree::numpy;

namespace {

using Start = std::optional<std::tuple<Input<double>, Input<double>, double>>;

Solver admm(std::int64_t max_iterations, double residual_threshold, double penalty,
            bool adapt_penalty, double step, bool extrapolate, bool literal, double relative_gap,
            bool expectations, double time_limit_seconds, bool trace, const Start& start) {
  AdmmOptions options;
  options.max_iterations = max_iterations;
  options.residual_threshold = residual_threshold;
  options.penalty = penalty;
  options.adapt_penalty = adapt_penalty;
  options.step = step;
  options.extrapolate = extrapolate;
  options.literal = literal;
  options.relative_gap = relative_gap;
  options.expectations = expectations;
  std::optional<AdmmStart> from;
  if (start) {
    const auto link_scores = view(std::get<0>(*start)), consensus = view(std::get<1>(*start));
    from.emplace();
    from->link_scores.assign(link_scores.begin(), link_scores.end());
    from->consensus.assign(consensus.begin(), consensus.end());
    from->penalty = std::get<2>(*start);
  }
  return Solver::of(
      [options, from = std::move(from)](const Graph& graph, Control& control) {
        return solve(graph, options, from, control);
      },
      time_limit_seconds, trace);
}

Solver branch_and_bound(std::int64_t max_nodes, std::int64_t max_rounds_per_node,
                        double relative_gap, double time_limit_seconds, bool trace,
                        std::int64_t count, std::int64_t keys, bool same_size, double floor) {
  BranchAndBoundOptions options;
  options.count = count;
  options.keys = keys;
  options.same_size = same_size;
  options.floor = floor;
  options.max_nodes = max_nodes;
  options.relative_gap = relative_gap;
  options.relaxation.max_iterations = max_rounds_per_node;
  return Solver::of(
      [options](const Graph& graph, Control& control) {
        require(options.keys <= static_cast<std::int64_t>(graph.scores.size()),
                "keys: more than there are variables");
        return solve(graph, options, control);
      },
      time_limit_seconds, trace);
}

Solver subgradient(int rule, double step, std::int64_t max_iterations, double relative_gap,
                   double tree_share, bool literal, bool projected, double time_limit_seconds,
                   bool trace) {
  require(rule >= 0 && rule <= 2, "no rule for steps has this number");
  SubgradientOptions options;
  options.rule = static_cast<StepRule>(rule);
  options.step = step;
  options.max_iterations = max_iterations;
  options.relative_gap = relative_gap;
  options.tree_share = tree_share;
  options.literal = literal;
  options.projected = projected;
  return Solver::with(options, time_limit_seconds, trace);
}

Solver belief_propagation(bool sums, int schedule, std::int64_t max_iterations, double tolerance,
                          double damping, bool expectations, double time_limit_seconds,
                          bool trace) {
  require(schedule >= 0 && schedule <= 2, "no schedule has this number");
  BeliefPropagationOptions options;
  options.sums = sums;
  options.schedule = static_cast<Schedule>(schedule);
  options.max_iterations = max_iterations;
  options.tolerance = tolerance;
  options.damping = damping;
  options.expectations = expectations;
  return Solver::with(options, time_limit_seconds, trace);
}

std::tuple<double, std::int64_t> bethe(const Graph& graph, const Input<double>& probabilities,
                                       double tolerance, std::int64_t max_steps) {
  require(probabilities.shape(0) == graph.scores.size(), "one probability per variable is needed");
  Control control;
  control.interrupted = interrupted_by_user;
  const BetheResult result = run_unlocked([&] {
    control.start();
    return bethe_entropy(graph, view(probabilities), tolerance, max_steps, control);
  });
  return {result.entropy, result.misfit_factor};
}

std::tuple<double, Output<double>, Output<double>> losses_of(const Graph& graph,
                                                             const Input<double>& link_scores) {
  require(link_scores.shape(0) == static_cast<std::size_t>(graph.links()),
          "one score per link is needed");
  BranchAndBound::Losses found = run_unlocked([&] {
    Control control;
    return BranchAndBound(graph, {}, control).losses(view(link_scores));
  });
  return {found.bound, to_numpy(std::move(found.if_one)), to_numpy(std::move(found.if_zero))};
}

Output<double> values_of(const Graph& graph, const Input<std::uint8_t, 2>& assignments) {
  require(assignments.shape(1) == graph.scores.size(), "one value per variable is needed");
  std::vector<double> values(assignments.shape(0));
  run_unlocked([&] {
    Factors factors(graph);
    std::vector<std::uint8_t> one(graph.scores.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint8_t* row = assignments.data() + i * one.size();
      for (std::size_t v = 0; v < one.size(); ++v) one[v] = row[v] != 0 ? 1 : 0;
      values[i] = factors.value(one);
    }
    return 0;
  });
  return to_numpy(std::move(values));
}

// Costs of a linear program, tamed, and their usual size.
std::tuple<Output<double>, Taming, double> tame_costs(const Input<double>& costs, bool level,
                                                      double floor) {
  const auto all = view(costs);
  std::vector<double> own(all.begin(), all.end());
  std::vector<double*> numbers;
  for (double& cost : own) {
    require(std::isfinite(cost), "costs are finite");
    if (cost != 0.0) numbers.push_back(&cost);
  }
  const Taming taming = tame(numbers, level ? Tame::kLevel : Tame::kFlatten, floor);
  const double usual = typical_size(own, taming.from);
  return {to_numpy(std::move(own)), taming, usual};
}

SparsemapResult sparsemap_of(const Graph& graph, std::int64_t max_iterations, double threshold,
                             const std::optional<Input<double>>& start,
                             const std::optional<Input<double>>& point) {
  require(!start || start->shape(0) == static_cast<std::size_t>(graph.links()),
          "one multiplier per link is needed");
  require(!point || point->shape(0) == graph.scores.size(), "one number per variable is needed");
  Control control;
  control.interrupted = interrupted_by_user;
  return run_unlocked([&] {
    control.start();
    return sparsemap(graph, {max_iterations, threshold},
                     start ? view(*start) : std::span<const double>{},
                     point ? view(*point) : std::span<const double>{}, control);
  });
}

}  // namespace

void bind_solvers(nb::module_& m) {
  nb::class_<Taming>(m, "Taming")
      .def_ro("changed", &Taming::changed)
      .def_ro("ordered", &Taming::ordered)
      .def_ro("margin", &Taming::margin)
      .def_ro("most_lost", &Taming::most_lost);
  m.def("tame_costs", &tame_costs, "costs"_a, "level"_a, "floor"_a = -kInfinity,
        "Costs without masks that outweigh the rest, how they differ, and their usual size.");
  m.def("admm", &admm, "max_iterations"_a, "residual_threshold"_a, "penalty"_a, "adapt_penalty"_a,
        "step"_a, "extrapolate"_a, "literal"_a, "relative_gap"_a, "expectations"_a,
        "time_limit_seconds"_a, "trace"_a, "start"_a.none());
  m.def("branch_and_bound", &branch_and_bound, "max_nodes"_a, "max_rounds_per_node"_a,
        "relative_gap"_a, "time_limit_seconds"_a, "trace"_a, "count"_a = 1, "keys"_a = -1,
        "same_size"_a = false, "floor"_a = -kInfinity);
  m.def("losses", &losses_of, "graph"_a, "link_scores"_a,
        "A bound, and how far it falls for each variable if that is 1, or 0.");
  m.def("values", &values_of, "graph"_a, "assignments"_a, "The value of each assignment.");
  m.def("subgradient", &subgradient, "rule"_a, "step"_a, "max_iterations"_a, "relative_gap"_a,
        "tree_share"_a, "literal"_a, "projected"_a, "time_limit_seconds"_a, "trace"_a);
  m.def("belief_propagation", &belief_propagation, "sums"_a, "schedule"_a, "max_iterations"_a,
        "tolerance"_a, "damping"_a, "expectations"_a, "time_limit_seconds"_a, "trace"_a);
  nb::class_<SparsemapResult> found(m, "SparsemapResult");
  def_array<&SparsemapResult::point>(found, "point");
  def_array<&SparsemapResult::expectations>(found, "expectations");
  def_array<&SparsemapResult::multipliers>(found, "multipliers");
  found.def_ro("iterations", &SparsemapResult::iterations)
      .def_ro("converged", &SparsemapResult::converged);
  m.def("sparsemap", &sparsemap_of, "graph"_a, "max_iterations"_a, "threshold"_a, "start"_a.none(),
        "point"_a.none());
  m.def("bethe_entropy", &bethe, "graph"_a, "probabilities"_a, "tolerance"_a, "max_steps"_a,
        "The entropy, and the factor that has no such belief or -1.");
}
