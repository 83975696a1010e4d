// Non-negative numbers without overflow or underflow, as accurate as double.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "common/exponential.h"
#include "trees/types.h"

namespace turbotree::trees {

// mantissa * 2^exponent * epsilon^order, epsilon being positive and smaller than every number
// without it. Sums of weights that lie e^10000 apart keep full relative accuracy; the order lets
// "fewest root arcs first" be a limit of ordinary weights.
struct Wide {
  double mantissa = 0.0;  // in [1, 2), or 0
  double exponent = 0.0;  // a whole number
  int order = 0;

  Wide() = default;
  // Not explicit: the algorithms write 0.0 and 1.0 for both kinds of number.
  Wide(double value) {
    if (value <= 0.0) return;
    int power = 0;
    mantissa = 2.0 * std::frexp(value, &power);
    exponent = power - 1;
  }

  // e^x. Below the smallest scores that make sense the arc counts as forbidden.
  static Wide from_log(double x, int order = 0) {
    Wide result;
    if (!(x > -1e300)) return result;
    result.exponent = std::floor(x * kLog2E);
    const double high = std::fma(-result.exponent, kLn2High, x);
    const double rest = std::fma(-result.exponent, kLn2Low, high);
    result.mantissa = std::exp(std::fmin(std::fmax(rest, -1.0), 1.0));
    result.order = order;
    return result.normal();
  }

  bool is_zero() const { return mantissa == 0.0; }
  double log() const { return std::log(mantissa) + exponent * 0x1.62e42fefa39efp-1; }

  // The nearest double; infinitesimal numbers are 0.
  double value() const {
    if (is_zero() || order > 0 || exponent < -1100.0) return 0.0;
    return std::ldexp(mantissa, static_cast<int>(std::fmin(exponent, 2000.0)));
  }

  Wide normal() const {
    Wide result = *this;
    if (mantissa >= 2.0) {
      result.mantissa *= 0.5;
      result.exponent += 1.0;
    } else if (mantissa < 1.0 && mantissa > 0.0) {
      result.mantissa *= 2.0;
      result.exponent -= 1.0;
    }
    return result;
  }

  friend Wide operator*(const Wide& a, const Wide& b) {
    if (a.is_zero() || b.is_zero()) return {};
    return make(a.mantissa * b.mantissa, a.exponent + b.exponent, a.order + b.order);
  }

  friend Wide operator/(const Wide& a, const Wide& b) {
    if (a.is_zero()) return {};
    return make(a.mantissa / b.mantissa, a.exponent - b.exponent, a.order - b.order);
  }

  friend Wide operator+(const Wide& a, const Wide& b) {
    if (b.is_zero()) return a;
    if (a.is_zero()) return b;
    if (a.order != b.order) return a.order < b.order ? a : b;
    const Wide& large = a.exponent >= b.exponent ? a : b;
    const Wide& small = a.exponent >= b.exponent ? b : a;
    const double gap = large.exponent - small.exponent;
    if (gap > 64.0) return large;
    const double scale =
        std::bit_cast<double>(static_cast<std::uint64_t>(1023 - static_cast<int>(gap)) << 52);
    return make(large.mantissa + small.mantissa * scale, large.exponent, large.order);
  }

  Wide& operator+=(const Wide& other) { return *this = *this + other; }

 private:
  static Wide make(double mantissa, double exponent, int order) {
    Wide result;
    result.mantissa = mantissa;
    result.exponent = exponent;
    result.order = order;
    return result.normal();
  }
};

// The same questions asked of both kinds of number.
inline bool is_zero(double x) { return x == 0.0; }
inline bool is_zero(const Wide& x) { return x.is_zero(); }
inline double log_of(double x) { return std::log(x); }
inline double log_of(const Wide& x) { return x.log(); }
inline double value_of(double x) { return x; }
inline double value_of(const Wide& x) { return x.value(); }

}  // namespace turbotree::trees
