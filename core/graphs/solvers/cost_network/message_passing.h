// The inner loops of message passing: a variable's offers to its neighbours.
#pragma once

#include <cstdint>
#include <span>

#include "graphs/solvers/cost_network/network.h"

namespace turbotree::graphs {

// Sends the messages of one variable to the neighbours first .. last - 1 that are open (assignment
// -1), and updates their beliefs. `shares` has an offer for each of the values in the list `live`.
void send_messages(const CostNetwork& network, const CostNetwork::Neighbour* first,
                   const CostNetwork::Neighbour* last, std::span<const std::int32_t> assignment,
                   std::span<const std::int32_t> live, std::span<const double> shares,
                   double* messages, double* beliefs);

}  // namespace turbotree::graphs
