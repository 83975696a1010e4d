// CHAIN: one state of each node, with a score for each pair of neighbours' states.
//
// Links: the states of node 1, of node 2, ...; shape: the numbers of states; factor scores: the
// transitions between nodes 1 and 2 row by row, between nodes 2 and 3, ...; -infinity forbids one.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/vectorize.h"
#include "graphs/factor.h"
#include "graphs/kinds.h"
#include "graphs/numerics/semiring.h"

namespace turbotree::graphs {

namespace {

// next[t] = max over s of path[s] + transitions[s][t], with path = before + scores.
TURBOTREE_CLONES
void best_step(std::int64_t from, std::int64_t to, const double* before, const double* scores,
               const double* transitions, double* TURBOTREE_RESTRICT next) {
  std::fill(next, next + to, -kInfinity);
  for (std::int64_t s = 0; s < from; ++s) {
    const double path = before[s] + scores[s];
    const double* TURBOTREE_RESTRICT row = transitions + s * to;
    for (std::int64_t t = 0; t < to; ++t) {
      const double longer = path + row[t];
      next[t] = longer > next[t] ? longer : next[t];
    }
  }
}

class Chain {
 public:
  static const char* check(const Factor& factor) {
    if (factor.shape.empty()) return "a chain has at least one node";
    std::int64_t states = 0, transitions = 0, previous = 0;
    for (const std::int64_t size : factor.shape) {
      if (size < 1) return "a node of a chain has at least one state";
      states += size;
      transitions += previous * size;
      previous = size;
    }
    if (states != factor.links) return "a chain needs one variable per state";
    if (transitions != static_cast<std::int64_t>(factor.scores.size()))
      return "a chain needs a score for each pair of neighbours' states";
    return "";
  }

  double value(const Factor& factor, std::span<const std::uint8_t> chosen) {
    const double* transitions = factor.scores.data();
    double sum = 0.0;
    std::int64_t previous_size = 0, previous = 0;
    for (const std::int64_t size : factor.shape) {
      std::int64_t state = -1;
      for (std::int64_t s = 0; s < size; ++s) {
        if (chosen[s] == 0) continue;
        if (state >= 0) return -kInfinity;
        state = s;
      }
      if (state < 0) return -kInfinity;
      if (previous_size > 0) sum += transitions[previous * size + state];
      transitions += previous_size * size;
      previous_size = size, previous = state;
      chosen = chosen.subspan(size);
    }
    return sum;
  }

  double maximise(const Factor& factor, std::span<const double> scores,
                  std::span<std::uint8_t> chosen) {
    before_.resize(static_cast<std::size_t>(factor.links));
    std::fill(chosen.begin(), chosen.end(), std::uint8_t{0});
    std::fill_n(before_.begin(), factor.shape[0], 0.0);
    const double* transitions = factor.scores.data();
    std::int64_t node = 0;  // its first state
    for (std::size_t i = 0; i + 1 < factor.shape.size(); ++i) {
      const std::int64_t size = factor.shape[i], next_size = factor.shape[i + 1];
      best_step(size, next_size, before_.data() + node, scores.data() + node, transitions,
                before_.data() + node + size);
      transitions += size * next_size;
      node += size;
    }
    std::int64_t state = node;
    for (std::int64_t s = node + 1; s < factor.links; ++s)
      if (before_[s] + scores[s] > before_[state] + scores[state]) state = s;
    const double best = before_[state] + scores[state];
    if (best == -kInfinity) return best;
    chosen[state] = 1;
    // Back along the path: a state that gives the very number found above.
    for (std::size_t i = factor.shape.size(); i-- > 1;) {
      const std::int64_t size = factor.shape[i], previous_size = factor.shape[i - 1];
      const std::int64_t previous = node - previous_size;
      transitions -= previous_size * size;
      const double* column = transitions + (state - node);
      std::int64_t s = 0;
      while (s + 1 < previous_size &&
             before_[previous + s] + scores[previous + s] + column[s * size] != before_[state])
        ++s;
      node = previous;
      state = previous + s;
      chosen[state] = 1;
    }
    return best;
  }

  double max_messages(const Factor& factor, std::span<const double> scores,
                      std::span<double> messages) {
    return pass_messages<Maximum>(factor, scores, messages);
  }

  Sums sum_messages(const Factor& factor, std::span<const double> scores,
                    std::span<double> messages) {
    const double log_partition = pass_messages<LogSum>(factor, scores, messages);
    if (log_partition == -kInfinity) return {log_partition, 0.0};
    double expected = 0.0;
    for_each_row(factor, scores, log_partition, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t t = 0; t < count; ++t)
        if (terms_[t] > 0.0) expected += terms_[t] * factor.scores[first + t];
    });
    return {log_partition, expected};
  }

  void expectations(const Factor& factor, std::span<const double> scores,
                    std::span<double> expectations) {
    messages_.resize(static_cast<std::size_t>(factor.links));
    const double log_partition = pass_messages<LogSum>(factor, scores, messages_);
    if (log_partition == -kInfinity) {
      std::fill(expectations.begin(), expectations.end(), 0.0);
      return;
    }
    for_each_row(factor, scores, log_partition, [&](std::int64_t first, std::int64_t count) {
      std::copy_n(terms_.data(), count, expectations.begin() + first);
    });
  }

 private:
  // Fills before_, after_ and the messages; returns the total over all paths.
  template <class Total>
  double pass_messages(const Factor& factor, std::span<const double> scores,
                       std::span<double> messages) {
    const auto links = static_cast<std::size_t>(factor.links);
    before_.resize(links);
    after_.resize(links);
    through_.resize(links);
    terms_.resize(links);
    std::fill_n(before_.begin(), factor.shape.front(), 0.0);
    std::fill_n(after_.end() - factor.shape.back(), factor.shape.back(), 0.0);
    const double* transitions = factor.scores.data();
    std::int64_t node = 0;
    for (std::size_t i = 0; i + 1 < factor.shape.size(); ++i) {
      const std::int64_t size = factor.shape[i], next_size = factor.shape[i + 1];
      for (std::int64_t t = 0; t < next_size; ++t) {
        for (std::int64_t s = 0; s < size; ++s)
          terms_[s] = before_[node + s] + scores[node + s] + transitions[s * next_size + t];
        before_[node + size + t] = Total::of(std::span(terms_).first(size));
      }
      transitions += size * next_size;
      node += size;
    }
    double all = -kInfinity;
    for (std::size_t i = factor.shape.size(); i-- > 0;) {
      const std::int64_t size = factor.shape[i];
      for (std::int64_t s = node; s < node + size; ++s)
        through_[s - node] = before_[s] + scores[s] + after_[s];
      all = Total::of_others(std::span(through_).first(size), messages.subspan(node, size));
      for (std::int64_t s = node; s < node + size; ++s)
        messages[s] = log_odds(before_[s] + after_[s], messages[s]);
      if (i == 0) break;
      const std::int64_t previous_size = factor.shape[i - 1], previous = node - previous_size;
      transitions -= previous_size * size;
      for (std::int64_t s = 0; s < previous_size; ++s) {
        for (std::int64_t t = 0; t < size; ++t)
          terms_[t] = transitions[s * size + t] + scores[node + t] + after_[node + t];
        after_[previous + s] = Total::of(std::span(terms_).first(size));
      }
      node = previous;
    }
    return all;
  }

  // After it, calls visit(first, count) with the probabilities of `count` transitions in terms_,
  // those that leave one state; `first` is their place among the factor scores.
  template <class Visitor>
  void for_each_row(const Factor& factor, std::span<const double> scores, double log_partition,
                    Visitor&& visit) {
    const double* transitions = factor.scores.data();
    std::int64_t node = 0, first = 0;
    for (std::size_t i = 0; i + 1 < factor.shape.size(); ++i) {
      const std::int64_t size = factor.shape[i], next = node + size;
      const std::int64_t next_size = factor.shape[i + 1];
      for (std::int64_t s = node; s < next; ++s, first += next_size) {
        const double path = before_[s] + scores[s] - log_partition;
        for (std::int64_t t = 0; t < next_size; ++t)
          terms_[t] = path + transitions[first + t] + scores[next + t] + after_[next + t];
        exponentials(std::span(terms_).first(next_size));
        visit(first, next_size);
      }
      node = next;
    }
  }

  // Totals of the paths up to a state and from it on, both without the state's own score.
  std::vector<double> before_, after_;
  std::vector<double> through_, terms_, messages_;
};

}  // namespace

constinit const KindFunctions chain_kind = functions_of<Chain>();

}  // namespace turbotree::graphs
