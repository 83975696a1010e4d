// Exact samples of trees, each with probability proportional to e^score.
#pragma once

#include <vector>

#include "common/random.h"
#include "trees/nonprojective/matrix_tree.h"
#include "trees/projective/inside_outside.h"
#include "trees/types.h"

namespace turbotree::trees {

struct SamplingWorkspace {
  MatrixTreeWorkspace matrix_tree;
  InsideOutsideWorkspace inside_outside;
  std::vector<double> marginals, cumulative;
  std::vector<double> weights, root;
  std::vector<Wide> wide_weights, wide_root;
  std::vector<Head> next;
  std::vector<char> in_tree;
};

// Writes `count` rows of `scores.words` heads, `row_stride` apart.
Status sample_trees(const ScoreMatrix& scores, bool single_root, std::int64_t count, Random& random,
                    Head* heads, std::ptrdiff_t row_stride, SamplingWorkspace& workspace);

Status sample_projective_trees(const ScoreMatrix& scores, bool single_root, std::int64_t count,
                               Random& random, Head* heads, std::ptrdiff_t row_stride,
                               SamplingWorkspace& workspace);

}  // namespace turbotree::trees
