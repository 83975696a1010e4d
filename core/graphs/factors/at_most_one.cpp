#include "graphs/factors/at_most_one.h"

#include <algorithm>

#include "graphs/factors/simplex.h"
#include "graphs/leave_one_out.h"

namespace turbotree::graphs {

const char* AtMostOne::check(const Factor& factor) {
  return factor.links >= 1 ? "" : "at most one needs a variable";
}

double AtMostOne::value(const Factor& factor, const std::uint8_t* chosen) {
  std::int64_t ones = 0;
  for (std::int64_t i = 0; i < factor.links; ++i) ones += chosen[i];
  return ones <= 1 ? 0.0 : -kInfinity;
}

double AtMostOne::maximise(const Factor& factor, const double* scores, std::uint8_t* chosen) {
  const std::int64_t best = std::max_element(scores, scores + factor.links) - scores;
  std::fill(chosen, chosen + factor.links, std::uint8_t{0});
  if (scores[best] <= 0.0) return 0.0;
  chosen[best] = 1;
  return scores[best];
}

// Choosing none is one more choice, of score 0.
double AtMostOne::max_messages(const Factor& factor, const double* scores, double* messages) {
  const TopTwo top(factor.links, scores);
  for (std::int64_t i = 0; i < factor.links; ++i) messages[i] = -std::max(0.0, top.without(i));
  return std::max(0.0, top.best);
}

Sums AtMostOne::sum_messages(const Factor& factor, const double* scores, double* messages) {
  const double log_partition = log_sums_of_others(factor.links, scores, 0.0, messages);
  for (std::int64_t i = 0; i < factor.links; ++i) messages[i] = -messages[i];
  return {log_partition, 0.0};
}

double AtMostOne::project(const Factor& factor, const double* target, double, double* point,
                          Memory& memory) {
  if (clip(factor.links, target, 1.0, point) > 1.0)
    project_on_simplex(factor.links, target, point, memory.threshold);
  return 0.0;
}

}  // namespace turbotree::graphs
