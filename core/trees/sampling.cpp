#include "trees/sampling.h"

#include <algorithm>
#include <cstddef>

#include "common/interrupt.h"
#include "trees/choose.h"
#include "trees/nonprojective/sequential_sampling.h"

// Wilson's algorithm: from each word in turn, walk to heads drawn by arc weight until the tree is
// reached, and keep the walk with its loops erased. Where the best heads form a cycle with hardly
// a way out the walk may take for ever. Which loops were erased is independent of the tree that
// remains (Propp and Wilson 1998), so giving up after a fixed number of steps does not favour any
// tree; from then on the tree is drawn word by word.

namespace turbotree::trees {
namespace {

class Walker {
 public:
  // Row m of `cumulative`: running sums of the weights of the root and of every word as m's head.
  Walker(const double* words, const double* root, int size, SamplingWorkspace& w)
      : size_(size), w_(w) {
    const std::size_t n = static_cast<std::size_t>(size);
    w_.cumulative.resize(n * (n + 1));
    w_.next.resize(n);
    w_.in_tree.resize(n);
    for (int m = 0; m < size; ++m) {
      count_work(4 * n);
      double* row = w_.cumulative.data() + m * (n + 1);
      row[0] = root[m];
      for (int h = 0; h < size; ++h) row[h + 1] = row[h] + words[h * n + m];
    }
  }

  // False when the walks took too many steps.
  bool draw(Random& random, Head* heads) {
    std::int64_t steps_left = 1000 + 8 * static_cast<std::int64_t>(size_) * size_;
    std::fill(w_.in_tree.begin(), w_.in_tree.end(), char{0});
    for (int start = 0; start < size_; ++start) {
      for (Head at = start; at >= 0 && !w_.in_tree[at]; at = w_.next[at]) {
        if (--steps_left < 0) return false;
        count_work(50);
        w_.next[at] = step_from(static_cast<int>(at), random);
      }
      for (Head at = start; at >= 0 && !w_.in_tree[at]; at = w_.next[at]) {
        w_.in_tree[at] = 1;
        heads[at] = w_.next[at] + 1;
      }
    }
    return true;
  }

 private:
  Head step_from(int word, Random& random) const {
    const double* row = w_.cumulative.data() + static_cast<std::ptrdiff_t>(word) * (size_ + 1);
    const double point = random.uniform() * row[size_];
    const double* found = std::upper_bound(row, row + size_, point);
    return static_cast<Head>(found - row) - 1;  // -1 is the root
  }

  int size_;
  SamplingWorkspace& w_;
};

// Weights for double and Wide, with all root arcs but the one to `only_child` dropped (0: none).
template <class Number>
void load(const ScoreMatrix& scores, const ScoreShift& shift, int only_child,
          std::vector<Number>& words, std::vector<Number>& root) {
  const std::size_t n = static_cast<std::size_t>(scores.words);
  words.resize(n * n);
  root.resize(n);
  ScoreShift restricted = shift;
  if (only_child != 0) {
    restricted.single_root = false;
    restricted.only_root_child = only_child;
    restricted.root = scores(0, only_child) - shift.column[only_child];
  }
  fill_weights(scores, restricted, words.data(), root.data());
  if (only_child == 0) return;
  for (std::size_t h = 0; h < n; ++h) words[h * n + only_child - 1] = Number(0.0);
}

void draw_by_words(const ScoreMatrix& scores, const ScoreShift& shift, int only_child,
                   Random& random, Head* heads, SamplingWorkspace& w) {
  const Random before = random;
  SequentialSampler<double> sampler(w.weights.data(), w.root.data(), scores.words);
  if (sampler.draw(random, heads)) return;
  random = before;
  load(scores, shift, only_child, w.wide_weights, w.wide_root);
  SequentialSampler<Wide> wide(w.wide_weights.data(), w.wide_root.data(), scores.words);
  wide.draw(random, heads);
}

void draw_rows(const ScoreMatrix& scores, const ScoreShift& shift, int only_child, Random& random,
               const std::vector<Head*>& rows, SamplingWorkspace& w) {
  load(scores, shift, only_child, w.weights, w.root);
  Walker walker(w.weights.data(), w.root.data(), scores.words, w);
  bool walk = true;
  for (Head* heads : rows) {
    walk = walk && walker.draw(random, heads);
    if (!walk) draw_by_words(scores, shift, only_child, random, heads, w);
  }
}

}  // namespace

Status sample_trees(const ScoreMatrix& scores, bool single_root, std::int64_t count, Random& random,
                    Head* heads, std::ptrdiff_t row_stride, SamplingWorkspace& w) {
  const int n = scores.words;
  if (n == 0) return Status::ok;
  // The marginals also tell whether there is a tree at all.
  w.marginals.resize((static_cast<std::size_t>(n) + 1) * (static_cast<std::size_t>(n) + 1));
  TreeSums sums;
  const Status status =
      matrix_tree_marginals(scores, single_root, w.marginals.data(), &sums, w.matrix_tree);
  if (status != Status::ok) return status;
  // They may have left the shift of a smaller problem, from which the rest follows.
  ScoreShift shift;
  const Status shifted = choose_shift(scores, single_root, shift);
  if (shifted != Status::ok) return shifted;

  // Given the root's only child the rest is a problem without the root; rows that drew the same
  // child share its tables.
  std::vector<std::vector<Head*>> rows(single_root ? static_cast<std::size_t>(n) + 1 : 1);
  for (std::int64_t i = 0; i < count; ++i) {
    const int child =
        single_root ? choose(random, 1, n + 1, 1.0, [&](int m) { return w.marginals[m]; }) : 0;
    rows[child].push_back(heads + i * row_stride);
  }
  for (std::size_t child = 0; child < rows.size(); ++child) {
    if (rows[child].empty()) continue;
    draw_rows(scores, shift, static_cast<int>(child), random, rows[child], w);
  }
  return Status::ok;
}

}  // namespace turbotree::trees
