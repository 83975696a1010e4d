#include "trees/check.h"

#include "common/vectorize.h"

namespace turbotree::trees {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Counts over everything, diagonal included: a branch per element would cost more than the
// rare second look.
TURBOTREE_CLONES std::int64_t count_suspects(const ScoreMatrix& scores) {
  std::int64_t suspects = 0;
  for (int head = 0; head <= scores.words; ++head) {
    const double* row = scores.row(head);
    for (int modifier = 1; modifier <= scores.words; ++modifier) {
      suspects += row[modifier] < kInfinity ? 0 : 1;
    }
  }
  return suspects;
}

}  // namespace

bool scores_are_valid(const ScoreMatrix& scores, Arc* where) {
  if (count_suspects(scores) == 0) return true;
  for (int head = 0; head <= scores.words; ++head) {
    for (int modifier = 1; modifier <= scores.words; ++modifier) {
      if (head == modifier || scores(head, modifier) < kInfinity) continue;
      *where = {head, modifier};
      return false;
    }
  }
  return true;
}

}  // namespace turbotree::trees
