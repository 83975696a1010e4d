#include "graphs/factors/or.h"

#include <algorithm>
#include <cmath>

#include "graphs/factors/simplex.h"
#include "graphs/leave_one_out.h"
#include "graphs/log_domain.h"

namespace turbotree::graphs {

const char* Or::check(const Factor& factor) {
  return factor.links >= 1 ? "" : "at least one of no variables is impossible";
}

double Or::value(const Factor& factor, const std::uint8_t* chosen) {
  const bool some = std::any_of(chosen, chosen + factor.links, [](auto c) { return c != 0; });
  return some ? 0.0 : -kInfinity;
}

double Or::maximise(const Factor& factor, const double* scores, std::uint8_t* chosen) {
  double sum = 0.0;
  std::int64_t best = 0;
  for (std::int64_t i = 0; i < factor.links; ++i) {
    chosen[i] = scores[i] > 0.0 ? 1 : 0;
    sum += std::max(0.0, scores[i]);
    if (scores[i] > scores[best]) best = i;
  }
  if (scores[best] > 0.0) return sum;
  chosen[best] = 1;
  return scores[best];
}

// A link is needed only if all others are better off, by that much, without being chosen.
double Or::max_messages(const Factor& factor, const double* scores, double* messages) {
  const TopTwo top(factor.links, scores);
  double sum = 0.0;
  for (std::int64_t i = 0; i < factor.links; ++i) {
    messages[i] = std::max(0.0, -top.without(i));
    sum += std::max(0.0, scores[i]);
  }
  return sum + std::min(0.0, top.best);
}

// With e^l the summed weight of all the others' values, the odds of a link are e^l / (e^l - 1).
Sums Or::sum_messages(const Factor& factor, const double* scores, double* messages) {
  const std::int64_t n = factor.links;
  free_.resize(static_cast<std::size_t>(n));
  free_others_.resize(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) free_[i] = log_one_plus_exp(scores[i]);
  const double all = sums_of_others(n, free_.data(), free_others_.data());
  bool underflow = false;
  for (std::int64_t i = 0; i < n; ++i) {
    messages[i] = -std::log(-std::expm1(-free_others_[i]));
    underflow |= free_others_[i] < kSafeSum;
  }
  if (!underflow) return {log_exp_minus_one(all), 0.0};
  // Where two or more of the others together have no weight to speak of, at least one is one.
  one_other_.resize(static_cast<std::size_t>(n));
  const double one = log_sums_of_others(n, scores, -kInfinity, one_other_.data());
  for (std::int64_t i = 0; i < n; ++i)
    if (free_others_[i] < kSafeSum) messages[i] = -one_other_[i];
  return {all < kSafeSum ? one : log_exp_minus_one(all), 0.0};
}

double Or::project(const Factor& factor, const double* target, double, double* point,
                   Memory& memory) {
  if (clip(factor.links, target, 1.0, point) < 1.0)
    project_on_simplex(factor.links, target, point, memory.threshold);
  return 0.0;
}

}  // namespace turbotree::graphs
