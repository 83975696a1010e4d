// Chains of nodes with any number of states each, several chains in one call.
//
// Node i has states offsets[i] .. offsets[i + 1]. Its edge block, at edge_offsets[i], holds
// (states of node i - 1) x (states of node i) scores, row by row; an empty block means that a new
// chain starts at node i. Scores may be -infinity.
#pragma once

#include <cstdint>
#include <span>

namespace turbotree::chains {

struct Chains {
  std::span<const std::int32_t> offsets, edge_offsets;  // nodes + 1 entries each
  std::span<const double> node_scores, edge_scores;

  std::size_t nodes() const { return offsets.size() - 1; }
  std::int32_t states(std::size_t node) const { return offsets[node + 1] - offsets[node]; }
  bool starts(std::size_t node) const { return edge_offsets[node] == edge_offsets[node + 1]; }
};

// Whether the offsets fit together.
bool valid(const Chains& chains);

// Writes the best state of each node, counted from its first; returns the sum of the chains' best
// scores. Of equal scores the lower state wins.
double viterbi(const Chains& chains, std::span<std::int32_t> best);

// Writes the probability of each state and of each edge; returns the sum of the chains'
// log-partitions.
double forward_backward(const Chains& chains, std::span<double> node_probabilities,
                        std::span<double> edge_probabilities);

}  // namespace turbotree::chains
