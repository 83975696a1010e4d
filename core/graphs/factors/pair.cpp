#include "graphs/factors/pair.h"

#include "common/vectorize.h"
#include "graphs/log_domain.h"

namespace turbotree::graphs {

const char* Pair::check(const Factor& factor) {
  return factor.links == 2 && factor.extras.size() == 1 ? ""
                                                        : "a pair has two variables and one score";
}

double Pair::value(const Factor& factor, const std::uint8_t* chosen) {
  return chosen[0] != 0 && chosen[1] != 0 ? factor.extras[0] : 0.0;
}

double Pair::maximise(const Factor& factor, const double* scores, std::uint8_t* chosen) {
  const double both = scores[0] + scores[1] + factor.extras[0];
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

double Pair::max_messages(const Factor& factor, const double* scores, double* messages) {
  const double score = factor.extras[0];
  messages[0] = std::max(0.0, scores[1] + score) - std::max(0.0, scores[1]);
  messages[1] = std::max(0.0, scores[0] + score) - std::max(0.0, scores[0]);
  return std::max(std::max(0.0, scores[0]), scores[1] + std::max(0.0, scores[0] + score));
}

namespace {

double log_partition_of(double score, const double* scores) {
  return log_add(log_one_plus_exp(scores[0]), scores[1] + log_one_plus_exp(scores[0] + score));
}

}  // namespace

Sums Pair::sum_messages(const Factor& factor, const double* scores, double* messages) {
  const double score = factor.extras[0];
  messages[0] = log_one_plus_exp(scores[1] + score) - log_one_plus_exp(scores[1]);
  messages[1] = log_one_plus_exp(scores[0] + score) - log_one_plus_exp(scores[0]);
  const double both = scores[0] + scores[1] + score;
  const double log_partition = log_partition_of(score, scores);
  return {log_partition, score * std::exp(both - log_partition)};
}

void Pair::expectations(const Factor& factor, const double* scores, double* expectations) {
  const double score = factor.extras[0];
  *expectations = std::exp(scores[0] + scores[1] + score - log_partition_of(score, scores));
}

namespace {

TURBOTREE_INLINE double clipped(double x) { return std::min(1.0, std::max(0.0, x)); }

}  // namespace

// With a = target and c = scale * score: for c >= 0, the pair pulls the lower coordinate towards
// the higher one by at most c. For c < 0 the second variable is turned round first.
TURBOTREE_CLONES
void Pair::project_many(std::int64_t count, const double* TURBOTREE_RESTRICT scores,
                        const double* TURBOTREE_RESTRICT target, double scale,
                        double* TURBOTREE_RESTRICT point, double* TURBOTREE_RESTRICT own) {
  for (std::int64_t f = 0; f < count; ++f) {
    const double c = scale * scores[f];
    const double a = target[2 * f], b = target[2 * f + 1];
    const double size = c < 0.0 ? -c : c;
    const double first = a + std::min(c, 0.0);
    const double second = c < 0.0 ? 1.0 - b : b;
    const double difference = first - second;
    const double x = first + std::max(0.0, std::min(size, 0.5 * (size - difference)));
    const double turned = second + std::max(0.0, std::min(size, 0.5 * (size + difference)));
    const double y = c < 0.0 ? 1.0 - turned : turned;
    const double z = clipped(x), w = clipped(y);
    point[2 * f] = z;
    point[2 * f + 1] = w;
    const double both = c < 0.0 ? std::max(0.0, z + w - 1.0) : std::min(z, w);
    own[f] = scores[f] * both;
  }
}

}  // namespace turbotree::graphs
