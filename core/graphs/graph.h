// A factor graph as arrays: variables with scores, and factors in blocks of one kind each.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graphs/factor.h"
#include "graphs/kind.h"

namespace turbotree::graphs {

class Block;

// A factor that Python knows: writes the best assignment, returns its factor score.
using Oracle =
    std::function<double(std::span<const double> scores, std::span<std::uint8_t> chosen)>;

struct BlockArrays {
  Kind kind;
  std::vector<std::int64_t> offsets;  // of the factors' links, factors + 1
  std::vector<std::int32_t> variables;
  std::vector<std::uint8_t> negated;
  std::vector<std::int64_t> score_offsets;  // empty where the kind has no factor scores
  std::vector<double> factor_scores;
  std::vector<std::int64_t> shape_offsets;  // empty where the kind has no shape
  std::vector<std::int32_t> shapes;
  std::vector<Oracle> oracles;  // one per factor for kCustom

  std::int64_t factors() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t links() const { return offsets.back(); }
  Factor factor(std::int64_t index) const {
    Factor f{offsets[index + 1] - offsets[index], {}, {}};
    if (!score_offsets.empty()) f.scores = scores_of(index, std::span(factor_scores));
    if (!shape_offsets.empty())
      f.shape = {shapes.data() + shape_offsets[index], shapes.data() + shape_offsets[index + 1]};
    return f;
  }
  // What belongs to a factor of a span over all links, or over all factor scores, of the block.
  template <class T>
  std::span<T> links_of(std::int64_t index, std::span<T> all) const {
    return all.subspan(offsets[index], offsets[index + 1] - offsets[index]);
  }
  template <class T>
  std::span<T> scores_of(std::int64_t index, std::span<T> all) const {
    return all.subspan(score_offsets[index], score_offsets[index + 1] - score_offsets[index]);
  }
};

// -1 where a variable is free, otherwise the value it is fixed to.
using Pin = std::int8_t;

struct Graph {
  std::vector<double> scores;  // finite where the variable is free
  std::vector<Pin> pins;
  std::vector<BlockArrays> blocks;

  // What `presolve` found: how far values may be off by rounding, and from which size scores are
  // masks, which tell nothing of what is usual.
  double rounding = 0.0, mask_size = kInfinity;

  std::int64_t variables() const { return static_cast<std::int64_t>(scores.size()); }
  // How near a value has to be to the bound to count as equal, in a presolved graph: its usual
  // score is 1. Larger graphs get more, but not where all scores share a large constant.
  double tolerance(double relative_gap, double bound) const {
    const double most = std::max(1.0, 0.5 * static_cast<double>(scores.size()));
    return relative_gap * std::clamp(std::abs(bound), 1.0, most) + rounding;
  }
  std::int64_t links() const;
  std::int64_t factors() const;
  std::size_t factor_scores() const;  // how many
};

// What makes the arrays unusable ("" if nothing): sizes that do not fit, variables out of range,
// factors that their kind cannot read.
std::string check(const Graph& graph);

// Below this no allowed assignment can be, so that a smaller bound proves that there is none.
double lowest_value(const Graph& graph, const std::vector<Pin>& pins);

// Machinery for the factors of a graph, block by block; it refers to the graph's arrays.
std::vector<std::unique_ptr<Block>> make_blocks(const Graph& graph);

}  // namespace turbotree::graphs
