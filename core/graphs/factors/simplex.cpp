#include "graphs/factors/simplex.h"

#include <algorithm>

#include "graphs/factor.h"
#include "graphs/numerics/lanes.h"

namespace turbotree::graphs {

namespace {

// Fewer targets than lanes are filled up with some that no threshold lies below.
struct Padded {
  double target[kLanes] = {-kInfinity, -kInfinity, -kInfinity, -kInfinity};
  double point[kLanes];

  TURBOTREE_INLINE explicit Padded(std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) target[i] = values[i];
  }
};

// Complements the last coordinate of the last lanes.
TURBOTREE_INLINE Lanes with_last_complemented(const Lanes& lanes) {
  return where_greater(Lanes{0.0, 0.0, 0.0, 1.0}, spread(0.5), spread(1.0) - lanes, lanes);
}

struct Excess {
  double sum, count;  // of the targets above a threshold
};

// Also writes max(0, target - threshold), if a place for it is given.
template <bool kComplementLast>
TURBOTREE_INLINE Excess excess(std::span<const double> target, double threshold, double* point) {
  const Lanes zero = spread(0.0), border = spread(threshold);
  Lanes sums = zero, counts = zero;
  for_each_lanes(target, [&](std::int64_t at, const Lanes& a, const Lanes& fresh) {
    const bool complemented =
        kComplementLast && at + kLanes == static_cast<std::int64_t>(target.size());
    const Lanes all = complemented ? with_last_complemented(a) : a;
    const Lanes counted = complemented ? with_last_complemented(fresh) : fresh;
    sums += where_greater(counted, border, counted, zero);
    counts += where_greater(counted, border, spread(1.0), zero);
    if (point == nullptr) return;
    const Lanes above = where_greater(all, border, all - border, zero);
    store(point + at, complemented ? with_last_complemented(above) : above);
  });
  return {added_up(sums), added_up(counts)};
}

TURBOTREE_INLINE double clip_lanes(std::span<const double> target, double high, double* point) {
  const Lanes zero = spread(0.0), top = spread(high);
  const auto clipped = [&](const Lanes& a) {
    const Lanes positive = where_greater(a, zero, a, zero);
    return where_greater(positive, top, top, positive);
  };
  Lanes sums = zero;
  for_each_lanes(target, [&](std::int64_t at, const Lanes& a, const Lanes& fresh) {
    store(point + at, clipped(a));
    sums += clipped(fresh);
  });
  return added_up(sums);
}

// Newton's step from anywhere lands at or below the root; from there the steps only grow. Targets
// above a threshold are nested, so the same number of them is the same set, and its step the root.
// Rounding may have two sets call each other for ever: the number of steps is limited.
template <bool kComplementLast>
TURBOTREE_INLINE void simplex_lanes(std::span<const double> target, double* point,
                                    double& threshold) {
  const auto size = static_cast<std::int64_t>(target.size());
  const std::int64_t last = size - 1;
  Excess now = excess<kComplementLast>(target, threshold, nullptr);
  for (std::int64_t step = 0; step <= size + 1; ++step) {
    if (now.count > 0.0) {
      threshold = (now.sum - 1.0) / now.count;
    } else {  // not above the root either
      threshold = (kComplementLast ? 1.0 - target[last] : target[last]) - 1.0;
      for (std::int64_t i = 0; i < last; ++i) threshold = std::max(threshold, target[i] - 1.0);
    }
    const double before = now.count;
    now = excess<kComplementLast>(target, threshold, point);
    if (now.count == before) break;
  }
}

TURBOTREE_INLINE double raise_lanes(std::span<const double> target, double top, double level) {
  const auto size = static_cast<std::int64_t>(target.size());
  double before = -1.0;
  for (std::int64_t step = 0; step <= size + 2; ++step) {
    const Excess now = excess<false>(target, level, nullptr);
    if (now.count == before) break;
    before = now.count;
    level = (top + now.sum) / (1.0 + now.count);
  }
  return level;
}

}  // namespace

TURBOTREE_CLONES
double clip(std::span<const double> target, double high, std::span<double> point) {
  if (target.size() >= kLanes) return clip_lanes(target, high, point.data());
  double sum = 0.0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    point[i] = std::min(high, std::max(0.0, target[i]));
    sum += point[i];
  }
  return sum;
}

TURBOTREE_CLONES
void project_on_simplex(std::span<const double> target, std::span<double> point,
                        double& threshold) {
  if (target.size() >= kLanes) return simplex_lanes<false>(target, point.data(), threshold);
  Padded padded(target);
  simplex_lanes<false>(padded.target, padded.point, threshold);
  std::copy_n(padded.point, target.size(), point.begin());
}

TURBOTREE_CLONES
void project_with_last_the_sum(std::span<const double> target, std::span<double> point,
                               double& threshold) {
  if (target.size() >= kLanes) return simplex_lanes<true>(target, point.data(), threshold);
  Padded padded(target);
  const std::size_t last = target.size() - 1;
  padded.target[last] = 1.0 - padded.target[last];
  simplex_lanes<false>(padded.target, padded.point, threshold);
  std::copy_n(padded.point, target.size(), point.begin());
  point[last] = 1.0 - point[last];
}

TURBOTREE_CLONES
double raise(std::span<const double> target, double top, double guess) {
  if (target.size() >= kLanes) return raise_lanes(target, top, guess);
  const Padded padded(target);
  return raise_lanes(padded.target, top, guess);
}

// Written four at a time, as the projections read: a wide load has to wait for narrow stores.
TURBOTREE_CLONES
void complement(std::span<const double> target, std::span<double> result) {
  if (target.size() >= kLanes) {
    for_each_lanes(target, [&](std::int64_t at, const Lanes& a, const Lanes&) {
      store(result.data() + at, spread(1.0) - a);
    });
  } else {
    for (std::size_t i = 0; i < target.size(); ++i) result[i] = 1.0 - target[i];
  }
}

}  // namespace turbotree::graphs
