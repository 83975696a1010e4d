// A factor graph as a cost function network.
//
// Variables of which exactly one is 1 (the arcs into a word, the states of a node of a chain, an
// XOR) become one variable of the network, whose values they are; others have two values. PAIR and
// tables of two variables become tables of costs, other logic linear constraints, automata stay
// what they are, and what joins more variables becomes a hidden variable whose values are its
// combinations.
#pragma once

#include <optional>

#include "graphs/graph.h"
#include "graphs/solvers/cost_network/network.h"

namespace turbotree::graphs {

// Whether the kinds of a graph's factors have a translation.
bool has_network(const Graph& graph);

// Nothing if there is none, if it were too large, or too coarse to tell values apart that differ
// by `precision`; a graph that is presolved.
std::optional<CostNetwork> to_network(const Graph& graph, double precision);

}  // namespace turbotree::graphs
