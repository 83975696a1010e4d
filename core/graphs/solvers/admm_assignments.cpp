// Where ADMM asks for assignments: whether the fixed variables leave each factor one, and what the
// consensus comes to when it is rounded or completed factor by factor.
#include <algorithm>
#include <cmath>

#include "graphs/solvers/admm.h"
#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {

Admm::Completion::Completion(Factors& factors, const std::vector<Pin>& pins)
    : push(decisive_push(factors.graph())), assignments(factors, pins, push) {}

// Lets the factors decide one after the other, each for what agrees most with the consensus; where
// that does not care, for higher scores.
void Admm::propose_completed() {
  if (!completion_) completion_ = std::make_unique<Completion>(factors_, pins_);
  double largest = 0.0;
  for (const double score : graph_.scores)
    if (score > -kInfinity) largest = std::max(largest, std::abs(score));
  rounding_.resize(links_.links());
  for (std::int64_t l = 0; l < links_.links(); ++l) {
    const std::int32_t v = links_.variable[l];
    if (pins_[v] >= 0) continue;
    const double preferred = largest > 0.0 ? 1e-3 * graph_.scores[v] / largest : 0.0;
    rounding_[l] = sign_[l] * (consensus_[v] - 0.5 + preferred);
  }
  completion_->assignments.complete(rounding_, candidate_);
  try_candidate();
}

std::int64_t Admm::impossible_factor() {
  rounding_.resize(links_.links());
  chosen_.resize(links_.links());
  for (std::size_t b = 0; b < graph_.blocks.size(); ++b) {
    const BlockArrays& block = graph_.blocks[b];
    if (block.kind == Kind::kPair) continue;  // allows everything
    const std::int64_t link = links_.first_link[b], first = links_.first_factor[b];
    for (std::int64_t f = 0; f < block.factors(); ++f) {
      const double push = factors_.decisive_push(first + f, 0.0);
      for (std::int64_t l = link + block.offsets[f]; l < link + block.offsets[f + 1]; ++l) {
        const Pin pin = pins_[links_.variable[l]];
        rounding_[l] = pin < 0 ? 0.0 : pushed(links_, l, pin, push);
      }
    }
    factors_.block(b).maximise(0, block.factors(),
                               links_.links_of_block(b, std::as_const(rounding_)),
                               links_.links_of_block(b, chosen_), links_.factors_of_block(b, own_));
    for (std::int64_t f = 0; f < block.factors(); ++f) {
      bool possible = own_[first + f] > -kInfinity;
      for (std::int64_t l = link + block.offsets[f]; l < link + block.offsets[f + 1]; ++l)
        possible &= rounding_[l] == 0.0 || (rounding_[l] > 0.0) == (chosen_[l] != 0);
      if (!possible) return first + f;
    }
  }
  return -1;
}

// Rounds the consensus; a TREE factor takes the tree that agrees most with it.
void Admm::propose() {
  candidate_.resize(consensus_.size());
  for (std::size_t v = 0; v < candidate_.size(); ++v) candidate_[v] = consensus_[v] > 0.5 ? 1 : 0;
  for (std::size_t b = 0; b < graph_.blocks.size(); ++b) {
    if (graph_.blocks[b].kind != Kind::kTree) continue;
    const std::int64_t links = graph_.blocks[b].links(), count = graph_.blocks[b].factors();
    rounding_.resize(static_cast<std::size_t>(links + count));
    chosen_.resize(static_cast<std::size_t>(links));
    const std::int64_t first = links_.first_link[b];
    for (std::int64_t l = 0; l < links; ++l) {
      const std::int32_t v = links_.variable[first + l];
      const double u = seen(first + l, consensus_[v]);
      rounding_[l] = pins_[v] < 0 ? u : (u > 0.5 ? kPinnedScore : -kPinnedScore);
    }
    const auto scores = std::span<double>(rounding_);
    factors_.block(b).maximise(0, count, scores.first(links), chosen_, scores.subspan(links));
    for (std::int64_t l = 0; l < links; ++l) {
      const std::int32_t v = links_.variable[first + l];
      if (pins_[v] < 0) candidate_[v] = links_.literal(first + l, chosen_[l]);
    }
  }
  try_candidate();
}

void Admm::try_candidate() {
  if (any_tried_ && candidate_ == last_candidate_) return;
  any_tried_ = true;
  last_candidate_ = candidate_;
  const double value = factors_.value(candidate_);
  if (value > best_value_) {
    best_value_ = value;
    best_values_ = candidate_;
  }
}

}  // namespace turbotree::graphs
