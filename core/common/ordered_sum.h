// Sums in an order that is written down, the same on every machine.
//
// Compilers do not vectorise sums of floating-point numbers of their own accord, since that changes
// the order of the additions, and one running sum would wait for its own last addition every time.
#pragma once

#include <array>
#include <cstddef>

#include "common/vectorize.h"

namespace turbotree {

// The sums of N terms for each i in 0 .. count - 1, in four running sums each: term i goes to sum
// i mod 4, but the last terms that do not fill all four go to the first. `terms` takes i and
// returns an array, and is called for each i in turn.
template <std::size_t N, class Number, class Terms>
TURBOTREE_INLINE std::array<Number, N> ordered_sums(std::size_t count, Terms&& terms) {
  constexpr std::size_t kLanes = 4;
  Number sums[N][kLanes] = {};
  const auto add = [&](std::size_t i, std::size_t lane) TURBOTREE_INLINE_LAMBDA {
    const std::array<Number, N> more = terms(i);
    for (std::size_t n = 0; n < N; ++n) sums[n][lane] += more[n];
  };
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) add(i + lane, lane);
  for (; i < count; ++i) add(i, 0);
  std::array<Number, N> totals;
  for (std::size_t n = 0; n < N; ++n)
    totals[n] = (sums[n][0] + sums[n][1]) + (sums[n][2] + sums[n][3]);
  return totals;
}

// The same for one term: `term` takes i and returns a number.
template <class Number = double, class Term>
TURBOTREE_INLINE Number ordered_sum(std::size_t count, Term&& term) {
  return ordered_sums<1, Number>(count, [&](std::size_t i) TURBOTREE_INLINE_LAMBDA {
    return std::array<Number, 1>{term(i)};
  })[0];
}

TURBOTREE_INLINE double ordered_dot(std::size_t size, const double* TURBOTREE_RESTRICT a,
                                    const double* TURBOTREE_RESTRICT b) {
  return ordered_sum(size, [=](std::size_t i) TURBOTREE_INLINE_LAMBDA { return a[i] * b[i]; });
}

}  // namespace turbotree
