#include "graphs/solvers/pair_messages.h"

#include <algorithm>
#include <cmath>

#include "common/exponential.h"
#include "common/vectorize.h"

namespace turbotree::graphs {

namespace {

// 2 artanh(z) for |z| <= 1/3: the first term left out is 2 z^35 / 35 < 1e-18.
TURBOTREE_INLINE double log_ratio(double z) {
  const double s = z * z;
  double p = 1.0 / 33.0;
  p = p * s + 1.0 / 31.0;
  p = p * s + 1.0 / 29.0;
  p = p * s + 1.0 / 27.0;
  p = p * s + 1.0 / 25.0;
  p = p * s + 1.0 / 23.0;
  p = p * s + 1.0 / 21.0;
  p = p * s + 1.0 / 19.0;
  p = p * s + 1.0 / 17.0;
  p = p * s + 1.0 / 15.0;
  p = p * s + 1.0 / 13.0;
  p = p * s + 1.0 / 11.0;
  p = p * s + 1.0 / 9.0;
  p = p * s + 1.0 / 7.0;
  p = p * s + 1.0 / 5.0;
  p = p * s + 1.0 / 3.0;
  p = p * s + 1.0;
  return 2.0 * z * p;
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
      out[i] = std::max(0.0, with[i]) - std::max(0.0, without[i]);
      with[i] = std::max(kSmallestExponent, -std::abs(with[i]));
      without[i] = std::max(kSmallestExponent, -std::abs(without[i]));
    }
    for (std::int64_t i = 0; i < size; ++i) {
      const double u = exponential(with[i]), w = exponential(without[i]);
      out[i] += log_ratio((u - w) / (2.0 + u + w));
    }
  }
}

}  // namespace turbotree::graphs
