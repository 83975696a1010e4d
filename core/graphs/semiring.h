// Maximum and sum behind one face, so that a pass over the assignments of a factor is written once.
//
// Values are logarithms and may be -infinity, never +infinity or NaN.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/vectorize.h"
#include "graphs/factor.h"
#include "graphs/log_domain.h"

namespace turbotree::graphs {

class Maximum {
 public:
  // This form of the comparison is what compilers turn into one instruction.
  TURBOTREE_INLINE void add(double value) { best_ = value > best_ ? value : best_; }
  TURBOTREE_INLINE double total() const { return best_; }

 private:
  double best_ = -kInfinity;
};

// The sum is kept relative to its largest term so far: one exponential a term.
class LogSum {
 public:
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

// others[i] = total of all values but the i-th, without ever subtracting it.
template <class Total>
void totals_of_others(std::int64_t size, const double* values, double* others) {
  Total right;
  for (std::int64_t i = size; i-- > 0;) {
    others[i] = right.total();
    right.add(values[i]);
  }
  Total left;
  for (std::int64_t i = 0; i < size; ++i) {
    Total both;
    both.add(left.total());
    both.add(others[i]);
    others[i] = both.total();
    left.add(values[i]);
  }
}

// The message of a variable: infinite where one of its values is impossible, nothing where both are.
inline double log_odds(double with, double without) {
  return with == -kInfinity && without == -kInfinity ? 0.0 : with - without;
}

}  // namespace turbotree::graphs
