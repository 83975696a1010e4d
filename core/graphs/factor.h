// What a factor is to the functions of its kind.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace turbotree::graphs {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How strongly a solver pushes a variable that is fixed: far beyond any score in a message, and
// beyond any gain that a projection could trade it for.
inline constexpr double kPinnedScore = 1e5;
inline constexpr double kPinnedTarget = 1e7;

// One factor. Negated links are resolved by the caller: a kind never sees them.
struct Factor {
  std::int64_t links;
  std::span<const double> extras;       // scores of its own
  std::span<const std::int32_t> shape;  // integers that describe it
};

struct Sums {
  double log_partition;
  double expected_extra;  // the expectation of the factor score
};

// For kinds that remember nothing of a factor between two projections.
struct NoMemory {};

// A kind is a class with these members; one object serves a whole block and may keep scratch
// memory. Scores are finite. A message says nothing of the link's own score, and is infinite where
// one of the two values is impossible.
//
//   const char* check(const Factor&)                     what is wrong with such a factor, or ""
//   double value(factor, chosen)                         own score of an assignment, or -infinity
//   double maximise(factor, scores, chosen)              best value, and one best assignment
//   double max_messages(factor, scores, messages)        best value with 1 minus best value with 0
//   Sums sum_messages(factor, scores, messages)          the same for sums, in the log domain
//   void expectations(factor, scores, expectations)      how often each of the extras counts under
//                                                        exp(scores . y + own score): derivatives
//                                                        of the log partition; all 0 if nothing is
//                                                        allowed. Only kinds with extras have it
//   double project(factor, target, scale, point, memory) argmin 1/2 |z - target|^2 - scale * own(z)
//
// `project` returns a number `own` for which (target - point) . point / scale + own is (an upper
// bound of) the maximum of ((target - point) / scale) . y + own score over the factor's
// assignments y: where the projection is exact, that is the own score at the point. Kinds without
// `project` get it from their `maximise` by the active-set method. A kind may add `project_many`
// (factors of equal size in one loop); see pair.h.

}  // namespace turbotree::graphs
