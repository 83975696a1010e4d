// Four doubles side by side. Compilers do not vectorise sums of doubles of their own accord, since
// that changes the order of the additions; here the order is written down, the same everywhere.
#pragma once

#include <cstdint>
#include <cstring>

#include "common/vectorize.h"
#include "graphs/factor.h"

namespace turbotree::graphs {

inline constexpr std::int64_t kLanes = 4;

#if defined(__GNUC__)

// How vectors are passed depends on the target, which is no matter where all is inlined. This
// holds for the whole file that includes this one.
#pragma GCC diagnostic ignored "-Wpsabi"

using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

// The lanes of `yes` where a > b, of `no` elsewhere.
TURBOTREE_INLINE Lanes where_greater(const Lanes& a, const Lanes& b, const Lanes& yes,
                                     const Lanes& no) {
  return a > b ? yes : no;
}

#else

struct Lanes {
  double lane[kLanes];
  double operator[](std::int64_t k) const { return lane[k]; }
  Lanes& operator+=(const Lanes& other) {
    for (std::int64_t k = 0; k < kLanes; ++k) lane[k] += other.lane[k];
    return *this;
  }
};

inline Lanes operator-(Lanes a, const Lanes& b) {
  for (std::int64_t k = 0; k < kLanes; ++k) a.lane[k] -= b.lane[k];
  return a;
}

inline Lanes where_greater(const Lanes& a, const Lanes& b, Lanes yes, const Lanes& no) {
  for (std::int64_t k = 0; k < kLanes; ++k)
    if (!(a.lane[k] > b.lane[k])) yes.lane[k] = no.lane[k];
  return yes;
}

#endif

TURBOTREE_INLINE Lanes spread(double x) { return Lanes{x, x, x, x}; }

TURBOTREE_INLINE Lanes load(const double* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

TURBOTREE_INLINE void store(double* to, const Lanes& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

TURBOTREE_INLINE double added_up(const Lanes& lanes) {
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

// Calls visit(at, lanes, fresh) for lanes that cover values 0 .. size - 1, size >= kLanes. The last
// lanes overlap those before them; `fresh` is the same with -infinity for values seen before.
template <class Visitor>
TURBOTREE_INLINE void for_each_lanes(std::int64_t size, const double* values, Visitor&& visit) {
  const std::int64_t last = size - kLanes;
  std::int64_t at = 0;
  for (; at < last; at += kLanes) {
    const Lanes lanes = load(values + at);
    visit(at, lanes, lanes);
  }
  const Lanes lanes = load(values + last);
  const Lanes seen = spread(static_cast<double>(at - last));
  visit(last, lanes, where_greater(Lanes{0.5, 1.5, 2.5, 3.5}, seen, lanes, spread(-kInfinity)));
}

}  // namespace turbotree::graphs
