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
  double project(const Factor& factor, const double* target, double scale, double* point, Memory&) {
    double own;
    project_many(1, factor.extras.data(), target, scale, point, &own);
    return own;
  }

  // How often both are 1 in the best way to be at a point.
  static double extra_of_point(double score, const double* point) {
    return score > 0.0 ? std::min(point[0], point[1]) : std::max(0.0, point[0] + point[1] - 1.0);
  }

  // Factors side by side, two links and one score each.
  static void project_many(std::int64_t count, const double* scores, const double* target,
                           double scale, double* point, double* own);
};

}  // namespace turbotree::graphs
