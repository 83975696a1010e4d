// The maximum arborescence of few arcs: O(arcs log words), and memory for the arcs alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trees/types.h"

namespace turbotree::trees {

class SparseArborescence {
 public:
  struct Arc {
    std::int32_t head, modifier;
    double score;
  };

  // Arcs in any order; those with a score of -infinity do not count. `chosen` gets the index of
  // the arc into each word, word 1 first.
  Status find(int words, std::span<const Arc> arcs, bool single_root, std::int32_t* chosen);

 private:
  // A leftist heap of the arcs into a component, best first. What is added to all arcs of a heap
  // waits at its top until it is taken apart.
  struct Node {
    std::int32_t left = -1, right = -1, rank = 1;
    double score = 0.0, waiting = 0.0;
  };

  bool before(std::int32_t a, std::int32_t b) const;
  void settle(std::int32_t node);
  std::int32_t merge(std::int32_t a, std::int32_t b);
  void pop(std::int32_t& heap);
  std::int32_t component_of(std::int32_t word);
  std::int32_t contract(std::size_t begin);

  std::span<const Arc> arcs_;
  bool single_root_ = false;
  std::vector<Node> nodes_;                // one per arc
  std::vector<std::int32_t> heap_, into_;  // by component: its arcs, and the one that it takes
  std::vector<std::int32_t> joined_;       // by component: a larger one it is in, for look-ups
  std::vector<std::int32_t> parent_;       // by component: the one that it was contracted to
  std::vector<std::int32_t> path_, spine_;
  std::vector<std::int32_t> cycles_;  // the components made of cycles, in order
  std::vector<std::uint8_t> mark_;
};

}  // namespace turbotree::trees
