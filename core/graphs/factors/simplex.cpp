#include "graphs/factors/simplex.h"

#include <algorithm>

#include "graphs/factor.h"
#include "graphs/lanes.h"

namespace turbotree::graphs {

namespace {

// Fewer targets than lanes are filled up with some that no threshold lies below.
struct Padded {
  double target[kLanes] = {-kInfinity, -kInfinity, -kInfinity, -kInfinity};
  double point[kLanes];

  TURBOTREE_INLINE Padded(std::int64_t size, const double* values) {
    for (std::int64_t i = 0; i < size; ++i) target[i] = values[i];
  }
};

// Turns the last coordinate of the last lanes round.
TURBOTREE_INLINE Lanes with_last_turned(const Lanes& lanes) {
  return where_greater(Lanes{0.0, 0.0, 0.0, 1.0}, spread(0.5), spread(1.0) - lanes, lanes);
}

struct Excess {
  double sum, count;  // of the targets above a threshold
};

// Also writes max(0, target - threshold), if a place for it is given.
template <bool kLastTurned>
TURBOTREE_INLINE Excess excess(std::int64_t size, const double* target, double threshold,
                               double* point) {
  const Lanes zero = spread(0.0), border = spread(threshold);
  Lanes sums = zero, counts = zero;
  for_each_lanes(size, target, [&](std::int64_t at, const Lanes& a, const Lanes& fresh) {
    const bool turned = kLastTurned && at + kLanes == size;
    const Lanes all = turned ? with_last_turned(a) : a;
    const Lanes counted = turned ? with_last_turned(fresh) : fresh;
    sums += where_greater(counted, border, counted, zero);
    counts += where_greater(counted, border, spread(1.0), zero);
    if (point == nullptr) return;
    const Lanes above = where_greater(all, border, all - border, zero);
    store(point + at, turned ? with_last_turned(above) : above);
  });
  return {added_up(sums), added_up(counts)};
}

TURBOTREE_INLINE double clip_lanes(std::int64_t size, const double* target, double high,
                                   double* point) {
  const Lanes zero = spread(0.0), top = spread(high);
  const auto clipped = [&](const Lanes& a) {
    const Lanes positive = where_greater(a, zero, a, zero);
    return where_greater(positive, top, top, positive);
  };
  Lanes sums = zero;
  for_each_lanes(size, target, [&](std::int64_t at, const Lanes& a, const Lanes& fresh) {
    store(point + at, clipped(a));
    sums += clipped(fresh);
  });
  return added_up(sums);
}

// Newton's step from anywhere lands at or below the root; from there the steps only grow. Targets
// above a threshold are nested, so the same number of them is the same set, and its step the root.
// Rounding may have two sets call each other for ever: the number of steps is limited.
template <bool kLastTurned>
TURBOTREE_INLINE void simplex_lanes(std::int64_t size, const double* target, double* point,
                                    double& threshold) {
  const std::int64_t last = size - 1;
  Excess now = excess<kLastTurned>(size, target, threshold, nullptr);
  for (std::int64_t step = 0; step <= size + 1; ++step) {
    if (now.count > 0.0) {
      threshold = (now.sum - 1.0) / now.count;
    } else {  // not above the root either
      threshold = (kLastTurned ? 1.0 - target[last] : target[last]) - 1.0;
      for (std::int64_t i = 0; i < last; ++i) threshold = std::max(threshold, target[i] - 1.0);
    }
    const double before = now.count;
    now = excess<kLastTurned>(size, target, threshold, point);
    if (now.count == before) break;
  }
}

TURBOTREE_INLINE double raise_lanes(std::int64_t size, const double* target, double top,
                                    double level) {
  double before = -1.0;
  for (std::int64_t step = 0; step <= size + 2; ++step) {
    const Excess now = excess<false>(size, target, level, nullptr);
    if (now.count == before) break;
    before = now.count;
    level = (top + now.sum) / (1.0 + now.count);
  }
  return level;
}

}  // namespace

TURBOTREE_CLONES
double clip(std::int64_t size, const double* TURBOTREE_RESTRICT target, double high,
            double* TURBOTREE_RESTRICT point) {
  if (size >= kLanes) return clip_lanes(size, target, high, point);
  double sum = 0.0;
  for (std::int64_t i = 0; i < size; ++i) {
    point[i] = std::min(high, std::max(0.0, target[i]));
    sum += point[i];
  }
  return sum;
}

TURBOTREE_CLONES
void project_on_simplex(std::int64_t size, const double* TURBOTREE_RESTRICT target,
                        double* TURBOTREE_RESTRICT point, double& threshold) {
  if (size >= kLanes) return simplex_lanes<false>(size, target, point, threshold);
  Padded padded(size, target);
  simplex_lanes<false>(kLanes, padded.target, padded.point, threshold);
  std::copy(padded.point, padded.point + size, point);
}

TURBOTREE_CLONES
void project_with_last_the_sum(std::int64_t size, const double* TURBOTREE_RESTRICT target,
                               double* TURBOTREE_RESTRICT point, double& threshold) {
  if (size >= kLanes) return simplex_lanes<true>(size, target, point, threshold);
  Padded padded(size, target);
  padded.target[size - 1] = 1.0 - padded.target[size - 1];
  simplex_lanes<false>(kLanes, padded.target, padded.point, threshold);
  std::copy(padded.point, padded.point + size, point);
  point[size - 1] = 1.0 - point[size - 1];
}

TURBOTREE_CLONES
double raise(std::int64_t size, const double* TURBOTREE_RESTRICT target, double top, double guess) {
  if (size >= kLanes) return raise_lanes(size, target, top, guess);
  const Padded padded(size, target);
  return raise_lanes(kLanes, padded.target, top, guess);
}

// Written four at a time, as the projections read: a wide load has to wait for narrow stores.
TURBOTREE_CLONES
void turn_round(std::int64_t size, const double* TURBOTREE_RESTRICT target,
                double* TURBOTREE_RESTRICT turned) {
  if (size >= kLanes) {
    for_each_lanes(size, target, [&](std::int64_t at, const Lanes& a, const Lanes&) {
      store(turned + at, spread(1.0) - a);
    });
  } else {
    for (std::int64_t i = 0; i < size; ++i) turned[i] = 1.0 - target[i];
  }
}

}  // namespace turbotree::graphs
