// GRANDPARENT_AUTOMATON: a head's own arc, one of G, and its modifiers 1..K on one side, outward.
//
// Factor scores: the (K+1) x (K+1) matrix of consecutive siblings (see sibling_chain.h); G x K
// scores of a modifier together with the head's arc; perhaps a matrix of consecutive siblings for
// each of the G arcs, added to the first. Shape: [G].
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "common/vectorize.h"
#include "graphs/factor.h"
#include "graphs/factors/sibling_chain.h"
#include "graphs/kinds.h"
#include "graphs/numerics/semiring.h"

namespace turbotree::graphs {

namespace {

std::int64_t arcs_of(const Factor& f) { return f.shape[0]; }
std::int64_t modifiers_of(const Factor& f) { return f.links - f.shape[0]; }
std::int64_t matrix_size(const Factor& f) { return (modifiers_of(f) + 1) * (modifiers_of(f) + 1); }

std::span<const double> matrix_of(const Factor& f) { return f.scores.first(matrix_size(f)); }
std::span<const double> grand_scores(const Factor& f, std::int64_t g) {
  return f.scores.subspan(matrix_size(f) + g * modifiers_of(f), modifiers_of(f));
}
bool has_grandsiblings(const Factor& f) {
  return static_cast<std::int64_t>(f.scores.size()) > matrix_size(f) + arcs_of(f) * modifiers_of(f);
}
std::span<const double> grandsiblings(const Factor& f, std::int64_t g) {
  const std::int64_t start = matrix_size(f) + arcs_of(f) * modifiers_of(f);
  return f.scores.subspan(start + g * matrix_size(f), matrix_size(f));
}

// The best chains of all arcs side by side: what they share, the matrix, is read once. Arrays are
// [modifier or stop][arc]; `before` as in sibling_chain.h.
TURBOTREE_CLONES
void best_forward_of_all(std::int64_t arcs, std::int64_t modifiers, const double* matrix,
                         const double* values, double* path, double* before) {
  const std::int64_t width = modifiers + 1;
  for (std::int64_t j = 0; j < width; ++j)
    std::fill(before + j * arcs, before + (j + 1) * arcs, matrix[j]);
  for (std::int64_t i = 1; i < width; ++i) {
    const std::int64_t last = (i - 1) * arcs;
    double* TURBOTREE_RESTRICT here = path;
    for (std::int64_t g = 0; g < arcs; ++g) here[g] = before[last + g] + values[last + g];
    for (std::int64_t j = i; j < width; ++j) {
      const double step = matrix[i * width + j];
      double* TURBOTREE_RESTRICT best = before + j * arcs;
      for (std::int64_t g = 0; g < arcs; ++g) {
        const double longer = here[g] + step;
        best[g] = longer > best[g] ? longer : best[g];
      }
    }
  }
}

class GrandparentAutomaton {
 public:
  static const char* check(const Factor& f) {
    if (f.shape.size() != 1 || f.shape[0] < 1 || f.shape[0] > f.links)
      return "the shape of a grandparent automaton is how many of its arcs lead into the head";
    const auto given = static_cast<std::int64_t>(f.scores.size());
    const std::int64_t least = matrix_size(f) + arcs_of(f) * modifiers_of(f);
    if (given != least && given != least + arcs_of(f) * matrix_size(f))
      return "a grandparent automaton needs scores of consecutive siblings, of grandparents, and "
             "perhaps of both together";
    return "";
  }

  double value(const Factor& f, std::span<const std::uint8_t> chosen) {
    const std::int64_t arcs = arcs_of(f), modifiers = modifiers_of(f);
    std::int64_t ones = 0, g = 0;
    for (std::int64_t i = 0; i < arcs; ++i)
      if (chosen[i] != 0) ++ones, g = i;
    if (ones != 1) return -kInfinity;
    chosen = chosen.subspan(arcs);
    double sum = SiblingChain::score(matrix_of(f), chosen);
    if (has_grandsiblings(f)) sum += SiblingChain::score(grandsiblings(f, g), chosen);
    const auto grand = grand_scores(f, g);
    for (std::int64_t k = 0; k < modifiers; ++k)
      if (chosen[k] != 0) sum += grand[k];
    return sum;
  }

  double maximise(const Factor& f, std::span<const double> scores, std::span<std::uint8_t> chosen) {
    const std::int64_t arcs = arcs_of(f);
    fill_inside(f, scores);
    double best = -kInfinity;
    std::int64_t where = 0;
    for (std::int64_t g = 0; g < arcs; ++g)
      if (scores[g] + inside_[g] > best) best = scores[g] + inside_[g], where = g;
    std::fill(chosen.begin(), chosen.end(), std::uint8_t{0});
    if (best == -kInfinity) return best;
    chosen[where] = 1;
    chain_.best(matrix_for(f, where), values_for(f, scores, where));
    chain_.trace(chosen.subspan(arcs));
    return best;
  }

  double max_messages(const Factor& f, std::span<const double> scores, std::span<double> messages) {
    return pass_messages(f, scores, messages, with_maxima_, without_maxima_);
  }

  Sums sum_messages(const Factor& f, std::span<const double> scores, std::span<double> messages) {
    const double log_partition = pass_messages(f, scores, messages, with_sums_, without_sums_);
    if (log_partition == -kInfinity) return {log_partition, 0.0};
    double expected = 0.0;
    for (std::int64_t g = 0; g < arcs_of(f); ++g)
      expected += std::exp(scores[g] + inside_[g] - log_partition) * expected_[g];
    return {log_partition, expected};
  }

  void expectations(const Factor& f, std::span<const double> scores,
                    std::span<double> expectations) {
    const std::int64_t arcs = arcs_of(f), modifiers = modifiers_of(f), size = matrix_size(f);
    std::fill(expectations.begin(), expectations.end(), 0.0);
    messages_.resize(static_cast<std::size_t>(f.links));
    const double log_partition = pass_messages(f, scores, messages_, with_sums_, without_sums_);
    if (log_partition == -kInfinity) return;
    double* grand = expectations.data() + size;
    const auto both = expectations.subspan(size + arcs * modifiers);
    for (std::int64_t g = 0; g < arcs; ++g, grand += modifiers) {
      const double weight = std::exp(scores[g] + inside_[g] - log_partition);
      if (weight == 0.0) continue;
      const auto values = values_for(f, scores, g);
      const double total = chain_.total<LogSum>(matrix_for(f, g), values);
      for (std::int64_t k = 0; k < modifiers; ++k)
        grand[k] = weight * std::exp(chain_.with()[k] + values[k] - total);
      if (!has_grandsiblings(f)) {
        chain_.add_steps(weight, expectations);
        continue;
      }
      const auto own = both.subspan(g * size, size);
      chain_.add_steps(weight, own);
      for (std::int64_t i = 0; i < size; ++i) expectations[i] += own[i];
    }
  }

 private:
  // The matrix and the modifiers' values when the head's arc is the g-th.
  std::span<const double> matrix_for(const Factor& f, std::int64_t g) {
    if (!has_grandsiblings(f)) return matrix_of(f);
    const auto more = grandsiblings(f, g);
    const std::int64_t size = matrix_size(f);
    matrix_.resize(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) matrix_[i] = f.scores[i] + more[i];
    return matrix_;
  }

  std::span<const double> values_for(const Factor& f, std::span<const double> scores,
                                     std::int64_t g) {
    const std::int64_t modifiers = modifiers_of(f);
    const auto grand = grand_scores(f, g);
    values_.resize(static_cast<std::size_t>(modifiers));
    for (std::int64_t k = 0; k < modifiers; ++k) values_[k] = scores[arcs_of(f) + k] + grand[k];
    return values_;
  }

  // The score of the best modifiers with each arc, in inside_.
  void fill_inside(const Factor& f, std::span<const double> scores) {
    const std::int64_t arcs = arcs_of(f), modifiers = modifiers_of(f);
    inside_.resize(static_cast<std::size_t>(arcs));
    if (has_grandsiblings(f)) {
      for (std::int64_t g = 0; g < arcs; ++g)
        inside_[g] = chain_.best(matrix_for(f, g), values_for(f, scores, g));
      return;
    }
    values_.resize(static_cast<std::size_t>(arcs * modifiers));
    before_.resize(static_cast<std::size_t>(arcs * (modifiers + 1)));
    for (std::int64_t g = 0; g < arcs; ++g) {
      const auto grand = grand_scores(f, g);
      for (std::int64_t k = 0; k < modifiers; ++k)
        values_[k * arcs + g] = scores[arcs + k] + grand[k];
    }
    best_forward_of_all(arcs, modifiers, f.scores.data(), values_.data(), inside_.data(),
                        before_.data());
    std::copy_n(before_.data() + arcs * modifiers, arcs, inside_.data());
  }

  template <class Total>
  double pass_messages(const Factor& f, std::span<const double> scores, std::span<double> messages,
                       std::vector<Total>& with, std::vector<Total>& without) {
    const std::int64_t arcs = arcs_of(f), modifiers = modifiers_of(f);
    inside_.resize(static_cast<std::size_t>(arcs));
    through_.resize(static_cast<std::size_t>(arcs));
    expected_.assign(static_cast<std::size_t>(arcs), 0.0);
    with.assign(static_cast<std::size_t>(modifiers), Total());
    without.assign(static_cast<std::size_t>(modifiers), Total());
    for (std::int64_t g = 0; g < arcs; ++g) {
      const auto values = values_for(f, scores, g);
      const auto grand = grand_scores(f, g);
      inside_[g] = chain_.total<Total>(matrix_for(f, g), values);
      through_[g] = scores[g] + inside_[g];
      for (std::int64_t k = 0; k < modifiers; ++k) {
        with[k].add(scores[g] + grand[k] + chain_.with()[k]);
        without[k].add(scores[g] + chain_.without()[k]);
      }
      if constexpr (std::is_same_v<Total, LogSum>) {
        if (inside_[g] == -kInfinity) continue;
        expected_[g] = chain_.expected_score();
        for (std::int64_t k = 0; k < modifiers; ++k)
          if (grand[k] > -kInfinity)
            expected_[g] += grand[k] * std::exp(chain_.with()[k] + values[k] - inside_[g]);
      }
    }
    const double all = Total::of_others(through_, messages.first(arcs));
    for (std::int64_t g = 0; g < arcs; ++g) messages[g] = log_odds(inside_[g], messages[g]);
    for (std::int64_t k = 0; k < modifiers; ++k)
      messages[arcs + k] = log_odds(with[k].total(), without[k].total());
    return all;
  }

  std::vector<double> matrix_, values_, before_, inside_, through_;
  std::vector<Maximum> with_maxima_, without_maxima_;
  std::vector<LogSum> with_sums_, without_sums_;
  std::vector<double> expected_;  // the expected factor score given the head's arc
  std::vector<double> messages_;
  SiblingChain chain_;
};

}  // namespace

constinit const KindFunctions grandparent_automaton_kind = functions_of<GrandparentAutomaton>();

}  // namespace turbotree::graphs
