// TRIPLE_AUTOMATON: arcs from one head to its modifiers 1..K on one side, outward, with a score for
// each three consecutive ones that are chosen. Start and stop count as modifiers 0 and K + 1.
//
// Any subset may be chosen. Extras: a cube of K x K x K; cell [i][j][k] is the score of i, j + 1
// and k + 2 in a row. Only i <= j <= k means anything, and a subset of none has no triple: it
// scores 0.
//
// A subset is a path over *steps*: step [r][c] goes from r straight to c + 1, and c = K is the
// stop. Cell [i][j][k] joins step [i][j] to step [j + 1][k + 1]. Matrices over steps have K + 1
// rows.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factor.h"

namespace turbotree::graphs {

class TripleAutomaton {
 public:
  static const char* check(const Factor& factor);
  double value(const Factor& factor, const std::uint8_t* chosen);
  double maximise(const Factor& factor, const double* scores, std::uint8_t* chosen);
  double max_messages(const Factor& factor, const double* scores, double* messages);
  Sums sum_messages(const Factor& factor, const double* scores, double* messages);
  void expectations(const Factor& factor, const double* scores, double* expectations);

 private:
  void read(const Factor& factor, const double* scores);
  const double* row(std::int64_t i, std::int64_t j) const {
    return cube_ + (i * modifiers_ + j) * modifiers_;
  }
  template <class Total>
  void fill_before();
  template <class Total>
  void fill_after();
  template <class Total>
  void messages_from_totals(double* messages);
  double fill_probabilities();
  bool messages_from_probabilities(double* messages);

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

}  // namespace turbotree::graphs
