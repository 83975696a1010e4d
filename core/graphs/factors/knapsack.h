// KNAPSACK: the costs of the variables that are 1 add up to no more than a limit. The shape is the
// limit and the costs. The local polytope is the cube with this one inequality.
#pragma once

#include <cstdint>

#include "graphs/factor.h"
#include "graphs/factors/cost_table.h"
#include "graphs/factors/limit.h"

namespace turbotree::graphs {

class Knapsack {
 public:
  // The multiplier of the last projection; the next starts its search there.
  struct Memory {
    double threshold = 0.0;
  };

  static const char* check(const Factor& factor);
  double value(const Factor& factor, const std::uint8_t* chosen);
  double maximise(const Factor& factor, const double* scores, std::uint8_t* chosen);
  double max_messages(const Factor& factor, const double* scores, double* messages);
  Sums sum_messages(const Factor& factor, const double* scores, double* messages);
  double project(const Factor& factor, const double* target, double scale, double* point,
                 Memory& memory);

 private:
  CostTable table_;
  LimitProjection projection_;
};

}  // namespace turbotree::graphs
