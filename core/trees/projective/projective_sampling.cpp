#include <cstddef>
#include <vector>

#include "trees/choose.h"
#include "trees/sampling.h"

// From the whole sentence down: every chart cell of inside_outside.cpp is a sum over ways to
// split it, and a split is drawn with probability proportional to its term.

namespace turbotree::trees {
namespace {

enum Kind { kRight, kLeft, kBetween };

struct Span {
  Kind kind;
  int start, end;
};

template <class Number>
class ProjectiveSampler {
 public:
  ProjectiveSampler(const InsideCharts<Number>& charts, int size, bool single_root)
      : c_(charts), n_(size), stride_(size + 2), single_root_(single_root) {}

  void draw(Random& random, Head* heads) {
    for (int end = n_; end > 0;) {
      const int word = choose(random, 1, end + 1, c_.prefix[end],
                              [&](int r) { return c_.root_arc[r] * at(c_.right, r, end); });
      int start = 1;
      if (!single_root_) {
        const Number total = c_.root_arc[word] / c_.root[word - 1];
        start = 1 + choose(random, 0, word, total,
                           [&](int i) { return c_.prefix[i] * at(c_.left, i + 1, word); });
      }
      heads[word - 1] = 0;
      agenda_.push_back({kLeft, start, word});
      agenda_.push_back({kRight, word, end});
      while (!agenda_.empty()) {
        const Span span = agenda_.back();
        agenda_.pop_back();
        if (span.start < span.end) split(span, random, heads);
      }
      end = start - 1;
    }
  }

 private:
  const Number& at(const std::vector<Number>& chart, int s, int t) const {
    return chart[static_cast<std::size_t>(s * stride_ + t)];
  }

  void split(const Span& span, Random& random, Head* heads) {
    const int s = span.start, t = span.end;
    if (span.kind == kRight) {
      const Number* arcs = c_.weights.data() + (s - 1) * static_cast<std::ptrdiff_t>(n_) - 1;
      const int r = choose(random, s + 1, t + 1, at(c_.right, s, t), [&](int i) {
        return at(c_.between, s, i) * arcs[i] * at(c_.right, i, t);
      });
      heads[r - 1] = s;
      agenda_.push_back({kBetween, s, r});
      agenda_.push_back({kRight, r, t});
    } else if (span.kind == kLeft) {
      const int r = choose(random, s, t, at(c_.left, s, t),
                           [&](int i) { return at(c_.left, s, i) * at(c_.left_arc, i, t); });
      heads[r - 1] = t;
      agenda_.push_back({kLeft, s, r});
      agenda_.push_back({kBetween, r, t});
    } else {
      const int r = choose(random, s, t, at(c_.between, s, t),
                           [&](int i) { return at(c_.right, s, i) * at(c_.left, i + 1, t); });
      agenda_.push_back({kRight, s, r});
      agenda_.push_back({kLeft, r + 1, t});
    }
  }

  const InsideCharts<Number>& c_;
  int n_;
  std::ptrdiff_t stride_;
  bool single_root_;
  std::vector<Span> agenda_;
};

template <class Number>
void draw_all(const InsideCharts<Number>& charts, int size, bool single_root, std::int64_t count,
              Random& random, Head* heads, std::ptrdiff_t row_stride) {
  ProjectiveSampler<Number> sampler(charts, size, single_root);
  for (std::int64_t i = 0; i < count; ++i) sampler.draw(random, heads + i * row_stride);
}

}  // namespace

Status sample_projective_trees(const ScoreMatrix& scores, bool single_root, std::int64_t count,
                               Random& random, Head* heads, std::ptrdiff_t row_stride,
                               SamplingWorkspace& w) {
  if (scores.words == 0) return Status::ok;
  bool is_wide = false;
  const Status status = fill_inside(scores, single_root, &is_wide, w.inside_outside);
  if (status != Status::ok) return status;
  if (is_wide) {
    draw_all(w.inside_outside.wide_inside, scores.words, single_root, count, random, heads,
             row_stride);
  } else {
    draw_all(w.inside_outside.inside, scores.words, single_root, count, random, heads, row_stride);
  }
  return Status::ok;
}

}  // namespace turbotree::trees
