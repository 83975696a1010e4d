// Builds a cost function network, cost by cost and constraint by constraint.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "graphs/graph.h"
#include "graphs/solvers/cost_network/network.h"

namespace turbotree::graphs {

// A variable of the graph, or its negation.
struct Literal {
  std::int32_t variable;
  bool negated;
};

class NetworkBuilder {
 public:
  // What a factor sees of a variable of the network: a state for each value, -1 if it may not be.
  struct Axis {
    std::int32_t variable;
    std::vector<std::int32_t> states;
  };
  using Costs = std::function<double(std::span<const std::int32_t> states)>;

  explicit NetworkBuilder(const Graph& graph);

  // One variable for literals of which exactly one is true, unless they belong to others.
  void add_group(const std::vector<Literal>& literals);
  // Two values for each variable of the graph that is in no group.
  void add_the_rest();

  Axis axis_of(Literal literal) const;                 // states 0 and 1
  Axis axis_of(const std::vector<Literal>& literals);  // the state is the one that is true

  void add_pair(Literal a, Literal b, double cost);
  void add_table(const std::vector<Axis>& axes, const Costs& costs);
  // No weights: all are 1.
  void add_linear(const std::vector<Literal>& literals, const std::vector<std::int64_t>& weights,
                  std::int64_t least, std::int64_t most);
  void add_linear(LinearConstraint constraint);
  // A head automaton of one side: scores as in factors/grandparent_automaton.cpp, without `above`
  // as in factors/head_automaton.cpp.
  void add_automaton(const std::vector<Literal>& above, const std::vector<Literal>& modifiers,
                     std::span<const double> scores, std::int64_t first_link);
  void add_tree(TreeConstraint tree) { network_.trees.push_back(std::move(tree)); }

  static bool has_distinct(std::vector<std::int32_t> variables);
  void give_up() { given_up_ = true; }
  bool fits() const { return !given_up_; }

  std::optional<CostNetwork> finish(double precision);

 private:
  // Beyond this, relaxations are the better way.
  static constexpr std::size_t kMostEntries = std::size_t{1} << 23;

  struct Table {
    std::int32_t low, high;
    std::vector<double> costs;  // of low's values, those of high's side by side
  };

  std::int32_t add_variable(std::vector<CostNetwork::Meaning> meanings);
  bool is_true(Literal literal, std::int32_t value) const {
    return (network_.places[literal.variable].value == value) != literal.negated;
  }
  Table& table_of(std::int32_t a, std::int32_t b);
  // Adds to the table of two variables, whichever is the lower.
  void add_costs(std::int32_t a, std::int32_t b,
                 const std::function<double(std::int32_t, std::int32_t)>& cost);
  void exclude(std::int32_t variable, std::int32_t value);
  void add_hidden(const std::vector<std::int32_t>& variables,
                  const std::function<double(std::span<const std::int32_t>)>& cost);
  void settle_pins();
  // The value that a literal is true for; a variable of its own if there are several.
  CostNetwork::Place place_of(Literal literal);
  bool set_quantum(double precision);
  void lay_out();

  const Graph& graph_;
  CostNetwork network_;
  std::vector<std::vector<double>> unary_;
  std::vector<Table> tables_;
  std::unordered_map<std::int64_t, std::size_t> table_numbers_;
  std::vector<std::uint8_t> is_group_;
  std::unordered_map<std::int32_t, std::size_t> automaton_numbers_;  // by the head's variable
  std::size_t entries_ = 0;
  bool given_up_ = false;
};

}  // namespace turbotree::graphs
