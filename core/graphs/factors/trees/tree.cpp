// TREE: the chosen arcs form a spanning tree rooted at 0; projective, or with one root arc, if the
// shape says so.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "graphs/factor.h"
#include "graphs/factors/trees/tree_projection.h"
#include "graphs/kinds.h"
#include "graphs/numerics/active_set.h"
#include "trees/nonprojective/arborescence.h"
#include "trees/nonprojective/matrix_tree.h"
#include "trees/nonprojective/sparse_arborescence.h"
#include "trees/projective/eisner.h"
#include "trees/projective/inside_outside.h"

namespace turbotree::graphs {

namespace {

// The factor's shape: [words, flags, head 1, modifier 1, head 2, modifier 2, ...].
int words_of(const Factor& f) { return f.shape[0]; }
bool projective(const Factor& f) { return (f.shape[1] & kProjective) != 0; }
bool single_root(const Factor& f) { return (f.shape[1] & kSingleRoot) != 0; }
std::int32_t head_of(const Factor& f, std::int64_t arc) { return f.shape[2 + 2 * arc]; }
std::int32_t modifier_of(const Factor& f, std::int64_t arc) { return f.shape[3 + 2 * arc]; }

// From so many words on a matrix of all pairs costs more than few arcs in heaps.
constexpr int kSparseWords = 256;
constexpr std::int64_t kSparseShare = 8;

bool is_sparse(const Factor& f) {
  const std::int64_t words = words_of(f);
  return words >= kSparseWords && f.links * kSparseShare <= words * words;
}

class Tree {
 public:
  struct Memory {
    ActiveSet::Memory active_set;
    TreeProjection::Memory cuts;
  };

  static const char* check(const Factor& f) {
    if (f.shape.size() != 2 + 2 * static_cast<std::size_t>(f.links) || f.shape[0] < 1)
      return "the shape of a tree is its number of words, flags, and a head and a modifier per arc";
    for (std::int64_t arc = 0; arc < f.links; ++arc) {
      const std::int32_t head = head_of(f, arc), modifier = modifier_of(f, arc);
      if (head < 0 || head > f.shape[0] || modifier < 1 || modifier > f.shape[0] ||
          head == modifier)
        return "an arc of a tree goes from 0..n to another of 1..n";
    }
    return "";
  }

  double value(const Factor& f, std::span<const std::uint8_t> chosen) {
    const int words = words_of(f);
    heads_.assign(static_cast<std::size_t>(words) + 1, -1);
    int roots = 0;
    for (std::int64_t arc = 0; arc < f.links; ++arc) {
      if (chosen[arc] == 0) continue;
      trees::Head& head = heads_[modifier_of(f, arc)];
      if (head >= 0) return -kInfinity;
      head = head_of(f, arc);
      roots += head == 0 ? 1 : 0;
    }
    if (single_root(f) && roots != 1) return -kInfinity;
    for (int m = 1; m <= words; ++m) {
      int at = m;
      for (int steps = 0; at != 0; ++steps) {
        if (heads_[at] < 0 || steps > words) return -kInfinity;
        at = static_cast<int>(heads_[at]);
      }
    }
    if (!projective(f)) return 0.0;
    for (int m = 1; m <= words; ++m) {
      const int low = std::min<int>(m, static_cast<int>(heads_[m]));
      const int high = std::max<int>(m, static_cast<int>(heads_[m]));
      for (int k = low + 1; k < high; ++k)
        if (heads_[k] < low || heads_[k] > high) return -kInfinity;
    }
    return 0.0;
  }

  double maximise(const Factor& f, std::span<const double> scores, std::span<std::uint8_t> chosen) {
    if (!projective(f)) {
      const auto size = static_cast<std::size_t>(words_of(f)) + 1;
      best_.assign(size, -kInfinity);
      best_arc_.assign(size, -1);
      for (std::int64_t arc = 0; arc < f.links; ++arc) {
        const std::int32_t m = modifier_of(f, arc);
        if (scores[arc] > best_[m])
          best_[m] = scores[arc], best_arc_[m] = static_cast<std::int32_t>(arc);
      }
      if (best_heads_form_a_tree(f)) {
        std::fill(chosen.begin(), chosen.end(), std::uint8_t{0});
        double sum = 0.0;
        for (std::size_t m = 1; m < size; ++m) chosen[best_arc_[m]] = 1, sum += best_[m];
        return sum;
      }
    }
    if (!projective(f) && is_sparse(f)) return maximise_sparse(f, scores, chosen);
    fill_matrix(f, scores);
    if (!solve_matrix(f)) {
      std::fill(chosen.begin(), chosen.end(), std::uint8_t{0});
      return -kInfinity;
    }
    return chosen_score(f, scores, chosen);
  }

  // Every arc forced and forbidden in turn; what the best tree already does needs one answer only.
  double max_messages(const Factor& f, std::span<const double> scores, std::span<double> messages) {
    fill_matrix(f, scores);
    if (!solve_matrix(f)) {
      std::fill(messages.begin(), messages.end(), 0.0);
      return -kInfinity;
    }
    const auto size = static_cast<std::size_t>(words_of(f)) + 1;
    const std::vector<trees::Head> best = heads_;
    std::vector<double> column(size);
    // The score of the tree in heads_, without the arc into `skipped`.
    const auto score_without = [&](std::int32_t skipped) {
      double sum = 0.0;
      for (std::size_t m = 1; m < size; ++m)
        if (static_cast<std::int32_t>(m) != skipped) sum += matrix_[heads_[m - 1] * size + m];
      return sum;
    };
    heads_ = best;
    const double value = score_without(0);
    for (std::int64_t arc = 0; arc < f.links; ++arc) {
      const std::int32_t head = head_of(f, arc), m = modifier_of(f, arc);
      heads_ = best;
      double with = -kInfinity, without = -kInfinity;
      for (std::size_t h = 0; h < size; ++h) column[h] = matrix_[h * size + m];
      if (best[m - 1] == head) {
        with = score_without(m);
        matrix_[head * size + m] = -kInfinity;
        if (solve_matrix(f)) without = score_without(0);
      } else {
        without = value;
        for (std::size_t h = 0; h < size; ++h) matrix_[h * size + m] = -kInfinity;
        matrix_[head * size + m] = 0.0;
        if (solve_matrix(f)) with = score_without(m);
      }
      for (std::size_t h = 0; h < size; ++h) matrix_[h * size + m] = column[h];
      messages[arc] = with - without;
    }
    return value;
  }

  Sums sum_messages(const Factor& f, std::span<const double> scores, std::span<double> messages) {
    fill_matrix(f, scores);
    const int words = words_of(f);
    const auto size = static_cast<std::size_t>(words) + 1;
    marginals_.resize(size * size);
    const trees::ScoreMatrix matrix{matrix_.data(), words + 1, words};
    trees::TreeSums sums;
    const trees::Status status =
        projective(f) ? trees::projective_marginals(matrix, single_root(f), marginals_.data(),
                                                    &sums, inside_outside_)
                      : trees::matrix_tree_marginals(matrix, single_root(f), marginals_.data(),
                                                     &sums, matrix_tree_);
    if (status != trees::Status::ok) {
      std::fill(messages.begin(), messages.end(), 0.0);
      return {-kInfinity, 0.0};
    }
    for (std::int64_t arc = 0; arc < f.links; ++arc) {
      const std::int32_t m = modifier_of(f, arc);
      // The other heads' probabilities, added up: 1 - p would lose the small ones.
      const double p = marginals_[head_of(f, arc) * size + m];
      double others = 0.0;
      for (std::size_t h = 0; h < size; ++h)
        if (static_cast<std::int32_t>(h) != head_of(f, arc)) others += marginals_[h * size + m];
      messages[arc] = std::log(p) - std::log(others) - scores[arc];
    }
    return {sums.log_partition, 0.0};
  }

  // By cuts where the polytope is known by cuts; otherwise, or if that does not converge (no tree
  // may be left once arcs are fixed), by the best trees.
  double project(const Factor& f, std::span<const double> target, double scale,
                 std::span<double> point, Memory& memory) {
    if (!projective(f)) {
      const auto score = projection_.project(f, target, scale, point, memory.cuts);
      if (score) return *score;
    }
    return active_set_.project(*this, f, target, scale, point, memory.active_set);
  }

  void set_inexact(bool inexact) { projection_.inexact = inexact; }

 private:
  // Whether every word's best head makes a tree, as it mostly does once a solver is on its way.
  bool best_heads_form_a_tree(const Factor& f) {
    const int words = words_of(f);
    mark_.assign(static_cast<std::size_t>(words) + 1, 0);
    mark_[0] = -1;
    int roots = 0;
    for (int m = 1; m <= words; ++m) {
      if (best_arc_[m] < 0) return false;
      int at = m;
      while (mark_[at] == 0) {
        mark_[at] = m;
        at = head_of(f, best_arc_[at]);
      }
      if (mark_[at] == m) return false;  // came back to a word of this walk
      for (at = m; mark_[at] == m; at = head_of(f, best_arc_[at])) mark_[at] = -1;
      roots += head_of(f, best_arc_[m]) == 0 ? 1 : 0;
    }
    return !single_root(f) || roots == 1;
  }

  bool solve_matrix(const Factor& f) {
    const int words = words_of(f);
    heads_.resize(static_cast<std::size_t>(words));
    const trees::ScoreMatrix matrix{matrix_.data(), words + 1, words};
    const trees::Status status =
        projective(f)
            ? trees::maximum_projective_tree(matrix, single_root(f), heads_.data(), eisner_)
            : trees::maximum_arborescence(matrix, single_root(f), heads_.data(), arborescence_);
    return status == trees::Status::ok;
  }

  // The best tree of a long sentence, without a matrix.
  double maximise_sparse(const Factor& f, std::span<const double> scores,
                         std::span<std::uint8_t> chosen) {
    arcs_.clear();
    for (std::int64_t arc = 0; arc < f.links; ++arc)
      arcs_.push_back({head_of(f, arc), modifier_of(f, arc), scores[arc]});
    best_arc_.resize(static_cast<std::size_t>(words_of(f)));
    std::fill(chosen.begin(), chosen.end(), std::uint8_t{0});
    if (sparse_.find(words_of(f), arcs_, single_root(f), best_arc_.data()) != trees::Status::ok)
      return -kInfinity;
    double sum = 0.0;
    for (const std::int32_t arc : best_arc_) chosen[arc] = 1, sum += scores[arc];
    return sum;
  }

  void fill_matrix(const Factor& f, std::span<const double> scores) {
    const auto size = static_cast<std::size_t>(words_of(f)) + 1;
    matrix_.assign(size * size, -kInfinity);
    for (std::int64_t arc = 0; arc < f.links; ++arc)
      matrix_[head_of(f, arc) * size + modifier_of(f, arc)] = scores[arc];
  }

  double chosen_score(const Factor& f, std::span<const double> scores,
                      std::span<std::uint8_t> chosen) const {
    double sum = 0.0;
    for (std::int64_t arc = 0; arc < f.links; ++arc) {
      chosen[arc] = heads_[modifier_of(f, arc) - 1] == head_of(f, arc) ? 1 : 0;
      if (chosen[arc] != 0) sum += scores[arc];
    }
    return sum;
  }

  std::vector<double> matrix_, marginals_;
  std::vector<trees::Head> heads_;
  std::vector<double> best_;
  std::vector<std::int32_t> best_arc_, mark_;
  ActiveSet active_set_;
  TreeProjection projection_;
  trees::ArborescenceWorkspace arborescence_;
  trees::SparseArborescence sparse_;
  std::vector<trees::SparseArborescence::Arc> arcs_;
  trees::EisnerWorkspace eisner_;
  trees::MatrixTreeWorkspace matrix_tree_;
  trees::InsideOutsideWorkspace inside_outside_;
};

}  // namespace

constinit const KindFunctions tree_kind = functions_of<Tree>();

}  // namespace turbotree::graphs
