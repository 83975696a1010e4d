// Message passing for automata: what a head and its modifiers say of each other.
//
// An automaton takes over all beliefs of its variables, moves its least cost to the bound, and
// gives each variable in turn a share of what its values cost more than that, the last one all
// (Tourani et al. 2018 do so for pairs). A modifier is chosen or not, at the least costs
//
//   in  = min over heads g and rows i of  before[g][i] + step(i, k) + grand[g][k] + after[g][k]
//   out = min over heads g and rows i of  before[g][i] + beyond[g][k][i]
//
// where `before` ends with the last chosen modifier i, and `beyond` goes on from it after k.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/solvers/cost_network/network.h"

namespace turbotree::graphs {

// One side of an automaton without what is not allowed any more: `columns` values of the head,
// side by side, and the modifiers that may be chosen.
class SideTurn {
 public:
  // Copies what is left. `messages` has a number for each modifier of the side.
  void gather(const Automaton& automaton, const Automaton::Side& side,
              const std::vector<std::int32_t>& heads, std::int64_t columns,
              const std::vector<std::int32_t>& modifiers, const double* messages);
  // The k-th modifier has to be chosen.
  void force(std::size_t k) { forced_[k] = 1; }

  // From the stop: the least cost of the side for each value of the head.
  void go_back();
  const double* inside() const { return beyond_.data(); }

  // From the start, where each value of the head costs `base`.
  void begin(const double* base);
  struct Costs {
    double in, out;
  };
  // The least costs for the next modifier, chosen or not.
  Costs look();
  // Goes on behind it after so much was taken from either; infinity for what is ruled out.
  void step(double from_in, double from_out);
  // At the stop: the least costs, with the base.
  void end(double* costs) const;

  std::int64_t work() const { return static_cast<std::int64_t>(beyond_.size()); }

 private:
  const double* step_from(std::size_t row, std::size_t column) const {
    return steps_.data() + (row * (count_ + 1) + column) * width_;
  }

  std::size_t count_ = 0, next_ = 0;
  std::int64_t columns_ = 0, width_ = 1;  // a step has one number, or one for each column
  std::vector<std::uint8_t> forced_;
  std::vector<double> steps_, values_, before_, chosen_;
  // [k][i]: from the modifier k on, after the row i, which is at most k.
  std::vector<double> beyond_;
};

// The least cost of an automaton with these messages, without the constant; 0 if there is none.
double least_cost(const Automaton& automaton, const double* messages);

// Memory of turns.
struct AutomatonSpace {
  std::vector<SideTurn> sides;
  std::vector<std::int32_t> heads;
  std::vector<std::vector<std::int32_t>> modifiers;
  std::vector<std::uint8_t> forced;
  std::vector<double> base, inside;
};

}  // namespace turbotree::graphs
