// BUDGET: at most so many of its variables are 1 as its shape says.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factor.h"
#include "graphs/factors/cost_table.h"
#include "graphs/factors/limit.h"

namespace turbotree::graphs {

class Budget {
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
  // A cost of one each.
  const std::int32_t* units(const Factor& factor);

  CostTable table_;
  LimitProjection projection_;
  std::vector<std::int32_t> units_, order_;
  std::vector<double> sorted_;
};

}  // namespace turbotree::graphs
