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

// For -701 <= x <= 700 only, within 2 units in the last place; 0 below -700, so that no subnormal
// numbers slow down what follows. Without branches: raise smaller x to -701 in a loop of its own,
// or the compiler splits the control flow and does not vectorise.
inline constexpr double kSmallestExponent = -701.0;

TURBOTREE_INLINE double exponential(double x) {
  constexpr double kShifter = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
  const double shifted = x * kLog2E + kShifter;
  const double k = shifted - kShifter;
  const double r = (x - k * kLn2High) - k * kLn2Low;  // |r| <= ln(2) / 2
  // Taylor series: the first omitted term is r^14 / 14! < 5e-18.
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
  // All ones, or zero where x + 700 is negative.
  const std::uint64_t kept = (std::bit_cast<std::uint64_t>(x + 700.0) >> 63) - 1;
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023u) << 52;
  return p * std::bit_cast<double>(power & kept);
}

}  // namespace turbotree
