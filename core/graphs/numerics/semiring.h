// Maximum and sum behind one face, so that a pass over the assignments of a factor is written once.
//
// Values are logarithms and may be -infinity, never +infinity or NaN. `add` takes them one by one;
// the others many at once, which is faster, and use up their memory. `of_others` writes the total
// of all values but the i-th, without ever subtracting it, and returns the total of all.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "common/vectorize.h"
#include "graphs/factor.h"
#include "graphs/numerics/log_domain.h"

namespace turbotree::graphs {

// values := e^values (0 below -700), and their sum
double exponentials(std::span<double> values);

class Maximum {
 public:
  static double of(std::span<const double> values) {
    return values.empty() ? -kInfinity : *std::max_element(values.begin(), values.end());
  }
  static double of_others(std::span<double> values, std::span<double> others);
  // This form of the comparison is what compilers turn into one instruction.
  TURBOTREE_INLINE void add(double value) { best_ = value > best_ ? value : best_; }
  TURBOTREE_INLINE double total() const { return best_; }

 private:
  double best_ = -kInfinity;
};

// The sum is kept relative to its largest term so far: one exponential per term.
class LogSum {
 public:
  static double of(std::span<double> values) {
    const double top = Maximum::of(values);
    if (top == -kInfinity) return top;
    for (double& value : values) value -= top;
    return top + std::log(exponentials(values));
  }
  static double of_others(std::span<double> values, std::span<double> others);
  void add(double value) {
    if (value <= top_) {
      if (value > -kInfinity) sum_ += std::exp(value - top_);
    } else {
      sum_ = 1.0 + (sum_ > 0.0 ? sum_ * std::exp(top_ - value) : 0.0);
      top_ = value;
    }
  }
  double total() const { return top_ == -kInfinity ? top_ : top_ + std::log(sum_); }

 private:
  double top_ = -kInfinity, sum_ = 0.0;
};

// The message of a variable: infinite where one of its values is impossible, 0 where both are.
inline double log_odds(double with, double without) {
  return with == -kInfinity && without == -kInfinity ? 0.0 : with - without;
}

}  // namespace turbotree::graphs
