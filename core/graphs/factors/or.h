// OR: at least one of its variables is 1.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factor.h"

namespace turbotree::graphs {

class Or {
 public:
  // The multiplier of the last projection on the simplex; the next starts its search there.
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

  // After sum_messages: for every link, the log of the summed weights of the others' values, all
  // zero included.
  const std::vector<double>& free_others() const { return free_others_; }

 private:
  std::vector<double> free_, free_others_, one_other_;
};

}  // namespace turbotree::graphs
