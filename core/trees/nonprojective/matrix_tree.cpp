#include "trees/nonprojective/matrix_tree.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/interrupt.h"
#include "common/vectorize.h"
#include "trees/nonprojective/elimination.h"
#include "trees/nonprojective/root_core.h"

// The probability of arc (h, m) is proportional, over h, to w[h][m] * escape[h][m], where
// escape[h][m] is the chance that the walk of elimination.h, started at h, reaches the root
// before it reaches m: attaching m to h makes no cycle. In the usual formula,
// w[h][m] * (inverse[m][m] - inverse[m][h]), the same thing is a difference of two numbers that
// may both be huge; here everything is sums and products of positive numbers.
//
// For one m, eliminating all other words and going back gives escape[.][m] in O(n^3). For all m
// together, halve the words: eliminate the second half and recurse on the first, then eliminate
// the first half and recurse on the second. That is O(n^3) for everything, about 1.3 n^3
// multiplications.
//
// A single root is the limit of root weights going to zero. In double, the root's rate is omitted
// from every pivot but the last and `escape` holds first-order coefficients. Words that reach the
// root only through others would leave a pivot of zero, so they are split off first (root_core.h).

namespace turbotree::trees {
namespace {

// What one halving keeps: a copy of the weights, and the steps of both eliminations in turn.
constexpr std::size_t level_size(std::size_t size) { return 2 * (size * size + size); }

std::size_t pool_size(std::size_t size) {
  std::size_t total = 0;
  for (; size > 1; size = (size + 1) / 2) total += level_size(size);
  return total;
}

template <class Number>
struct Recursion {
  Number* escape;
  std::ptrdiff_t escape_stride;
  bool root_is_small;
  double log_partition;
};

// Fills escape for the words [first, first + w.size), which alone are left in w. Returns false
// when a pivot is unsafe.
bool solve(Recursion<double>& job, const WeightView<double>& w, int first, double* pool);
bool solve(Recursion<Wide>& job, const WeightView<Wide>& w, int first, Wide* pool);

// escape rows of the eliminated words, from those of the words they step to.
template <class Number>
TURBOTREE_INLINE void go_back(const Recursion<Number>& job, const StepView<Number>& steps,
                              int first, int k, int begin, int end, int column, int columns) {
  if (columns >= kLongRow) count_work(static_cast<std::uint64_t>(end - begin) * columns / 2);
  Number* target = job.escape + (first + k) * job.escape_stride + column;
  for (int m = 0; m < columns; ++m) target[m] = steps.root[k];
  const Number* step = steps.words + k * steps.stride;
  const Number* rows = job.escape + first * job.escape_stride + column;
  int g = begin;
  for (; g + 4 <= end; g += 4) {
    const Number* a = rows + g * job.escape_stride;
    const Number* b = a + job.escape_stride;
    const Number* c = b + job.escape_stride;
    add_four_scaled(target, step + g, a, b, c, c + job.escape_stride, 0, columns);
  }
  for (; g < end; ++g) add_scaled(target, step[g], rows + g * job.escape_stride, 0, columns);
}

template <class Number>
TURBOTREE_INLINE bool halve(Recursion<Number>& job, const WeightView<Number>& w, int first,
                            Number* pool) {
  const int size = w.size;
  if (size == 1) {
    if (!pivot_is_safe(w.root[0])) return false;
    job.escape[first * job.escape_stride + first] = Number(0.0);
    if (first == 0) job.log_partition += log_of(w.root[0]);
    return true;
  }
  const int half = size / 2;
  const std::ptrdiff_t square = static_cast<std::ptrdiff_t>(size) * size;
  const WeightView<Number> copy{pool, pool + square, size, size};
  const StepView<Number> steps{pool + square + size, pool + 2 * square + size, size};
  Number* next_pool = pool + level_size(static_cast<std::size_t>(size));
  for (int h = 0; h < size; ++h) {
    std::copy_n(w.words + h * w.stride, size, copy.words + h * copy.stride);
  }
  std::copy_n(w.root, size, copy.root);

  const bool counts = first == 0;  // the pivots on the way to word 0 make up the partition
  const auto count = [&](const Number& pivot) {
    if (counts) job.log_partition += log_of(pivot);
  };
  if (!eliminate_upper(copy, steps, half, job.root_is_small, count)) return false;
  if (!solve(job, copy.part(0, half), first, next_pool)) return false;
  for (int k = half; k < size; ++k) go_back(job, steps, first, k, 0, k, first, half);

  if (!eliminate_lower(w, steps, half, job.root_is_small)) return false;
  const int rest = size - half;
  if (!solve(job, w.part(half, rest), first + half, next_pool)) return false;
  for (int k = half - 1; k >= 0; --k) {
    go_back(job, steps, first, k, k + 1, size, first + half, rest);
  }
  return true;
}

TURBOTREE_CLONES bool solve(Recursion<double>& job, const WeightView<double>& w, int first,
                            double* pool) {
  return halve(job, w, first, pool);
}

bool solve(Recursion<Wide>& job, const WeightView<Wide>& w, int first, Wide* pool) {
  return halve(job, w, first, pool);
}

// p[h][m] = w[h][m] * escape[h][m], every column divided by its sum. False if the columns do not
// sum to 1 then: something overflowed.
TURBOTREE_CLONES bool normalize(const double* TURBOTREE_RESTRICT weights,
                                const double* TURBOTREE_RESTRICT root,
                                const double* TURBOTREE_RESTRICT escape, int n,
                                double* TURBOTREE_RESTRICT sums, double* TURBOTREE_RESTRICT checks,
                                double* TURBOTREE_RESTRICT marginals) {
  const std::ptrdiff_t side = n + 1;
  double* out = marginals + 1;
  for (int m = 0; m < n; ++m) sums[m] = out[m] = root[m];
  for (int h = 0; h < n; ++h) {
    double* row = out + (h + 1) * side;
    for (int m = 0; m < n; ++m) {
      row[m] = weights[h * n + m] * escape[h * n + m];
      sums[m] += row[m];
    }
  }
  for (int m = 0; m < n; ++m) sums[m] = 1.0 / sums[m];
  for (int m = 0; m < n; ++m) checks[m] = 0.0;
  for (int h = 0; h <= n; ++h) {
    double* row = out + h * side;
    for (int m = 0; m < n; ++m) {
      row[m] *= sums[m];
      checks[m] += row[m];
    }
    marginals[h * side] = 0.0;
  }
  bool fine = true;
  for (int m = 0; m < n; ++m) fine &= std::abs(checks[m] - 1.0) < 1e-6;
  return fine;
}

bool normalize(const Wide* weights, const Wide* root, const Wide* escape, int n, Wide* sums, Wide*,
               double* marginals) {
  const std::ptrdiff_t side = n + 1;
  for (int h = 0; h <= n; ++h) marginals[h * side] = 0.0;
  for (int m = 0; m < n; ++m) {
    sums[m] = root[m];
    for (int h = 0; h < n; ++h) sums[m] += weights[h * n + m] * escape[h * n + m];
    marginals[m + 1] = (root[m] / sums[m]).value();
    for (int h = 0; h < n; ++h) {
      marginals[(h + 1) * side + m + 1] =
          (weights[h * n + m] * escape[h * n + m] / sums[m]).value();
    }
  }
  return true;
}

template <class Vector>
void ensure(Vector& values, std::size_t size) {
  if (values.size() < size) values.resize(size);
}

template <class Number>
void load(const ScoreMatrix& scores, const ScoreShift& shift, MatrixTreeBuffers<Number>& b) {
  const std::size_t n = static_cast<std::size_t>(scores.words);
  ensure(b.weights, n * n);
  ensure(b.root, n);
  fill_weights(scores, shift, b.weights.data(), b.root.data());
}

template <class Number>
bool try_marginals(const ScoreMatrix& scores, const ScoreShift& shift, double* marginals,
                   double* log_partition, MatrixTreeBuffers<Number>& b, bool root_is_small) {
  const int n = scores.words;
  const std::size_t size = static_cast<std::size_t>(n);
  load(scores, shift, b);
  ensure(b.work, size * size);
  ensure(b.work_root, size);
  ensure(b.escape, size * size);
  ensure(b.pool, pool_size(size));
  std::copy_n(b.weights.data(), size * size, b.work.data());
  std::copy_n(b.root.data(), size, b.work_root.data());
  Recursion<Number> job{b.escape.data(), n, root_is_small, 0.0};
  if (!solve(job, {b.work.data(), b.work_root.data(), n, n}, 0, b.pool.data())) return false;
  *log_partition = job.log_partition;
  return normalize(b.weights.data(), b.root.data(), b.escape.data(), n, b.work_root.data(),
                   b.work.data(), marginals);
}

template <class Number>
TURBOTREE_INLINE bool eliminate_all(const WeightView<Number>& w, const StepView<Number>& steps,
                                    bool root_is_small, int* order, double* log_partition) {
  double sum = 0.0;
  *order = 0;
  const auto count = [&](const Number& pivot) {
    sum += log_of(pivot);
    if constexpr (std::is_same_v<Number, Wide>) *order += pivot.order;
  };
  if (!eliminate_upper(w, steps, 1, root_is_small, count)) return false;
  if (!pivot_is_safe(w.root[0])) return false;
  count(w.root[0]);
  *log_partition = sum;
  return true;
}

TURBOTREE_CLONES bool eliminate_all_fast(const WeightView<double>& w, const StepView<double>& steps,
                                         bool root_is_small, double* log_partition) {
  int order = 0;
  return eliminate_all(w, steps, root_is_small, &order, log_partition);
}

// Also says whether a tree exists: Wide pivots are zero, or of too high an order, only if none
// does.
Status wide_log_partition(const ScoreMatrix& scores, const ScoreShift& shift, double* log_partition,
                          MatrixTreeBuffers<Wide>& b) {
  const int n = scores.words;
  load(scores, shift, b);
  ensure(b.pool, level_size(static_cast<std::size_t>(n)));
  int order = 0;
  const std::ptrdiff_t square = static_cast<std::ptrdiff_t>(n) * n;
  const StepView<Wide> steps{b.pool.data(), b.pool.data() + square, n};
  const bool found = eliminate_all<Wide>({b.weights.data(), b.root.data(), n, n}, steps, false,
                                         &order, log_partition);
  return found && order == (shift.single_root ? 1 : 0) ? Status::ok : Status::infeasible;
}

}  // namespace

Status matrix_tree_log_partition(const ScoreMatrix& scores, bool single_root, double* log_partition,
                                 MatrixTreeWorkspace& workspace) {
  const int n = scores.words;
  *log_partition = 0.0;
  if (n == 0) return Status::ok;
  const Status status = choose_shift(scores, single_root, workspace.shift);
  if (status != Status::ok) return status;
  MatrixTreeBuffers<double>& b = workspace.fast;
  load(scores, workspace.shift, b);
  ensure(b.pool, level_size(static_cast<std::size_t>(n)));
  const std::ptrdiff_t square = static_cast<std::ptrdiff_t>(n) * n;
  const StepView<double> steps{b.pool.data(), b.pool.data() + square, n};
  if (!eliminate_all_fast({b.weights.data(), b.root.data(), n, n}, steps,
                          workspace.shift.single_root, log_partition)) {
    const Status wide = wide_log_partition(scores, workspace.shift, log_partition, workspace.wide);
    if (wide != Status::ok) return wide;
  }
  *log_partition += workspace.shift.total;
  return Status::ok;
}

Status undivided_marginals(const ScoreMatrix& scores, bool single_root, double* marginals,
                           TreeSums* sums, MatrixTreeWorkspace& workspace) {
  const int n = scores.words;
  *sums = {};
  if (n == 0) {
    marginals[0] = 0.0;
    return Status::ok;
  }
  const ScoreShift& shift = workspace.shift;
  const Status status = choose_shift(scores, single_root, workspace.shift);
  if (status != Status::ok) return status;
  double log_partition = 0.0;
  if (!try_marginals(scores, shift, marginals, &log_partition, workspace.fast, shift.single_root)) {
    const Status wide = wide_log_partition(scores, shift, &log_partition, workspace.wide);
    if (wide != Status::ok) return wide;
    if (!try_marginals(scores, shift, marginals, &log_partition, workspace.wide, false)) {
      return Status::infeasible;
    }
  }
  sums->log_partition = log_partition + shift.total;
  sums->entropy = entropy_from(scores, shift, marginals, log_partition);
  return Status::ok;
}

Status matrix_tree_marginals(const ScoreMatrix& scores, bool single_root, double* marginals,
                             TreeSums* sums, MatrixTreeWorkspace& workspace) {
  const bool divided = single_root && scores.words > 1 && find_root_core(scores, workspace.split) &&
                       !workspace.split.others.empty();
  return divided ? divided_marginals(scores, marginals, sums, workspace)
                 : undivided_marginals(scores, single_root, marginals, sums, workspace);
}

}  // namespace turbotree::trees
