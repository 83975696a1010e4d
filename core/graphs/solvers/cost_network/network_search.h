// The best assignment of a cost function network with a proof: hybrid best-first search.
//
// Depth-first plunges give one variable a value, or forbid it that value. A node is a subproblem
// with a bound that is updated, not computed again; values too dear to beat the best assignment
// found are forbidden. After some dead ends, what a plunge has left open joins the queue, and the
// best of the queue is next (Allouche et al. 2015): bounds rise early, and memory stays small.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <vector>

#include "graphs/factors.h"
#include "graphs/solvers/control.h"
#include "graphs/solvers/cost_network/local_search.h"
#include "graphs/solvers/cost_network/network.h"
#include "graphs/solvers/cost_network/subproblem.h"

namespace turbotree::graphs {

class NetworkSearch {
 public:
  // Bounds that do not exceed `cutoff(value)` cannot hide an assignment better than the value.
  NetworkSearch(const CostNetwork& network, Factors& factors, std::function<double(double)> cutoff,
                Control& control);

  // An assignment of the graph to begin with.
  void offer(double value, const std::vector<std::uint8_t>& values);

  // What a relaxation's factors give to their links, to begin with.
  void start_from(std::span<const double> link_scores) { root_.start_from(link_scores); }

  // Called after every node.
  std::function<void()> each_node;

  // Goes on until there is a proof, until there were this many more nodes or this much more work
  // (entries of tables that were read), or until the control stops it; whether there is a proof.
  bool run(std::int64_t max_nodes, std::int64_t max_work);

  // What is known, in scores of the graph. Without an assignment the value is -infinity.
  double value() const { return value_; }
  double upper_bound() const;
  const std::vector<std::uint8_t>& values() const { return values_; }
  std::int64_t nodes() const { return nodes_; }
  std::int64_t work() const { return space_.work; }
  // How many of the variables are open where the search is.
  double open_share() const;
  // Numbers became too large for exact sums: the search cannot go on, but its bound holds.
  bool failed() const { return failed_; }

 private:
  struct Decision {
    std::int32_t variable, value;
    bool is_assigned;  // or forbidden
  };
  // What is to be searched; the path leads there from the root.
  struct Open {
    double bound;
    std::int64_t number;
    std::vector<Decision> path;

    bool operator<(const Open& other) const {
      return bound != other.bound ? bound > other.bound : number < other.number;
    }
  };
  // Of a plunge: a subproblem, the value that is tried below it, and how many decisions led there.
  struct Frame {
    std::unique_ptr<Subproblem> subproblem;
    Decision tried;
    std::size_t path;
  };
  // How many passes a subproblem gets at most; each but the first has to close such a share of the
  // gap, or it is the last.
  struct Passes {
    std::int64_t most;
    double worthwhile;
  };
  static const Passes kAtFirst, kBelow;
  static constexpr auto kNoPlunge = static_cast<std::size_t>(-1);

  // Raises a bound and forbids values; false if the subproblem is closed. A visit counts as a node.
  bool tighten(Subproblem& subproblem, const Passes& passes);
  bool visit(Subproblem& subproblem, const Passes& passes);
  void take(const std::vector<std::int32_t>& assignment);
  void improve(std::int64_t steps_per_variable);
  Decision choose(const Subproblem& subproblem) const;
  Subproblem& subproblem(std::size_t depth);
  // Bounds the root; false if it is closed.
  bool begin();
  void begin_plunge();
  // Puts what a plunge leaves open on the queue.
  void end_plunge();
  // From the subproblem of the last frame, which is tight: to one with another value assigned.
  void descend();
  // The last frame is a dead end.
  void close();
  // The last frame is closed: goes back to the one before, without what was tried there.
  void back_up();

  const CostNetwork& network_;
  Factors& factors_;
  std::function<double(double)> cutoff_;
  Control& control_;
  LocalSearch local_search_;
  Subproblem root_;
  Workspace space_;
  std::priority_queue<Open> queue_;
  std::vector<Frame> frames_;
  std::size_t depth_;       // the number of the last frame
  bool is_closed_ = false;  // that frame
  std::vector<Decision> path_;
  std::int64_t created_ = 0, nodes_ = 0, dead_ends_ = 0, patience_, improve_at_;
  bool started_ = false, done_ = false, failed_ = false;
  double limit_;  // costs from here on are of no use
  double value_ = -kInfinity;
  std::vector<std::uint8_t> values_;
  std::vector<std::int32_t> best_;
  std::vector<double> weights_;  // of variables: how often they led to dead ends
};

}  // namespace turbotree::graphs
