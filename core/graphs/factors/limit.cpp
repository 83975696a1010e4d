#include "graphs/factors/limit.h"

#include <algorithm>

#include "graphs/factor.h"

namespace turbotree::graphs {

namespace {

// z_i = target_i - t cost_i, clipped to 0..1: where that leaves the coordinates. Coordinates with a
// cost of zero do not matter.
struct Split {
  std::int64_t at_one = 0, between = 0;
  double fixed_cost = 0.0;              // of coordinates at 1
  double free_cost = 0.0, slope = 0.0;  // of those between: sum of cost * target, of cost^2

  Split(std::span<const double> target, std::span<const std::int32_t> costs, double t) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const double cost = costs[i];
      const double z = target[i] - t * cost;
      const bool one = z >= 1.0 && cost > 0.0;
      const bool free = z > 0.0 && z < 1.0 && cost > 0.0;
      at_one += one ? 1 : 0;
      between += free ? 1 : 0;
      fixed_cost += one ? cost : 0.0;
      free_cost += free ? cost * target[i] : 0.0;
      slope += free ? cost * cost : 0.0;
    }
  }

  double excess(double t, double limit) const { return fixed_cost + free_cost - t * slope - limit; }
  // Both kinds of sets are nested as t grows: the same number is the same set.
  bool same(const Split& other) const { return at_one == other.at_one && between == other.between; }
};

}  // namespace

// The middle one of the multipliers strictly between two where a coordinate reaches 0 or 1;
// -infinity if there is none.
double LimitProjection::middle_border(std::span<const double> target,
                                      std::span<const std::int32_t> costs, double low,
                                      double high) {
  borders_.clear();
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] == 0) continue;
    for (const double reached : {0.0, 1.0}) {
      const double border = (target[i] - reached) / costs[i];
      if (low < border && border < high) borders_.push_back(border);
    }
  }
  if (borders_.empty()) return -kInfinity;
  const auto middle = borders_.begin() + static_cast<std::ptrdiff_t>(borders_.size() / 2);
  std::nth_element(borders_.begin(), middle, borders_.end());
  return *middle;
}

// The cost falls with the multiplier t in straight pieces. Newton's method, inside a bracket that
// shrinks: a step that leaves it goes to the middle border between two pieces instead. No piece is
// entered twice; the last step, on a piece that holds its own root, is exact.
void LimitProjection::project(std::span<const double> target, std::span<const std::int32_t> costs,
                              double limit, std::span<double> point, double& threshold) {
  double cost = 0.0, high = 0.0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    point[i] = std::min(1.0, std::max(0.0, target[i]));
    cost += costs[i] * point[i];
    if (costs[i] > 0) high = std::max(high, target[i] / costs[i]);
  }
  if (cost <= limit) return;
  if (limit == 0.0) {
    for (std::size_t i = 0; i < costs.size(); ++i) point[i] = costs[i] > 0 ? 0.0 : point[i];
    return;
  }
  double low = 0.0;
  double t = threshold > low && threshold < high ? threshold : low;
  Split now(target, costs, t);
  for (std::int64_t step = 0; step < 4 * static_cast<std::int64_t>(target.size()) + 8; ++step) {
    const double excess = now.excess(t, limit);
    if (excess == 0.0) break;
    (excess > 0.0 ? low : high) = t;
    const double root = now.slope > 0.0 ? (now.fixed_cost + now.free_cost - limit) / now.slope : t;
    if (root > low && root < high) {
      const Split before = now;
      t = root;
      now = Split(target, costs, t);
      if (now.same(before)) break;
    } else if (root == t && now.slope > 0.0) {
      break;
    } else {
      const double border = middle_border(target, costs, low, high);
      if (border == -kInfinity) {  // one straight piece is left
        const Split piece(target, costs, 0.5 * (low + high));
        t = piece.slope > 0.0 ? (piece.fixed_cost + piece.free_cost - limit) / piece.slope : high;
        t = std::min(high, std::max(low, t));
        break;
      }
      t = border;
      now = Split(target, costs, t);
    }
  }
  threshold = t;
  for (std::size_t i = 0; i < costs.size(); ++i)
    point[i] = std::min(1.0, std::max(0.0, target[i] - t * costs[i]));
}

}  // namespace turbotree::graphs
