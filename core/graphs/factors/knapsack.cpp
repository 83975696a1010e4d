#include "graphs/factors/knapsack.h"

#include <algorithm>

namespace turbotree::graphs {

namespace {

constexpr double kMostEntries = 1 << 26;  // of a table: half a gigabyte

std::int64_t limit_of(const Factor& factor) { return factor.shape[0]; }
const std::int32_t* costs_of(const Factor& factor) { return factor.shape.data() + 1; }

}  // namespace

const char* Knapsack::check(const Factor& factor) {
  if (factor.links < 1) return "a knapsack needs a variable";
  if (factor.shape.size() != static_cast<std::size_t>(factor.links) + 1)
    return "the shape of a knapsack is its limit and one cost a variable";
  if (std::any_of(factor.shape.begin(), factor.shape.end(), [](auto x) { return x < 0; }))
    return "the limit and the costs of a knapsack are not negative";
  if (CostTable::entries(factor.links, costs_of(factor), limit_of(factor)) > kMostEntries)
    return "the costs of a knapsack are too large: count them in larger units";
  return "";
}

double Knapsack::value(const Factor& factor, const std::uint8_t* chosen) {
  std::int64_t cost = 0;
  for (std::int64_t i = 0; i < factor.links; ++i) cost += chosen[i] != 0 ? costs_of(factor)[i] : 0;
  return cost <= limit_of(factor) ? 0.0 : -kInfinity;
}

double Knapsack::maximise(const Factor& factor, const double* scores, std::uint8_t* chosen) {
  return table_.maximise(factor.links, scores, costs_of(factor), limit_of(factor), chosen);
}

double Knapsack::max_messages(const Factor& factor, const double* scores, double* messages) {
  return table_.max_messages(factor.links, scores, costs_of(factor), limit_of(factor), messages);
}

Sums Knapsack::sum_messages(const Factor& factor, const double* scores, double* messages) {
  const double log_partition =
      table_.sum_messages(factor.links, scores, costs_of(factor), limit_of(factor), messages);
  return {log_partition, 0.0};
}

double Knapsack::project(const Factor& factor, const double* target, double, double* point,
                         Memory& memory) {
  projection_.project(factor.links, target, costs_of(factor), static_cast<double>(limit_of(factor)),
                      point, memory.threshold);
  return 0.0;
}

}  // namespace turbotree::graphs
