// Belief propagation: sum-product and max-product in the log domain.
//
// A message is the log odds that a factor adds to one of its links, seen by the factor (a negated
// link's message speaks for "not v"). A variable's belief is its score and all its messages; what
// it tells a factor is its belief without that factor's message.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graphs/factors.h"
#include "graphs/solvers/assignments.h"
#include "graphs/solvers/control.h"

namespace turbotree::graphs {

enum class Schedule : int {
  kFlooding = 0,    // all factors at once
  kSequential = 1,  // one after the other, to and fro
  kResidual = 2,    // always the factor whose messages would change most (Elidan et al. 2006)
};

struct BeliefPropagationOptions {
  bool sums = true;  // sum-product; otherwise max-product
  Schedule schedule = Schedule::kFlooding;
  std::int64_t max_iterations = 200;
  double tolerance = 1e-8;    // largest change of a message
  double damping = 0.0;       // share of the old message kept
  bool expectations = false;  // of the factor scores, for sums
};

struct BeliefPropagationResult {
  std::int64_t impossible_factor = -1;  // one that cannot be satisfied, if the graph is infeasible
  bool converged = false;
  std::int64_t iterations = 0;
  std::vector<double> probabilities;  // for sums
  double log_partition = 0.0, entropy = 0.0;
  std::vector<double> expectations;  // of all blocks' factor scores, if asked for
  std::vector<std::uint8_t> values;  // for maxima; empty if no allowed assignment was found
  double value = -kInfinity, upper_bound = kInfinity;
  Trace trace;
};

class BeliefPropagation {
 public:
  explicit BeliefPropagation(const Graph& graph);
  BeliefPropagationResult run(const BeliefPropagationOptions& options, Control& control);

 private:
  void reset();
  void add_up_beliefs();
  void tell(std::int64_t first, std::int64_t last);  // what variables tell factors, by links
  void compute(std::int64_t f);                      // the messages of a factor, into fresh_
  // The fresh message of a link; in the header, since every schedule asks for it at every link.
  double clamped(std::int64_t link) const {
    if (pins_[links_.variable[link]] >= 0) return 0.0;
    const double message = fresh_[link];
    // A factor without any allowed assignment may answer anything; the summary finds it.
    return message == message ? std::clamp(message, -limit_, limit_) : 0.0;
  }
  double change_of(std::int64_t f) const;

  // One iteration each; the largest change of a message.
  double flood(Control& control);
  double flood_pairs(std::int64_t block, Control& control);
  double sweep(bool forwards, Control& control);
  double follow_residuals(Control& control);

  void take(std::int64_t f);  // the fresh messages become the factor's messages
  void refresh(std::int64_t f);
  void start_residuals();
  void sift(std::int64_t place);

  void summarise_sums(BeliefPropagationResult& result);
  void summarise_maxima(BeliefPropagationResult& result);
  bool suspicious(std::int64_t f, double value) const;

  const Graph& graph_;
  Factors factors_;
  const Links& links_;
  const Incidence& incidence_;
  std::vector<Pin> pins_;
  double push_, limit_;  // on fixed variables; of messages
  Assignments assignments_;
  BeliefPropagationOptions options_;

  std::vector<double> beliefs_, next_beliefs_;
  std::vector<double> messages_, told_, fresh_, shares_;
  std::vector<std::uint8_t> candidate_;
  bool suspicion_ = false;  // some factor finds no likely assignment

  std::vector<std::int32_t> heap_, place_, touched_;  // of factors by pending change
  std::vector<double> pending_;
  std::vector<std::uint8_t> is_touched_;
};

}  // namespace turbotree::graphs
