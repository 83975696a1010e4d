// Dense rounds of ADMM: all factors, in flat loops over all links.
#include <algorithm>
#include <cmath>

#include "common/vectorize.h"
#include "graphs/solvers/admm.h"
#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {

namespace {

struct LinkArrays {
  std::int64_t count;
  const std::int32_t* variable;
  const double* sign;
  const double* offset;
};

// p -= move * (z - u); target = u + p / rho. Returns the squared disagreement. Four sums let the
// additions overlap.
template <bool kNegated>
TURBOTREE_INLINE double gather(const LinkArrays links, const double* TURBOTREE_RESTRICT consensus,
                               const double* TURBOTREE_RESTRICT point, double move, double inverse,
                               double* TURBOTREE_RESTRICT scores,
                               double* TURBOTREE_RESTRICT target) {
  double squares[4] = {0.0, 0.0, 0.0, 0.0};
  const auto one = [&](std::int64_t l, double& square) {
    double u = consensus[links.variable[l]];
    if constexpr (kNegated) u = links.offset[l] + links.sign[l] * u;
    const double difference = point[l] - u;
    const double p = scores[l] - move * difference;
    square += difference * difference;
    scores[l] = p;
    target[l] = u + p * inverse;
  };
  std::int64_t l = 0;
  for (; l + 4 <= links.count; l += 4)
    for (int k = 0; k < 4; ++k) one(l + k, squares[k]);
  for (; l < links.count; ++l) one(l, squares[0]);
  return (squares[0] + squares[1]) + (squares[2] + squares[3]);
}

TURBOTREE_CLONES
double gather_plain(LinkArrays links, const double* consensus, const double* point, double move,
                    double inverse, double* scores, double* target) {
  return gather<false>(links, consensus, point, move, inverse, scores, target);
}

TURBOTREE_CLONES
double gather_negated(LinkArrays links, const double* consensus, const double* point, double move,
                      double inverse, double* scores, double* target) {
  return gather<true>(links, consensus, point, move, inverse, scores, target);
}

// Sum of (target - z) . (value of the variable that z stands for).
TURBOTREE_CLONES
double support(std::int64_t count, const double* TURBOTREE_RESTRICT target,
               const double* TURBOTREE_RESTRICT point, const double* TURBOTREE_RESTRICT offset) {
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  std::int64_t l = 0;
  for (; l + 4 <= count; l += 4)
    for (int k = 0; k < 4; ++k)
      sums[k] += (target[l + k] - point[l + k]) * (point[l + k] - offset[l + k]);
  for (; l < count; ++l) sums[0] += (target[l] - point[l]) * (point[l] - offset[l]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

struct Averages {
  double squares = 0.0, rises = 0.0, moving = 0.0;  // of the changes; links of what moved
};

struct VariableArrays {
  std::int64_t count;
  const double* sum;
  const double* weight;          // the degree; 0 if the variable is fixed or has no links
  const double* inverse_weight;  // 0 where that is 0
  double idle;
};

TURBOTREE_CLONES
Averages average(const VariableArrays all, const double* TURBOTREE_RESTRICT before,
                 double* TURBOTREE_RESTRICT after) {
  constexpr int kSums = 4;
  double squares[kSums] = {}, rises[kSums] = {}, moving[kSums] = {};
  const auto one = [&](std::int64_t v, int k) {
    const double weight = all.weight[v];
    const double change = weight * (all.sum[v] * all.inverse_weight[v] - before[v]);
    const double step = change * all.inverse_weight[v];
    squares[k] += change * step;
    rises[k] += std::max(0.0, change);
    moving[k] += std::abs(step) > all.idle ? weight : 0.0;
    after[v] = before[v] + step;
  };
  std::int64_t v = 0;
  for (; v + kSums <= all.count; v += kSums)
    for (int k = 0; k < kSums; ++k) one(v + k, k);
  for (; v < all.count; ++v) one(v, 0);
  return {(squares[0] + squares[1]) + (squares[2] + squares[3]),
          (rises[0] + rises[1]) + (rises[2] + rises[3]),
          (moving[0] + moving[1]) + (moving[2] + moving[3])};
}

TURBOTREE_CLONES
double total(std::int64_t count, const double* values) {
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; ++k) sums[k] += values[i + k];
  for (; i < count; ++i) sums[0] += values[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

double Admm::gather_all(double move) {
  const LinkArrays links{links_.links(), links_.variable.data(), sign_.data(), offset_.data()};
  const auto loop = any_negated_ ? gather_negated : gather_plain;
  return loop(links, consensus_.data(), point_.data(), move, 1.0 / penalty_, scores_.data(),
              target_.data());
}

void Admm::project_all() {
  for (const std::int64_t l : pinned_links_)
    target_[l] = pushed(links_, l, pins_[links_.variable[l]], kPinnedTarget);
  for (std::int64_t b = 0; b < factors_.blocks(); ++b) {
    factors_.block(b).project(links_.links_of_block(b, std::as_const(target_)), 1.0 / penalty_,
                              links_.links_of_block(b, point_), links_.factors_of_block(b, own_));
  }
  // What a fixed link is pushed by does not count: its value is not a choice.
  for (const std::int64_t l : pinned_links_) target_[l] = point_[l];
  factors_bound_ =
      penalty_ * support(links_.links(), target_.data(), point_.data(), offset_.data());
  factors_bound_ += total(static_cast<std::int64_t>(own_.size()), own_.data());
}

// Neighbouring links often share a variable, and adding to the same place twice in a row makes the
// second wait for the first: even and odd links go to sums of their own.
void Admm::restore_sums() {
  std::fill(sum_.begin(), sum_.end(), 0.0);
  std::fill(odd_sum_.begin(), odd_sum_.end(), 0.0);
  const std::int64_t count = links_.links(), even = count & ~std::int64_t{1};
  const std::int32_t* variable = links_.variable.data();
  if (any_negated_) {
    for (std::int64_t l = 0; l < even; l += 2) {
      sum_[variable[l]] += seen(l, point_[l]);
      odd_sum_[variable[l + 1]] += seen(l + 1, point_[l + 1]);
    }
    if (even < count) sum_[variable[even]] += seen(even, point_[even]);
  } else {
    for (std::int64_t l = 0; l < even; l += 2) {
      sum_[variable[l]] += point_[l];
      odd_sum_[variable[l + 1]] += point_[l + 1];
    }
    if (even < count) sum_[variable[even]] += point_[even];
  }
  for (std::size_t v = 0; v < sum_.size(); ++v) sum_[v] += odd_sum_[v];
}

void Admm::average_all() {
  restore_sums();
  announced_.swap(consensus_);
  const Averages averages = average({static_cast<std::int64_t>(consensus_.size()), sum_.data(),
                                     weight_.data(), inverse_weight_.data(), idle_},
                                    announced_.data(), consensus_.data());
  squared_change_ = averages.squares;
  slack_ = penalty_ * averages.rises;
  moving_links_ = averages.moving;
}

}  // namespace turbotree::graphs
