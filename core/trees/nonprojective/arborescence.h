// Maximum spanning arborescence of a dense graph in O(n^2) (Chu-Liu/Edmonds, Tarjan's contraction).
#pragma once

#include <vector>

#include "trees/types.h"

namespace turbotree::trees {

// Memory for repeated calls; grows to the longest sentence seen.
struct ArborescenceWorkspace {
  // Per component; components 1..n are words, later ones are contracted cycles.
  std::vector<double> best;    // score of the component's best incoming arc
  std::vector<double> source;  // the word (or root) that arc comes from; double to vectorise
  std::vector<int> target;     // the word that arc enters
  std::vector<int> parent;     // the cycle that swallowed the component
  std::vector<int> first_word, last_word;
  std::vector<char> mark;
  // Per word.
  std::vector<int> component;
  std::vector<int> next_word;  // lists the words of a component
  // Per contracted cycle: scores of arcs from every word into it, and the words they enter.
  std::vector<double> columns, entered;
  std::vector<int> path;

  void prepare(int words);
};

// Writes `scores.words` heads. With single_root exactly one word hangs from the root.
// Ties go to the smaller head. The scores must have passed scores_are_valid.
Status maximum_arborescence(const ScoreMatrix& scores, bool single_root, Head* heads,
                            ArborescenceWorkspace& workspace);

}  // namespace turbotree::trees
