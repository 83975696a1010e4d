// Eliminating words from the graph of arc weights without a single subtraction.
//
// Read the weights as a random walk: from word m to its head h at rate w[h][m], ending at the
// root. Eliminating word k lets everybody who went to k go straight to where k would have gone:
//     w[h][m] += q_k[h] * w[k][m],   q_k[h] = w[h][k] / S_k,   S_k = sum over h of w[h][k],
// h running over the root and the words still there. This is Gaussian elimination of the
// Laplacian with each pivot S_k formed as a sum of what is left (Grassmann, Taksar and Heyman), so
// all quantities keep full relative accuracy however near to singular the Laplacian is. The
// product of the pivots is the sum of the weights of all trees.
#pragma once

#include <cstddef>

#include "common/interrupt.h"
#include "common/ordered_sum.h"
#include "common/vectorize.h"
#include "trees/types.h"
#include "trees/wide.h"

namespace turbotree::trees {

// Pivots outside these bounds may have lost terms to underflow; the caller then starts again
// with Wide numbers. Lost terms are below 1e-308, which is 1e-48 of the result at these bounds.
inline constexpr double kSmallestPivot = 1e-100;
inline constexpr double kLargestPivot = 1e60;

inline bool pivot_is_safe(double pivot) {
  return pivot >= kSmallestPivot && pivot <= kLargestPivot;
}
inline bool pivot_is_safe(const Wide& pivot) { return !pivot.is_zero(); }

// Weights among `size` words; row = head, column = modifier. The diagonal is never read.
template <class Number>
struct WeightView {
  Number* words;
  Number* root;
  std::ptrdiff_t stride;
  int size;

  WeightView part(int begin, int count) const {
    return {words + begin * stride + begin, root + begin, stride, count};
  }
};

// The walk's next step out of each eliminated word, kept for going back: row k over the words.
template <class Number>
struct StepView {
  Number* words;
  Number* root;
  std::ptrdiff_t stride;
};

template <class Number>
TURBOTREE_INLINE void add_scaled(Number* TURBOTREE_RESTRICT target, const Number factor,
                                 const Number* TURBOTREE_RESTRICT row, int begin, int end) {
  for (int i = begin; i < end; ++i) target[i] += factor * row[i];
}

template <class Number>
TURBOTREE_INLINE Number sum_of(const Number* values, int begin, int end) {
  return ordered_sum<Number>(static_cast<std::size_t>(end - begin),
                             [=](std::size_t i)
                                 TURBOTREE_INLINE_LAMBDA { return values[begin + i]; });
}

// Four rows at once: one pass over the target instead of four.
template <class Number>
TURBOTREE_INLINE void add_four_scaled(Number* TURBOTREE_RESTRICT target, const Number* factors,
                                      const Number* TURBOTREE_RESTRICT a,
                                      const Number* TURBOTREE_RESTRICT b,
                                      const Number* TURBOTREE_RESTRICT c,
                                      const Number* TURBOTREE_RESTRICT d, int begin, int end) {
  const Number fa = factors[0], fb = factors[1], fc = factors[2], fd = factors[3];
  for (int i = begin; i < end; ++i) {
    target[i] += (fa * a[i] + fb * b[i]) + (fc * c[i] + fd * d[i]);
  }
}

inline constexpr int kBlock = 4;
inline constexpr int kLongRow = 256;  // where asking for interruptions costs nothing

// Eliminates `count` words: first, first - 1, ... when `down` (all words after `first` are gone
// already), else first, first + 1, ... (all before are gone). Rows and columns of the block's own
// words are brought up to date one by one, the rest of the matrix once for the whole block. With
// `root_is_small` the root's rate counts for nothing beside the others (the single-root limit for
// double). False when a pivot is unsafe.
template <class Number, class OnPivot>
TURBOTREE_INLINE bool eliminate_block(const WeightView<Number>& w, const StepView<Number>& steps,
                                      int first, int count, bool down, bool root_is_small,
                                      OnPivot on_pivot) {
  const Number* rows[kBlock];
  const Number* step_rows[kBlock];
  int begin = 0, end = w.size;  // the words left after the current one
  for (int j = 0; j < count; ++j) {
    const int k = down ? first - j : first + j;
    (down ? end : begin) = down ? k : k + 1;
    Number* row = w.words + k * w.stride;
    Number* step = steps.words + k * steps.stride;
    for (int h = begin; h < end; ++h) step[h] = w.words[h * w.stride + k];
    for (int i = 0; i < j; ++i) {
      add_scaled(step, rows[i][k], step_rows[i], begin, end);
      add_scaled(row, step_rows[i][k], rows[i], begin, end);
    }
    const Number rest = root_is_small ? Number(0.0) : w.root[k];
    const Number pivot = rest + sum_of(step, begin, end);
    if (!pivot_is_safe(pivot)) return false;
    on_pivot(pivot);
    const Number inverse = Number(1.0) / pivot;
    steps.root[k] = w.root[k] * inverse;
    for (int h = begin; h < end; ++h) step[h] = step[h] * inverse;
    add_scaled(w.root, steps.root[k], row, begin, end);
    rows[j] = row;
    step_rows[j] = step;
  }
  for (int h = begin; h < end; ++h) {
    if (end - begin >= kLongRow) count_work(2 * (end - begin));
    Number* target = w.words + h * w.stride;
    if (count == kBlock) {
      const Number factors[kBlock] = {step_rows[0][h], step_rows[1][h], step_rows[2][h],
                                      step_rows[3][h]};
      add_four_scaled(target, factors, rows[0], rows[1], rows[2], rows[3], begin, end);
    } else {
      for (int j = 0; j < count; ++j) add_scaled(target, step_rows[j][h], rows[j], begin, end);
    }
  }
  return true;
}

// Eliminates the words from `keep` on, last word first.
template <class Number, class OnPivot>
TURBOTREE_INLINE bool eliminate_upper(const WeightView<Number>& w, const StepView<Number>& steps,
                                      int keep, bool root_is_small, OnPivot on_pivot) {
  for (int k = w.size - 1; k >= keep; k -= kBlock) {
    const int count = k - keep + 1 < kBlock ? k - keep + 1 : kBlock;
    if (!eliminate_block(w, steps, k, count, true, root_is_small, on_pivot)) return false;
  }
  return true;
}

// Eliminates the words before `keep`, first word first.
template <class Number>
TURBOTREE_INLINE bool eliminate_lower(const WeightView<Number>& w, const StepView<Number>& steps,
                                      int keep, bool root_is_small) {
  for (int k = 0; k < keep; k += kBlock) {
    const int count = keep - k < kBlock ? keep - k : kBlock;
    const auto ignore = [](const Number&) {};
    if (!eliminate_block(w, steps, k, count, false, root_is_small, ignore)) return false;
  }
  return true;
}

}  // namespace turbotree::trees
