#include "graphs/solvers/admm/acceleration.h"

#include <cmath>

namespace turbotree::graphs {

// A state is the scores of the followed links, in units of the penalty, and the consensus of their
// variables, weighted as in ADMM's own norm.
void Acceleration::read(const AdmmState& s, std::span<double> state) const {
  std::size_t i = 0;
  for (const std::int64_t l : followed_links_) state[i++] = s.scores[l] / s.penalty;
  for (const std::int32_t v : followed_variables_)
    state[i++] = s.consensus[v] * std::sqrt(static_cast<double>(s.links.degree[v]));
}

void Acceleration::write(AdmmState& s, bool sparse, std::span<const double> state) const {
  std::size_t i = 0;
  for (const std::int64_t l : followed_links_) s.scores[l] = state[i++] * s.penalty;
  for (const std::int32_t v : followed_variables_)
    s.consensus[v] = state[i++] / std::sqrt(static_cast<double>(s.links.degree[v]));
  if (!sparse) {  // the variables have other links too
    gather_all(s, 0.0);
    return;
  }
  for (const std::int64_t l : followed_links_)
    s.target[l] = s.seen(l, s.consensus[s.links.variable[l]]) + s.scores[l] / s.penalty;
}

// The shares of a variable's score must go on adding up to it, and an extrapolated sum of rounding
// errors need not be small.
void Acceleration::keep_shares(const AdmmState& s, std::span<const double> before,
                               std::span<double> after) {
  for (const std::int32_t v : followed_variables_) change_[v] = 0.0;
  for (std::size_t i = 0; i < followed_links_.size(); ++i) {
    const std::int64_t l = followed_links_[i];
    change_[s.links.variable[l]] += s.sign[l] * (before[i] - after[i]);
  }
  for (const std::int32_t v : followed_variables_) change_[v] /= followed_degree_[v];
  for (std::size_t i = 0; i < followed_links_.size(); ++i) {
    const std::int64_t l = followed_links_[i];
    after[i] += s.sign[l] * change_[s.links.variable[l]];
  }
}

// Chooses what to follow: the links of active factors. In dense rounds these are known only now and
// then, and the same ones are followed up to the next extrapolation.
void Acceleration::follow(const AdmmState& s, const ActiveFactors& active) {
  following_ = true;
  followed_ = active.factors;
  followed_penalty_ = s.penalty;
  followed_links_.clear();
  followed_variables_.clear();
  followed_degree_.resize(s.pins.size());
  is_followed_.resize(s.pins.size());
  change_.resize(s.pins.size());
  on_trial_ = false;
  extrapolation_.clear();
  for (std::size_t b = 0; b < active.factors.size(); ++b) {
    const std::vector<std::int64_t>& offsets = s.graph.blocks[b].offsets;
    const std::int64_t link = s.links.first_link[b];
    for (const std::int32_t f : active.factors[b])
      for (std::int64_t l = link + offsets[f]; l < link + offsets[f + 1]; ++l) {
        const std::int32_t v = s.links.variable[l];
        if (s.pins[v] >= 0) continue;
        followed_links_.push_back(l);
        if (is_followed_[v] == 0) {
          is_followed_[v] = 1;
          followed_variables_.push_back(v);
          followed_degree_[v] = 0.0;
        }
        followed_degree_[v] += 1.0;
      }
  }
  for (const std::int32_t v : followed_variables_) is_followed_[v] = 0;
}

void Acceleration::extrapolate(AdmmState& s, const ActiveFactors& active) {
  const bool same = following_ && followed_penalty_ == s.penalty &&
                    (!active.sparse || active.factors == followed_);
  if (!same) follow(s, active);
  const std::size_t size = followed_links_.size() + followed_variables_.size();
  read(s, extrapolation_.next(size));
  if (extrapolation_.count() < 2) return;
  if (on_trial_) {
    // The extrapolation counts only if the steps became shorter by it.
    on_trial_ = false;
    if (!(extrapolation_.last_step() < last_step_)) {
      keep_shares(s, extrapolation_.last(), fallback_);  // links that are not followed moved on
      write(s, active.sparse, fallback_);
      extrapolation_.clear();
      trials_to_skip_ = 1;
    }
    following_ = active.sparse;
    return;
  }
  if (!extrapolation_.full()) return;
  last_step_ = extrapolation_.last_step();
  if (trials_to_skip_ > 0) {
    --trials_to_skip_;
    extrapolation_.clear();
    following_ = active.sparse;
    return;
  }
  fallback_.assign(extrapolation_.last().begin(), extrapolation_.last().end());
  const bool found = extrapolation_.extrapolate(extrapolated_);
  extrapolation_.clear();
  following_ = active.sparse || found;
  if (!found) return;
  keep_shares(s, fallback_, extrapolated_);
  write(s, active.sparse, extrapolated_);
  read(s, extrapolation_.next(size));
  on_trial_ = true;
}

}  // namespace turbotree::graphs
