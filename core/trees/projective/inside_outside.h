// Sums over all projective trees: log partition, arc probabilities, entropy in O(n^3).
#pragma once

#include <vector>

#include "trees/nonprojective/matrix_tree.h"
#include "trees/projective/eisner.h"
#include "trees/types.h"
#include "trees/weights.h"

namespace turbotree::trees {

// Charts as in eisner.cpp with sums in place of maxima, for spans [s, t] of words 1..n.
template <class Number>
struct InsideCharts {
  std::vector<Number> weights, root;  // arcs between words (n x n, from index 0), root arcs
  std::vector<Number> right, left, between, left_arc;
  std::vector<Number> prefix, root_arc;
  Number total = Number(0.0);
};

template <class Number>
struct OutsideCharts {
  std::vector<Number> right, left, left_arc;
  std::vector<Number> between, prefix, root_arc;
};

// Memory for repeated calls; grows to the longest sentence seen.
struct InsideOutsideWorkspace {
  ScoreShift shift;
  EisnerWorkspace eisner;
  std::vector<Head> heads;
  InsideCharts<double> inside;
  OutsideCharts<double> outside;
  InsideCharts<Wide> wide_inside;  // touched only by scores too far apart for double
  OutsideCharts<Wide> wide_outside;
};

// Fills workspace.inside, or workspace.wide_inside when the scores are too far apart for double
// (`*is_wide`).
Status fill_inside(const ScoreMatrix& scores, bool single_root, bool* is_wide,
                   InsideOutsideWorkspace& workspace);

Status projective_log_partition(const ScoreMatrix& scores, bool single_root, double* log_partition,
                                InsideOutsideWorkspace& workspace);

// As matrix_tree_marginals, over projective trees only.
Status projective_marginals(const ScoreMatrix& scores, bool single_root, double* marginals,
                            TreeSums* sums, InsideOutsideWorkspace& workspace);

}  // namespace turbotree::trees
