// OR_OUT: the last variable says whether at least one of the others is 1.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factor.h"
#include "graphs/factors/or.h"

namespace turbotree::graphs {

class OrOut {
 public:
  // Where the last projection ended, for the next to start there.
  struct Memory {
    double level = 0.0;      // the output, if it is only held up by inputs
    double threshold = 0.0;  // the multiplier, if the output is the sum of the inputs
    bool output_is_sum = false;
  };

  static const char* check(const Factor& factor);
  double value(const Factor& factor, const std::uint8_t* chosen);
  double maximise(const Factor& factor, const double* scores, std::uint8_t* chosen);
  double max_messages(const Factor& factor, const double* scores, double* messages);
  Sums sum_messages(const Factor& factor, const double* scores, double* messages);
  double project(const Factor& factor, const double* target, double scale, double* point,
                 Memory& memory);

 private:
  Or inputs_;
  std::vector<double> positive_;
};

}  // namespace turbotree::graphs
