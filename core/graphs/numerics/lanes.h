// Four doubles side by side. Compilers do not vectorise sums of doubles of their own accord, since
// that changes the order of the additions; here the order is written down, the same everywhere.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "common/vectorize.h"
#include "graphs/factor.h"

namespace turbotree::graphs {

inline constexpr std::int64_t kLanes = 4;

// How vectors are passed depends on the target, which is no matter where all is inlined. This
// holds for the whole file that includes this one.
#pragma GCC diagnostic ignored "-Wpsabi"

using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

// The lanes of `yes` where a > b, of `no` elsewhere.
TURBOTREE_INLINE Lanes where_greater(const Lanes& a, const Lanes& b, const Lanes& yes,
                                     const Lanes& no) {
  return a > b ? yes : no;
}

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

// Calls visit(at, lanes, fresh) for lanes that cover all values, at least kLanes of them. The last
// lanes overlap those before them; `fresh` is the same with -infinity for values seen before.
template <class Visitor>
TURBOTREE_INLINE void for_each_lanes(std::span<const double> values, Visitor&& visit) {
  const auto last = static_cast<std::int64_t>(values.size()) - kLanes;
  std::int64_t at = 0;
  for (; at < last; at += kLanes) {
    const Lanes lanes = load(values.data() + at);
    visit(at, lanes, lanes);
  }
  const Lanes lanes = load(values.data() + last);
  const Lanes seen = spread(static_cast<double>(at - last));
  visit(last, lanes, where_greater(Lanes{0.5, 1.5, 2.5, 3.5}, seen, lanes, spread(-kInfinity)));
}

}  // namespace turbotree::graphs
