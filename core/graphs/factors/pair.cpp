// PAIR: a score for two variables that are both 1.
#include <algorithm>
#include <cstdint>
#include <span>

#include "common/vectorize.h"
#include "graphs/factor.h"
#include "graphs/kinds.h"
#include "graphs/numerics/log_domain.h"

namespace turbotree::graphs {

namespace {

double log_partition_of(double score, std::span<const double> scores) {
  return log_add(log_one_plus_exp(scores[0]), scores[1] + log_one_plus_exp(scores[0] + score));
}

TURBOTREE_INLINE double clipped(double x) { return std::min(1.0, std::max(0.0, x)); }

// With a = target and c = scale * score: for c >= 0, the pair pulls the lower coordinate towards
// the higher one by at most c. For c < 0 the second variable is negated first.
TURBOTREE_CLONES
void project_pairs(std::int64_t count, const double* TURBOTREE_RESTRICT scores,
                   const double* TURBOTREE_RESTRICT target, double scale,
                   double* TURBOTREE_RESTRICT point, double* TURBOTREE_RESTRICT found) {
  for (std::int64_t f = 0; f < count; ++f) {
    const double c = scale * scores[f];
    const double a = target[2 * f], b = target[2 * f + 1];
    const double size = c < 0.0 ? -c : c;
    const double first = a + std::min(c, 0.0);
    const double second = c < 0.0 ? 1.0 - b : b;
    const double difference = first - second;
    const double x = first + std::max(0.0, std::min(size, 0.5 * (size - difference)));
    const double complement = second + std::max(0.0, std::min(size, 0.5 * (size + difference)));
    const double y = c < 0.0 ? 1.0 - complement : complement;
    const double z = clipped(x), w = clipped(y);
    point[2 * f] = z;
    point[2 * f + 1] = w;
    const double both = c < 0.0 ? std::max(0.0, z + w - 1.0) : std::min(z, w);
    found[f] = scores[f] * both;
  }
}

class Pair {
 public:
  static const char* check(const Factor& factor) {
    return factor.links == 2 && factor.scores.size() == 1
               ? ""
               : "a pair has two variables and one score";
  }

  double value(const Factor& factor, std::span<const std::uint8_t> chosen) {
    return chosen[0] != 0 && chosen[1] != 0 ? factor.scores[0] : 0.0;
  }

  double maximise(const Factor& factor, std::span<const double> scores,
                  std::span<std::uint8_t> chosen) {
    const double both = scores[0] + scores[1] + factor.scores[0];
    const double one = std::max(scores[0], scores[1]);
    const double best = std::max(std::max(0.0, one), both);
    if (best == both) {
      chosen[0] = chosen[1] = 1;
    } else {
      chosen[0] = best == scores[0] ? 1 : 0;
      chosen[1] = chosen[0] == 0 && best == scores[1] ? 1 : 0;
    }
    return best;
  }

  double max_messages(const Factor& factor, std::span<const double> scores,
                      std::span<double> messages) {
    const double score = factor.scores[0];
    messages[0] = std::max(0.0, scores[1] + score) - std::max(0.0, scores[1]);
    messages[1] = std::max(0.0, scores[0] + score) - std::max(0.0, scores[0]);
    return std::max(std::max(0.0, scores[0]), scores[1] + std::max(0.0, scores[0] + score));
  }

  Sums sum_messages(const Factor& factor, std::span<const double> scores,
                    std::span<double> messages) {
    const double score = factor.scores[0];
    messages[0] = log_one_plus_exp(scores[1] + score) - log_one_plus_exp(scores[1]);
    messages[1] = log_one_plus_exp(scores[0] + score) - log_one_plus_exp(scores[0]);
    const double both = scores[0] + scores[1] + score;
    const double log_partition = log_partition_of(score, scores);
    const double probability = std::exp(both - log_partition);
    return {log_partition, probability > 0.0 ? score * probability : 0.0};  // may be -infinity
  }

  void expectations(const Factor& factor, std::span<const double> scores,
                    std::span<double> expectations) {
    const double score = factor.scores[0];
    expectations[0] = std::exp(scores[0] + scores[1] + score - log_partition_of(score, scores));
  }

  // How often both are 1 in the best way to be at a point.
  static double expectation_at(double score, std::span<const double> point) {
    return score > 0.0 ? std::min(point[0], point[1]) : std::max(0.0, point[0] + point[1] - 1.0);
  }

  // Factors side by side, two links and one score each.
  static void project_many(std::span<const double> scores, std::span<const double> target,
                           double scale, std::span<double> point, std::span<double> found) {
    project_pairs(static_cast<std::int64_t>(scores.size()), scores.data(), target.data(), scale,
                  point.data(), found.data());
  }
};

}  // namespace

constinit const KindFunctions pair_kind = functions_of<Pair>();

}  // namespace turbotree::graphs
