#include "graphs/factors/xor.h"

#include <algorithm>

#include "graphs/factors/simplex.h"
#include "graphs/leave_one_out.h"

namespace turbotree::graphs {

const char* Xor::check(const Factor& factor) {
  return factor.links >= 1 ? "" : "exactly one of no variables is impossible";
}

double Xor::value(const Factor& factor, const std::uint8_t* chosen) {
  std::int64_t ones = 0;
  for (std::int64_t i = 0; i < factor.links; ++i) ones += chosen[i];
  return ones == 1 ? 0.0 : -kInfinity;
}

double Xor::maximise(const Factor& factor, const double* scores, std::uint8_t* chosen) {
  const std::int64_t best = std::max_element(scores, scores + factor.links) - scores;
  std::fill(chosen, chosen + factor.links, std::uint8_t{0});
  chosen[best] = 1;
  return scores[best];
}

double Xor::max_messages(const Factor& factor, const double* scores, double* messages) {
  const TopTwo top(factor.links, scores);
  for (std::int64_t i = 0; i < factor.links; ++i) messages[i] = -top.without(i);
  return top.best;
}

Sums Xor::sum_messages(const Factor& factor, const double* scores, double* messages) {
  const double log_partition = log_sums_of_others(factor.links, scores, -kInfinity, messages);
  for (std::int64_t i = 0; i < factor.links; ++i) messages[i] = -messages[i];
  return {log_partition, 0.0};
}

double Xor::project(const Factor& factor, const double* target, double, double* point,
                    Memory& memory) {
  project_on_simplex(factor.links, target, point, memory.threshold);
  return 0.0;
}

}  // namespace turbotree::graphs
