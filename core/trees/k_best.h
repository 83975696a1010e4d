// The k best trees in order, by Lawler's partition of what is left.
#pragma once

#include <vector>

#include "trees/nonprojective/arborescence.h"
#include "trees/projective/eisner.h"
#include "trees/types.h"

namespace turbotree::trees {

struct ScoredHeads {
  double score;
  std::vector<Head> heads;
};

struct KBestWorkspace {
  std::vector<double> scores;
  ArborescenceWorkspace arborescence;
  EisnerWorkspace eisner;
};

// The sum of the scores of the arcs (heads[m-1], m), added in the order of the words.
double tree_score(const ScoreMatrix& scores, const Head* heads);

// At most k trees, best first; fewer if there are no more. Infeasible if there is none.
Status k_best_trees(const ScoreMatrix& scores, std::int64_t k, bool single_root, bool projective,
                    std::vector<ScoredHeads>& trees, KBestWorkspace& workspace);

}  // namespace turbotree::trees
