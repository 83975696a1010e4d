// What a factor is to the functions of its kind, and what a kind has to offer.
#pragma once

#include <concepts>
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
  std::span<const double> scores;       // the factor scores
  std::span<const std::int32_t> shape;  // integers that describe it
};

struct Sums {
  double log_partition;
  double expected_score;  // the expectation of the factor score
};

// For kinds that remember nothing of a factor between two projections.
struct NoMemory {};

// The multiplier of the last projection; the next starts its search there.
struct ThresholdMemory {
  double threshold = 0.0;
};

// A kind of factor. One object serves a whole block and may keep scratch memory. Spans hold one
// number per link. Scores are finite. A message omits the link's own score, and is infinite where
// one of the two values is impossible.
template <class K>
concept FactorKind = requires(
    K kind, const Factor& factor, std::span<const std::uint8_t> assignment,
    std::span<std::uint8_t> chosen, std::span<const double> scores, std::span<double> messages) {
  // What is wrong with such a factor, or "".
  { K::check(factor) } -> std::same_as<const char*>;
  // The factor score of an assignment, or -infinity.
  { kind.value(factor, assignment) } -> std::same_as<double>;
  // The best value, and one best assignment.
  { kind.maximise(factor, scores, chosen) } -> std::same_as<double>;
  // The best value; messages: the best value with 1 minus the best value with 0.
  { kind.max_messages(factor, scores, messages) } -> std::same_as<double>;
  // The same for sums, in the log domain.
  { kind.sum_messages(factor, scores, messages) } -> std::same_as<Sums>;
};

// A kind with factor scores: how often each of them counts under exp(scores . y + factor score),
// which is the derivative of the log partition; all 0 if nothing is allowed.
template <class K>
concept HasExpectations =
    FactorKind<K> && requires(K kind, const Factor& factor, std::span<const double> scores,
                              std::span<double> expectations) {
      { kind.expectations(factor, scores, expectations) } -> std::same_as<void>;
    };

// A kind with a projection of its own: argmin 1/2 |z - target|^2 - scale * (factor score at z).
// It returns a number s for which (target - point) . point / scale + s is (an upper bound of) the
// maximum of ((target - point) / scale) . y + factor score over the factor's assignments y: where
// the projection is exact, that is the factor score at the point. The other kinds get a projection
// from their `maximise` by the active-set method.
template <class K>
concept HasProjection =
    FactorKind<K> && requires(K kind, const Factor& factor, std::span<const double> target,
                              double scale, std::span<double> point, typename K::Memory& memory) {
      { kind.project(factor, target, scale, point, memory) } -> std::same_as<double>;
    };

// The same for many factors of equal size in one loop, side by side.
template <class K>
concept HasBatchProjection =
    FactorKind<K> && requires(std::span<const double> factor_scores, std::span<const double> target,
                              double scale, std::span<double> point, std::span<double> found) {
      { K::project_many(factor_scores, target, scale, point, found) } -> std::same_as<void>;
    };

// A kind whose factors have one score each: how often it counts in the best way to be at a point.
template <class K>
concept HasExpectationAtPoint =
    FactorKind<K> && requires(double score, std::span<const double> point) {
      { K::expectation_at(score, point) } -> std::same_as<double>;
    };

}  // namespace turbotree::graphs
