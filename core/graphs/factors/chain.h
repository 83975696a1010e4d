// CHAIN: one state of each node, with a score for each pair of neighbours' states.
//
// Links: the states of node 1, of node 2, ...; shape: the numbers of states; extras: the
// transitions between nodes 1 and 2 row by row, between nodes 2 and 3, ...; -infinity forbids one.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factor.h"

namespace turbotree::graphs {

class Chain {
 public:
  static const char* check(const Factor& factor);
  double value(const Factor& factor, const std::uint8_t* chosen);
  double maximise(const Factor& factor, const double* scores, std::uint8_t* chosen);
  double max_messages(const Factor& factor, const double* scores, double* messages);
  Sums sum_messages(const Factor& factor, const double* scores, double* messages);
  void expectations(const Factor& factor, const double* scores, double* expectations);

 private:
  // Fills before_, after_ and the messages; returns the total over all paths.
  template <class Total>
  double pass_messages(const Factor& factor, const double* scores, double* messages);
  // After it, calls visit(first, count) with the probabilities of `count` transitions in terms_,
  // those that leave one state; `first` is their place among the extras.
  template <class Visitor>
  void for_each_row(const Factor& factor, const double* scores, double log_partition,
                    Visitor&& visit);

  // Totals of the paths up to a state and from it on, both without the state's own score.
  std::vector<double> before_, after_;
  std::vector<double> through_, terms_, messages_;
};

}  // namespace turbotree::graphs
