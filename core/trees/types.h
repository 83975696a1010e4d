// What every algorithm of this package shares: the score matrix and the ways a call can end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace turbotree::trees {

inline constexpr double kNegativeInfinity = -std::numeric_limits<double>::infinity();

enum class Status : int {
  ok = 0,
  bad_score = 1,   // NaN or +infinity
  infeasible = 2,  // no tree uses allowed arcs only
  out_of_memory = 3,
};

// A view of (words + 1) x (words + 1) scores: row = head, column = modifier, index 0 = root.
// Column 0 and the diagonal are never read as scores; -infinity forbids an arc.
struct ScoreMatrix {
  const double* data;
  std::ptrdiff_t stride;  // doubles from one row to the next
  int words;

  const double* row(int head) const { return data + head * stride; }
  double operator()(int head, int modifier) const { return data[head * stride + modifier]; }
};

// heads[m - 1] is the head of word m.
using Head = std::int64_t;

}  // namespace turbotree::trees
