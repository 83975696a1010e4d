#include "trees/nonprojective/sparse_arborescence.h"

#include <utility>

#include "common/interrupt.h"

// Edmonds' algorithm as in arborescence.cpp, with the arcs into a component in a heap (Tarjan
// 1977): contracting a cycle melds the heaps of its members, after taking from each arc the score
// of the arc that its member has chosen. With a single root, arcs from the root come after all
// others.

namespace turbotree::trees {
namespace {

enum Mark : std::uint8_t { kNew = 0, kOnPath = 1, kDone = 2 };

}  // namespace

bool SparseArborescence::before(std::int32_t a, std::int32_t b) const {
  if (single_root_) {
    const bool from_root = arcs_[a].head == 0, other_from_root = arcs_[b].head == 0;
    if (from_root != other_from_root) return other_from_root;
  }
  if (nodes_[a].score != nodes_[b].score) return nodes_[a].score > nodes_[b].score;
  return a < b;
}

void SparseArborescence::settle(std::int32_t node) {
  Node& n = nodes_[node];
  if (n.waiting == 0.0) return;
  n.score += n.waiting;
  if (n.left >= 0) nodes_[n.left].waiting += n.waiting;
  if (n.right >= 0) nodes_[n.right].waiting += n.waiting;
  n.waiting = 0.0;
}

// Down the right spines of both, then up again to put the shorter side to the right.
std::int32_t SparseArborescence::merge(std::int32_t a, std::int32_t b) {
  spine_.clear();
  while (a >= 0 && b >= 0) {
    settle(a);
    settle(b);
    if (!before(a, b)) std::swap(a, b);
    spine_.push_back(a);
    a = nodes_[a].right;
  }
  std::int32_t merged = a >= 0 ? a : b;
  while (!spine_.empty()) {
    const std::int32_t top = spine_.back();
    spine_.pop_back();
    Node& n = nodes_[top];
    n.right = merged;
    const auto rank = [&](std::int32_t node) { return node < 0 ? 0 : nodes_[node].rank; };
    if (rank(n.left) < rank(n.right)) std::swap(n.left, n.right);
    n.rank = rank(n.right) + 1;
    merged = top;
  }
  return merged;
}

void SparseArborescence::pop(std::int32_t& heap) {
  settle(heap);
  heap = merge(nodes_[heap].left, nodes_[heap].right);
}

std::int32_t SparseArborescence::component_of(std::int32_t word) {
  std::int32_t top = word;
  while (joined_[top] >= 0) top = joined_[top];
  while (joined_[word] >= 0) word = std::exchange(joined_[word], top);
  return top;
}

// Replaces path_[begin..] by one new component.
std::int32_t SparseArborescence::contract(std::size_t begin) {
  const auto cycle = static_cast<std::int32_t>(heap_.size());
  std::int32_t heap = -1;
  for (std::size_t i = begin; i < path_.size(); ++i) {
    const std::int32_t member = path_[i];
    joined_[member] = parent_[member] = cycle;
    heap = merge(heap, heap_[member]);
  }
  cycles_.push_back(cycle);
  path_.resize(begin);
  heap_.push_back(heap);
  into_.push_back(-1);
  joined_.push_back(-1);
  parent_.push_back(-1);
  mark_.push_back(kNew);
  return cycle;
}

Status SparseArborescence::find(int words, std::span<const Arc> arcs, bool single_root,
                                std::int32_t* chosen) {
  const auto size = static_cast<std::size_t>(words) + 1;
  arcs_ = arcs;
  single_root_ = single_root;
  nodes_.assign(arcs.size(), Node{});
  heap_.assign(size, -1);
  into_.assign(size, -1);
  joined_.assign(size, -1);
  parent_.assign(size, -1);
  mark_.assign(size, kNew);
  mark_[0] = kDone;
  cycles_.clear();
  for (std::size_t a = 0; a < arcs.size(); ++a) {
    if (arcs[a].score == kNegativeInfinity) continue;
    count_work(40);
    nodes_[a].score = arcs[a].score;
    heap_[arcs[a].modifier] = merge(heap_[arcs[a].modifier], static_cast<std::int32_t>(a));
  }

  for (int start = 1; start <= words; ++start) {
    std::int32_t current = component_of(start);
    path_.clear();
    while (mark_[current] == kNew) {
      std::int32_t& heap = heap_[current];
      // Arcs from within are left behind by contractions.
      while (heap >= 0 && component_of(arcs_[heap].head) == current) count_work(200), pop(heap);
      if (heap < 0) return Status::infeasible;
      count_work(200);
      const std::int32_t arc = heap;
      settle(arc);
      into_[current] = arc;
      const double taken = nodes_[arc].score;
      pop(heap);
      if (heap >= 0) nodes_[heap].waiting -= taken;
      mark_[current] = kOnPath;
      path_.push_back(current);
      current = component_of(arcs_[arc].head);
      if (mark_[current] == kOnPath) {
        std::size_t begin = path_.size() - 1;  // from the end: no longer than the cycle
        while (path_[begin] != current) --begin;
        current = contract(begin);
      }
    }
    for (const std::int32_t member : path_) mark_[member] = kDone;
  }

  // The arc that a cycle takes replaces the one that the member it enters had taken.
  for (std::size_t c = cycles_.size(); c-- > 0;) {
    const std::int32_t cycle = cycles_[c];
    std::int32_t member = arcs_[into_[cycle]].modifier;
    while (parent_[member] != cycle) member = parent_[member];
    into_[member] = into_[cycle];
  }
  int roots = 0;
  for (int m = 1; m <= words; ++m) {
    chosen[m - 1] = into_[m];
    roots += arcs_[into_[m]].head == 0 ? 1 : 0;
  }
  return single_root && roots != 1 ? Status::infeasible : Status::ok;
}

}  // namespace turbotree::trees
