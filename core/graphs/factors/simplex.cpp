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

struct Excess {
  double sum, count;  // of the targets above a threshold
};

// Also writes max(0, target - threshold), if a place for it is given.
TURBOTREE_INLINE Excess excess(std::int64_t size, const double* target, double threshold,
                               double* point) {
  const Lanes zero = spread(0.0), border = spread(threshold);
  Lanes sums = zero, counts = zero;
  for_each_lanes(size, target, [&](std::int64_t at, const Lanes& a, const Lanes& fresh) {
    if (point != nullptr) store(point + at, where_greater(a, border, a - border, zero));
    sums += where_greater(fresh, border, fresh, zero);
    counts += where_greater(fresh, border, spread(1.0), zero);
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
TURBOTREE_INLINE void simplex_lanes(std::int64_t size, const double* target, double* point,
                                    double& threshold) {
  Excess now = excess(size, target, threshold, nullptr);
  for (std::int64_t step = 0; step <= size + 1; ++step) {
    threshold = now.count > 0.0
                    ? (now.sum - 1.0) / now.count
                    : *std::max_element(target, target + size) - 1.0;  // not above the root
    const double before = now.count;
    now = excess(size, target, threshold, point);
    if (now.count == before) break;
  }
}

TURBOTREE_INLINE double raise_lanes(std::int64_t size, const double* target, double top,
                                    double level) {
  double before = -1.0;
  for (std::int64_t step = 0; step <= size + 2; ++step) {
    const Excess now = excess(size, target, level, nullptr);
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
  if (size >= kLanes) return simplex_lanes(size, target, point, threshold);
  Padded padded(size, target);
  simplex_lanes(kLanes, padded.target, padded.point, threshold);
  std::copy(padded.point, padded.point + size, point);
}

TURBOTREE_CLONES
double raise(std::int64_t size, const double* TURBOTREE_RESTRICT target, double top,
             double guess) {
  if (size >= kLanes) return raise_lanes(size, target, top, guess);
  const Padded padded(size, target);
  return raise_lanes(kLanes, padded.target, top, guess);
}

}  // namespace turbotree::graphs
