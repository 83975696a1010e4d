// DENSE: a table of scores over a few variables of several values each.
//
// Links: the states of all variables, one variable after the other; exactly one state of each is
// chosen. Shape: the numbers of states, where 1 means a plain binary variable: one link, but two
// entries in the table, for 0 and 1. Extras: the table, the last variable's states side by side;
// -infinity forbids a combination.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factor.h"
#include "graphs/semiring.h"

namespace turbotree::graphs {

class Dense {
 public:
  static const char* check(const Factor& factor);
  double value(const Factor& factor, const std::uint8_t* chosen);
  double maximise(const Factor& factor, const double* scores, std::uint8_t* chosen);
  double max_messages(const Factor& factor, const double* scores, double* messages);
  Sums sum_messages(const Factor& factor, const double* scores, double* messages);
  void expectations(const Factor& factor, const double* scores, double* expectations);

 private:
  // Lays the scores out so that binary variables have two states like any others.
  void prepare(const Factor& factor, const double* scores);
  // Calls visit(entry) for each entry of the table, with states_ and before_ set for it.
  template <class Visitor>
  void for_each_entry(const Factor& factor, Visitor&& visit);
  template <class Total>
  double pass_messages(const Factor& factor, const double* scores, double* messages,
                       std::vector<Total>& totals);

  std::vector<std::int64_t> first_;   // of a variable's states; one more at the end
  std::vector<std::int64_t> states_;  // each variable's state in the entry at hand
  std::vector<double> scores_;        // one a state
  std::vector<double> before_;        // sum of the scores of the variables before this one
  std::vector<double> through_, others_;
  std::vector<Maximum> maxima_;
  std::vector<LogSum> sums_;
};

}  // namespace turbotree::graphs
