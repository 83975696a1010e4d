// The Bethe entropy at given probabilities of the variables.
#pragma once

#include <cstdint>
#include <span>

#include "graphs/factors.h"
#include "graphs/solvers/control.h"

namespace turbotree::graphs {

struct BetheResult {
  double entropy = 0.0;
  std::int64_t misfit_factor = -1;  // one that has no distribution with these probabilities
};

// Sum over variables of (1 - degree) H(p) and over factors of the entropy of the distribution
// exp(factor score + scores of links) whose scores give the links their probabilities: the beliefs
// that belief propagation would have there. The scores are fitted by Newton's method until no
// probability is off by more than the tolerance.
BetheResult bethe_entropy(const Graph& graph, std::span<const double> probabilities,
                          double tolerance, std::int64_t max_steps, Control& control);

}  // namespace turbotree::graphs
