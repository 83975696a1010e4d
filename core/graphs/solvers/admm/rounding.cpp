#include "graphs/solvers/admm/rounding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {

Rounding::Completion::Completion(Factors& factors, const std::vector<Pin>& pins)
    : push(decisive_push(factors.graph())), assignments(factors, pins, push) {}

// Lets the factors decide one after the other, each for what agrees most with the consensus; where
// that does not care, for higher scores.
void Rounding::propose_completed(AdmmState& s) {
  if (!completion_) completion_ = std::make_unique<Completion>(s.factors, s.pins);
  double largest = 0.0;
  for (const double score : s.graph.scores)
    if (score > -kInfinity) largest = std::max(largest, std::abs(score));
  numbers_.resize(s.links.links());
  for (std::int64_t l = 0; l < s.links.links(); ++l) {
    const std::int32_t v = s.links.variable[l];
    if (s.pins[v] >= 0) continue;
    const double preferred = largest > 0.0 ? 1e-3 * s.graph.scores[v] / largest : 0.0;
    numbers_[l] = s.sign[l] * (s.consensus[v] - 0.5 + preferred);
  }
  completion_->assignments.complete(numbers_, candidate_);
  try_candidate(s);
}

std::int64_t impossible_factor(AdmmState& s) {
  std::vector<double> pushes(s.links.links());
  std::vector<std::uint8_t> chosen(s.links.links());
  for (std::size_t b = 0; b < s.graph.blocks.size(); ++b) {
    const BlockArrays& block = s.graph.blocks[b];
    if (block.kind == Kind::kPair) continue;  // allows everything
    const std::int64_t link = s.links.first_link[b], first = s.links.first_factor[b];
    for (std::int64_t f = 0; f < block.factors(); ++f) {
      const double push = s.factors.decisive_push(first + f, 0.0);
      for (std::int64_t l = link + block.offsets[f]; l < link + block.offsets[f + 1]; ++l) {
        const Pin pin = s.pins[s.links.variable[l]];
        pushes[l] = pin < 0 ? 0.0 : pushed(s.links, l, pin, push);
      }
    }
    s.factors.block(b).maximise(
        0, block.factors(), s.links.links_of_block(b, std::as_const(pushes)),
        s.links.links_of_block(b, chosen), s.links.factors_of_block(b, s.factor_scores));
    for (std::int64_t f = 0; f < block.factors(); ++f) {
      bool possible = s.factor_scores[first + f] > -kInfinity;
      for (std::int64_t l = link + block.offsets[f]; l < link + block.offsets[f + 1]; ++l)
        possible &= pushes[l] == 0.0 || (pushes[l] > 0.0) == (chosen[l] != 0);
      if (!possible) return first + f;
    }
  }
  return -1;
}

// Rounds the consensus; a TREE factor takes the tree that agrees most with it.
void Rounding::propose(AdmmState& s) {
  candidate_.resize(s.consensus.size());
  for (std::size_t v = 0; v < candidate_.size(); ++v) candidate_[v] = s.consensus[v] > 0.5 ? 1 : 0;
  for (std::size_t b = 0; b < s.graph.blocks.size(); ++b) {
    if (s.graph.blocks[b].kind != Kind::kTree) continue;
    const std::int64_t links = s.graph.blocks[b].links(), count = s.graph.blocks[b].factors();
    numbers_.resize(static_cast<std::size_t>(links + count));
    chosen_.resize(static_cast<std::size_t>(links));
    const std::int64_t first = s.links.first_link[b];
    for (std::int64_t l = 0; l < links; ++l) {
      const std::int32_t v = s.links.variable[first + l];
      const double u = s.seen(first + l, s.consensus[v]);
      numbers_[l] = s.pins[v] < 0 ? u : (u > 0.5 ? kPinnedScore : -kPinnedScore);
    }
    const auto scores = std::span<double>(numbers_);
    s.factors.block(b).maximise(0, count, scores.first(links), chosen_, scores.subspan(links));
    for (std::int64_t l = 0; l < links; ++l) {
      const std::int32_t v = s.links.variable[first + l];
      if (s.pins[v] < 0) candidate_[v] = s.links.literal(first + l, chosen_[l]);
    }
  }
  try_candidate(s);
}

void Rounding::try_candidate(AdmmState& s) {
  if (any_tried_ && candidate_ == last_candidate_) return;
  any_tried_ = true;
  last_candidate_ = candidate_;
  const double value = s.factors.value(candidate_);
  if (value > best_value) {
    best_value = value;
    best_values = candidate_;
  }
}

}  // namespace turbotree::graphs
