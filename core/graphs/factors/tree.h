// TREE: the chosen arcs form a spanning tree rooted at 0; projective, or with one root arc, if the
// shape says so.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/active_set.h"
#include "graphs/factor.h"
#include "graphs/factors/tree_projection.h"
#include "trees/arborescence.h"
#include "trees/eisner.h"
#include "trees/inside_outside.h"
#include "trees/matrix_tree.h"
#include "trees/sparse_arborescence.h"

namespace turbotree::graphs {

class Tree {
 public:
  struct Memory {
    ActiveSet::Memory active_set;
    TreeProjection::Memory cuts;
  };

  static const char* check(const Factor& factor);
  double value(const Factor& factor, const std::uint8_t* chosen);
  double maximise(const Factor& factor, const double* scores, std::uint8_t* chosen);
  double max_messages(const Factor& factor, const double* scores, double* messages);
  Sums sum_messages(const Factor& factor, const double* scores, double* messages);
  double project(const Factor& factor, const double* target, double scale, double* point,
                 Memory& memory);

  void set_hurry(bool hurry) { projection_.hurry = hurry; }

 private:
  bool best_heads_form_a_tree(const Factor& factor);
  bool solve_matrix(const Factor& factor);
  // The best tree of a long sentence, without a matrix.
  double maximise_sparse(const Factor& factor, const double* scores, std::uint8_t* chosen);
  void fill_matrix(const Factor& factor, const double* scores);
  double chosen_score(const Factor& factor, const double* scores, std::uint8_t* chosen) const;

  std::vector<double> matrix_, marginals_;
  std::vector<trees::Head> heads_;
  std::vector<double> best_;
  std::vector<std::int32_t> best_arc_, mark_;
  ActiveSet active_set_;
  TreeProjection projection_;
  trees::ArborescenceWorkspace arborescence_;
  trees::SparseArborescence sparse_;
  std::vector<trees::SparseArborescence::Arc> arcs_;
  trees::EisnerWorkspace eisner_;
  trees::MatrixTreeWorkspace matrix_tree_;
  trees::InsideOutsideWorkspace inside_outside_;
};

}  // namespace turbotree::graphs
