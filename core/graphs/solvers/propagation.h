// What hard factors and fixed variables force upon the others.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factors.h"
#include "graphs/solvers/control.h"

namespace turbotree::graphs {

// A push on a variable that no score of this graph outweighs.
double decisive_push(const Graph& graph);

// Scores of a link whose variable is fixed to this value.
inline double pushed(const Links& links, std::int64_t link, Pin pin, double push) {
  return links.literal(link, static_cast<std::uint8_t>(pin)) != 0 ? push : -push;
}

// Fixes every variable for which a factor leaves one value only, until nothing changes: sound in
// any graph, complete in a tree. Returns the factor that cannot be satisfied, or -1.
std::int64_t propagate(Factors& factors, double push, std::vector<Pin>& pins, Control& control);

}  // namespace turbotree::graphs
