// How arc probabilities change with the scores: the matrix of their covariances times a vector.
#pragma once

#include <vector>

#include "trees/types.h"
#include "trees/weights.h"

namespace turbotree::trees {

struct MarginalGradientWorkspace {
  ScoreShift shift;
  std::vector<double> weights, root;
  std::vector<double> laplacian, inverse;
  std::vector<double> moved, product, change;  // weights times the direction, and what follows
  std::vector<double> moved_root;
  std::vector<int> exchanged;
};

// Writes the derivative of the marginals of non-projective trees along `direction`, which has the
// layout of the scores (`row_stride` between rows, in both arrays); column 0 and the diagonal are
// ignored and come back 0. The matrix is symmetric, so this is also what a backward pass needs.
// Infeasible when the Laplacian cannot be inverted.
Status marginal_derivative(const ScoreMatrix& scores, bool single_root, const double* direction,
                           double* derivative, std::ptrdiff_t row_stride,
                           MarginalGradientWorkspace& workspace);

}  // namespace turbotree::trees
