// TRIPLE_AUTOMATON: arcs from one head to its modifiers 1..K on one side, outward, with a score for
// each three consecutive ones that are chosen. Start and stop count as modifiers 0 and K + 1.
//
// Any subset may be chosen. Factor scores: a cube of K x K x K; cell [i][j][k] is the score of i, j
// + 1 and k + 2 in a row. Only i <= j <= k means anything, and a subset of none has no triple: it
// scores 0.
//
// A subset is a path over *steps*: step [r][c] goes from r straight to c + 1, and c = K is the
// stop. Cell [i][j][k] joins step [i][j] to step [j + 1][k + 1]. Matrices over steps have K + 1
// rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "common/vectorize.h"
#include "graphs/factor.h"
#include "graphs/kinds.h"
#include "graphs/numerics/semiring.h"

namespace turbotree::graphs {

namespace {

// All inner loops run along memory, over the third modifier, and have no result to wait for.

TURBOTREE_CLONES
void best_forward_in_threes(std::int64_t modifiers, const double* cube, const double* values,
                            double* before) {
  const std::int64_t width = modifiers + 1;
  std::fill(before, before + width, 0.0);
  for (std::int64_t j = 0; j < modifiers; ++j) {
    double* TURBOTREE_RESTRICT next = before + (j + 1) * width + 1;
    const double* TURBOTREE_RESTRICT first = cube + j * modifiers;
    for (std::int64_t k = j; k < modifiers; ++k) next[k] = values[j] + first[k];
    for (std::int64_t i = 1; i <= j; ++i) {
      const double path = before[i * width + j] + values[j];
      const double* TURBOTREE_RESTRICT row = cube + (i * modifiers + j) * modifiers;
      for (std::int64_t k = j; k < modifiers; ++k) {
        const double longer = path + row[k];
        next[k] = longer > next[k] ? longer : next[k];
      }
    }
  }
}

// The probabilities of all steps from those of the first ones; writes the expected score of each
// third modifier.
TURBOTREE_CLONES
void walk(std::int64_t modifiers, const double* cube, const double* chances, double* steps,
          double* TURBOTREE_RESTRICT expected) {
  const std::int64_t width = modifiers + 1;
  std::fill(steps + width, steps + width * width, 0.0);
  std::fill(expected, expected + modifiers, 0.0);
  for (std::int64_t i = 0; i < modifiers; ++i)
    for (std::int64_t j = i; j < modifiers; ++j) {
      const double step = steps[i * width + j];
      const double* TURBOTREE_RESTRICT chance = chances + (i * modifiers + j) * modifiers;
      const double* TURBOTREE_RESTRICT score = cube + (i * modifiers + j) * modifiers;
      double* TURBOTREE_RESTRICT next = steps + (j + 1) * width + 1;
      for (std::int64_t k = j; k < modifiers; ++k) {
        const double both = step * chance[k];
        next[k] += both;
        expected[k] += both > 0.0 ? both * score[k] : 0.0;  // the score may be -infinity
      }
    }
}

class TripleAutomaton {
 public:
  static const char* check(const Factor& factor) {
    const auto side = static_cast<std::size_t>(factor.links);
    return factor.scores.size() == side * side * side
               ? ""
               : "the scores of three consecutive siblings are a cube, its sides as long as arcs";
  }

  double value(const Factor& factor, std::span<const std::uint8_t> chosen) {
    const std::int64_t modifiers = factor.links;
    const double* row = nullptr;  // of the two modifiers last seen
    std::int64_t last = 0;
    double sum = 0.0;
    for (std::int64_t k = 0; k < modifiers; ++k) {
      if (chosen[k] == 0) continue;
      if (row != nullptr) sum += row[k - 1];
      row = factor.scores.data() + (last * modifiers + k) * modifiers;
      last = k + 1;
    }
    return row == nullptr ? 0.0 : sum + row[modifiers - 1];
  }

  double maximise(const Factor& factor, std::span<const double> scores,
                  std::span<std::uint8_t> chosen) {
    read(factor, scores);
    before_.resize(static_cast<std::size_t>(width_ * width_));
    best_forward_in_threes(modifiers_, cube_, values_, before_.data());
    std::int64_t r = 0, c = modifiers_;
    for (std::int64_t i = 1; i < width_; ++i)
      if (before_[i * width_ + c] > before_[r * width_ + c]) r = i;
    const double best = before_[r * width_ + c];
    std::fill(chosen.begin(), chosen.end(), std::uint8_t{0});
    // Back from the stop: the step before that gives the very number found on the way there.
    while (r > 0) {
      const std::int64_t j = r - 1;
      const double reached = before_[r * width_ + c];
      std::int64_t i = 0;
      while (i < j && before_[i * width_ + j] + values_[j] + row(i, j)[c - 1] != reached) ++i;
      chosen[j] = 1;
      c = j, r = i;
    }
    return best;
  }

  double max_messages(const Factor& factor, std::span<const double> scores,
                      std::span<double> messages) {
    read(factor, scores);
    fill_before<Maximum>();
    fill_after<Maximum>();
    messages_from_totals<Maximum>(messages);
    return Maximum::of(std::span(rest_).first(width_));
  }

  Sums sum_messages(const Factor& factor, std::span<const double> scores,
                    std::span<double> messages) {
    read(factor, scores);
    fill_after<LogSum>();
    const double log_partition = fill_probabilities();
    double expected = 0.0;
    for (std::int64_t k = 0; k < modifiers_; ++k) expected += terms_[k];
    if (!messages_from_probabilities(messages)) {
      fill_before<LogSum>();
      messages_from_totals<LogSum>(messages);
    }
    return {log_partition, expected};
  }

  void expectations(const Factor& factor, std::span<const double> scores,
                    std::span<double> expectations) {
    read(factor, scores);
    fill_after<LogSum>();
    fill_probabilities();
    std::fill(expectations.begin(), expectations.end(), 0.0);
    for (std::int64_t i = 0; i < modifiers_; ++i)
      for (std::int64_t j = i; j < modifiers_; ++j) {
        const double step = steps_[i * width_ + j];
        const std::int64_t first = (i * modifiers_ + j) * modifiers_;
        for (std::int64_t k = first + j; k < first + modifiers_; ++k)
          expectations[k] = step * chances_[k];
      }
  }

 private:
  void read(const Factor& factor, std::span<const double> scores) {
    modifiers_ = factor.links, width_ = factor.links + 1;
    cube_ = factor.scores.data(), values_ = scores.data();
  }

  const double* row(std::int64_t i, std::int64_t j) const {
    return cube_ + (i * modifiers_ + j) * modifiers_;
  }

  template <class Total>
  void fill_before() {
    before_.resize(static_cast<std::size_t>(width_ * width_));
    if constexpr (std::is_same_v<Total, Maximum>) {
      best_forward_in_threes(modifiers_, cube_, values_, before_.data());
    } else {
      terms_.resize(static_cast<std::size_t>(width_));
      std::fill_n(before_.data(), width_, 0.0);
      for (std::int64_t j = 0; j < modifiers_; ++j)
        for (std::int64_t k = j; k < modifiers_; ++k) {
          for (std::int64_t i = 0; i <= j; ++i)
            terms_[i] = before_[i * width_ + j] + values_[j] + row(i, j)[k];
          before_[(j + 1) * width_ + k + 1] = Total::of(std::span(terms_).first(j + 1));
        }
    }
  }

  // For sums also the chances of the cells.
  template <class Total>
  void fill_after() {
    const auto steps = static_cast<std::size_t>(width_ * width_);
    after_.resize(steps);
    rest_.resize(steps);
    terms_.resize(static_cast<std::size_t>(width_));
    if constexpr (std::is_same_v<Total, LogSum>)
      chances_.resize(static_cast<std::size_t>(modifiers_ * modifiers_ * modifiers_));
    for (std::int64_t r = modifiers_; r >= 0; --r) {
      rest_[r * width_ + modifiers_] = 0.0;
      for (std::int64_t c = r; c < modifiers_; ++c) {
        const std::int64_t count = modifiers_ - c;
        const double* scores = row(r, c) + c;
        const double* rest = rest_.data() + (c + 1) * width_ + c + 1;
        std::span<double> terms = std::span(terms_).first(count);
        if constexpr (std::is_same_v<Total, LogSum>)
          terms = std::span(chances_).subspan((r * modifiers_ + c) * modifiers_ + c, count);
        for (std::int64_t k = 0; k < count; ++k) terms[k] = scores[k] + rest[k];
        double total = Maximum::of(terms);
        if constexpr (std::is_same_v<Total, LogSum>) {
          const double top = total == -kInfinity ? 0.0 : total;
          for (std::int64_t k = 0; k < count; ++k) terms[k] -= top;
          const double sum = exponentials(terms);
          const double scale = sum > 0.0 ? 1.0 / sum : 0.0;
          for (std::int64_t k = 0; k < count; ++k) terms[k] *= scale;
          if (total > -kInfinity) total += std::log(sum);
        }
        after_[r * width_ + c] = total;
        rest_[r * width_ + c] = values_[c] + total;
      }
    }
  }

  // The message of a modifier: the total over paths through it, without its value, against the
  // total over paths with a step past it.
  template <class Total>
  void messages_from_totals(std::span<double> messages) {
    without_.resize(static_cast<std::size_t>(width_ * width_));  // [r][k]: one step, from r past k
    for (std::int64_t r = 0; r < width_; ++r) {
      Total past;
      for (std::int64_t c = modifiers_; c >= r; --c) {
        without_[r * width_ + c] = past.total();
        past.add(before_[r * width_ + c] + rest_[r * width_ + c]);
      }
    }
    for (std::int64_t k = 0; k < modifiers_; ++k) {
      for (std::int64_t r = 0; r <= k; ++r)
        terms_[r] = before_[r * width_ + k] + after_[r * width_ + k];
      const double with = Total::of(std::span(terms_).first(k + 1));
      for (std::int64_t r = 0; r <= k; ++r) terms_[r] = without_[r * width_ + k];
      messages[k] = log_odds(with, Total::of(std::span(terms_).first(k + 1)));
    }
  }

  // After fill_after<LogSum>: the probabilities of all steps, and in terms_ the expected score of
  // each third modifier; returns the log partition.
  double fill_probabilities() {
    steps_.resize(static_cast<std::size_t>(width_ * width_));
    std::copy_n(rest_.data(), width_, terms_.data());
    const double log_partition = LogSum::of(std::span(terms_).first(width_));
    for (std::int64_t c = 0; c < width_; ++c) steps_[c] = rest_[c] - log_partition;
    exponentials(std::span(steps_).first(width_));
    walk(modifiers_, cube_, chances_.data(), steps_.data(), terms_.data());
    return log_partition;
  }

  // By probabilities a message needs two logarithms only. False if one of the values is so certain
  // that the other is lost in rounding.
  bool messages_from_probabilities(std::span<double> messages) {
    constexpr double kSmallest = 1e-250;
    without_.resize(static_cast<std::size_t>(width_));
    std::fill(without_.begin(), without_.end(), 0.0);
    std::fill(messages.begin(), messages.end(), 0.0);
    for (std::int64_t r = 0; r < width_; ++r) {
      double past = steps_[r * width_ + modifiers_];
      for (std::int64_t c = modifiers_ - 1; c >= r; --c) {
        without_[c] += past;
        messages[c] += steps_[r * width_ + c];
        past += steps_[r * width_ + c];
      }
    }
    for (std::int64_t k = 0; k < modifiers_; ++k)
      if (messages[k] < kSmallest || without_[k] < kSmallest) return false;
    for (std::int64_t k = 0; k < modifiers_; ++k)
      messages[k] = std::log(messages[k]) - std::log(without_[k]) - values_[k];
    return true;
  }

  std::int64_t modifiers_ = 0, width_ = 1;
  const double* cube_ = nullptr;
  const double* values_ = nullptr;
  // Of each step: the total up to it, without the value of where it leads; the total from there on,
  // without that value (after_) and with it (rest_); its probability.
  std::vector<double> before_, after_, rest_, steps_;
  std::vector<double> chances_;  // of each cell, given its first step
  std::vector<double> terms_;
  std::vector<double> without_;
};

}  // namespace

constinit const KindFunctions triple_automaton_kind = functions_of<TripleAutomaton>();

}  // namespace turbotree::graphs
