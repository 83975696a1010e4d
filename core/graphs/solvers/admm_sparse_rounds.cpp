// Sparse rounds of ADMM: the factors that are not idle.
#include <algorithm>
#include <cmath>

#include "graphs/solvers/admm.h"
#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {

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
            target_[l] = pushed(links_, l, pin, kPinnedTarget);
    factors_.block(b).project(active_[b], links_.links_of_block(b, std::as_const(target_)),
                              1.0 / penalty_, links_.links_of_block(b, point_),
                              links_.factors_of_block(b, own_));
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
