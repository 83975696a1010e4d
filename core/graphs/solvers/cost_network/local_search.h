// Good assignments of a cost function network early: tabu search, one changed value at a time.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "graphs/solvers/cost_network/network.h"

namespace turbotree::graphs {

class LocalSearch {
 public:
  explicit LocalSearch(const CostNetwork& network);

  // Starts at an assignment that is allowed and makes so many steps; returns whether it found a
  // better one, which replaces it.
  bool run(std::vector<std::int32_t>& assignment, std::int64_t steps);

 private:
  void start(const std::vector<std::int32_t>& assignment);
  bool is_allowed(std::int32_t variable, std::int32_t value) const;
  void change(std::int32_t variable, std::int32_t value);
  // What a choice for the head or a modifier costs, given the others.
  void add_costs(const Automaton& automaton);

  const CostNetwork& network_;
  std::mt19937 random_{1};
  double cost_ = 0.0;  // more than at the start
  std::vector<std::int32_t> now_;
  std::vector<double> costs_;       // of values, given all other variables
  std::vector<double> parts_;       // of these costs: those of automata, in the order of messages
  std::vector<std::int64_t> tabu_;  // of values: until which step
  std::vector<std::int64_t> sums_;  // of linear constraints
};

}  // namespace turbotree::graphs
