// Sums of numbers that are given by their logarithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace turbotree::chains {

inline constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// log(sum(exp(values))) with values given by `at(0 .. count)`.
template <class At>
double log_sum(int count, At at) {
  double highest = minus_infinity;
  for (int i = 0; i < count; ++i) highest = std::max(highest, at(i));
  if (highest == minus_infinity) return minus_infinity;
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += std::exp(at(i) - highest);
  return highest + std::log(sum);
}

// Rounding must not make a certainty more than certain.
inline double probability(double logarithm) { return std::min(1.0, std::exp(logarithm)); }

}  // namespace turbotree::chains
