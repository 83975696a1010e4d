// What is left of a cost function network below a node of a search, with a bound on its costs.
//
// Costs are moved between variables and tables by messages, which changes the cost of no
// assignment (an equivalence-preserving transformation, as soft arc consistency makes them). The
// messages are those of sequential tree-reweighted message passing (TRW-S, Kolmogorov 2006). A pass
// takes the variables in order, forwards or backwards. Each moves its least cost to the bound and
// offers the tables of the variables after it equal shares of its other costs. With
//
//   belief_i(a) = unary_i(a) + sum of the messages to i, and
//   rest_ij(a, b) = table_ij(a, b) - message_ij(b) - message_ji(a),
//
// an assignment costs the bound plus its beliefs and rests. After a pass all beliefs are at least
// 0, and a rest is at least minus the share of the belief that came first in the pass; the shares
// of a belief add up to no more than the belief. So the bound holds; while a variable has its turn,
// so does the bound plus the belief of a value, for assignments with that value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graphs/solvers/cost_network/automaton_turn.h"
#include "graphs/solvers/cost_network/network.h"

namespace turbotree::graphs {

// Memory that the subproblems of a search share.
struct Workspace {
  std::vector<double> margins;  // what each value costs more than the bound, after a pass
  std::int64_t work = 0;        // how many entries of tables were read
  std::vector<std::int32_t> live, top;
  std::vector<double> shares;
  AutomatonSpace automaton;
};

class Subproblem {
 public:
  explicit Subproblem(const CostNetwork& network);

  // Divides costs between automata and variables as a relaxation does, whose factors have these
  // scores of their links. To begin with, before any pass.
  void start_from(std::span<const double> link_scores);

  // Takes over the other one, which is a subproblem of the same network.
  void copy(const Subproblem& other);

  double bound() const { return bound_; }
  // Variables that have no value yet, in order.
  const std::vector<std::int32_t>& open() const { return open_; }
  // The values of the others; -1 for open ones.
  const std::vector<std::int32_t>& assignment() const { return assignment_; }
  bool allows(std::int32_t variable, std::int32_t value) const {
    return beliefs_[network_.first[variable] + value] < kForbidden;
  }
  // Whether numbers are so large that sums would not be exact.
  bool overflows() const { return overflows_; }

  void forbid(std::int32_t variable, std::int32_t value);
  void assign(std::int32_t variable, std::int32_t value);

  // Gives variables their only value where they have one, and draws the conclusions from hard
  // constraints. False if nothing is allowed.
  bool propagate(Workspace& space);
  // One pass; forbids values that cost `limit` or more. False if nothing below is allowed.
  bool pass(double limit, Workspace& space);

 private:
  static constexpr double kForbidden = std::numeric_limits<double>::infinity();

  void settle(std::int32_t variable, std::int32_t value);
  bool pass_by_messages(double limit, Workspace& space);
  bool pass_by_blocks(double limit, Workspace& space);
  bool move_least(std::int32_t variable, double limit, Workspace& space);
  void take_turn(std::int32_t variable, const CostNetwork::Neighbour& near, Workspace& space);
  bool take_turn(const Automaton& automaton, double limit, Workspace& space);
  bool take(const Automaton::Modifier& modifier, double& message, double& constant, bool& forced);
  void give(const Automaton::Modifier& modifier, double in, double out);
  void move_to(const Automaton& automaton, std::span<const double> link_scores);
  bool is_settled(const Automaton& automaton) const;
  bool propagate_linear(const LinearConstraint& constraint);
  bool propagate_tree(const TreeConstraint& tree, std::vector<std::int32_t>& top);

  const CostNetwork& network_;
  double bound_;
  bool forwards_ = false;  // the direction of the last pass
  bool overflows_ = false;
  bool changed_ = true;  // a value was forbidden since constraints were looked at
  std::vector<double> beliefs_, messages_;
  std::vector<std::int32_t> open_, assignment_;
  std::vector<std::uint8_t> settled_;  // automata whose cost is part of the bound
};

}  // namespace turbotree::graphs
