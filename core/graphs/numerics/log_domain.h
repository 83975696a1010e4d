// Sums of exponentials that are kept as logarithms.
#pragma once

#include <algorithm>
#include <cmath>

#include "graphs/factor.h"

namespace turbotree::graphs {

// log(e^a + e^b); either may be -infinity.
inline double log_add(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return low == -kInfinity ? high : high + std::log1p(std::exp(low - high));
}

// log(1 + e^a)
inline double log_one_plus_exp(double a) {
  return a > 0.0 ? a + std::log1p(std::exp(-a)) : std::log1p(std::exp(a));
}

// log(e^a - 1) for a >= 0
inline double log_exp_minus_one(double a) {
  return a > 1.0 ? a + std::log1p(-std::exp(-a)) : std::log(std::expm1(a));
}

}  // namespace turbotree::graphs
