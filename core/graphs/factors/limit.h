// Projection on the cube under a limit on the weighted sum: BUDGET and KNAPSACK.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace turbotree::graphs {

class LimitProjection {
 public:
  // The nearest point of the unit cube with sum of costs_i z_i <= limit. Costs are whole and not
  // negative. The threshold is the multiplier: the last one going in as a guess, the new one coming
  // out. `point` must not overlap `target`.
  void project(std::span<const double> target, std::span<const std::int32_t> costs, double limit,
               std::span<double> point, double& threshold);

 private:
  double middle_border(std::span<const double> target, std::span<const std::int32_t> costs,
                       double low, double high);

  std::vector<double> borders_;
};

}  // namespace turbotree::graphs
