#include "trees/k_best.h"

#include <algorithm>
#include <cstddef>
#include <set>

// A set of trees is given by the heads of its first words and by heads forbidden to the next
// word. Taking the best tree out of such a set leaves at most n disjoint sets of the same kind:
// keep the first i words' heads and forbid the tree's choice for the next. The best tree of each
// is found by the ordinary decoder, and the best of those is the next tree overall.

namespace turbotree::trees {
namespace {

struct Candidate {
  ScoredHeads tree;
  int fixed;                    // the set's trees agree on words 1..fixed
  std::vector<Head> forbidden;  // heads that word fixed + 1 may not take
  long number;                  // ties go to the set made first

  bool operator<(const Candidate& other) const {
    if (tree.score != other.tree.score) return tree.score > other.tree.score;
    return number < other.number;
  }
};

class Search {
 public:
  Search(const ScoreMatrix& scores, bool single_root, bool projective, KBestWorkspace& w)
      : scores_(scores), single_root_(single_root), projective_(projective), w_(w) {
    const std::size_t side = static_cast<std::size_t>(scores.words) + 1;
    w_.scores.resize(side * side);
    restore_columns(1);
  }

  Status best_of_current_set(std::vector<Head>& heads) {
    const ScoreMatrix current{w_.scores.data(), side(), scores_.words};
    return projective_ ? maximum_projective_tree(current, single_root_, heads.data(), w_.eisner)
                       : maximum_arborescence(current, single_root_, heads.data(), w_.arborescence);
  }

  void restore_columns(int first) {
    for (int h = 0; h <= scores_.words; ++h) {
      std::copy(scores_.row(h) + first, scores_.row(h) + scores_.words + 1, row(h) + first);
    }
  }

  void forbid(Head head, int word) { row(static_cast<int>(head))[word] = kNegativeInfinity; }

  void fix(Head head, int word) {
    for (int h = 0; h <= scores_.words; ++h) {
      row(h)[word] = h == head ? scores_(h, word) : kNegativeInfinity;
    }
  }

 private:
  std::ptrdiff_t side() const { return scores_.words + 1; }
  double* row(int head) { return w_.scores.data() + head * side(); }

  const ScoreMatrix& scores_;
  bool single_root_, projective_;
  KBestWorkspace& w_;
};

}  // namespace

double tree_score(const ScoreMatrix& scores, const Head* heads) {
  double sum = 0.0;
  for (int m = 1; m <= scores.words; ++m) sum += scores(static_cast<int>(heads[m - 1]), m);
  return sum;
}

Status k_best_trees(const ScoreMatrix& scores, std::int64_t k, bool single_root, bool projective,
                    std::vector<ScoredHeads>& trees, KBestWorkspace& workspace) {
  trees.clear();
  const int n = scores.words;
  const std::size_t wanted = static_cast<std::size_t>(k);
  Search search(scores, single_root, projective, workspace);
  std::vector<Head> heads(static_cast<std::size_t>(n));
  const Status status = search.best_of_current_set(heads);
  if (status != Status::ok || k <= 0) return status;

  long number = 0;
  std::set<Candidate> candidates;
  candidates.insert({{tree_score(scores, heads.data()), heads}, 0, {}, number++});
  while (true) {
    const Candidate chosen = std::move(candidates.extract(candidates.begin()).value());
    trees.push_back(chosen.tree);
    if (trees.size() == wanted) break;
    const std::vector<Head>& taken = chosen.tree.heads;
    search.restore_columns(1);
    for (int word = 1; word <= chosen.fixed; ++word) search.fix(taken[word - 1], word);
    for (int word = chosen.fixed + 1; word <= n; ++word) {
      std::vector<Head> forbidden;
      if (word == chosen.fixed + 1) forbidden = chosen.forbidden;
      forbidden.push_back(taken[word - 1]);
      for (Head head : forbidden) search.forbid(head, word);
      if (search.best_of_current_set(heads) == Status::ok) {
        const double score = tree_score(scores, heads.data());
        candidates.insert({{score, heads}, word - 1, std::move(forbidden), number++});
        // Never more candidates than trees still wanted.
        if (candidates.size() > wanted - trees.size()) candidates.erase(--candidates.end());
      }
      search.fix(taken[word - 1], word);
    }
    if (candidates.empty()) break;
  }
  // Rounding inside the decoder may swap near-equal trees.
  std::stable_sort(trees.begin(), trees.end(),
                   [](const ScoredHeads& a, const ScoredHeads& b) { return a.score > b.score; });
  return Status::ok;
}

}  // namespace turbotree::trees
