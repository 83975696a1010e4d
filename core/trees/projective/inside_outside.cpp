#include "trees/projective/inside_outside.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "common/interrupt.h"
#include "common/vectorize.h"

// Inside: Eisner's charts with + and * for max and +, on weights shifted so that the best tree
// has weight 1. Outside: the derivative of the total by every chart cell, the inside loops run
// backwards. An arc's probability is its cell's value times its cell's derivative over the total.
// All terms are positive, so nothing cancels. Should a cell leave the range of double, everything
// is done again with Wide numbers.

namespace turbotree::trees {
namespace {

constexpr double kLargestCell = 1e100;
constexpr double kLargestShiftedScore = 230.0;  // e^230 is about kLargestCell

std::ptrdiff_t chart_stride(int words) { return static_cast<std::ptrdiff_t>(words) + 2; }

template <class Number>
void ensure(std::vector<Number>& values, std::ptrdiff_t size) {
  if (values.size() < static_cast<std::size_t>(size)) {
    values.resize(static_cast<std::size_t>(size));
  }
}

template <class Number>
TURBOTREE_INLINE void push(int begin, int end, const Number& right_arc, const Number& left_done,
                           const Number& right_done, const Number* TURBOTREE_RESTRICT right_below,
                           const Number* TURBOTREE_RESTRICT left_arc_below,
                           const Number* TURBOTREE_RESTRICT left_below,
                           Number* TURBOTREE_RESTRICT right, Number* TURBOTREE_RESTRICT left,
                           Number* TURBOTREE_RESTRICT between) {
  for (int t = begin; t < end; ++t) {
    right[t] += right_arc * right_below[t];
    left[t] += left_done * left_arc_below[t];
    between[t] += right_done * left_below[t];
  }
}

template <class Number>
TURBOTREE_INLINE void fill_spans(int n, InsideCharts<Number>& c) {
  const std::ptrdiff_t stride = chart_stride(n);
  for (int s = n; s >= 1; --s) {
    count_work(static_cast<std::uint64_t>(n - s) * (n - s));
    Number* right = c.right.data() + s * stride;
    Number* left = c.left.data() + s * stride;
    Number* between = c.between.data() + s * stride;
    Number* left_arc = c.left_arc.data() + s * stride;
    const Number* from_start = c.weights.data() + (s - 1) * static_cast<std::ptrdiff_t>(n) - 1;
    right[s] = left[s] = Number(1.0);
    for (int t = s + 1; t <= n; ++t) {
      right[t] = left[t] = Number(0.0);
      between[t] = c.left[(s + 1) * stride + t];
    }
    for (int r = s + 1; r <= n; ++r) {
      const Number right_arc = between[r] * from_start[r];
      left_arc[r] = between[r] * c.weights[(r - 1) * static_cast<std::ptrdiff_t>(n) + s - 1];
      right[r] += right_arc;
      left[r] += left_arc[r];
      push(r + 1, n + 1, right_arc, left[r], right[r], c.right.data() + r * stride,
           c.left_arc.data() + r * stride, c.left.data() + (r + 1) * stride, right, left, between);
    }
  }
}

template <class Number>
void fill_root(int n, bool single_root, InsideCharts<Number>& c) {
  const std::ptrdiff_t stride = chart_stride(n);
  c.prefix[0] = Number(1.0);
  for (int j = 1; j <= n; ++j) {
    Number arc = Number(0.0);
    const int starts = single_root ? 1 : j;  // a single root child's subtree starts at word 1
    for (int i = 0; i < starts; ++i) arc += c.prefix[i] * c.left[(i + 1) * stride + j];
    c.root_arc[j] = arc * c.root[j - 1];
    Number sum = Number(0.0);
    for (int r = 1; r <= j; ++r) sum += c.root_arc[r] * c.right[r * stride + j];
    c.prefix[j] = sum;
  }
  c.total = c.prefix[n];
}

TURBOTREE_CLONES void fill_spans_fast(int n, InsideCharts<double>& c) { fill_spans(n, c); }

template <class Number>
void prepare(int n, const ScoreMatrix& scores, const ScoreShift& shift, InsideCharts<Number>& c) {
  const std::ptrdiff_t stride = chart_stride(n);
  for (auto* chart : {&c.right, &c.left, &c.between, &c.left_arc}) ensure(*chart, stride * stride);
  for (auto* row : {&c.prefix, &c.root_arc, &c.root}) ensure(*row, stride);
  ensure(c.weights, stride * stride);
  fill_weights(scores, shift, c.weights.data(), c.root.data());
}

bool weights_are_safe(const ScoreMatrix& scores, const ScoreShift& shift) {
  const double* column = shift.column.data();
  for (int h = 0; h <= scores.words; ++h) {
    const double* row = scores.row(h);
    for (int m = 1; m <= scores.words; ++m) {
      if (row[m] - column[m] > kLargestShiftedScore && h != m) return false;
    }
  }
  return true;
}

bool cells_are_safe(int n, const InsideCharts<double>& c) {
  const std::ptrdiff_t stride = chart_stride(n);
  if (!(c.total >= 0.5 && c.total < kLargestCell)) return false;
  for (int s = 1; s <= n; ++s) {
    for (int t = s; t <= n; ++t) {
      if (!(c.right[s * stride + t] < kLargestCell && c.left[s * stride + t] < kLargestCell)) {
        return false;
      }
    }
  }
  return true;
}

// One step of the inside loop backwards: three dot products, summed in four lanes so that they
// vectorise in a fixed order, and three updates of the rows below.
template <class Number>
struct StepSums {
  Number right_done = Number(0.0), left_done = Number(0.0), right_arc = Number(0.0);
};

template <class Number>
TURBOTREE_INLINE StepSums<Number> pull(
    int begin, int end, const Number& right_arc, const Number& left_done, const Number& right_done,
    const Number* TURBOTREE_RESTRICT right_below, const Number* TURBOTREE_RESTRICT left_arc_below,
    const Number* TURBOTREE_RESTRICT left_below, const Number* TURBOTREE_RESTRICT d_right,
    const Number* TURBOTREE_RESTRICT d_left, const Number* TURBOTREE_RESTRICT d_between,
    Number* TURBOTREE_RESTRICT d_right_below, Number* TURBOTREE_RESTRICT d_left_arc_below,
    Number* TURBOTREE_RESTRICT d_left_below) {
  constexpr int kLanes = 4;
  Number a[kLanes] = {}, b[kLanes] = {}, c[kLanes] = {};
  int t = begin;
  for (; t + kLanes <= end; t += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      a[lane] += d_between[t + lane] * left_below[t + lane];
      b[lane] += d_left[t + lane] * left_arc_below[t + lane];
      c[lane] += d_right[t + lane] * right_below[t + lane];
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      d_left_below[t + lane] += right_done * d_between[t + lane];
      d_left_arc_below[t + lane] += left_done * d_left[t + lane];
      d_right_below[t + lane] += right_arc * d_right[t + lane];
    }
  }
  StepSums<Number> sums;
  sums.right_done = (a[0] + a[1]) + (a[2] + a[3]);
  sums.left_done = (b[0] + b[1]) + (b[2] + b[3]);
  sums.right_arc = (c[0] + c[1]) + (c[2] + c[3]);
  for (; t < end; ++t) {
    sums.right_done += d_between[t] * left_below[t];
    sums.left_done += d_left[t] * left_arc_below[t];
    sums.right_arc += d_right[t] * right_below[t];
    d_left_below[t] += right_done * d_between[t];
    d_left_arc_below[t] += left_done * d_left[t];
    d_right_below[t] += right_arc * d_right[t];
  }
  return sums;
}

template <class Number>
TURBOTREE_INLINE void derive_spans(int n, const InsideCharts<Number>& c, OutsideCharts<Number>& d,
                                   double* marginals) {
  const std::ptrdiff_t stride = chart_stride(n), size = n, side = n + 1;
  Number* d_between = d.between.data();
  for (int s = 1; s <= n; ++s) {
    count_work(2 * static_cast<std::uint64_t>(n - s) * (n - s));
    const Number* right = c.right.data() + s * stride;
    const Number* left = c.left.data() + s * stride;
    const Number* between = c.between.data() + s * stride;
    const Number* left_arc = c.left_arc.data() + s * stride;
    Number* d_right = d.right.data() + s * stride;
    Number* d_left = d.left.data() + s * stride;
    const Number* d_left_arc = d.left_arc.data() + s * stride;
    for (int r = n; r > s; --r) {
      const Number rightward = c.weights[(s - 1) * size + r - 1];
      const Number leftward = c.weights[(r - 1) * size + s - 1];
      const Number right_arc = between[r] * rightward;
      const StepSums<Number> sums =
          pull(r + 1, n + 1, right_arc, left[r], right[r], c.right.data() + r * stride,
               c.left_arc.data() + r * stride, c.left.data() + (r + 1) * stride, d_right, d_left,
               d_between, d.right.data() + r * stride, d.left_arc.data() + r * stride,
               d.left.data() + (r + 1) * stride);
      d_right[r] += sums.right_done;
      d_left[r] += sums.left_done;
      const Number d_right_arc = d_right[r] + sums.right_arc;
      const Number d_left_arc_here = d_left[r] + d_left_arc[r];
      d_between[r] = d_right_arc * rightward + d_left_arc_here * leftward;
      marginals[s * side + r] = value_of(d_right_arc * right_arc);
      marginals[r * side + s] = value_of(d_left_arc_here * left_arc[r]);
    }
    for (int t = s + 1; t <= n; ++t) d.left[(s + 1) * stride + t] += d_between[t];
  }
}

template <class Number>
void derive_root(int n, bool single_root, const InsideCharts<Number>& c, OutsideCharts<Number>& d,
                 double* marginals) {
  const std::ptrdiff_t stride = chart_stride(n);
  for (auto* chart : {&d.right, &d.left, &d.left_arc}) {
    ensure(*chart, stride * stride);
    std::fill_n(chart->begin(), stride * stride, Number(0.0));
  }
  for (auto* row : {&d.between, &d.prefix, &d.root_arc}) {
    ensure(*row, stride);
    std::fill_n(row->begin(), stride, Number(0.0));
  }
  d.prefix[n] = Number(1.0) / c.total;
  for (int j = n; j >= 1; --j) {
    for (int r = 1; r <= j && !is_zero(d.prefix[j]); ++r) {
      d.root_arc[r] += d.prefix[j] * c.right[r * stride + j];
      d.right[r * stride + j] += d.prefix[j] * c.root_arc[r];
    }
    marginals[j] = value_of(d.root_arc[j] * c.root_arc[j]);
    const Number d_arc = d.root_arc[j] * c.root[j - 1];
    const int starts = single_root ? 1 : j;
    for (int i = 0; i < starts; ++i) {
      d.left[(i + 1) * stride + j] += d_arc * c.prefix[i];
      if (!single_root) d.prefix[i] += d_arc * c.left[(i + 1) * stride + j];
    }
  }
}

TURBOTREE_CLONES void derive_spans_fast(int n, const InsideCharts<double>& c,
                                        OutsideCharts<double>& d, double* marginals) {
  derive_spans(n, c, d, marginals);
}

bool columns_sum_to_one(int n, const double* marginals) {
  const std::ptrdiff_t side = n + 1;
  for (int m = 1; m <= n; ++m) {
    double sum = 0.0;
    for (int h = 0; h <= n; ++h) sum += marginals[h * side + m];
    if (!(std::abs(sum - 1.0) < 1e-10)) return false;
  }
  return true;
}

void fill_inside_wide(const ScoreMatrix& scores, bool single_root, InsideOutsideWorkspace& w) {
  prepare(scores.words, scores, w.shift, w.wide_inside);
  fill_spans(scores.words, w.wide_inside);
  fill_root(scores.words, single_root, w.wide_inside);
}

}  // namespace

Status fill_inside(const ScoreMatrix& scores, bool single_root, bool* is_wide,
                   InsideOutsideWorkspace& w) {
  const int n = scores.words;
  ensure(w.heads, n);
  const Status status = maximum_projective_tree(scores, single_root, w.heads.data(), w.eisner);
  if (status != Status::ok) return status;
  w.shift.root = w.shift.total = 0.0;
  ensure(w.shift.column, n + 1);
  for (int m = 1; m <= n; ++m) {
    w.shift.column[m] = scores(static_cast<int>(w.heads[m - 1]), m);
    w.shift.total += w.shift.column[m];
  }
  *is_wide = !weights_are_safe(scores, w.shift);
  if (!*is_wide) {
    prepare(n, scores, w.shift, w.inside);
    fill_spans_fast(n, w.inside);
    fill_root(n, single_root, w.inside);
    *is_wide = !cells_are_safe(n, w.inside);
  }
  if (*is_wide) fill_inside_wide(scores, single_root, w);
  return Status::ok;
}

Status projective_log_partition(const ScoreMatrix& scores, bool single_root, double* log_partition,
                                InsideOutsideWorkspace& w) {
  *log_partition = 0.0;
  if (scores.words == 0) return Status::ok;
  bool is_wide = false;
  const Status status = fill_inside(scores, single_root, &is_wide, w);
  if (status != Status::ok) return status;
  *log_partition = w.shift.total + (is_wide ? log_of(w.wide_inside.total) : log_of(w.inside.total));
  return Status::ok;
}

Status projective_marginals(const ScoreMatrix& scores, bool single_root, double* marginals,
                            TreeSums* sums, InsideOutsideWorkspace& w) {
  const int n = scores.words;
  const std::ptrdiff_t side = n + 1;
  *sums = {};
  std::fill_n(marginals, side * side, 0.0);
  if (n == 0) return Status::ok;
  bool is_wide = false;
  const Status status = fill_inside(scores, single_root, &is_wide, w);
  if (status != Status::ok) return status;
  if (!is_wide) {
    derive_root(n, single_root, w.inside, w.outside, marginals);
    derive_spans_fast(n, w.inside, w.outside, marginals);
    if (!columns_sum_to_one(n, marginals)) {
      is_wide = true;
      fill_inside_wide(scores, single_root, w);
    }
  }
  if (is_wide) {
    derive_root(n, single_root, w.wide_inside, w.wide_outside, marginals);
    derive_spans(n, w.wide_inside, w.wide_outside, marginals);
  }
  const double log_partition = is_wide ? log_of(w.wide_inside.total) : log_of(w.inside.total);
  sums->log_partition = log_partition + w.shift.total;
  sums->entropy = entropy_from(scores, w.shift, marginals, log_partition);
  return Status::ok;
}

}  // namespace turbotree::trees
