#include "trees/nonprojective/marginal_gradient.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/interrupt.h"
#include "common/vectorize.h"

// With w the weights of arcs, L the Laplacian (L[m][m] the sum of the weights into m, L[h][m] =
// -w[h][m]) and B its inverse, an arc's probability is w[h][m] (B[m][m] - B[m][h]), a root arc's
// w[0][m] B[m][m]. For a single root the weights of root arcs stand in the first row of L instead
// (Koo et al. 2007). Along a direction g, w changes by w g, L by the Laplacian of that, and B by
// -B dL B.

namespace turbotree::trees {
namespace {

TURBOTREE_INLINE void subtract_scaled(double* TURBOTREE_RESTRICT target, double factor,
                                      const double* TURBOTREE_RESTRICT row, int size) {
  for (int i = 0; i < size; ++i) target[i] -= factor * row[i];
}

// Gauss and Jordan in place, with row exchanges. False when it is singular.
TURBOTREE_CLONES bool invert(double* matrix, int* exchanged, int n) {
  for (int k = 0; k < n; ++k) {
    count_work(static_cast<std::uint64_t>(n) * n / 2);
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(matrix[i * n + k]) > std::abs(matrix[best * n + k])) best = i;
    const double pivot = matrix[best * n + k];
    if (!(std::abs(pivot) > 1e-300)) return false;
    exchanged[k] = best;
    double* row = matrix + k * n;
    if (best != k) std::swap_ranges(matrix + best * n, matrix + best * n + n, row);
    const double scale = 1.0 / pivot;
    row[k] = 1.0;
    for (int j = 0; j < n; ++j) row[j] *= scale;
    for (int i = 0; i < n; ++i) {
      const double factor = matrix[i * n + k];
      if (i == k || factor == 0.0) continue;
      matrix[i * n + k] = 0.0;
      subtract_scaled(matrix + i * n, factor, row, n);
    }
  }
  // Rows that were exchanged are columns of the inverse.
  for (int k = n - 1; k >= 0; --k)
    if (exchanged[k] != k)
      for (int i = 0; i < n; ++i) std::swap(matrix[i * n + k], matrix[i * n + exchanged[k]]);
  return true;
}

// Four rows at once: one pass over the target instead of four.
TURBOTREE_CLONES void multiply(const double* a, const double* b, double* out, int n) {
  std::fill_n(out, static_cast<std::size_t>(n) * n, 0.0);
  for (int i = 0; i < n; ++i) {
    count_work(static_cast<std::uint64_t>(n) * n / 2);
    double* TURBOTREE_RESTRICT row = out + i * n;
    const double* factors = a + i * n;
    int k = 0;
    for (; k + 4 <= n; k += 4) {
      const double fa = factors[k], fb = factors[k + 1], fc = factors[k + 2], fd = factors[k + 3];
      const double* TURBOTREE_RESTRICT rows = b + k * n;
      for (int j = 0; j < n; ++j)
        row[j] += (fa * rows[j] + fb * rows[n + j]) + (fc * rows[2 * n + j] + fd * rows[3 * n + j]);
    }
    for (; k < n; ++k) {
      const double factor = factors[k];
      const double* TURBOTREE_RESTRICT other = b + k * n;
      for (int j = 0; j < n; ++j) row[j] += factor * other[j];
    }
  }
}

void fill_laplacian(const double* weights, const double* root, bool single_root, int n,
                    double* laplacian) {
  for (int h = 0; h < n; ++h)
    for (int m = 0; m < n; ++m) laplacian[h * n + m] = -weights[h * n + m];
  // Row by row, so that memory is read in its order; the diagonal of the weights is 0.
  for (int m = 0; m < n; ++m) laplacian[m * n + m] = single_root ? 0.0 : root[m];
  for (int h = 0; h < n; ++h)
    for (int m = 0; m < n; ++m) laplacian[m * n + m] += weights[h * n + m];
  if (single_root) std::copy_n(root, n, laplacian);
}

// Whether all words can be reached from some of them.
bool reach_all(const double* weights, std::vector<int> open, int n, std::vector<int>& seen) {
  seen.assign(static_cast<std::size_t>(n), 0);
  for (const int word : open) seen[word] = 1;
  std::size_t count = open.size();
  while (!open.empty()) {
    const int h = open.back();
    open.pop_back();
    for (int m = 0; m < n; ++m)
      if (seen[m] == 0 && weights[h * n + m] > 0.0) {
        seen[m] = 1;
        ++count;
        open.push_back(m);
      }
  }
  return count == static_cast<std::size_t>(n);
}

// Whether there is a tree. An inverse cannot tell: rounding leaves hardly a matrix singular.
bool has_tree(const double* weights, const double* root, bool single_root, int n,
              std::vector<int>& seen) {
  std::vector<int> roots;
  for (int r = 0; r < n; ++r)
    if (root[r] > 0.0) roots.push_back(r);
  if (!single_root) return reach_all(weights, roots, n, seen);
  return std::any_of(roots.begin(), roots.end(),
                     [&](int r) { return reach_all(weights, {r}, n, seen); });
}

}  // namespace

Status marginal_derivative(const ScoreMatrix& scores, bool single_root, const double* direction,
                           double* derivative, std::ptrdiff_t row_stride,
                           MarginalGradientWorkspace& w) {
  const int n = scores.words;
  for (int h = 0; h <= n; ++h) std::fill_n(derivative + h * row_stride, n + 1, 0.0);
  if (n == 0) return Status::ok;
  const Status status = choose_shift(scores, single_root, w.shift);
  if (status != Status::ok) return status;
  const bool single = w.shift.single_root;
  const std::size_t size = static_cast<std::size_t>(n), square = size * size;
  for (auto* matrix : {&w.weights, &w.laplacian, &w.inverse, &w.moved, &w.product, &w.change})
    matrix->resize(square);
  w.exchanged.resize(size);
  w.root.resize(size);
  w.moved_root.resize(size);
  fill_weights(scores, w.shift, w.weights.data(), w.root.data());

  const auto along = [&](int h, int m) { return direction[h * row_stride + m]; };
  for (int m = 0; m < n; ++m) w.moved_root[m] = w.root[m] > 0.0 ? w.root[m] * along(0, m + 1) : 0.0;
  for (int h = 0; h < n; ++h)
    for (int m = 0; m < n; ++m)
      w.moved[h * n + m] =
          w.weights[h * n + m] > 0.0 ? w.weights[h * n + m] * along(h + 1, m + 1) : 0.0;

  if (!has_tree(w.weights.data(), w.root.data(), single, n, w.exchanged)) return Status::infeasible;
  fill_laplacian(w.weights.data(), w.root.data(), single, n, w.inverse.data());
  if (!invert(w.inverse.data(), w.exchanged.data(), n)) return Status::infeasible;
  fill_laplacian(w.moved.data(), w.moved_root.data(), single, n, w.laplacian.data());
  multiply(w.inverse.data(), w.laplacian.data(), w.product.data(), n);
  multiply(w.product.data(), w.inverse.data(), w.change.data(), n);  // this is -dB

  const double* b = w.inverse.data();
  const double* minus_db = w.change.data();
  // Column 0 of the matrices stands for the row that root arcs have taken.
  for (int m = 0; m < n; ++m) {
    const int root_row = single ? 0 : m;
    derivative[m + 1] =
        w.moved_root[m] * b[m * n + root_row] - w.root[m] * minus_db[m * n + root_row];
    const bool replaced = single && m == 0;
    const double own = replaced ? 0.0 : b[m * n + m];
    const double own_change = replaced ? 0.0 : minus_db[m * n + m];
    for (int h = 0; h < n; ++h) {
      if (h == m) continue;
      const bool gone = single && h == 0;
      const double difference = own - (gone ? 0.0 : b[m * n + h]);
      const double change = own_change - (gone ? 0.0 : minus_db[m * n + h]);
      derivative[(h + 1) * row_stride + m + 1] =
          w.moved[h * n + m] * difference - w.weights[h * n + m] * change;
    }
  }
  return Status::ok;
}

}  // namespace turbotree::trees
