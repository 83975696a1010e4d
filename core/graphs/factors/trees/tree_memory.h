// What a projection on trees remembers of a factor from call to call.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factor.h"

namespace turbotree::graphs {

// Flags of the factor's shape.
constexpr std::int32_t kProjective = 1, kSingleRoot = 2;

// The arcs sorted by modifier; a "place" is an arc's index in that order.
struct TreeArcs {
  TreeArcs() = default;
  explicit TreeArcs(const Factor& factor);

  std::size_t words = 0;
  std::vector<std::int32_t> arc_at, head, modifier;  // by place
  std::vector<std::int32_t> start;                   // places of word m: start[m] .. start[m + 1]
  std::vector<std::int32_t> by_head, head_start;     // places sorted by head
};

// A set of words must get at least one unit of head from outside itself, so the arcs inside it may
// hold one unit less than it has words.
struct TreeCut {
  std::vector<std::int32_t> words;
  std::vector<std::int32_t> arcs;  // inside the set, by place
  double multiplier = 0.0;         // lowers the scores of these arcs
  int calls_without_use = 0;
  bool is_equation = false;  // always tight, and the multiplier may have any sign

  bool is_tight() const { return is_equation || multiplier > 0.0; }
  double least_multiplier() const { return is_equation ? -kInfinity : 0.0; }
  double allowed() const { return static_cast<double>(words.size()) - 1.0; }
};

struct TreeMemory {
  TreeArcs arcs;
  std::vector<double> thresholds;  // of the words' simplexes
  std::vector<TreeCut> cuts;
  double scale = 1.0;  // of the last call

  TreeMemory() = default;
  explicit TreeMemory(const Factor& factor);
};

}  // namespace turbotree::graphs
