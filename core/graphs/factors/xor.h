// XOR: exactly one of its variables is 1.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factor.h"

namespace turbotree::graphs {

class Xor {
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
  std::vector<double> from_right_;
};

// The nearest point of the simplex, z_i = max(0, target_i - threshold) with sum 1. Newton's method
// on the convex piecewise-linear sum: a few passes, started from a guess of the threshold, which
// receives the true one.
void project_on_simplex(std::int64_t size, const double* target, double* point, double& threshold);

}  // namespace turbotree::graphs
