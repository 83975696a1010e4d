// XOR: exactly one of its variables is 1.
#pragma once

#include <cstdint>

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
};

}  // namespace turbotree::graphs
