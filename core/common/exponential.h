// e^x in plain arithmetic, so that loops over it vectorise and every platform gives the same bits.
#pragma once

#include <bit>
#include <cstdint>

#include "common/vectorize.h"

namespace turbotree {

// ln 2 in two parts: k * kLn2High is exact for |k| < 2^20.
inline constexpr double kLn2High = 0x1.62e42fefap-1;
inline constexpr double kLn2Low = 0x1.cf79abc9e3b3ap-40;
inline constexpr double kLog2E = 0x1.71547652b82fep+0;

// Within 2 units in the last place; 0 below -700 (no subnormal numbers), e^700 above 700. Written
// without branches: the ends of the range are dealt with before and after the arithmetic.
TURBOTREE_INLINE double exponential(double x) {
  constexpr double kShifter = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
  const double raised = x > -701.0 ? x : -701.0;
  const double inside = raised < 700.0 ? raised : 700.0;
  const double shifted = inside * kLog2E + kShifter;
  const double k = shifted - kShifter;
  const double r = (inside - k * kLn2High) - k * kLn2Low;  // |r| <= ln(2) / 2
  // Taylor series: the first term left out is r^14 / 14! < 5e-18.
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const std::uint64_t kept = inside < -700.0 ? 0 : ~std::uint64_t{0};
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023u) << 52;
  return p * std::bit_cast<double>(power & kept);
}

}  // namespace turbotree
