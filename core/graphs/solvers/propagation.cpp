#include "graphs/solvers/propagation.h"

#include <algorithm>
#include <cmath>

namespace turbotree::graphs {

double decisive_push(const Graph& graph) {
  // What pairs and its own score can make of a variable, and what a factor score can be.
  std::vector<double> strength(graph.scores.size());
  double largest = 0.0;
  for (std::size_t v = 0; v < strength.size(); ++v)
    strength[v] = graph.scores[v] > -kInfinity ? std::abs(graph.scores[v]) : 0.0;
  for (const BlockArrays& block : graph.blocks) {
    if (block.factor_scores.empty()) continue;
    for (std::int64_t f = 0; f < block.factors(); ++f) {
      const Factor factor = block.factor(f);
      double own = 0.0;
      for (const double score : factor.scores)
        if (score > -kInfinity) own = std::max(own, std::abs(score));
      if (block.kind == Kind::kPair) {
        strength[block.variables[2 * f]] += own;
        strength[block.variables[2 * f + 1]] += own;
      } else {
        largest = std::max(largest, static_cast<double>(factor.links + 1) * own);
      }
    }
  }
  for (const double s : strength) largest = std::max(largest, s);
  return std::max(20.0 * largest, kPinnedScore);
}

std::int64_t propagate(Factors& factors, double push, std::vector<Pin>& pins, Control& control) {
  const Links& links = factors.links();
  const Incidence& incidence = factors.incidence();
  // All scores are 0 here, so only a fixed variable or an impossible value gives large messages.
  const double large = 0.5 * push;
  std::vector<double> scores(links.links()), messages(links.links());
  std::vector<std::int32_t> waiting;
  std::vector<std::uint8_t> waits(links.factors(), 0);
  for (std::int64_t f = links.factors(); f-- > 0;)
    if (factors.kind(f) != Kind::kPair)
      waiting.push_back(static_cast<std::int32_t>(f)), waits[f] = 1;

  while (!waiting.empty()) {
    const std::int32_t f = waiting.back();
    waiting.pop_back();
    waits[f] = 0;
    if ((waiting.size() & 255) == 0 && control.should_stop()) return -1;
    const std::int64_t first = incidence.offsets[f], last = incidence.offsets[f + 1];
    double satisfied = 0.0;
    for (std::int64_t l = first; l < last; ++l) {
      const Pin pin = pins[links.variable[l]];
      scores[l] = pin < 0 ? 0.0 : pushed(links, l, pin, push);
      satisfied += std::max(0.0, scores[l]);
    }
    const double value = factors.kind(f) == Kind::kCustom
                             ? factors.max_messages(f, scores, messages)
                             : factors.sum_messages(f, scores, messages).log_partition;
    if (!(value > satisfied - large)) return f;
    for (std::int64_t l = first; l < last; ++l) {
      const std::int32_t v = links.variable[l];
      if (pins[v] >= 0 || !(std::abs(messages[l]) > large)) continue;
      pins[v] = static_cast<Pin>(links.literal(l, messages[l] > 0.0 ? 1 : 0));
      for (const std::int64_t other : incidence.links_of(v)) {
        const std::int32_t g = incidence.factor[other];
        if (g == f || waits[g] != 0 || factors.kind(g) == Kind::kPair) continue;
        waits[g] = 1;
        waiting.push_back(g);
      }
    }
  }
  return -1;
}

}  // namespace turbotree::graphs
