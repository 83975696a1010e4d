#include "graphs/solvers/admm/active_factors.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {

ActiveFactors::ActiveFactors(const AdmmState& s)
    : factors(s.graph.blocks.size()),
      awake_(s.factor_scores.size(), -1),
      is_touched_(s.consensus.size(), 0),
      pull_(s.consensus.size(), 0.0) {}

// Whether the factor would answer differently in the next round.
bool ActiveFactors::is_active(const AdmmState& s, std::size_t block, std::int32_t factor) const {
  const std::int64_t base = s.links.first_link[block];
  const std::vector<std::int64_t>& offsets = s.graph.blocks[block].offsets;
  for (std::int64_t l = base + offsets[factor]; l < base + offsets[factor + 1]; ++l)
    if (std::abs(s.point[l] - s.seen(l, s.consensus[s.links.variable[l]])) > s.idle) return true;
  return false;
}

void ActiveFactors::list(const AdmmState& s) {
  links = 0;
  for (std::size_t b = 0; b < factors.size(); ++b) {
    factors[b].clear();
    const BlockArrays& block = s.graph.blocks[b];
    const std::int64_t base = s.links.first_link[b];
    for (std::int64_t f = 0; f < block.factors(); ++f) {
      bool active = false;
      for (std::int64_t l = block.offsets[f]; l < block.offsets[f + 1] && !active; ++l) {
        const std::int32_t v = block.variables[l];
        active = std::abs(s.point[base + l] - s.seen(base + l, s.consensus[v])) > s.idle ||
                 std::abs(s.consensus[v] - s.announced[v]) > s.idle;
      }
      if (!active) continue;
      factors[b].push_back(static_cast<std::int32_t>(f));
      links += block.offsets[f + 1] - block.offsets[f];
    }
  }
}

void ActiveFactors::start_sparse_rounds(AdmmState& s) {
  sparse = true;
  rounds_in_mode = 0;
  s.announced = s.consensus;
  factor_bounds_.resize(s.factor_scores.size());
  before_.resize(s.links.links());
  for (std::size_t b = 0; b < s.graph.blocks.size(); ++b) {
    const BlockArrays& block = s.graph.blocks[b];
    const std::int64_t link = s.links.first_link[b], first = s.links.first_factor[b];
    for (std::int64_t f = 0; f < block.factors(); ++f) {
      double sum = 0.0;
      for (std::int64_t l = link + block.offsets[f]; l < link + block.offsets[f + 1]; ++l)
        sum += (s.target[l] - s.point[l]) * (s.point[l] - s.offset[l]);
      factor_bounds_[first + f] = s.factor_scores[first + f] + s.penalty * sum;
    }
    for (const std::int32_t f : factors[b]) awake_[first + f] = rounds_ + 1;
  }
}

double ActiveFactors::gather(AdmmState& s, double move) {
  const double inverse = 1.0 / s.penalty;
  double squares = 0.0;
  for (std::size_t b = 0; b < factors.size(); ++b) {
    const std::vector<std::int64_t>& offsets = s.graph.blocks[b].offsets;
    const std::int64_t link = s.links.first_link[b];
    for (const std::int32_t f : factors[b])
      for (std::int64_t l = link + offsets[f]; l < link + offsets[f + 1]; ++l) {
        const double u = s.seen(l, s.consensus[s.links.variable[l]]);
        const double difference = s.point[l] - u;
        squares += difference * difference;
        s.scores[l] -= move * difference;
        s.target[l] = u + s.scores[l] * inverse;
        before_[l] = s.point[l];
      }
  }
  return squares;
}

void ActiveFactors::project(AdmmState& s) {
  for (std::size_t b = 0; b < factors.size(); ++b) {
    const std::vector<std::int64_t>& offsets = s.graph.blocks[b].offsets;
    const std::int64_t link = s.links.first_link[b], first = s.links.first_factor[b];
    const bool pinned = !s.pinned_links.empty();
    if (pinned)
      for (const std::int32_t f : factors[b])
        for (std::int64_t l = link + offsets[f]; l < link + offsets[f + 1]; ++l)
          if (const Pin pin = s.pins[s.links.variable[l]]; pin >= 0)
            s.target[l] = pushed(s.links, l, pin, kPinnedTarget);
    s.factors.block(b).project(factors[b], s.links.links_of_block(b, std::as_const(s.target)),
                               1.0 / s.penalty, s.links.links_of_block(b, s.point),
                               s.links.factors_of_block(b, s.factor_scores));
    for (const std::int32_t f : factors[b]) {
      double sum = 0.0;
      for (std::int64_t l = link + offsets[f]; l < link + offsets[f + 1]; ++l) {
        const std::int32_t v = s.links.variable[l];
        if (pinned && s.pins[v] >= 0) continue;
        sum += (s.target[l] - s.point[l]) * (s.point[l] - s.offset[l]);
        if (is_touched_[v] == 0) is_touched_[v] = 1, pull_[v] = 0.0, touched_.push_back(v);
        s.sum[v] += s.sign[l] * (s.point[l] - before_[l]);
        pull_[v] += s.sign[l] * (s.point[l] - s.seen(l, s.consensus[v]));
      }
      const double bound = s.factor_scores[first + f] + s.penalty * sum;
      s.bound.factors += bound - factor_bounds_[first + f];
      factor_bounds_[first + f] = bound;
    }
  }
}

void ActiveFactors::wake(AdmmState& s, std::int32_t variable) {
  const Incidence& incidence = s.factors.incidence();
  for (const std::int64_t link : incidence.links_of(variable)) {
    const std::int32_t factor = incidence.factor[link];
    if (awake_[factor] > rounds_) continue;
    awake_[factor] = rounds_ + 1;
    const std::int32_t b = incidence.block[factor];
    const auto f = static_cast<std::int32_t>(factor - s.links.first_factor[b]);
    factors[b].push_back(f);
  }
}

void ActiveFactors::average(AdmmState& s) {
  s.squared_change = s.bound.slack = 0.0;
  for (const std::int32_t v : touched_) {
    const double change = s.sum[v] / s.weight[v] - s.consensus[v];
    s.squared_change += s.weight[v] * change * change;
    s.bound.slack += std::max(0.0, pull_[v]);  // idle links' scores are as they were
    s.consensus[v] += change;
  }
  s.bound.slack *= s.penalty;
  for (std::size_t b = 0; b < factors.size(); ++b)
    std::erase_if(factors[b], [&](std::int32_t f) {
      if (!is_active(s, b, f)) return true;
      awake_[s.links.first_factor[b] + f] = rounds_ + 1;
      return false;
    });
  for (const std::int32_t v : touched_) {
    is_touched_[v] = 0;
    if (std::abs(s.consensus[v] - s.announced[v]) <= s.idle) continue;
    s.announced[v] = s.consensus[v];
    wake(s, v);
  }
  touched_.clear();
  links = 0;
  for (std::size_t b = 0; b < factors.size(); ++b) {
    const std::vector<std::int64_t>& offsets = s.graph.blocks[b].offsets;
    for (const std::int32_t f : factors[b]) links += offsets[f + 1] - offsets[f];
  }
  if (rounds_in_mode % 64 == 63) {  // sums of differences drift
    restore_sums(s);
    s.bound.factors = 0.0;
    for (const double bound : factor_bounds_) s.bound.factors += bound;
  }
}

}  // namespace turbotree::graphs
