// DENSE: a table of scores over a few variables of several values each.
//
// Links: the states of all variables, one variable after the other; exactly one state of each is
// chosen. Shape: the numbers of states, where 1 means a plain binary variable: one link, but two
// entries in the table, for 0 and 1. Factor scores: the table, the last variable's states side by
// side; -infinity forbids a combination.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "graphs/factor.h"
#include "graphs/kinds.h"
#include "graphs/numerics/semiring.h"

namespace turbotree::graphs {

namespace {

std::int64_t states_of(std::int32_t size) { return size == 1 ? 2 : size; }

class Dense {
 public:
  static const char* check(const Factor& factor) {
    if (factor.shape.empty()) return "a table has at least one variable";
    const auto given = static_cast<std::int64_t>(factor.scores.size());
    std::int64_t links = 0, entries = 1;
    for (const std::int32_t size : factor.shape) {
      if (size < 1) return "a variable of a table has at least one state";
      links += size;
      // Stops before the product can overflow.
      if (entries > given) return "a table needs one score for each combination of states";
      entries *= states_of(size);
    }
    if (links != factor.links) return "a table needs one variable per state";
    if (entries != given) return "a table needs one score for each combination of states";
    return "";
  }

  double value(const Factor& factor, std::span<const std::uint8_t> chosen) {
    std::int64_t entry = 0;
    for (const std::int32_t size : factor.shape) {
      std::int64_t ones = 0, state = 0;
      for (std::int32_t s = 0; s < size; ++s)
        if (chosen[s] != 0) ++ones, state = s;
      if (size == 1) {
        state = ones;
      } else if (ones != 1) {
        return -kInfinity;
      }
      entry = entry * states_of(size) + state;
      chosen = chosen.subspan(size);
    }
    return factor.scores[entry];
  }

  double maximise(const Factor& factor, std::span<const double> scores,
                  std::span<std::uint8_t> chosen) {
    prepare(factor, scores);
    const double* last = scores_.data() + first_[factor.shape.size() - 1];
    double best = -kInfinity;
    std::int64_t where = 0;
    for_each_entry(factor, [&](std::int64_t entry) {
      const double total = before_.back() + last[states_.back()] + factor.scores[entry];
      if (total > best) best = total, where = entry;
    });
    std::fill(chosen.begin(), chosen.end(), std::uint8_t{0});
    if (best == -kInfinity) return best;
    std::uint8_t* end = chosen.data() + chosen.size();
    for (std::size_t i = factor.shape.size(); i-- > 0;) {
      const std::int64_t states = states_of(factor.shape[i]), state = where % states;
      where /= states;
      end -= factor.shape[i];
      if (factor.shape[i] == 1)
        *end = static_cast<std::uint8_t>(state);
      else
        end[state] = 1;
    }
    return best;
  }

  double max_messages(const Factor& factor, std::span<const double> scores,
                      std::span<double> messages) {
    return pass_messages(factor, scores, messages, maxima_);
  }

  Sums sum_messages(const Factor& factor, std::span<const double> scores,
                    std::span<double> messages) {
    const double log_partition = pass_messages(factor, scores, messages, sums_);
    if (log_partition == -kInfinity) return {log_partition, 0.0};
    const double* last = scores_.data() + first_[factor.shape.size() - 1];
    double expected = 0.0;
    for_each_entry(factor, [&](std::int64_t entry) {
      const double score = factor.scores[entry];
      if (score > -kInfinity)
        expected += score * std::exp(before_.back() + last[states_.back()] + score - log_partition);
    });
    return {log_partition, expected};
  }

  void expectations(const Factor& factor, std::span<const double> scores,
                    std::span<double> expectations) {
    prepare(factor, scores);
    const double* last = scores_.data() + first_[factor.shape.size() - 1];
    double top = -kInfinity;
    for_each_entry(factor, [&](std::int64_t entry) {
      expectations[entry] = before_.back() + last[states_.back()] + factor.scores[entry];
      top = std::max(top, expectations[entry]);
    });
    const auto entries = static_cast<std::int64_t>(factor.scores.size());
    if (top == -kInfinity) {
      std::fill(expectations.begin(), expectations.end(), 0.0);
      return;
    }
    for (std::int64_t e = 0; e < entries; ++e) expectations[e] -= top;
    const double sum = exponentials(expectations);
    for (std::int64_t e = 0; e < entries; ++e) expectations[e] /= sum;
  }

 private:
  // Lays the scores out so that binary variables have two states like any others.
  void prepare(const Factor& factor, std::span<const double> scores) {
    const std::size_t variables = factor.shape.size();
    first_.resize(variables + 1);
    states_.assign(variables, 0);
    before_.resize(variables);
    first_[0] = 0;
    for (std::size_t i = 0; i < variables; ++i)
      first_[i + 1] = first_[i] + states_of(factor.shape[i]);
    scores_.resize(static_cast<std::size_t>(first_[variables]));
    for (std::size_t i = 0; i < variables; ++i) {
      double* at = scores_.data() + first_[i];
      if (factor.shape[i] == 1) *at++ = 0.0;
      std::copy_n(scores.begin(), factor.shape[i], at);
      scores = scores.subspan(factor.shape[i]);
    }
  }

  // Calls visit(entry) for each entry of the table, with states_ and before_ set for it.
  template <class Visitor>
  void for_each_entry(const Factor& factor, Visitor&& visit) {
    const std::size_t variables = factor.shape.size();
    const std::int64_t row = states_of(factor.shape.back());
    const auto entries = static_cast<std::int64_t>(factor.scores.size());
    std::fill(states_.begin(), states_.end(), std::int64_t{0});
    std::size_t changed = 0;  // the first variable whose state is another than for the last row
    for (std::int64_t entry = 0; entry < entries; entry += row) {
      if (changed == 0) before_[0] = 0.0;
      for (std::size_t i = changed; i + 1 < variables; ++i)
        before_[i + 1] = before_[i] + scores_[first_[i] + states_[i]];
      for (std::int64_t s = 0; s < row; ++s) {
        states_.back() = s;
        visit(entry + s);
      }
      for (changed = variables - 1; changed-- > 0;) {
        if (++states_[changed] < first_[changed + 1] - first_[changed]) break;
        states_[changed] = 0;
      }
    }
  }

  template <class Total>
  double pass_messages(const Factor& factor, std::span<const double> scores,
                       std::span<double> messages, std::vector<Total>& totals) {
    prepare(factor, scores);
    const std::size_t variables = factor.shape.size();
    totals.assign(scores_.size(), Total());
    // To each state of an entry: the entry's score with all states' scores but its own.
    for_each_entry(factor, [&](std::int64_t entry) {
      double after = factor.scores[entry];
      for (std::size_t i = variables; i-- > 0;) {
        const std::int64_t state = first_[i] + states_[i];
        totals[state].add(before_[i] + after);
        after += scores_[state];
      }
    });
    through_.resize(scores_.size());
    others_.resize(scores_.size());
    auto message = messages.begin();
    for (std::size_t i = 0; i < variables; ++i) {
      const std::int64_t size = factor.shape[i];
      const Total* own = totals.data() + first_[i];
      if (size == 1) {
        *message++ = log_odds(own[1].total(), own[0].total());
        continue;
      }
      for (std::int64_t s = 0; s < size; ++s) through_[s] = own[s].total() + scores_[first_[i] + s];
      Total::of_others(std::span(through_).first(size), std::span(others_).first(size));
      for (std::int64_t s = 0; s < size; ++s) *message++ = log_odds(own[s].total(), others_[s]);
    }
    Total sum;  // over the states of the first variable
    for (std::int64_t s = 0; s < first_[1]; ++s) sum.add(totals[s].total() + scores_[s]);
    return sum.total();
  }

  std::vector<std::int64_t> first_;   // of a variable's states; one more at the end
  std::vector<std::int64_t> states_;  // each variable's state in the entry at hand
  std::vector<double> scores_;        // one per state
  std::vector<double> before_;        // sum of the scores of the variables before this one
  std::vector<double> through_, others_;
  std::vector<Maximum> maxima_;
  std::vector<LogSum> sums_;
};

}  // namespace

constinit const KindFunctions dense_kind = functions_of<Dense>();

}  // namespace turbotree::graphs
