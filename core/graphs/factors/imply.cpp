#include "graphs/factors/imply.h"

#include <algorithm>

#include "common/vectorize.h"
#include "graphs/log_domain.h"

namespace turbotree::graphs {

const char* Imply::check(const Factor& factor) {
  return factor.links == 2 ? "" : "an implication has two variables";
}

double Imply::value(const Factor&, const std::uint8_t* chosen) {
  return chosen[0] <= chosen[1] ? 0.0 : -kInfinity;
}

double Imply::maximise(const Factor&, const double* scores, std::uint8_t* chosen) {
  const double second = scores[1] + std::max(0.0, scores[0]);
  chosen[1] = second > 0.0 ? 1 : 0;
  chosen[0] = second > 0.0 && scores[0] > 0.0 ? 1 : 0;
  return std::max(0.0, second);
}

double Imply::max_messages(const Factor&, const double* scores, double* messages) {
  messages[0] = std::min(0.0, scores[1]);
  messages[1] = std::max(0.0, scores[0]);
  return std::max(0.0, scores[1] + messages[1]);
}

Sums Imply::sum_messages(const Factor&, const double* scores, double* messages) {
  messages[0] = -log_one_plus_exp(-scores[1]);
  messages[1] = log_one_plus_exp(scores[0]);
  return {log_one_plus_exp(scores[1] + messages[1]), 0.0};
}

// What the first has more than the second is shared; then both are clipped.
TURBOTREE_CLONES
void Imply::project_many(std::int64_t count, const double*, const double* TURBOTREE_RESTRICT target,
                         double, double* TURBOTREE_RESTRICT point, double* TURBOTREE_RESTRICT own) {
  for (std::int64_t f = 0; f < count; ++f) {
    const double a = target[2 * f], b = target[2 * f + 1];
    const double share = std::max(0.0, 0.5 * (a - b));
    point[2 * f] = std::min(1.0, std::max(0.0, a - share));
    point[2 * f + 1] = std::min(1.0, std::max(0.0, b + share));
    own[f] = 0.0;
  }
}

}  // namespace turbotree::graphs
