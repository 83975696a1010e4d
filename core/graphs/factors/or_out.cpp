#include "graphs/factors/or_out.h"

#include <algorithm>
#include <cmath>

#include "graphs/factors/simplex.h"
#include "graphs/leave_one_out.h"
#include "graphs/log_domain.h"

namespace turbotree::graphs {

namespace {

Factor inputs_of(const Factor& factor) { return {factor.links - 1, {}, {}}; }

}  // namespace

const char* OrOut::check(const Factor& factor) {
  return factor.links >= 1 ? "" : "the outcome of an or needs a variable";
}

double OrOut::value(const Factor& factor, const std::uint8_t* chosen) {
  const std::int64_t n = factor.links - 1;
  const bool some = std::any_of(chosen, chosen + n, [](auto c) { return c != 0; });
  return some == (chosen[n] != 0) ? 0.0 : -kInfinity;
}

double OrOut::maximise(const Factor& factor, const double* scores, std::uint8_t* chosen) {
  const std::int64_t n = factor.links - 1;
  if (n > 0) {
    const double best = inputs_.maximise(inputs_of(factor), scores, chosen) + scores[n];
    chosen[n] = 1;
    if (best > 0.0) return best;
  }
  std::fill(chosen, chosen + factor.links, std::uint8_t{0});
  return 0.0;
}

double OrOut::max_messages(const Factor& factor, const double* scores, double* messages) {
  const std::int64_t n = factor.links - 1;
  if (n == 0) {
    messages[0] = -kInfinity;
    return 0.0;
  }
  const double output = scores[n];
  positive_.resize(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) positive_[i] = std::max(0.0, scores[i]);
  const double sum = sums_of_others(n, positive_.data(), messages);
  // An input brings the output and all others that are worth it, instead of the best without it:
  // the same with the best other input, or nothing at all.
  const TopTwo top(n, scores);
  for (std::int64_t i = 0; i < n; ++i)
    messages[i] = std::min(output + messages[i], std::max(0.0, -top.without(i)));
  messages[n] = sum + std::min(0.0, top.best);
  return std::max(0.0, output + messages[n]);
}

// With e^l the summed weight of all the others' values and e^o that of the output, the odds of an
// input are e^o e^l / (1 + e^o (e^l - 1)).
Sums OrOut::sum_messages(const Factor& factor, const double* scores, double* messages) {
  const std::int64_t n = factor.links - 1;
  if (n == 0) {
    messages[0] = -kInfinity;
    return {0.0, 0.0};
  }
  const double output = scores[n];
  const double some = inputs_.sum_messages(inputs_of(factor), scores, messages).log_partition;
  for (std::int64_t i = 0; i < n; ++i) {
    const double free = inputs_.free_others()[i];
    const double some_other = output + free - messages[i];
    if (some_other > 0.0)
      messages[i] -= std::log1p(std::exp(-some_other));
    else
      messages[i] = output + free - std::log1p(std::exp(some_other));
  }
  messages[n] = some;
  return {log_one_plus_exp(output + some), 0.0};
}

// The polytope: no input above the output, and the output not above the sum of the inputs.
double OrOut::project(const Factor& factor, const double* target, double, double* point,
                      Memory& memory) {
  if (memory.output_is_sum) {
    // Right if the sum holds the output down: its multiplier, -threshold, is not negative.
    project_with_last_the_sum(factor.links, target, point, memory.threshold);
    if (memory.threshold <= 0.0) return 0.0;
  }
  const std::int64_t n = factor.links - 1;
  memory.level = raise(n, target, target[n], memory.level);
  point[n] = std::min(1.0, std::max(0.0, memory.level));
  memory.output_is_sum = clip(n, target, point[n], point) < point[n];
  if (memory.output_is_sum)
    project_with_last_the_sum(factor.links, target, point, memory.threshold);
  return 0.0;
}

}  // namespace turbotree::graphs
