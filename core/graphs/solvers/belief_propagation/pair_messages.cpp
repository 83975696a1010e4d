#include "graphs/solvers/belief_propagation/pair_messages.h"

#include <algorithm>
#include <cmath>

#include "common/exponential.h"
#include "common/vectorize.h"

namespace turbotree::graphs {

namespace {

// 2 artanh(z) for |z| <= 1/3: the first omitted term is 2 z^35 / 35 < 1e-18. Even and odd powers
// of z^2 apart, so that one sum does not wait for the other.
TURBOTREE_INLINE double log_ratio(double z) {
  const double s = z * z, t = s * s;
  double even = 1.0 / 33.0, odd = 1.0 / 31.0;
  even = even * t + 1.0 / 29.0, odd = odd * t + 1.0 / 27.0;
  even = even * t + 1.0 / 25.0, odd = odd * t + 1.0 / 23.0;
  even = even * t + 1.0 / 21.0, odd = odd * t + 1.0 / 19.0;
  even = even * t + 1.0 / 17.0, odd = odd * t + 1.0 / 15.0;
  even = even * t + 1.0 / 13.0, odd = odd * t + 1.0 / 11.0;
  even = even * t + 1.0 / 9.0, odd = odd * t + 1.0 / 7.0;
  even = even * t + 1.0 / 5.0, odd = odd * t + 1.0 / 3.0;
  even = even * t + 1.0;
  return 2.0 * z * (even + s * odd);
}

constexpr std::int64_t kChunk = 128;

}  // namespace

// The message of x is log (1 + e^(x + s)) / (1 + e^x). With u = 1 + e^-|x + s| and w = 1 + e^-|x|
// it is max(0, x + s) - max(0, x) + log(u / w), and log(u / w) = 2 artanh((u - w) / (u + w)),
// where u and w lie between 1 and 2.
TURBOTREE_CLONES
void pair_sum_messages(std::int64_t count, const double* TURBOTREE_RESTRICT own,
                       const double* TURBOTREE_RESTRICT scores,
                       double* TURBOTREE_RESTRICT messages) {
  double with[2 * kChunk], without[2 * kChunk];
  for (std::int64_t done = 0; done < count; done += kChunk) {
    const std::int64_t size = 2 * std::min(kChunk, count - done);
    const double* const x = scores + 2 * done;
    double* const out = messages + 2 * done;
    // The message to a link comes from the other one's score.
    for (std::int64_t f = 0; 2 * f < size; ++f) {
      const double s = own[done + f];
      with[2 * f] = x[2 * f + 1] + s;
      with[2 * f + 1] = x[2 * f] + s;
      without[2 * f] = x[2 * f + 1];
      without[2 * f + 1] = x[2 * f];
    }
    for (std::int64_t i = 0; i < size; ++i) {
      const double a = with[i], b = without[i];
      out[i] = 0.5 * ((a + std::abs(a)) - (b + std::abs(b)));  // no rounding but in the difference
      with[i] = -std::abs(a);
      without[i] = -std::abs(b);
    }
    for (std::int64_t i = 0; i < size; ++i) {
      with[i] = with[i] > kSmallestExponent ? with[i] : kSmallestExponent;
      without[i] = without[i] > kSmallestExponent ? without[i] : kSmallestExponent;
    }
    for (std::int64_t i = 0; i < size; ++i) with[i] = exponential(with[i]);
    for (std::int64_t i = 0; i < size; ++i) without[i] = exponential(without[i]);
    for (std::int64_t i = 0; i < size; ++i)
      with[i] = (with[i] - without[i]) / (2.0 + with[i] + without[i]);
    for (std::int64_t i = 0; i < size; ++i) out[i] += log_ratio(with[i]);
  }
}

}  // namespace turbotree::graphs
