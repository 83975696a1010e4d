// PAIR: a score for two variables that are both 1.
#pragma once

#include <algorithm>
#include <cstdint>

#include "graphs/factor.h"

namespace turbotree::graphs {

class Pair {
 public:
  using Memory = NoMemory;

  static const char* check(const Factor& factor);
  double value(const Factor& factor, const std::uint8_t* chosen);
  double maximise(const Factor& factor, const double* scores, std::uint8_t* chosen);
  double max_messages(const Factor& factor, const double* scores, double* messages);
  Sums sum_messages(const Factor& factor, const double* scores, double* messages);
  void expectations(const Factor& factor, const double* scores, double* expectations);
  double project(const Factor& factor, const double* target, double scale, double* point,
                 Memory&) {
    double own;
    project_many(1, factor.extras.data(), target, scale, point, &own);
    return own;
  }

  // Factors side by side, two links and one score each.
  static void project_many(std::int64_t count, const double* scores, const double* target,
                           double scale, double* point, double* own);
};

}  // namespace turbotree::graphs
