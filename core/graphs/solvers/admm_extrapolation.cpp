// Leaps of ADMM: while the same few factors stay active, its state is followed for some rounds and
// then extrapolated to where it seems to be going.
#include <cmath>

#include "graphs/solvers/admm.h"

namespace turbotree::graphs {

// A state is the scores of the followed links, in units of the penalty, and the consensus of their
// variables, weighted as in ADMM's own norm.
void Admm::read_state(std::span<double> state) const {
  std::size_t i = 0;
  for (const std::int64_t l : followed_links_) state[i++] = scores_[l] / penalty_;
  for (const std::int32_t v : followed_variables_)
    state[i++] = consensus_[v] * std::sqrt(static_cast<double>(links_.degree[v]));
}

void Admm::write_state(std::span<const double> state) {
  std::size_t i = 0;
  for (const std::int64_t l : followed_links_) scores_[l] = state[i++] * penalty_;
  for (const std::int32_t v : followed_variables_)
    consensus_[v] = state[i++] / std::sqrt(static_cast<double>(links_.degree[v]));
  if (!sparse_) {  // the variables have other links too
    gather_all(0.0);
    return;
  }
  for (const std::int64_t l : followed_links_)
    target_[l] = seen(l, consensus_[links_.variable[l]]) + scores_[l] / penalty_;
}

// The shares of a variable's score must go on adding up to it, and an extrapolated sum of rounding
// errors need not be small.
void Admm::keep_shares(std::span<const double> before, std::span<double> after) {
  for (const std::int32_t v : followed_variables_) pull_[v] = 0.0;
  for (std::size_t i = 0; i < followed_links_.size(); ++i) {
    const std::int64_t l = followed_links_[i];
    pull_[links_.variable[l]] += sign_[l] * (before[i] - after[i]);
  }
  for (const std::int32_t v : followed_variables_) pull_[v] /= followed_degree_[v];
  for (std::size_t i = 0; i < followed_links_.size(); ++i) {
    const std::int64_t l = followed_links_[i];
    after[i] += sign_[l] * pull_[links_.variable[l]];
  }
}

// Chooses what to follow: the links of active factors. In dense rounds these are known only now and
// then, and the same ones are followed up to the next leap.
void Admm::follow() {
  following_ = true;
  followed_ = active_;
  followed_penalty_ = penalty_;
  followed_links_.clear();
  followed_variables_.clear();
  followed_degree_.resize(pins_.size());
  on_trial_ = false;
  extrapolation_.clear();
  for (std::size_t b = 0; b < active_.size(); ++b) {
    const std::vector<std::int64_t>& offsets = graph_.blocks[b].offsets;
    const std::int64_t link = links_.first_link[b];
    for (const std::int32_t f : active_[b])
      for (std::int64_t l = link + offsets[f]; l < link + offsets[f + 1]; ++l) {
        const std::int32_t v = links_.variable[l];
        if (pins_[v] >= 0) continue;
        followed_links_.push_back(l);
        if (is_touched_[v] == 0) {
          is_touched_[v] = 1;
          followed_variables_.push_back(v);
          followed_degree_[v] = 0.0;
        }
        followed_degree_[v] += 1.0;
      }
  }
  for (const std::int32_t v : followed_variables_) is_touched_[v] = 0;
}

void Admm::extrapolate() {
  const bool same =
      following_ && followed_penalty_ == penalty_ && (!sparse_ || active_ == followed_);
  if (!same) follow();
  const std::size_t size = followed_links_.size() + followed_variables_.size();
  read_state(extrapolation_.next(size));
  if (extrapolation_.count() < 2) return;
  if (on_trial_) {
    // The leap counts only if the steps became shorter by it.
    on_trial_ = false;
    if (!(extrapolation_.last_step() < last_step_)) {
      keep_shares(extrapolation_.last(), fallback_);  // links that are not followed moved on
      write_state(fallback_);
      extrapolation_.clear();
      trials_to_skip_ = 1;
    }
    following_ = sparse_;
    return;
  }
  if (!extrapolation_.full()) return;
  last_step_ = extrapolation_.last_step();
  if (trials_to_skip_ > 0) {
    --trials_to_skip_;
    extrapolation_.clear();
    following_ = sparse_;
    return;
  }
  fallback_.assign(extrapolation_.last().begin(), extrapolation_.last().end());
  const bool leapt = extrapolation_.extrapolate(extrapolated_);
  extrapolation_.clear();
  following_ = sparse_ || leapt;
  if (!leapt) return;
  keep_shares(fallback_, extrapolated_);
  write_state(extrapolated_);
  read_state(extrapolation_.next(size));
  on_trial_ = true;
}

}  // namespace turbotree::graphs
