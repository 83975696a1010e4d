// One form for what every solver finds, and one call for each solver.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "graphs/graph.h"
#include "graphs/solvers/admm/admm.h"
#include "graphs/solvers/belief_propagation/belief_propagation.h"
#include "graphs/solvers/branch_and_bound.h"
#include "graphs/solvers/control.h"
#include "graphs/solvers/subgradient.h"

namespace turbotree::graphs {

struct Answer {
  enum class Status : int { kOptimal = 0, kRelaxed = 1, kLimit = 2, kInfeasible = 3 };

  Status status = Status::kLimit;
  std::int64_t impossible_factor = -1;  // if one is to blame
  std::int64_t iterations = 0;          // or nodes
  double value = -kInfinity, upper_bound = kInfinity, seconds = 0.0;
  double tolerance = 0.0;  // values and bounds that differ by no more count as equal
  // What a solver did not find, or does not look for, is empty.
  std::optional<std::vector<std::uint8_t>> values;
  std::optional<std::vector<double>> relaxed;  // between 0 and 1
  std::optional<Trace> trace;

  // The best assignments, one after another, and their values, if several were asked for.
  std::optional<std::vector<std::uint8_t>> all_values;
  std::optional<std::vector<double>> all_scores;

  // Where ADMM stopped.
  std::optional<std::vector<double>> link_scores, consensus;
  double penalty = 0.0;

  // One for each of the factor scores, if asked for.
  std::optional<std::vector<double>> expectations;

  // Of sum-product.
  std::optional<std::vector<double>> probabilities;
  double log_partition = 0.0, entropy = 0.0;
  bool converged = false;
};

// Where ADMM may begin: what it left in an earlier answer.
struct AdmmStart {
  std::vector<double> link_scores, consensus;
  double penalty = 0.0;
};

// Each starts the clock of `control`, and all but sum-product work on presolved graphs.
Answer solve(const Graph& graph, const AdmmOptions& options, const std::optional<AdmmStart>& start,
             Control& control);
Answer solve(const Graph& graph, const BranchAndBoundOptions& options, Control& control);
Answer solve(const Graph& graph, const SubgradientOptions& options, Control& control);
Answer solve(const Graph& graph, const BeliefPropagationOptions& options, Control& control);

// A solver with its options.
using Solve = std::function<Answer(const Graph& graph, Control& control)>;

}  // namespace turbotree::graphs
