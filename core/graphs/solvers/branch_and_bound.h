// The best assignment with a proof, or the k best: best-first search with ADMM's bounds.
//
// Where the first relaxation leaves a gap, a search of a cost function network takes turns with
// this one (cost_network/): its bounds are weaker, but its nodes are faster by far. Whichever is
// first has the proof.
//
// For several assignments, a node in which one was found is divided as by Lawler: any other one
// differs first in the i-th of the variables that are true in it, for some i, so that each child
// keeps those before and gives up the i-th. What the parent's dual scores say of a variable bounds
// the child, and most children are closed by that without being solved.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "graphs/solvers/admm/admm.h"
#include "graphs/solvers/cost_network/network_search.h"

namespace turbotree::graphs {

struct BranchAndBoundOptions {
  std::int64_t max_nodes = 1000000;
  double relative_gap = 1e-6;
  // How many assignments to find; they differ in their first `keys` variables, all if negative.
  std::int64_t count = 1;
  std::int64_t keys = -1;
  // No assignment's true keys are among those of another one, as if all had the same number.
  bool same_size = false;
  // Assignments that are not above this need not be found.
  double floor = -kInfinity;
  // How hard to try at each node: a bound that is nearly the relaxation's is enough.
  AdmmOptions relaxation{.residual_threshold = 1e-4};
};

struct BranchAndBoundResult {
  Outcome outcome = Outcome::kLimit;  // kOptimal, kLimit or kInfeasible
  std::int64_t impossible_factor = -1;
  std::int64_t nodes = 0;   // relaxations solved, and what the search of a network took
  std::int64_t rounds = 0;  // of ADMM, in all of them
  double value = -kInfinity;
  double upper_bound = kInfinity;
  std::vector<std::uint8_t> values;
  // The solution of the first relaxation, and where that stopped.
  std::vector<double> relaxed, link_scores;
  double penalty = 0.0;
  // All that were asked for, best first; one is the values of all variables.
  struct Found {
    double value;
    std::vector<std::uint8_t> values;
  };
  std::vector<Found> found;
  Trace trace;  // one row per node
};

class BranchAndBound {
 public:
  BranchAndBound(const Graph& graph, const BranchAndBoundOptions& options, Control& control);

  BranchAndBoundResult run();

  // What the scores of links say of each variable alone: a bound on all assignments, and how much
  // less it is of those in which the variable is 1, or 0.
  struct Losses {
    double bound;
    std::vector<double> if_one, if_zero;
  };
  Losses losses(std::span<const double> link_scores);

 private:
  // Where the relaxation of a node stopped; its children go on from there.
  struct State {
    std::vector<double> link_scores, consensus;
    double penalty;
  };
  struct Node {
    double bound;
    std::int64_t number;  // later ones first among equals, so that the search dives
    std::vector<Pin> pins;
    std::shared_ptr<const State> start;

    bool operator<(const Node& other) const {
      return bound != other.bound ? bound < other.bound : number < other.number;
    }
  };

  void solve(const Node& node);
  void branch(std::vector<Pin> pins, double bound);
  // Divides a node by an assignment of it, which is omitted.
  void divide(std::vector<Pin> pins, double bound, const std::vector<std::uint8_t>& values);
  // Finds the losses of variables that are not fixed; returns the bound.
  double find_losses(const std::vector<Pin>& pins);
  // Fixes variables of which one value cannot beat the best assignment so far. Returns the bound
  // that the present scores of the links give.
  double fix_variables(std::vector<Pin>& pins);
  std::int64_t choose_variable(const std::vector<Pin>& pins) const;
  void take(double value, const std::vector<std::uint8_t>& values);
  bool wants_several() const { return options_.count > 1; }
  std::size_t keys() const {
    return options_.keys < 0 ? graph_.scores.size() : static_cast<std::size_t>(options_.keys);
  }
  // A bound that does not exceed this cannot hide a better assignment.
  double cutoff() const;
  // The same for one assignment, of this value.
  double cutoff_of(double value) const;
  // Turns the graph into a network if that can be done.
  void start_network();
  // Whether it is the network's turn.
  bool is_turn_of_network() const;
  // Searches the network for a while; whether that gave a proof.
  bool search_network();
  // A row per node; what is new of the last one replaces its row.
  void add_to_trace(double bound, double free);

  const Graph& graph_;
  BranchAndBoundOptions options_;
  Control& control_;
  Admm admm_;
  std::priority_queue<Node> open_;
  bool may_have_network_ = false;  // and it is not known yet
  std::optional<CostNetwork> network_;
  std::optional<NetworkSearch> network_search_;
  std::int64_t created_ = 0;
  double bound_ = kInfinity;    // what the present scores of the links give, before losses
  double closed_ = -kInfinity;  // no assignment that was ruled out is better than this
  BranchAndBoundResult result_;
  std::vector<double> weight_;  // of a variable: how much hangs on it
  std::vector<double> scores_, messages_, values_, loss_if_one_, loss_if_zero_;
};

}  // namespace turbotree::graphs
