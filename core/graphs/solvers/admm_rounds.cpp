// The rounds of ADMM: over all links at once, or over the links of active factors only.
#include <algorithm>
#include <cmath>

#include "common/vectorize.h"
#include "graphs/solvers/admm.h"

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

double pinned_target(double value) { return value > 0.5 ? kPinnedTarget : -kPinnedTarget; }

}  // namespace

double Admm::gather_all(double move) {
  const LinkArrays links{links_.links(), links_.variable.data(),
                    sign_.data(), offset_.data()};
  const auto loop = any_negated_ ? gather_negated : gather_plain;
  return loop(links, consensus_.data(), point_.data(), move, 1.0 / penalty_, scores_.data(),
              target_.data());
}

void Admm::project_all() {
  for (const std::int64_t l : pinned_links_)
    target_[l] = pinned_target(seen(l, static_cast<double>(pins_[links_.variable[l]])));
  for (std::int64_t b = 0; b < factors_.blocks(); ++b) {
    const std::int64_t link = links_.first_link[b];
    factors_.block(b).project(0, graph_.blocks[b].factors(), target_.data() + link,
                                1.0 / penalty_, point_.data() + link,
                                own_.data() + links_.first_factor[b]);
  }
  // What a fixed link is pushed by does not count: its value is not a choice.
  for (const std::int64_t l : pinned_links_) target_[l] = point_[l];
  factors_bound_ = penalty_ * support(links_.links(), target_.data(),
                                      point_.data(), offset_.data());
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
  const Averages averages =
      average({static_cast<std::int64_t>(consensus_.size()), sum_.data(), weight_.data(),
               inverse_weight_.data(), idle_},
              announced_.data(), consensus_.data());
  squared_change_ = averages.squares;
  slack_ = penalty_ * averages.rises;
  moving_links_ = averages.moving;
}

// Whether the factor would answer differently in the next round.
bool Admm::stirs(std::size_t block, std::int32_t factor) const {
  const std::int64_t base = links_.first_link[block];
  const std::vector<std::int64_t>& offsets = graph_.blocks[block].offsets;
  for (std::int64_t l = base + offsets[factor]; l < base + offsets[factor + 1]; ++l)
    if (std::abs(point_[l] - seen(l, consensus_[links_.variable[l]])) > idle_) return true;
  return false;
}

void Admm::list_active() {
  active_links_ = 0;
  for (std::size_t b = 0; b < active_.size(); ++b) {
    active_[b].clear();
    const BlockArrays& block = graph_.blocks[b];
    const std::int64_t base = links_.first_link[b];
    for (std::int64_t f = 0; f < block.factors(); ++f) {
      bool active = false;
      for (std::int64_t l = block.offsets[f]; l < block.offsets[f + 1] && !active; ++l) {
        const std::int32_t v = block.variables[l];
        active = std::abs(point_[base + l] - seen(base + l, consensus_[v])) > idle_ ||
                 std::abs(consensus_[v] - announced_[v]) > idle_;
      }
      if (!active) continue;
      active_[b].push_back(static_cast<std::int32_t>(f));
      active_links_ += block.offsets[f + 1] - block.offsets[f];
    }
  }
}

void Admm::start_sparse_rounds() {
  sparse_ = true;
  following_ = false;
  rounds_in_mode_ = 0;
  announced_ = consensus_;
  factor_bounds_.resize(own_.size());
  before_.resize(links_.links());
  for (std::size_t b = 0; b < graph_.blocks.size(); ++b) {
    const BlockArrays& block = graph_.blocks[b];
    const std::int64_t link = links_.first_link[b], first = links_.first_factor[b];
    for (std::int64_t f = 0; f < block.factors(); ++f) {
      double sum = 0.0;
      for (std::int64_t l = link + block.offsets[f]; l < link + block.offsets[f + 1]; ++l)
        sum += (target_[l] - point_[l]) * (point_[l] - offset_[l]);
      factor_bounds_[first + f] = own_[first + f] + penalty_ * sum;
    }
    for (const std::int32_t f : active_[b]) awake_[first + f] = rounds_ + 1;
  }
}

double Admm::gather_active(double move) {
  const double inverse = 1.0 / penalty_;
  double squares = 0.0;
  for (std::size_t b = 0; b < active_.size(); ++b) {
    const std::vector<std::int64_t>& offsets = graph_.blocks[b].offsets;
    const std::int64_t link = links_.first_link[b];
    for (const std::int32_t f : active_[b])
      for (std::int64_t l = link + offsets[f]; l < link + offsets[f + 1]; ++l) {
        const double u = seen(l, consensus_[links_.variable[l]]);
        const double difference = point_[l] - u;
        squares += difference * difference;
        scores_[l] -= move * difference;
        target_[l] = u + scores_[l] * inverse;
        before_[l] = point_[l];
      }
  }
  return squares;
}

void Admm::project_active() {
  for (std::size_t b = 0; b < active_.size(); ++b) {
    const std::vector<std::int64_t>& offsets = graph_.blocks[b].offsets;
    const std::int64_t link = links_.first_link[b], first = links_.first_factor[b];
    const bool pinned = !pinned_links_.empty();
    if (pinned)
      for (const std::int32_t f : active_[b])
        for (std::int64_t l = link + offsets[f]; l < link + offsets[f + 1]; ++l)
          if (const Pin pin = pins_[links_.variable[l]]; pin >= 0)
            target_[l] = pinned_target(seen(l, static_cast<double>(pin)));
    factors_.block(b).project(active_[b], target_.data() + link, 1.0 / penalty_,
                                point_.data() + link, own_.data() + first);
    for (const std::int32_t f : active_[b]) {
      double sum = 0.0;
      for (std::int64_t l = link + offsets[f]; l < link + offsets[f + 1]; ++l) {
        const std::int32_t v = links_.variable[l];
        if (pinned && pins_[v] >= 0) continue;
        sum += (target_[l] - point_[l]) * (point_[l] - offset_[l]);
        if (is_touched_[v] == 0) is_touched_[v] = 1, pull_[v] = 0.0, touched_.push_back(v);
        sum_[v] += sign_[l] * (point_[l] - before_[l]);
        pull_[v] += sign_[l] * (point_[l] - seen(l, consensus_[v]));
      }
      const double bound = own_[first + f] + penalty_ * sum;
      factors_bound_ += bound - factor_bounds_[first + f];
      factor_bounds_[first + f] = bound;
    }
  }
}

void Admm::wake(std::int32_t variable) {
  const Incidence& incidence = factors_.incidence();
  for (const std::int64_t link : incidence.links_of(variable)) {
    const std::int32_t factor = incidence.factor[link];
    if (awake_[factor] > rounds_) continue;
    awake_[factor] = rounds_ + 1;
    const std::int32_t b = incidence.block[factor];
    const auto f = static_cast<std::int32_t>(factor - links_.first_factor[b]);
    active_[b].push_back(f);
  }
}

void Admm::average_active() {
  squared_change_ = slack_ = 0.0;
  for (const std::int32_t v : touched_) {
    const double change = sum_[v] / weight_[v] - consensus_[v];
    squared_change_ += weight_[v] * change * change;
    slack_ += std::max(0.0, pull_[v]);  // idle links' scores are as they were
    consensus_[v] += change;
  }
  slack_ *= penalty_;
  for (std::size_t b = 0; b < active_.size(); ++b)
    std::erase_if(active_[b], [&](std::int32_t f) {
      if (!stirs(b, f)) return true;
      awake_[links_.first_factor[b] + f] = rounds_ + 1;
      return false;
    });
  for (const std::int32_t v : touched_) {
    is_touched_[v] = 0;
    if (std::abs(consensus_[v] - announced_[v]) <= idle_) continue;
    announced_[v] = consensus_[v];
    wake(v);
  }
  touched_.clear();
  active_links_ = 0;
  for (std::size_t b = 0; b < active_.size(); ++b) {
    const std::vector<std::int64_t>& offsets = graph_.blocks[b].offsets;
    for (const std::int32_t f : active_[b]) active_links_ += offsets[f + 1] - offsets[f];
  }
  if (rounds_in_mode_ % 64 == 63) {  // sums of differences drift
    restore_sums();
    factors_bound_ = 0.0;
    for (const double bound : factor_bounds_) factors_bound_ += bound;
  }
}

}  // namespace turbotree::graphs
