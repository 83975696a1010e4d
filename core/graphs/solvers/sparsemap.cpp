#include "graphs/solvers/sparsemap.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {
namespace {

constexpr std::int64_t kRoundsBetweenPenalties = 20;

}  // namespace

SparsemapResult sparsemap(const Graph& graph, const SparsemapOptions& options,
                          std::span<const double> start, std::span<const double> start_point,
                          Control& control) {
  Factors factors(graph);
  const Links& links = factors.links();
  const auto count = static_cast<std::size_t>(links.links());
  const std::size_t variables = graph.scores.size();
  SparsemapResult result;
  std::vector<double>& u = result.point;
  std::vector<double>& multiplier = result.multipliers;
  multiplier.assign(count, 0.0);
  if (start.size() == count) std::copy(start.begin(), start.end(), multiplier.begin());
  u.resize(variables);
  bool shared = false;  // by several factors
  for (std::size_t v = 0; v < variables; ++v) {
    if (graph.pins[v] >= 0)
      u[v] = graph.pins[v];
    else if (start_point.size() == variables && links.degree[v] > 0)
      u[v] = start_point[v];
    else
      u[v] = std::clamp(graph.scores[v], 0.0, 1.0);
    shared |= links.degree[v] > 1;
  }
  std::vector<double> target(count), point(count),
      factor_scores(static_cast<std::size_t>(links.factors())), sum(variables);
  for (std::int64_t b = 0; b < factors.blocks(); ++b) factors.block(b).set_inexact(false);
  const auto seen = [&](std::size_t l, double value) {
    return links.negated[l] != 0 ? 1.0 - value : value;
  };
  const auto project = [&](double scale) {
    for (std::int64_t b = 0; b < factors.blocks(); ++b)
      factors.block(b).project(links.links_of_block(b, std::as_const(target)), scale,
                               links.links_of_block(b, point),
                               links.factors_of_block(b, factor_scores));
  };
  const auto pin_targets = [&] {
    for (std::size_t l = 0; l < count; ++l) {
      const Pin pin = graph.pins[links.variable[l]];
      if (pin >= 0) target[l] = pushed(links, l, pin, kPinnedTarget);
    }
  };
  if (!shared) {  // every factor is a problem of its own
    for (std::size_t l = 0; l < count; ++l) target[l] = seen(l, graph.scores[links.variable[l]]);
    pin_targets();
    project(1.0);
    for (std::size_t l = 0; l < count; ++l)
      if (graph.pins[links.variable[l]] < 0) u[links.variable[l]] = seen(l, point[l]);
    result.converged = true;
    result.iterations = 1;
  }
  double penalty = 1.0;
  const double size = std::max<double>(1.0, static_cast<double>(count));
  while (shared && result.iterations < options.max_iterations && !control.should_stop()) {
    for (std::size_t l = 0; l < count; ++l)
      target[l] = seen(l, u[links.variable[l]]) - multiplier[l] / penalty;
    pin_targets();
    project(1.0 / penalty);
    std::fill(sum.begin(), sum.end(), 0.0);
    for (std::size_t l = 0; l < count; ++l)
      sum[links.variable[l]] += links.turned(
          l, penalty * (point[l] - (links.negated[l] != 0 ? 1.0 : 0.0)) + multiplier[l]);
    double moved = 0.0, apart = 0.0;
    for (std::size_t v = 0; v < variables; ++v) {
      if (graph.pins[v] >= 0 || links.degree[v] == 0) continue;
      const double next = (graph.scores[v] + sum[v]) / (1.0 + penalty * links.degree[v]);
      moved += links.degree[v] * (next - u[v]) * (next - u[v]);
      u[v] = next;
    }
    for (std::size_t l = 0; l < count; ++l) {
      if (graph.pins[links.variable[l]] >= 0) continue;
      const double difference = point[l] - seen(l, u[links.variable[l]]);
      multiplier[l] += penalty * difference;
      apart += difference * difference;
    }
    ++result.iterations;
    moved = std::sqrt(moved / size);
    apart = std::sqrt(apart / size);
    if (apart < options.threshold && moved * penalty < options.threshold) {
      result.converged = true;
      break;
    }
    if (result.iterations % kRoundsBetweenPenalties == 0 && result.iterations < 500) {
      if (apart > 10.0 * moved * penalty)
        penalty *= 2.0;
      else if (moved * penalty > 10.0 * apart)
        penalty *= 0.5;
    }
  }
  result.expectations = factors.expectations_at(point);
  return result;
}

}  // namespace turbotree::graphs
