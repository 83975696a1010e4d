// HEAD_AUTOMATON: arcs from one head to its modifiers 1..K on one side, outward, with a score for
// each two consecutive ones that are chosen (see sibling_chain.h); extras: the matrix.
#pragma once

#include <cstdint>

#include "graphs/factor.h"
#include "graphs/factors/sibling_chain.h"

namespace turbotree::graphs {

class HeadAutomaton {
 public:
  static const char* check(const Factor& factor);
  double value(const Factor& factor, const std::uint8_t* chosen);
  double maximise(const Factor& factor, const double* scores, std::uint8_t* chosen);
  double max_messages(const Factor& factor, const double* scores, double* messages);
  Sums sum_messages(const Factor& factor, const double* scores, double* messages);
  void expectations(const Factor& factor, const double* scores, double* expectations);

 private:
  template <class Total>
  double pass_messages(const Factor& factor, const double* scores, double* messages);

  SiblingChain chain_;
};

}  // namespace turbotree::graphs
