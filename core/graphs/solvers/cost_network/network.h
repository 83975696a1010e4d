// A cost function network, also known as a weighted CSP: variables of several values, a cost for
// each value and for pairs of values of two variables, and hard constraints on more of them.
//
// Costs are whole multiples of a quantum, held in doubles: sums and differences are exact, so that
// a bound stays one however often costs are moved about. Infinite costs forbid.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace turbotree::graphs {

// Lengths of rows are multiples of this: entries beyond a variable's values are never chosen.
inline constexpr std::int32_t kRow = 4;
inline std::int32_t padded(std::int32_t size) { return (size + kRow - 1) / kRow * kRow; }

// least <= the sum of the weights of the variables' values <= most.
struct LinearConstraint {
  std::int64_t least, most;
  std::vector<std::int32_t> variables;
  std::vector<std::vector<std::int64_t>> weights;  // of a variable: one per value
};

// The values of the words' variables are arcs, and these are a tree rooted at 0.
struct TreeConstraint {
  std::vector<std::int32_t> variables;           // of the words 1, 2, ...
  std::vector<std::vector<std::int32_t>> heads;  // of a word: one per value
};

// A head with its modifiers: any set of them may be chosen. On each side, outward, it costs
// steps[i][j] for each two in a row from start to stop (factors/sibling_chain.h) and grand[k][a]
// for a chosen modifier k if the head's own variable, which stands for the arc into the head, has
// the value a; steps may depend on a, too.
struct Automaton {
  struct Modifier {
    std::int32_t variable, value;  // it is chosen if the variable has the value
  };
  struct Side {
    std::vector<Modifier> modifiers;
    std::vector<double> grand;  // a padded row of the head's values for each modifier
    std::vector<double> steps;  // a square, of numbers or of padded rows of the head's values
    bool steps_by_value = false;
    // The graph's links: where those of the factor begin, and which belongs to a value of the head;
    // those of the modifiers follow.
    std::int64_t first_link = 0;
    std::vector<std::int32_t> link_of_value;  // -1 for none
    std::int32_t links_above = 0;
  };
  std::int32_t variable = -1;  // none if the head is the root
  std::int32_t values = 1;     // how many it has
  std::vector<Side> sides;
  // Where its messages are: to the values of the head's variable, a padded row; to the modifiers,
  // side by side; and what all assignments have in common.
  std::int64_t messages = 0;
  double least = 0.0;  // of all its costs

  std::int32_t modifiers() const {
    std::size_t count = 0;
    for (const Side& side : sides) count += side.modifiers.size();
    return static_cast<std::int32_t>(count);
  }
  std::int64_t message_count() const { return padded(values) + modifiers() + 1; }
};

struct CostNetwork {
  struct Neighbour {
    std::int32_t variable;
    bool hard;              // some pair of values is forbidden
    std::int64_t table;     // of costs: a padded row of the neighbour's values for each own value
    std::int64_t incoming;  // where messages of the neighbour to the variable are
    std::int64_t outgoing;  // and those to the neighbour
  };
  // Where a literal of the graph is: it is true if the variable has the value.
  struct Place {
    std::int32_t variable, value;
  };
  // What a value says of the graph: all of these variables are 1, or 0.
  struct Meaning {
    std::vector<std::int32_t> ones, zeros;
  };

  std::vector<std::int32_t> sizes;    // of variables: how many values
  std::vector<std::int64_t> first;    // of variables: where their values are in a padded row of all
  std::vector<double> unary;          // infinite for values that are excluded
  std::vector<std::int64_t> offsets;  // of a variable's neighbours, which are sorted
  std::vector<Neighbour> neighbours;
  std::vector<double> tables;
  std::int64_t messages = 0;  // how many numbers all messages have
  double base = 0.0;          // a cost of all assignments
  double quantum = 1.0;       // the unit of costs, in scores
  double error = 0.0;         // how far a cost may be off by rounding, in scores

  std::vector<LinearConstraint> linear;
  std::vector<TreeConstraint> trees;
  std::vector<Automaton> automata;
  std::vector<std::vector<std::int32_t>> linear_of, trees_of;  // of variables
  std::vector<std::vector<std::int32_t>> automata_of;          // of values, in the row of all

  std::vector<Place> places;                   // of the graph's variables
  std::vector<std::vector<Meaning>> meanings;  // of the values of variables

  std::int32_t variables() const { return static_cast<std::int32_t>(sizes.size()); }
  std::span<const Neighbour> neighbours_of(std::int32_t v) const {
    return {neighbours.data() + offsets[v], neighbours.data() + offsets[v + 1]};
  }
  // An upper bound on the score of assignments with at least this cost.
  double score_of(double cost) const { return error - quantum * cost; }
  // The least cost that shows an assignment to be no better than a score.
  double cost_above(double score) const;

  // Between assignments of the graph and of the network; false if a variable has no value that
  // agrees.
  bool read(std::span<const std::uint8_t> values, std::vector<std::int32_t>& assignment) const;
  void write(std::span<const std::int32_t> assignment, std::vector<std::uint8_t>& values) const;
};

}  // namespace turbotree::graphs
