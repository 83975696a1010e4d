#include "graphs/factors/trees/tree_projection.h"

#include <limits>
#include <vector>

namespace turbotree::graphs {

namespace {

constexpr int kMaxRounds = 60, kMaxNewtonSteps = 60;
constexpr int kInexactRounds = 1, kInexactNewtonSteps = 1, kInexactFlows = 1;
// A long sentence breaks cuts in many places at once.
constexpr std::size_t kLongSentence = 256, kWordsPerFlow = 16;
constexpr int kCallsToKeepCut = 10;

// The multipliers are scores: they grow with the scale.
void rescale(double scale, TreeMemory& memory) {
  if (scale == memory.scale) return;
  for (TreeCut& cut : memory.cuts) cut.multiplier *= scale / memory.scale;
  memory.scale = scale;
}

void drop_idle_cuts(std::vector<TreeCut>& cuts) {
  for (TreeCut& cut : cuts) cut.calls_without_use = cut.is_tight() ? 0 : cut.calls_without_use + 1;
  std::erase_if(cuts, [](const TreeCut& c) { return c.calls_without_use > kCallsToKeepCut; });
}

}  // namespace

// Fits the multipliers and looks for more cuts in turn. If inexact, once each, and fits once more.
bool TreeProjection::satisfy_all_cuts(Memory& memory) {
  const std::size_t words = memory.arcs.words;
  const int inexact_flows =
      words < kLongSentence ? kInexactFlows : static_cast<int>(words / kWordsPerFlow);
  const int max_flows = inexact ? inexact_flows : std::numeric_limits<int>::max();
  for (int round = 0; round < kMaxRounds; ++round) {
    const bool fits = memory.cuts.empty() ||
                      multipliers_.fit(inexact ? kInexactNewtonSteps : kMaxNewtonSteps, memory);
    if (!fits && !inexact) {
      memory = Memory();
      return false;
    }
    if (inexact && round == kInexactRounds) return true;
    if (!violated_.add(memory.arcs, multipliers_.point(), max_flows, memory.cuts)) return true;
  }
  return false;
}

// The words' thresholds and the cuts' multipliers are a dual solution, which bounds the best tree
// under the scores target - point whether or not it is exact. What it is above the
// point's score under these counts as the factor score, so that ADMM's bound holds.
double TreeProjection::factor_score(const Memory& memory) const {
  const std::vector<double>&target = multipliers_.target(), &point = multipliers_.point();
  double bound = 0.0, reached = 0.0;
  for (std::size_t w = 1; w <= memory.arcs.words; ++w) bound += memory.thresholds[w];
  for (const TreeCut& cut : memory.cuts) bound += cut.multiplier * cut.allowed();
  for (std::size_t i = 0; i < point.size(); ++i) reached += (target[i] - point[i]) * point[i];
  return (bound - reached) / memory.scale;
}

std::optional<double> TreeProjection::project(const Factor& f, std::span<const double> target,
                                              double scale, std::span<double> point,
                                              Memory& memory) {
  if (memory.thresholds.empty()) memory = Memory(f);
  const TreeArcs& arcs = memory.arcs;
  rescale(scale, memory);
  for (std::size_t w = 1; w <= arcs.words; ++w)
    if (arcs.start[w] == arcs.start[w + 1]) return std::nullopt;
  multipliers_.start(target, memory);
  if (!satisfy_all_cuts(memory)) return std::nullopt;
  for (std::size_t i = 0; i < arcs.arc_at.size(); ++i)
    point[arcs.arc_at[i]] = multipliers_.point()[i];
  const double score = factor_score(memory);
  drop_idle_cuts(memory.cuts);
  return score;
}

}  // namespace turbotree::graphs
