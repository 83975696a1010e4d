#include "trees/projective/eisner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/interrupt.h"
#include "common/vectorize.h"

// Charts, for spans [s, t] of words:
//   right[s][t]    best subtree headed by s covering s..t
//   left[s][t]     best subtree headed by t covering s..t
//   between[s][t]  max over r of right[s][r] + left[r+1][t]: what lies under an arc s-t
// A row s needs rows below it (larger s) only. Within the row the cells are finished from left to
// right, and each finished cell is pushed to all cells after it: the inner loop runs over
// contiguous memory and keeps no back-pointers. The way back finds the maximisers again, O(n) a
// span. The root stands outside the charts: its children cut the sentence into pieces.

namespace turbotree::trees {
namespace {

enum Kind : int { kRight, kLeft, kBetween };

TURBOTREE_INLINE double larger(double a, double b) { return a > b ? a : b; }

TURBOTREE_INLINE void push(int begin, int end, double right_arc, double left_done,
                           double right_done, const double* TURBOTREE_RESTRICT right_below,
                           const double* TURBOTREE_RESTRICT left_arc_below,
                           const double* TURBOTREE_RESTRICT left_below,
                           double* TURBOTREE_RESTRICT right, double* TURBOTREE_RESTRICT left,
                           double* TURBOTREE_RESTRICT between) {
  for (int t = begin; t < end; ++t) {
    right[t] = larger(right_arc + right_below[t], right[t]);
    left[t] = larger(left_done + left_arc_below[t], left[t]);
    between[t] = larger(right_done + left_below[t], between[t]);
  }
}

TURBOTREE_CLONES void fill_charts(const ScoreMatrix& scores, std::size_t stride,
                                  EisnerWorkspace& w) {
  const int n = scores.words;
  for (int s = n; s >= 1; --s) {
    count_work(static_cast<std::uint64_t>(n - s) * (n - s));
    double* right = w.right.data() + s * stride;
    double* left = w.left.data() + s * stride;
    double* between = w.between.data() + s * stride;
    double* left_arc = w.left_arc.data() + s * stride;
    double* to_start = w.to_start.data();
    const double* from_start = scores.row(s);
    right[s] = left[s] = 0.0;
    for (int t = s + 1; t <= n; ++t) {
      right[t] = left[t] = kNegativeInfinity;
      between[t] = w.left[(s + 1) * stride + t];
      to_start[t] = scores(t, s);
    }
    for (int r = s + 1; r <= n; ++r) {
      const double right_arc = between[r] + from_start[r];
      left_arc[r] = between[r] + to_start[r];
      right[r] = larger(right_arc, right[r]);
      left[r] = larger(left_arc[r], left[r]);
      push(r + 1, n + 1, right_arc, left[r], right[r], w.right.data() + r * stride,
           w.left_arc.data() + r * stride, w.left.data() + (r + 1) * stride, right, left, between);
    }
  }
}

class Backtrace {
 public:
  Backtrace(const ScoreMatrix& scores, std::size_t stride, Head* heads, EisnerWorkspace& w)
      : scores_(scores), stride_(stride), heads_(heads), w_(w) {}

  // Attaches `word` to the root with the subtree over [start, end].
  void attach_to_root(int start, int word, int end) {
    heads_[word - 1] = 0;
    add(kLeft, start, word);
    add(kRight, word, end);
    while (!w_.agenda.empty()) {
      const auto span = w_.agenda.back();
      w_.agenda.pop_back();
      if (span.start < span.end) split(span);
    }
  }

 private:
  double at(const std::vector<double>& chart, int s, int t) const { return chart[s * stride_ + t]; }

  void add(Kind kind, int s, int t) { w_.agenda.push_back({kind, s, t}); }

  void split(const EisnerWorkspace::Span& span) {
    const int s = span.start, t = span.end;
    if (span.kind == kRight) {
      const double target = at(w_.right, s, t);
      int r = t;
      while (r > s + 1 && at(w_.between, s, r) + scores_(s, r) + at(w_.right, r, t) != target) --r;
      heads_[r - 1] = s;
      add(kBetween, s, r);
      add(kRight, r, t);
    } else if (span.kind == kLeft) {
      const double target = at(w_.left, s, t);
      int r = s;
      while (r < t - 1 && at(w_.left, s, r) + at(w_.left_arc, r, t) != target) ++r;
      heads_[r - 1] = t;
      add(kLeft, s, r);
      add(kBetween, r, t);
    } else {
      const double target = at(w_.between, s, t);
      int r = s;
      while (r < t - 1 && at(w_.right, s, r) + at(w_.left, r + 1, t) != target) ++r;
      add(kRight, s, r);
      add(kLeft, r + 1, t);
    }
  }

  const ScoreMatrix& scores_;
  std::size_t stride_;
  Head* heads_;
  EisnerWorkspace& w_;
};

}  // namespace

void EisnerWorkspace::prepare(int words) {
  const std::size_t side = static_cast<std::size_t>(words) + 2;
  for (auto* chart : {&right, &left, &between, &left_arc}) {
    if (chart->size() < side * side) chart->resize(side * side);
  }
  for (auto* row : {&prefix, &root_arc, &to_start}) {
    if (row->size() < side) row->resize(side);
  }
  agenda.clear();
}

Status maximum_projective_tree(const ScoreMatrix& scores, bool single_root, Head* heads,
                               EisnerWorkspace& w) {
  const int n = scores.words;
  if (n == 0) return Status::ok;
  w.prepare(n);
  const std::size_t stride = static_cast<std::size_t>(n) + 2;
  fill_charts(scores, stride, w);
  const double* root = scores.row(0);
  const auto left = [&](int s, int t) { return w.left[s * stride + t]; };
  const auto right = [&](int s, int t) { return w.right[s * stride + t]; };
  Backtrace backtrace(scores, stride, heads, w);

  if (single_root) {
    double best = kNegativeInfinity;
    int word = 0;
    for (int r = 1; r <= n; ++r) {
      const double score = root[r] + left(1, r) + right(r, n);
      if (score > best) {
        best = score;
        word = r;
      }
    }
    if (word == 0) return Status::infeasible;
    backtrace.attach_to_root(1, word, n);
    return Status::ok;
  }

  // prefix[j]: best forest over words 1..j; root_arc[r]: the same with r its last root child,
  // nothing to the right of r yet.
  w.prefix[0] = 0.0;
  for (int j = 1; j <= n; ++j) {
    double arc = kNegativeInfinity;
    for (int i = 0; i < j; ++i) arc = larger(w.prefix[i] + left(i + 1, j) + root[j], arc);
    w.root_arc[j] = arc;
    double best = kNegativeInfinity;
    for (int r = 1; r <= j; ++r) best = larger(w.root_arc[r] + right(r, j), best);
    w.prefix[j] = best;
  }
  if (w.prefix[n] == kNegativeInfinity) return Status::infeasible;
  for (int end = n; end > 0;) {
    int r = 1;
    while (r < end && w.root_arc[r] + right(r, end) != w.prefix[end]) ++r;
    int i = 0;
    while (i < r - 1 && w.prefix[i] + left(i + 1, r) + root[r] != w.root_arc[r]) ++i;
    backtrace.attach_to_root(i + 1, r, end);
    end = i;
  }
  return Status::ok;
}

}  // namespace turbotree::trees
