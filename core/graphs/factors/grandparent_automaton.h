// GRANDPARENT_AUTOMATON: a head's own arc, one of G, and its modifiers 1..K on one side, outward.
//
// Extras: the (K+1) x (K+1) matrix of consecutive siblings (see sibling_chain.h); G x K scores of a
// modifier together with the head's arc; perhaps a matrix of consecutive siblings for each of the G
// arcs, added to the first. Shape: [G].
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factor.h"
#include "graphs/factors/sibling_chain.h"
#include "graphs/semiring.h"

namespace turbotree::graphs {

class GrandparentAutomaton {
 public:
  static const char* check(const Factor& factor);
  double value(const Factor& factor, const std::uint8_t* chosen);
  double maximise(const Factor& factor, const double* scores, std::uint8_t* chosen);
  double max_messages(const Factor& factor, const double* scores, double* messages);
  Sums sum_messages(const Factor& factor, const double* scores, double* messages);
  void expectations(const Factor& factor, const double* scores, double* expectations);

 private:
  // The matrix and the modifiers' values when the head's arc is the g-th.
  const double* matrix_for(const Factor& factor, std::int64_t g);
  const double* values_for(const Factor& factor, const double* scores, std::int64_t g);
  void fill_inside(const Factor& factor, const double* scores);
  template <class Total>
  double pass_messages(const Factor& factor, const double* scores, double* messages,
                       std::vector<Total>& with, std::vector<Total>& without);

  std::vector<double> matrix_, values_, before_, inside_, through_;
  std::vector<Maximum> with_maxima_, without_maxima_;
  std::vector<LogSum> with_sums_, without_sums_;
  std::vector<double> expected_;  // own score given the head's arc
  std::vector<double> messages_;
  SiblingChain chain_;
};

}  // namespace turbotree::graphs
