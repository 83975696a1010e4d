#include "graphs/graph.h"

#include <algorithm>

#include "graphs/block.h"
#include "graphs/kinds.h"

namespace turbotree::graphs {

namespace {

bool offsets_fit(const std::vector<std::int64_t>& offsets, std::int64_t factors,
                 std::size_t total) {
  if (offsets.size() != static_cast<std::size_t>(factors) + 1 || offsets.front() != 0) return false;
  for (std::size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1]) return false;
  return offsets.back() == static_cast<std::int64_t>(total);
}

std::string check_block(const BlockArrays& block, std::int64_t variables) {
  if (block.offsets.empty()) return "a block needs offsets";
  const std::int64_t factors = block.factors();
  if (!offsets_fit(block.offsets, factors, block.variables.size()))
    return "a block's offsets do not fit its links";
  if (block.negated.size() != block.variables.size())
    return "a block needs to know of every link whether it is negated";
  for (const std::int32_t v : block.variables)
    if (v < 0 || v >= variables) return "a link names a variable that is not there";
  if (block.score_offsets.empty()
          ? !block.factor_scores.empty()
          : !offsets_fit(block.score_offsets, factors, block.factor_scores.size()))
    return "a block's offsets do not fit its factor scores";
  if (block.shape_offsets.empty() ? !block.shapes.empty()
                                  : !offsets_fit(block.shape_offsets, factors, block.shapes.size()))
    return "a block's offsets do not fit its shapes";
  if (block.kind == Kind::kCustom && block.oracles.size() != static_cast<std::size_t>(factors))
    return "a custom factor needs a function";
  const KindFunctions* const kind = find_kind(block.kind);
  if (kind == nullptr) return "no kind of factor has this number";
  std::string problem;
  for (std::int64_t f = 0; f < factors && problem.empty(); ++f)
    problem = kind->check(block.factor(f));
  return problem;
}

}  // namespace

std::int64_t Graph::links() const {
  std::int64_t sum = 0;
  for (const BlockArrays& block : blocks) sum += block.links();
  return sum;
}

std::int64_t Graph::factors() const {
  std::int64_t sum = 0;
  for (const BlockArrays& block : blocks) sum += block.factors();
  return sum;
}

std::size_t Graph::factor_scores() const {
  std::size_t sum = 0;
  for (const BlockArrays& block : blocks) sum += block.factor_scores.size();
  return sum;
}

std::string check(const Graph& graph) {
  if (graph.pins.size() != graph.scores.size()) return "a graph needs one pin per variable";
  for (std::size_t v = 0; v < graph.scores.size(); ++v)
    if (!(graph.scores[v] < kInfinity) || (graph.scores[v] == -kInfinity && graph.pins[v] != 0))
      return "scores are finite, or -infinity where the variable is fixed to 0";
  for (const BlockArrays& block : graph.blocks) {
    const std::string problem = check_block(block, graph.variables());
    if (!problem.empty()) return problem;
  }
  return "";
}

double lowest_value(const Graph& graph, const std::vector<Pin>& pins) {
  double sum = 0.0;
  for (std::size_t v = 0; v < pins.size(); ++v)
    if (pins[v] != 0) sum += pins[v] == 1 ? graph.scores[v] : std::min(0.0, graph.scores[v]);
  for (const BlockArrays& block : graph.blocks) {
    if (block.kind == Kind::kCustom) return -kInfinity;  // nobody knows how bad their scores are
    for (const double score : block.factor_scores)
      if (score > -kInfinity) sum += std::min(0.0, score);
  }
  return sum;
}

std::vector<std::unique_ptr<Block>> make_blocks(const Graph& graph) {
  std::vector<std::unique_ptr<Block>> blocks;
  for (const BlockArrays& arrays : graph.blocks)
    blocks.push_back(find_kind(arrays.kind)->make_block(arrays));
  return blocks;
}

}  // namespace turbotree::graphs
