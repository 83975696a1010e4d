// For every one of some numbers, what the others come to. Never the total less the one: that would
// lose all small numbers beside a large one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "graphs/factor.h"

namespace turbotree::graphs {

// Below this, the sum of some exponentials may have lost digits to underflow.
inline constexpr double kSafeSum = 1e-280;

// others[i] = sum of values[j], j != i; returns the sum of all. `others` must not overlap `values`.
inline double sums_of_others(std::span<const double> values, std::span<double> others) {
  double from_left = 0.0, from_right = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) others[i] = from_left, from_left += values[i];
  for (std::size_t i = values.size(); i-- > 0;) others[i] += from_right, from_right += values[i];
  return from_left;
}

// The two largest of some scores and the place of the first.
struct TopTwo {
  double best = -kInfinity, second = -kInfinity;
  std::size_t where = 0;

  explicit TopTwo(std::span<const double> scores) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (scores[i] > best) {
        second = best, best = scores[i], where = i;
      } else {
        second = std::max(second, scores[i]);
      }
    }
  }

  double without(std::size_t i) const { return i == where ? second : best; }
};

// others[i] = log of the sum of e^scores[j], j != i, and of e^always; returns the log of the sum of
// all. `always` may be -infinity.
inline double log_sums_of_others(std::span<const double> scores, double always,
                                 std::span<double> others) {
  const TopTwo top(scores);
  const double best = std::max(top.best, always);
  if (best == -kInfinity) return best;
  // Relative to the best, which is in the others' sums, nothing that is lost to rounding matters.
  const bool one_is_best = top.best > always;
  double sum = one_is_best ? std::exp(always - best) : 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    others[i] = one_is_best && i == top.where ? 0.0 : std::exp(scores[i] - best);
    sum += others[i];
  }
  for (std::size_t i = 0; i < scores.size(); ++i)
    others[i] = best + std::log1p(std::max(0.0, sum - others[i]));
  if (one_is_best) {  // the best itself is not among its others
    double& rest = others[top.where];
    const double second = std::max(top.second, always);
    if (sum > kSafeSum || second == -kInfinity) {
      rest = best + std::log(sum);
    } else {
      double around = std::exp(always - second);
      for (std::size_t i = 0; i < scores.size(); ++i)
        if (i != top.where) around += std::exp(scores[i] - second);
      rest = second + std::log(around);
    }
  }
  return best + std::log1p(sum);
}

}  // namespace turbotree::graphs
