#include "graphs/factors/xor.h"

#include <algorithm>

#include "graphs/log_domain.h"

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
  double best = -kInfinity, second = -kInfinity;
  std::int64_t where = 0;
  for (std::int64_t i = 0; i < factor.links; ++i) {
    if (scores[i] > best) {
      second = best, best = scores[i], where = i;
    } else {
      second = std::max(second, scores[i]);
    }
  }
  for (std::int64_t i = 0; i < factor.links; ++i) messages[i] = -best;
  messages[where] = -second;
  return best;
}

Sums Xor::sum_messages(const Factor& factor, const double* scores, double* messages) {
  const std::int64_t n = factor.links;
  from_right_.resize(static_cast<std::size_t>(n) + 1);
  from_right_[n] = -kInfinity;
  for (std::int64_t i = n; i-- > 0;) from_right_[i] = log_add(scores[i], from_right_[i + 1]);
  double from_left = -kInfinity;
  for (std::int64_t i = 0; i < n; ++i) {
    messages[i] = -log_add(from_left, from_right_[i + 1]);
    from_left = log_add(from_left, scores[i]);
  }
  return {from_left, 0.0};
}

void project_on_simplex(std::int64_t size, const double* target, double* point,
                        double& threshold) {
  double t = threshold;
  // Newton's step from anywhere lands at or below the root; from there the steps only grow, and
  // each but the last drops at least one coordinate.
  for (std::int64_t step = 0; step <= size + 1; ++step) {
    double sum = 0.0, count = 0.0;
    for (std::int64_t i = 0; i < size; ++i) {
      const double above = target[i] > t ? 1.0 : 0.0;
      count += above;
      sum += above * target[i];
    }
    double next;
    if (count == 0.0) {
      next = *std::max_element(target, target + size) - 1.0;  // the root is not below this
    } else {
      next = (sum - 1.0) / count;
    }
    if (next == t) break;
    t = next;
  }
  threshold = t;
  for (std::int64_t i = 0; i < size; ++i) point[i] = std::max(0.0, target[i] - t);
}

double Xor::project(const Factor& factor, const double* target, double, double* point,
                    Memory& memory) {
  project_on_simplex(factor.links, target, point, memory.threshold);
  return 0.0;
}

}  // namespace turbotree::graphs
