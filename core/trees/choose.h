// Drawing an index with probability proportional to a weight.
#pragma once

#include "common/random.h"
#include "trees/wide.h"

namespace turbotree::trees {

// Draws i in [begin, end) with probability weight(i) / total. Rounding may leave a sliver at the
// end of the interval; it goes to the last index with a weight.
template <class Number, class Weight>
int choose(Random& random, int begin, int end, const Number& total, Weight weight) {
  const double point = random.uniform();
  double sum = 0.0;
  int last = begin;
  for (int i = begin; i < end; ++i) {
    const Number w = weight(i);
    if (is_zero(w)) continue;
    last = i;
    sum += value_of(w / total);
    if (sum > point) return i;
  }
  return last;
}

}  // namespace turbotree::trees
