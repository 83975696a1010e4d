#include "graphs/factors/cost_table.h"

#include <algorithm>
#include <numeric>

#include "graphs/factor.h"
#include "graphs/numerics/log_domain.h"

namespace turbotree::graphs {

namespace {

std::int64_t common_divisor(std::span<const std::int32_t> costs) {
  std::int64_t divisor = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) divisor = std::gcd(divisor, costs[i]);
  return std::max<std::int64_t>(divisor, 1);
}

std::int64_t total_cost(std::span<const std::int32_t> costs) {
  return std::accumulate(costs.begin(), costs.end(), std::int64_t{0});
}

double larger(double a, double b) { return std::max(a, b); }

}  // namespace

double CostTable::entries(std::span<const std::int32_t> costs, std::int64_t limit) {
  if (limit >= total_cost(costs)) return 0.0;
  const auto columns = static_cast<double>(limit / common_divisor(costs)) + 1.0;
  return (static_cast<double>(costs.size()) + 1.0) * columns;
}

template <class Add>
void CostTable::fill(std::span<const double> scores, std::span<const std::int32_t> costs,
                     std::int64_t limit, Add add) {
  divisor_ = common_divisor(costs);
  limit_ = limit / divisor_;
  const auto size = static_cast<std::int64_t>(costs.size());
  const std::int64_t columns = limit_ + 1;
  table_.resize(static_cast<std::size_t>((size + 1) * columns));
  std::fill(table_.end() - columns, table_.end(), 0.0);
  for (std::int64_t i = size; i-- > 0;) {
    double* here = table_.data() + i * columns;
    const double* next = here + columns;
    const std::int64_t cost = std::min(costs[i] / divisor_, columns);
    std::copy(next, next + cost, here);
    for (std::int64_t r = cost; r < columns; ++r)
      here[r] = add(next[r], scores[i] + next[r - cost]);
  }
}

// What links before and after leave each other, with and without the link itself.
template <class Add>
double CostTable::messages(std::span<const double> scores, std::span<const std::int32_t> costs,
                           std::int64_t limit, std::span<double> messages, Add add) {
  if (limit >= total_cost(costs)) {  // all is allowed
    double value = 0.0;
    for (std::size_t i = 0; i < costs.size(); ++i) messages[i] = 0.0, value += add(0.0, scores[i]);
    return value;
  }
  fill(scores, costs, limit, add);
  forward_.assign(static_cast<std::size_t>(limit_) + 1, -kInfinity);
  forward_[0] = 0.0;
  std::int64_t reached = 0;  // what all links before cost together
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::int64_t cost = costs[i] / divisor_;
    const double* after = row(i + 1);
    double with = -kInfinity, without = -kInfinity;
    for (std::int64_t used = 0; used <= std::min(limit_, reached); ++used) {
      without = add(without, forward_[used] + after[limit_ - used]);
      if (used + cost <= limit_) with = add(with, forward_[used] + after[limit_ - used - cost]);
    }
    messages[i] = with - without;
    reached += cost;
    for (std::int64_t used = std::min(limit_, reached); used >= cost; --used)
      forward_[used] = add(forward_[used], scores[i] + forward_[used - cost]);
  }
  return row(0)[limit_];
}

double CostTable::maximise(std::span<const double> scores, std::span<const std::int32_t> costs,
                           std::int64_t limit, std::span<std::uint8_t> chosen) {
  double best = 0.0;
  if (limit >= total_cost(costs)) {
    for (std::size_t i = 0; i < costs.size(); ++i)
      chosen[i] = scores[i] > 0.0 ? 1 : 0, best += std::max(0.0, scores[i]);
    return best;
  }
  fill(scores, costs, limit, larger);
  std::int64_t left = limit_;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::int64_t cost = costs[i] / divisor_;
    const double* next = row(i + 1);
    chosen[i] = cost <= left && scores[i] + next[left - cost] > next[left] ? 1 : 0;
    if (chosen[i] != 0) best += scores[i], left -= cost;
  }
  return best;
}

double CostTable::max_messages(std::span<const double> scores, std::span<const std::int32_t> costs,
                               std::int64_t limit, std::span<double> messages) {
  return this->messages(scores, costs, limit, messages, larger);
}

double CostTable::sum_messages(std::span<const double> scores, std::span<const std::int32_t> costs,
                               std::int64_t limit, std::span<double> messages) {
  return this->messages(scores, costs, limit, messages, log_add);
}

}  // namespace turbotree::graphs
