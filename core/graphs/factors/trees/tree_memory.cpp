#include "graphs/factors/trees/tree_memory.h"

#include <utility>

namespace turbotree::graphs {

TreeArcs::TreeArcs(const Factor& f) : words(static_cast<std::size_t>(f.shape[0])) {
  const auto arcs = static_cast<std::size_t>(f.links);
  const auto sort_by = [&](std::size_t key, std::vector<std::int32_t>& start_of,
                           std::vector<std::int32_t>& sorted) {
    start_of.assign(words + 2, 0);
    for (std::size_t a = 0; a < arcs; ++a) ++start_of[f.shape[2 + 2 * a + key] + 1];
    for (std::size_t w = 1; w < start_of.size(); ++w) start_of[w] += start_of[w - 1];
    std::vector<std::int32_t> next(start_of.begin(), start_of.end() - 1);
    sorted.resize(arcs);
    for (std::size_t a = 0; a < arcs; ++a)
      sorted[next[f.shape[2 + 2 * a + key]]++] = static_cast<std::int32_t>(a);
  };
  sort_by(1, start, arc_at);
  sort_by(0, head_start, by_head);
  std::vector<std::int32_t> place_of(arcs);
  head.resize(arcs);
  modifier.resize(arcs);
  for (std::size_t i = 0; i < arcs; ++i) {
    place_of[arc_at[i]] = static_cast<std::int32_t>(i);
    head[i] = f.shape[2 + 2 * arc_at[i]];
    modifier[i] = f.shape[3 + 2 * arc_at[i]];
  }
  for (std::int32_t& arc : by_head) arc = place_of[arc];
}

// With a single root, all words together get exactly one unit of head from outside.
TreeMemory::TreeMemory(const Factor& factor) : arcs(factor), thresholds(arcs.words + 1, 0.0) {
  if ((factor.shape[1] & kSingleRoot) == 0) return;
  TreeCut all;
  all.is_equation = true;
  for (std::size_t w = 1; w <= arcs.words; ++w) all.words.push_back(static_cast<std::int32_t>(w));
  for (std::size_t i = 0; i < arcs.head.size(); ++i)
    if (arcs.head[i] != 0) all.arcs.push_back(static_cast<std::int32_t>(i));
  cuts.push_back(std::move(all));
}

}  // namespace turbotree::graphs
