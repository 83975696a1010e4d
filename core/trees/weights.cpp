#include "trees/weights.h"

#include <algorithm>

#include "common/interrupt.h"
#include "common/vectorize.h"

namespace turbotree::trees {
namespace {

TURBOTREE_INLINE void raise_to(const double* TURBOTREE_RESTRICT row, int begin, int end,
                               double* TURBOTREE_RESTRICT best) {
  for (int m = begin; m < end; ++m) best[m] = row[m] > best[m] ? row[m] : best[m];
}

TURBOTREE_CLONES void column_maxima(const ScoreMatrix& scores, bool with_root, double* best) {
  const int n = scores.words;
  const double* root = scores.row(0);
  for (int m = 1; m <= n; ++m) best[m] = with_root ? root[m] : kNegativeInfinity;
  for (int h = 1; h <= n; ++h) {
    raise_to(scores.row(h), 1, h, best);
    raise_to(scores.row(h), h + 1, n + 1, best);
  }
}

TURBOTREE_CLONES void exponentiate(const double* TURBOTREE_RESTRICT row,
                                   const double* TURBOTREE_RESTRICT shift, double extra, int size,
                                   double* TURBOTREE_RESTRICT weights) {
  for (int m = 0; m < size; ++m) {
    const double x = row[m] - shift[m] - extra;
    weights[m] = x > kSmallestExponent ? x : kSmallestExponent;
  }
  for (int m = 0; m < size; ++m) weights[m] = exponential(weights[m]);
}

}  // namespace

Status choose_shift(const ScoreMatrix& scores, bool single_root, ScoreShift& shift) {
  const int n = scores.words;
  shift.column.resize(static_cast<std::size_t>(n) + 1);
  shift.root = shift.total = 0.0;
  shift.only_root_child = 0;
  shift.single_root = single_root;
  column_maxima(scores, !single_root, shift.column.data());
  for (int m = 1; m <= n; ++m) {
    if (shift.column[m] != kNegativeInfinity) continue;
    if (!single_root || shift.only_root_child != 0) return Status::infeasible;
    if (scores(0, m) == kNegativeInfinity) return Status::infeasible;
    shift.only_root_child = m;
    shift.column[m] = scores(0, m);
  }
  if (shift.only_root_child != 0) {
    shift.single_root = false;
  } else if (single_root) {
    double best = kNegativeInfinity;
    for (int m = 1; m <= n; ++m) best = std::max(best, scores(0, m) - shift.column[m]);
    if (best == kNegativeInfinity) return Status::infeasible;
    shift.root = best;
  }
  shift.total = shift.root;
  for (int m = 1; m <= n; ++m) shift.total += shift.column[m];
  return Status::ok;
}

void fill_weights(const ScoreMatrix& scores, const ScoreShift& shift, double* words, double* root) {
  const int n = scores.words;
  const double* column = shift.column.data() + 1;
  exponentiate(scores.row(0) + 1, column, shift.root, n, root);
  for (int m = 1; shift.only_root_child != 0 && m <= n; ++m) {
    if (m != shift.only_root_child) root[m - 1] = 0.0;
  }
  for (int h = 1; h <= n; ++h, words += n) {
    count_work(4 * n);
    exponentiate(scores.row(h) + 1, column, 0.0, n, words);
    words[h - 1] = 0.0;
  }
}

void fill_weights(const ScoreMatrix& scores, const ScoreShift& shift, Wide* words, Wide* root) {
  const int n = scores.words;
  for (int m = 1; m <= n; ++m) {
    root[m - 1] = Wide::from_log(shift.shifted(scores, 0, m), shift.single_root ? 1 : 0);
  }
  for (int h = 1; h <= n; ++h) {
    count_work(40 * n);
    for (int m = 1; m <= n; ++m) {
      words[(h - 1) * n + (m - 1)] = h == m ? Wide() : Wide::from_log(shift.shifted(scores, h, m));
    }
  }
}

double entropy_from(const ScoreMatrix& scores, const ScoreShift& shift, const double* marginals,
                    double shifted_log_partition) {
  const int n = scores.words;
  double expected = 0.0;
  for (int h = 0; h <= n; ++h) {
    for (int m = 1; m <= n; ++m) {
      const double p = marginals[h * (n + 1) + m];
      if (p > 0.0) expected += p * shift.shifted(scores, h, m);
    }
  }
  return std::max(0.0, shifted_log_partition - expected);
}

}  // namespace turbotree::trees
