#include "trees/nonprojective/arborescence.h"

#include <algorithm>
#include <cstddef>

#include "common/interrupt.h"
#include "common/vectorize.h"

// Every component chooses its best incoming arc; a walk along these arcs either reaches the root
// or closes a cycle, which is contracted into a new component. Sources stay words all the time:
// only the columns (incoming arcs) of a cycle are merged, O(n) for each component swallowed.
//
// With a single root the scores are compared lexicographically: fewest root arcs first, then the
// sum. A cycle never holds a root arc, so subtracting a cycle's arcs never changes how many root
// arcs an arc stands for (one if it leaves the root, none otherwise), and the comparison comes
// down to: take the root arc only if the component has no other incoming arc. That is exact,
// with no large constant and no trial of every root.

namespace turbotree::trees {
namespace {

enum Mark : char { kNew = 0, kOnPath = 1, kDone = 2 };

TURBOTREE_INLINE void improve(const double* TURBOTREE_RESTRICT row, int begin, int end, double head,
                              double* TURBOTREE_RESTRICT best, double* TURBOTREE_RESTRICT source) {
  for (int m = begin; m < end; ++m) {
    const bool better = row[m] > best[m];
    best[m] = better ? row[m] : best[m];
    source[m] = better ? head : source[m];
  }
}

TURBOTREE_CLONES void choose_heads(const ScoreMatrix& scores, bool single_root, double* best,
                                   double* source) {
  const int n = scores.words;
  const double* root = scores.row(0);
  for (int m = 1; m <= n; ++m) {
    best[m] = single_root ? kNegativeInfinity : root[m];
    source[m] = 0.0;
  }
  for (int h = 1; h <= n; ++h) {
    count_work(n);
    improve(scores.row(h), 1, h, h, best, source);
    improve(scores.row(h), h + 1, n + 1, h, best, source);
  }
  for (int m = 1; single_root && m <= n; ++m) {
    best[m] = best[m] == kNegativeInfinity ? root[m] : best[m];
  }
}

TURBOTREE_CLONES void merge_cycle_column(const double* TURBOTREE_RESTRICT column,
                                         const double* TURBOTREE_RESTRICT entered, double chosen,
                                         int size, double* TURBOTREE_RESTRICT merged,
                                         double* TURBOTREE_RESTRICT merged_entered) {
  for (int h = 0; h < size; ++h) {
    const double score = column[h] - chosen;
    const bool better = score > merged[h];
    merged[h] = better ? score : merged[h];
    merged_entered[h] = better ? entered[h] : merged_entered[h];
  }
}

void merge_word_column(const ScoreMatrix& scores, int word, double chosen, double* merged,
                       double* merged_entered) {
  const double* score = scores.data + word;
  for (int h = 0; h <= scores.words; ++h, score += scores.stride) {
    if (*score - chosen > merged[h]) {
      merged[h] = *score - chosen;
      merged_entered[h] = word;
    }
  }
}

// Replaces path[begin..] by one new component and chooses its incoming arc.
int contract(const ScoreMatrix& scores, bool single_root, std::size_t begin, int cycle,
             ArborescenceWorkspace& w) {
  const int n = scores.words;
  const std::size_t size = static_cast<std::size_t>(n) + 1;
  const std::size_t offset = static_cast<std::size_t>(cycle - n - 1) * size;
  if (w.columns.size() < offset + size) {
    w.columns.resize(offset + size);
    w.entered.resize(offset + size);
  }
  double* merged = w.columns.data() + offset;
  double* merged_entered = w.entered.data() + offset;
  std::fill_n(merged, size, kNegativeInfinity);
  std::fill_n(merged_entered, size, 0.0);

  int last = 0;
  for (std::size_t i = begin; i < w.path.size(); ++i) {
    const int member = w.path[i];
    count_work(2 * size);
    if (member <= n) {
      merge_word_column(scores, member, w.best[member], merged, merged_entered);
    } else {
      const std::size_t from = static_cast<std::size_t>(member - n - 1) * size;
      merge_cycle_column(w.columns.data() + from, w.entered.data() + from, w.best[member], n + 1,
                         merged, merged_entered);
    }
    w.parent[member] = cycle;
    if (last == 0) {
      w.first_word[cycle] = w.first_word[member];
    } else {
      w.next_word[last] = w.first_word[member];
    }
    last = w.last_word[member];
  }
  w.last_word[cycle] = last;
  w.next_word[last] = 0;
  w.path.resize(begin);
  for (int word = w.first_word[cycle]; word != 0; word = w.next_word[word]) {
    w.component[word] = cycle;
    merged[word] = kNegativeInfinity;
  }

  int source = single_root ? 1 : 0;
  for (int h = source + 1; h <= n; ++h) {
    if (merged[h] > merged[source]) source = h;
  }
  if (merged[source] == kNegativeInfinity) source = 0;
  w.best[cycle] = merged[source];
  w.source[cycle] = source;
  w.target[cycle] = static_cast<int>(merged_entered[source]);
  w.mark[cycle] = kNew;
  return cycle;
}

// The arc chosen for a cycle replaces the cycle's own arc into the member it enters.
void expand(int words, int components, ArborescenceWorkspace& w) {
  for (int cycle = components - 1; cycle > words; --cycle) {
    int member = w.target[cycle];
    while (w.parent[member] != cycle) member = w.parent[member];
    w.source[member] = w.source[cycle];
    w.target[member] = w.target[cycle];
  }
}

}  // namespace

void ArborescenceWorkspace::prepare(int words) {
  const std::size_t components = 2 * static_cast<std::size_t>(words) + 1;
  const std::size_t nodes = static_cast<std::size_t>(words) + 1;
  if (best.size() < components) {
    best.resize(components);
    source.resize(components);
    target.resize(components);
    parent.resize(components);
    first_word.resize(components);
    last_word.resize(components);
    mark.resize(components);
    component.resize(nodes);
    next_word.resize(nodes);
  }
  for (int v = 0; v <= words; ++v) {
    target[v] = first_word[v] = last_word[v] = component[v] = v;
    next_word[v] = 0;
    mark[v] = kNew;
  }
  mark[0] = kDone;
}

Status maximum_arborescence(const ScoreMatrix& scores, bool single_root, Head* heads,
                            ArborescenceWorkspace& w) {
  const int n = scores.words;
  if (n == 0) return Status::ok;
  w.prepare(n);
  choose_heads(scores, single_root, w.best.data(), w.source.data());
  for (int m = 1; m <= n; ++m) {
    if (w.best[m] == kNegativeInfinity) return Status::infeasible;
  }

  int components = n + 1;
  for (int start = 1; start <= n; ++start) {
    int current = w.component[start];
    if (w.mark[current] == kDone) continue;
    w.path.clear();
    while (true) {
      w.mark[current] = kOnPath;
      w.path.push_back(current);
      const int next = w.component[static_cast<int>(w.source[current])];
      if (w.mark[next] == kDone) break;
      if (w.mark[next] == kNew) {
        current = next;
        continue;
      }
      const auto begin = std::find(w.path.begin(), w.path.end(), next) - w.path.begin();
      current = contract(scores, single_root, static_cast<std::size_t>(begin), components++, w);
      if (w.best[current] == kNegativeInfinity) return Status::infeasible;
    }
    for (int member : w.path) w.mark[member] = kDone;
  }

  expand(n, components, w);
  int roots = 0;
  for (int m = 1; m <= n; ++m) {
    heads[m - 1] = static_cast<Head>(w.source[m]);
    roots += heads[m - 1] == 0;
  }
  return single_root && roots != 1 ? Status::infeasible : Status::ok;
}

}  // namespace turbotree::trees
