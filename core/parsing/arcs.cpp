#include "parsing/arcs.h"

#include <algorithm>
#include <cmath>

#include "common/interrupt.h"
#include "trees/check.h"
#include "trees/nonprojective/arborescence.h"
#include "trees/nonprojective/matrix_tree.h"
#include "trees/nonprojective/sparse_arborescence.h"
#include "trees/projective/eisner.h"
#include "trees/projective/inside_outside.h"

namespace turbotree::parsing {
namespace {

using trees::Status;

// One sentence's scores as the dense matrix that the tree algorithms take.
class DenseScores {
 public:
  trees::ScoreMatrix fill(const ArcBatch& batch, std::size_t sentence, const double* scores) {
    const int words = batch.lengths[sentence];
    const std::size_t size = static_cast<std::size_t>(words) + 1;
    matrix_.assign(size * size, trees::kNegativeInfinity);
    for (std::int32_t a = batch.offsets[sentence]; a < batch.offsets[sentence + 1]; ++a)
      matrix_[batch.arcs[2 * a] * size + batch.arcs[2 * a + 1]] = scores[a];
    return {matrix_.data(), static_cast<std::ptrdiff_t>(size), words};
  }

 private:
  std::vector<double> matrix_;
};

// Long sentences with few arcs are not written as matrices.
constexpr std::int64_t kSparseWords = 256, kSparseShare = 8;

bool is_sparse(const ArcBatch& batch, std::size_t sentence, TreeShape shape) {
  const std::int64_t words = batch.lengths[sentence];
  const std::int64_t arcs = batch.offsets[sentence + 1] - batch.offsets[sentence];
  return !shape.projective && words >= kSparseWords && arcs * kSparseShare <= words * words;
}

class SparseTreeFinder {
 public:
  Status find(const ArcBatch& batch, std::size_t sentence, const double* scores, bool single_root) {
    arcs_.clear();
    for (std::int32_t a = batch.offsets[sentence]; a < batch.offsets[sentence + 1]; ++a) {
      if (!(scores[a] < HUGE_VAL)) return Status::bad_score;
      arcs_.push_back({batch.arcs[2 * a], batch.arcs[2 * a + 1], scores[a]});
    }
    const int words = batch.lengths[sentence];
    chosen_.resize(static_cast<std::size_t>(words));
    heads_.resize(chosen_.size());
    const Status status = arborescence_.find(words, arcs_, single_root, chosen_.data());
    if (status != Status::ok) return status;
    for (std::size_t m = 0; m < heads_.size(); ++m) heads_[m] = arcs_[chosen_[m]].head;
    return status;
  }
  const std::vector<trees::Head>& heads() const { return heads_; }

 private:
  std::vector<trees::SparseArborescence::Arc> arcs_;
  std::vector<std::int32_t> chosen_;
  std::vector<trees::Head> heads_;
  trees::SparseArborescence arborescence_;
};

class TreeFinder {
 public:
  Status find(const trees::ScoreMatrix& scores, TreeShape shape) {
    heads_.resize(scores.words);
    if (!trees::scores_are_valid(scores, &where_)) return Status::bad_score;
    return shape.projective
               ? trees::maximum_projective_tree(scores, shape.single_root, heads_.data(), eisner_)
               : trees::maximum_arborescence(scores, shape.single_root, heads_.data(),
                                             arborescence_);
  }
  const std::vector<trees::Head>& heads() const { return heads_; }

 private:
  std::vector<trees::Head> heads_;
  trees::Arc where_{};
  trees::EisnerWorkspace eisner_;
  trees::ArborescenceWorkspace arborescence_;
};

class MarginalFinder {
 public:
  Status find(const trees::ScoreMatrix& scores, TreeShape shape) {
    const std::size_t size = static_cast<std::size_t>(scores.words) + 1;
    marginals_.resize(size * size);
    if (!trees::scores_are_valid(scores, &where_)) return Status::bad_score;
    return shape.projective
               ? trees::projective_marginals(scores, shape.single_root, marginals_.data(), &sums_,
                                             inside_outside_)
               : trees::matrix_tree_marginals(scores, shape.single_root, marginals_.data(), &sums_,
                                              matrix_tree_);
  }
  // Each word's heads by themselves: probabilities but for a factor that is the word's.
  void find_of_words(const trees::ScoreMatrix& scores) {
    const std::size_t size = static_cast<std::size_t>(scores.words) + 1;
    marginals_.assign(size * size, 0.0);
    for (int modifier = 1; modifier <= scores.words; ++modifier) {
      double best = trees::kNegativeInfinity;
      for (int head = 0; head <= scores.words; ++head)
        if (head != modifier) best = std::max(best, scores(head, modifier));
      for (int head = 0; head <= scores.words; ++head)
        if (head != modifier)
          marginals_[head * size + modifier] = std::exp(scores(head, modifier) - best);
    }
    count_work(10 * size * size);
  }

  const std::vector<double>& marginals() const { return marginals_; }
  double log_partition() const { return sums_.log_partition; }

 private:
  std::vector<double> marginals_;
  trees::TreeSums sums_;
  trees::Arc where_{};
  trees::InsideOutsideWorkspace inside_outside_;
  trees::MatrixTreeWorkspace matrix_tree_;
};

}  // namespace

bool valid(const ArcBatch& batch) {
  if (batch.offsets.size() != batch.lengths.size() + 1 || batch.offsets.front() != 0 ||
      !std::is_sorted(batch.offsets.begin(), batch.offsets.end()))
    return false;
  for (std::size_t s = 0; s < batch.lengths.size(); ++s) {
    if (batch.lengths[s] < 0) return false;
    for (std::int32_t a = batch.offsets[s]; a < batch.offsets[s + 1]; ++a) {
      const std::int32_t head = batch.arcs[2 * a], modifier = batch.arcs[2 * a + 1];
      if (head < 0 || head > batch.lengths[s] || modifier < 1 || modifier > batch.lengths[s] ||
          head == modifier)
        return false;
    }
  }
  return true;
}

ArcList all_arcs(std::span<const std::int32_t> lengths) {
  ArcList list;
  list.offsets.push_back(0);
  for (const std::int32_t length : lengths) {
    for (std::int32_t head = 0; head <= length; ++head) {
      count_work(2 * length);
      for (std::int32_t modifier = 1; modifier <= length; ++modifier)
        if (head != modifier) list.arcs.insert(list.arcs.end(), {head, modifier});
    }
    list.offsets.push_back(static_cast<std::int32_t>(list.arcs.size() / 2));
  }
  return list;
}

BatchStatus best_trees(const ArcBatch& batch, const double* scores, TreeShape shape,
                       std::int32_t* heads) {
  DenseScores dense;
  TreeFinder finder;
  SparseTreeFinder sparse;
  for (std::size_t s = 0; s < batch.lengths.size(); ++s) {
    const bool few = is_sparse(batch, s, shape);
    const Status status = few ? sparse.find(batch, s, scores, shape.single_root)
                              : finder.find(dense.fill(batch, s, scores), shape);
    if (status != Status::ok) return {status, s};
    const std::vector<trees::Head>& found = few ? sparse.heads() : finder.heads();
    heads = std::copy(found.begin(), found.end(), heads);
  }
  return {};
}

BatchStatus arc_marginals(const ArcBatch& batch, const double* scores, TreeShape shape,
                          double* probabilities, double* log_partitions) {
  DenseScores dense;
  MarginalFinder finder;
  for (std::size_t s = 0; s < batch.lengths.size(); ++s) {
    const Status status = finder.find(dense.fill(batch, s, scores), shape);
    if (status != Status::ok) return {status, s};
    const std::size_t size = static_cast<std::size_t>(batch.lengths[s]) + 1;
    for (std::int32_t a = batch.offsets[s]; a < batch.offsets[s + 1]; ++a)
      probabilities[a] = finder.marginals()[batch.arcs[2 * a] * size + batch.arcs[2 * a + 1]];
    log_partitions[s] = finder.log_partition();
  }
  return {};
}

BatchStatus prune(const ArcBatch& batch, const double* scores, TreeShape shape,
                  PruningOptions options, std::span<const std::int32_t> keep, ArcList& kept) {
  DenseScores dense;
  TreeFinder best;
  MarginalFinder finder;
  kept.arcs.clear();
  kept.offsets.assign(1, 0);
  std::size_t word = 0;  // index of the sentence's first word in `keep`
  std::vector<double> column;
  for (std::size_t s = 0; s < batch.lengths.size(); ++s) {
    const trees::ScoreMatrix matrix = dense.fill(batch, s, scores);
    Status status = best.find(matrix, shape);
    if (status == Status::ok) {
      if (options.probability == HeadProbability::of_words)
        finder.find_of_words(matrix);
      else
        status = finder.find(matrix, shape);
    }
    if (status != Status::ok) return {status, s};
    const int words = batch.lengths[s];
    const std::size_t size = static_cast<std::size_t>(words) + 1;
    const std::vector<double>& marginals = finder.marginals();
    for (int modifier = 1; modifier <= words; ++modifier) {
      column.clear();
      count_work(10 * words);
      for (int head = 0; head <= words; ++head) column.push_back(marginals[head * size + modifier]);
      std::sort(column.begin(), column.end(), std::greater<>());
      double least = options.threshold * column.front();
      // Of heads that tie for the last place, those farther to the left are taken.
      int ties = words + 1;
      if (static_cast<int>(column.size()) > options.max_heads &&
          column[options.max_heads - 1] >= least) {
        least = column[options.max_heads - 1];
        ties = static_cast<int>(std::find(column.begin(), column.end(), least) - column.begin());
        ties = options.max_heads - ties;
      }
      for (int head = 0; head <= words; ++head) {
        if (head == modifier || matrix(head, modifier) == trees::kNegativeInfinity) continue;
        const double probability = marginals[head * size + modifier];
        const bool likely =
            probability > least || (probability == least && probability > 0.0 && ties-- > 0);
        if (likely || best.heads()[modifier - 1] == head ||
            (!keep.empty() && keep[word + modifier - 1] == head))
          kept.arcs.insert(kept.arcs.end(), {head, modifier});
      }
    }
    kept.offsets.push_back(static_cast<std::int32_t>(kept.arcs.size() / 2));
    word += words;
  }
  return {};
}

}  // namespace turbotree::parsing
