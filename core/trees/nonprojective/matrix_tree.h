// Sums over all trees by the matrix-tree theorem: log partition, arc probabilities, entropy.
#pragma once

#include <cstdint>
#include <vector>

#include "trees/types.h"
#include "trees/weights.h"

namespace turbotree::trees {

template <class Number>
struct MatrixTreeBuffers {
  std::vector<Number> weights, root;    // as filled from the scores
  std::vector<Number> work, work_root;  // the matrix being eliminated
  std::vector<Number> pool;             // copies and steps of the recursion's levels
  std::vector<Number> escape;           // see matrix_tree.cpp
};

// A single root's problem in two: see root_core.h.
struct RootCoreBuffers {
  std::vector<int> core, others, edge;
  std::vector<std::uint8_t> above, below;
  std::vector<double> scores, marginals;
};

// Memory for repeated calls; grows to the longest sentence seen.
struct MatrixTreeWorkspace {
  ScoreShift shift;
  RootCoreBuffers split;
  MatrixTreeBuffers<double> fast;
  MatrixTreeBuffers<Wide> wide;  // touched only by scores too far apart for double
};

struct TreeSums {
  double log_partition = 0.0;
  double entropy = 0.0;
};

// The log of the sum over all trees of e^score.
Status matrix_tree_log_partition(const ScoreMatrix& scores, bool single_root, double* log_partition,
                                 MatrixTreeWorkspace& workspace);

// Arc probabilities, row-major (words+1) x (words+1), zero in column 0 and on the diagonal; each
// has full relative accuracy, whatever the scores' magnitude.
Status matrix_tree_marginals(const ScoreMatrix& scores, bool single_root, double* marginals,
                             TreeSums* sums, MatrixTreeWorkspace& workspace);

}  // namespace turbotree::trees
