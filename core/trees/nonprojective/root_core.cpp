#include "trees/nonprojective/root_core.h"

#include <algorithm>
#include <cmath>

#include "common/interrupt.h"

namespace turbotree::trees {
namespace {

bool allowed(const ScoreMatrix& scores, int head, int modifier) {
  return head != modifier && scores(head, modifier) > kNegativeInfinity;
}

// Marks the words that can be reached from the marked ones in `edge`, going from modifiers to heads
// or the other way.
template <bool Upward>
void spread(const ScoreMatrix& scores, std::vector<int>& edge, std::vector<std::uint8_t>& marks) {
  while (!edge.empty()) {
    const int from = edge.back();
    edge.pop_back();
    count_work(scores.words);
    for (int to = 1; to <= scores.words; ++to) {
      if (marks[to] != 0 || !(Upward ? allowed(scores, to, from) : allowed(scores, from, to)))
        continue;
      marks[to] = 1;
      edge.push_back(to);
    }
  }
}

}  // namespace

bool find_root_core(const ScoreMatrix& scores, RootCoreBuffers& b) {
  const std::size_t size = static_cast<std::size_t>(scores.words) + 1;
  int start = 1;
  while (true) {
    b.above.assign(size, 0);
    b.below.assign(size, 0);
    b.above[start] = b.below[start] = 1;
    b.edge.assign(1, start);
    spread<true>(scores, b.edge, b.above);
    b.edge.assign(1, start);
    spread<false>(scores, b.edge, b.below);
    // Someone above it who cannot come back is nearer to the core.
    int nearer = 0;
    for (int w = 1; w <= scores.words && nearer == 0; ++w)
      if (b.above[w] != 0 && b.below[w] == 0) nearer = w;
    if (nearer == 0) break;
    start = nearer;
  }
  b.core.clear();
  b.others.clear();
  for (int w = 1; w <= scores.words; ++w) {
    (b.above[w] != 0 ? b.core : b.others).push_back(w);
    if (b.below[w] == 0) return false;
  }
  return true;
}

Status divided_marginals(const ScoreMatrix& scores, double* marginals, TreeSums* sums,
                         MatrixTreeWorkspace& workspace) {
  // Refuses bad scores wherever they are.
  Status status = choose_shift(scores, true, workspace.shift);
  if (status != Status::ok) return status;
  RootCoreBuffers& b = workspace.split;
  const int n = scores.words, inner = static_cast<int>(b.core.size()),
            outer = static_cast<int>(b.others.size());
  const std::size_t side = static_cast<std::size_t>(std::max(inner, outer)) + 1;
  b.scores.resize(side * side);
  b.marginals.resize(side * side);
  std::fill_n(marginals, (n + 1) * (n + 1), 0.0);

  const auto score = [&](std::ptrdiff_t stride, int h, int m) -> double& {
    return b.scores[h * stride + m];
  };
  std::ptrdiff_t stride = inner + 1;
  for (int m = 1; m <= inner; ++m) {
    score(stride, 0, m) = scores(0, b.core[m - 1]);
    for (int h = 1; h <= inner; ++h) score(stride, h, m) = scores(b.core[h - 1], b.core[m - 1]);
  }
  status = undivided_marginals({b.scores.data(), stride, inner}, true, b.marginals.data(), sums,
                               workspace);
  if (status != Status::ok) return status;
  for (int m = 1; m <= inner; ++m) {
    marginals[b.core[m - 1]] = b.marginals[m];
    for (int h = 1; h <= inner; ++h)
      marginals[b.core[h - 1] * (n + 1) + b.core[m - 1]] = b.marginals[h * stride + m];
  }

  // To the others, the core is the root: it heads a word by any of its own.
  stride = outer + 1;
  for (int m = 1; m <= outer; ++m) {
    const int word = b.others[m - 1];
    double best = kNegativeInfinity, sum = 0.0;
    for (const int h : b.core) best = std::max(best, scores(h, word));
    if (best > kNegativeInfinity)
      for (const int h : b.core) sum += std::exp(scores(h, word) - best);
    score(stride, 0, m) = best > kNegativeInfinity ? best + std::log(sum) : best;
    for (int h = 1; h <= outer; ++h) score(stride, h, m) = scores(b.others[h - 1], word);
  }
  TreeSums below;
  status = undivided_marginals({b.scores.data(), stride, outer}, false, b.marginals.data(), &below,
                               workspace);
  if (status != Status::ok) return status;
  sums->log_partition += below.log_partition;
  sums->entropy += below.entropy;
  for (int m = 1; m <= outer; ++m) {
    const int word = b.others[m - 1];
    for (int h = 1; h <= outer; ++h)
      marginals[b.others[h - 1] * (n + 1) + word] = b.marginals[h * stride + m];
    if (b.marginals[m] == 0.0) continue;
    for (const int h : b.core) {
      const double log_share = scores(h, word) - score(stride, 0, m);
      const double probability = b.marginals[m] * std::exp(log_share);
      marginals[h * (n + 1) + word] = probability;
      if (probability > 0.0) sums->entropy -= probability * log_share;
    }
  }
  return Status::ok;
}

}  // namespace turbotree::trees
