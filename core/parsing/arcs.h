// Trees over candidate arcs, for batches of sentences of any length.
//
// A batch lists the candidate arcs (head, modifier) of its sentences one after the other; arcs
// that are not listed are forbidden.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trees/types.h"

namespace turbotree::parsing {

struct ArcBatch {
  std::span<const std::int32_t> lengths;  // words of each sentence
  std::span<const std::int32_t> offsets;  // sentence i has the arcs offsets[i] .. offsets[i + 1]
  const std::int32_t* arcs = nullptr;     // rows of (head, modifier)
};

struct TreeShape {
  bool single_root = false;
  bool projective = false;
};

// Outcome of a batch: the first sentence that failed, and why.
struct BatchStatus {
  trees::Status status = trees::Status::ok;
  std::size_t sentence = 0;
};

// Whether the arcs lie inside their sentences.
bool valid(const ArcBatch& batch);

struct ArcList {
  std::vector<std::int32_t> arcs, offsets;
};

// Every arc of sentences of these lengths.
ArcList all_arcs(std::span<const std::int32_t> lengths);

// The best tree of each sentence: heads of all words, sentence after sentence.
BatchStatus best_trees(const ArcBatch& batch, const double* scores, TreeShape shape,
                       std::int32_t* heads);

// The probability of each arc, and the log-partition of each sentence.
BatchStatus arc_marginals(const ArcBatch& batch, const double* scores, TreeShape shape,
                          double* probabilities, double* log_partitions);

// What a head's probability is taken of: all trees, or the heads of one word by themselves.
enum class HeadProbability { of_trees, of_words };

struct PruningOptions {
  double threshold = 1e-4;  // share of the best head's probability that a head has to reach
  int max_heads = 10;       // of each word
  HeadProbability probability = HeadProbability::of_trees;
};

// Keeps the likely heads of each word and the whole best tree, so that there always is one;
// `keep` (empty, or one head per word, -1 for none) names arcs to be kept in any case.
BatchStatus prune(const ArcBatch& batch, const double* scores, TreeShape shape,
                  PruningOptions options, std::span<const std::int32_t> keep, ArcList& kept);

}  // namespace turbotree::parsing
