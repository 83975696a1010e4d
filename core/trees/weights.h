// From arc scores to arc weights: exponentials, shifted column by column so that none overflows.
#pragma once

#include <vector>

#include "common/exponential.h"
#include "trees/types.h"
#include "trees/wide.h"

namespace turbotree::trees {

// A tree holds one arc into each word, so subtracting shift[m] from all arcs into m (and
// root_shift from all root arcs when there is exactly one) changes every tree's score by `total`.
struct ScoreShift {
  std::vector<double> column;  // per word, from index 1
  double root = 0.0;
  double total = 0.0;
  bool single_root = false;  // false too where a lone root child is forced anyway
  int only_root_child = 0;   // if not 0, root arcs to other words are dropped

  double shifted(const ScoreMatrix& scores, int head, int modifier) const {
    if (head > 0) return scores(head, modifier) - column[modifier];
    if (only_root_child != 0 && modifier != only_root_child) return kNegativeInfinity;
    return scores(0, modifier) - column[modifier] - root;
  }
};

// Shifts by the best arc into each word. Infeasible when some word has no head at all.
Status choose_shift(const ScoreMatrix& scores, bool single_root, ScoreShift& shift);

// Row-major (words) x (words) weights of arcs between words (diagonal 0), and of root arcs.
void fill_weights(const ScoreMatrix& scores, const ScoreShift& shift, double* words, double* root);
void fill_weights(const ScoreMatrix& scores, const ScoreShift& shift, Wide* words, Wide* root);

// The entropy of a distribution over trees from its marginals ((words+1) x (words+1), row-major)
// and log partition of the shifted scores: log Z - sum of p * score.
double entropy_from(const ScoreMatrix& scores, const ScoreShift& shift, const double* marginals,
                    double shifted_log_partition);

}  // namespace turbotree::trees
