// Maximum projective tree in O(n^3) (Eisner 1996).
#pragma once

#include <vector>

#include "trees/types.h"

namespace turbotree::trees {

// Memory for repeated calls; grows to the longest sentence seen.
struct EisnerWorkspace {
  // Charts over spans [s, t] of words, s <= t, row s. `between` holds the two halves under an arc
  // without the arc's own score.
  std::vector<double> right, left, between, left_arc;
  std::vector<double> prefix, root_arc;  // the words hanging from the root, left to right
  std::vector<double> to_start;          // scores of arcs into the span's first word
  struct Span {
    int kind, start, end;
  };
  std::vector<Span> agenda;

  void prepare(int words);
};

// Writes `scores.words` heads. With single_root exactly one word hangs from the root.
// The scores must have passed scores_are_valid.
Status maximum_projective_tree(const ScoreMatrix& scores, bool single_root, Head* heads,
                               EisnerWorkspace& workspace);

}  // namespace turbotree::trees
