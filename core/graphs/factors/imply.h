// IMPLY: if the first of its two variables is 1, so is the second.
#pragma once

#include <cstdint>

#include "graphs/factor.h"

namespace turbotree::graphs {

class Imply {
 public:
  using Memory = NoMemory;

  static const char* check(const Factor& factor);
  double value(const Factor& factor, const std::uint8_t* chosen);
  double maximise(const Factor& factor, const double* scores, std::uint8_t* chosen);
  double max_messages(const Factor& factor, const double* scores, double* messages);
  Sums sum_messages(const Factor& factor, const double* scores, double* messages);
  double project(const Factor&, const double* target, double scale, double* point, Memory&) {
    double own;
    project_many(1, nullptr, target, scale, point, &own);
    return own;
  }

  // Factors side by side, two links each.
  static void project_many(std::int64_t count, const double* extras, const double* target,
                           double scale, double* point, double* own);
};

}  // namespace turbotree::graphs
