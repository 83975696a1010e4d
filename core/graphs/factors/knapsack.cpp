// BUDGET and KNAPSACK: a limit on the sum of the variables, or of their costs.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graphs/factor.h"
#include "graphs/factors/cost_table.h"
#include "graphs/factors/limit.h"
#include "graphs/kinds.h"

namespace turbotree::graphs {

namespace {

// BUDGET: at most so many of its variables are 1 as its shape says.
class Budget {
 public:
  using Memory = ThresholdMemory;

  static const char* check(const Factor& factor) {
    if (factor.links < 1) return "a budget needs a variable";
    return factor.shape.size() == 1 && factor.shape[0] >= 0
               ? ""
               : "the shape of a budget is how many may be chosen, not negative";
  }

  double value(const Factor& factor, std::span<const std::uint8_t> chosen) {
    std::int64_t ones = 0;
    for (std::int64_t i = 0; i < factor.links; ++i) ones += chosen[i];
    return ones <= factor.shape[0] ? 0.0 : -kInfinity;
  }

  double maximise(const Factor& factor, std::span<const double> scores,
                  std::span<std::uint8_t> chosen) {
    order_.clear();
    for (std::int32_t i = 0; i < factor.links; ++i) {
      chosen[i] = 0;
      if (scores[i] > 0.0) order_.push_back(i);
    }
    if (static_cast<std::int64_t>(order_.size()) > factor.shape[0]) {
      const auto end = order_.begin() + factor.shape[0];
      std::nth_element(order_.begin(), end, order_.end(),
                       [&](std::int32_t a, std::int32_t b) { return scores[a] > scores[b]; });
      order_.erase(end, order_.end());
    }
    double best = 0.0;
    for (const std::int32_t i : order_) chosen[i] = 1, best += scores[i];
    return best;
  }

  // A link takes the place of the last of the others that would be chosen without it.
  double max_messages(const Factor& factor, std::span<const double> scores,
                      std::span<double> messages) {
    const std::int64_t n = factor.links, budget = factor.shape[0];
    if (budget == 0) {
      std::fill(messages.begin(), messages.end(), -kInfinity);
      return 0.0;
    }
    double best = 0.0;
    if (budget >= n) {
      std::fill(messages.begin(), messages.end(), 0.0);
      for (std::int64_t i = 0; i < n; ++i) best += std::max(0.0, scores[i]);
      return best;
    }
    sorted_.assign(scores.begin(), scores.end());
    const auto end = sorted_.begin() + budget;
    std::nth_element(sorted_.begin(), end, sorted_.end(), std::greater<>());
    const double first_out = *end, last_in = *std::min_element(sorted_.begin(), end);
    for (auto score = sorted_.begin(); score != end; ++score) best += std::max(0.0, *score);
    for (std::int64_t i = 0; i < n; ++i)
      messages[i] = -std::max(0.0, scores[i] >= last_in ? first_out : last_in);
    return best;
  }

  Sums sum_messages(const Factor& factor, std::span<const double> scores,
                    std::span<double> messages) {
    return {table_.sum_messages(scores, units(factor), factor.shape[0], messages), 0.0};
  }

  double project(const Factor& factor, std::span<const double> target, double,
                 std::span<double> point, Memory& memory) {
    projection_.project(target, units(factor), factor.shape[0], point, memory.threshold);
    return 0.0;
  }

 private:
  // A cost of one each.
  std::span<const std::int32_t> units(const Factor& factor) {
    units_.resize(static_cast<std::size_t>(factor.links), 1);
    return std::span(units_).first(factor.links);
  }

  CostTable table_;
  LimitProjection projection_;
  std::vector<std::int32_t> units_, order_;
  std::vector<double> sorted_;
};

constexpr double kMostEntries = 1 << 26;  // of a table: half a gigabyte

std::int64_t limit_of(const Factor& factor) { return factor.shape[0]; }
std::span<const std::int32_t> costs_of(const Factor& factor) { return factor.shape.subspan(1); }

// KNAPSACK: the costs of the variables that are 1 add up to no more than a limit. The shape is the
// limit and the costs. The local polytope is the cube with this one inequality.
class Knapsack {
 public:
  using Memory = ThresholdMemory;

  static const char* check(const Factor& factor) {
    if (factor.links < 1) return "a knapsack needs a variable";
    if (factor.shape.size() != static_cast<std::size_t>(factor.links) + 1)
      return "the shape of a knapsack is its limit and one cost per variable";
    if (std::any_of(factor.shape.begin(), factor.shape.end(), [](auto x) { return x < 0; }))
      return "the limit and the costs of a knapsack are not negative";
    if (CostTable::entries(costs_of(factor), limit_of(factor)) > kMostEntries)
      return "the costs of a knapsack are too large: count them in larger units";
    return "";
  }

  double value(const Factor& factor, std::span<const std::uint8_t> chosen) {
    std::int64_t cost = 0;
    for (std::int64_t i = 0; i < factor.links; ++i)
      cost += chosen[i] != 0 ? costs_of(factor)[i] : 0;
    return cost <= limit_of(factor) ? 0.0 : -kInfinity;
  }

  double maximise(const Factor& factor, std::span<const double> scores,
                  std::span<std::uint8_t> chosen) {
    return table_.maximise(scores, costs_of(factor), limit_of(factor), chosen);
  }

  double max_messages(const Factor& factor, std::span<const double> scores,
                      std::span<double> messages) {
    return table_.max_messages(scores, costs_of(factor), limit_of(factor), messages);
  }

  Sums sum_messages(const Factor& factor, std::span<const double> scores,
                    std::span<double> messages) {
    const double log_partition =
        table_.sum_messages(scores, costs_of(factor), limit_of(factor), messages);
    return {log_partition, 0.0};
  }

  double project(const Factor& factor, std::span<const double> target, double,
                 std::span<double> point, Memory& memory) {
    projection_.project(target, costs_of(factor), static_cast<double>(limit_of(factor)), point,
                        memory.threshold);
    return 0.0;
  }

 private:
  CostTable table_;
  LimitProjection projection_;
};

}  // namespace

constinit const KindFunctions budget_kind = functions_of<Budget>();
constinit const KindFunctions knapsack_kind = functions_of<Knapsack>();

}  // namespace turbotree::graphs
