#include "graphs/factors/budget.h"

#include <algorithm>
#include <functional>

namespace turbotree::graphs {

const char* Budget::check(const Factor& factor) {
  if (factor.links < 1) return "a budget needs a variable";
  return factor.shape.size() == 1 && factor.shape[0] >= 0
             ? ""
             : "the shape of a budget is how many may be chosen, not negative";
}

const std::int32_t* Budget::units(const Factor& factor) {
  units_.resize(static_cast<std::size_t>(factor.links), 1);
  return units_.data();
}

double Budget::value(const Factor& factor, const std::uint8_t* chosen) {
  std::int64_t ones = 0;
  for (std::int64_t i = 0; i < factor.links; ++i) ones += chosen[i];
  return ones <= factor.shape[0] ? 0.0 : -kInfinity;
}

double Budget::maximise(const Factor& factor, const double* scores, std::uint8_t* chosen) {
  order_.clear();
  for (std::int32_t i = 0; i < factor.links; ++i) {
    chosen[i] = 0;
    if (scores[i] > 0.0) order_.push_back(i);
  }
  if (static_cast<std::int64_t>(order_.size()) > factor.shape[0]) {
    const auto end = order_.begin() + factor.shape[0];
    std::nth_element(order_.begin(), end, order_.end(),
                     [&](std::int32_t a, std::int32_t b) { return scores[a] > scores[b]; });
    order_.erase(end, order_.end());
  }
  double best = 0.0;
  for (const std::int32_t i : order_) chosen[i] = 1, best += scores[i];
  return best;
}

// A link takes the place of the last of the others that would be chosen without it.
double Budget::max_messages(const Factor& factor, const double* scores, double* messages) {
  const std::int64_t n = factor.links, budget = factor.shape[0];
  if (budget == 0) {
    std::fill(messages, messages + n, -kInfinity);
    return 0.0;
  }
  double best = 0.0;
  if (budget >= n) {
    std::fill(messages, messages + n, 0.0);
    for (std::int64_t i = 0; i < n; ++i) best += std::max(0.0, scores[i]);
    return best;
  }
  sorted_.assign(scores, scores + n);
  const auto end = sorted_.begin() + budget;
  std::nth_element(sorted_.begin(), end, sorted_.end(), std::greater<>());
  const double first_out = *end, last_in = *std::min_element(sorted_.begin(), end);
  for (auto score = sorted_.begin(); score != end; ++score) best += std::max(0.0, *score);
  for (std::int64_t i = 0; i < n; ++i)
    messages[i] = -std::max(0.0, scores[i] >= last_in ? first_out : last_in);
  return best;
}

Sums Budget::sum_messages(const Factor& factor, const double* scores, double* messages) {
  return {table_.sum_messages(factor.links, scores, units(factor), factor.shape[0], messages), 0.0};
}

double Budget::project(const Factor& factor, const double* target, double, double* point,
                       Memory& memory) {
  projection_.project(factor.links, target, units(factor), factor.shape[0], point,
                      memory.threshold);
  return 0.0;
}

}  // namespace turbotree::graphs
