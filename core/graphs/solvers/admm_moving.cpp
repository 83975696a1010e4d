// What of ADMM has not converged, for traces: Figure 3 of Martins et al. (2011).
#include <cmath>

#include "graphs/solvers/admm.h"

namespace turbotree::graphs {

// A variable is idle if all its copies in the last round were the consensus of the round before,
// which then does not move; a factor if all its variables are. Counted from all links, whether the
// round was sparse or not, so that it tells how many could have been omitted.
void Admm::trace_moving(Trace& trace) {
  is_moving_.assign(consensus_.size(), 0);
  double variables = 0.0, of_variables = 0.0;
  for (std::size_t v = 0; v < consensus_.size(); ++v)
    is_moving_[v] = weight_[v] > 0.0 && std::abs(consensus_[v] - consensus_before_[v]) > idle_;
  for (std::int64_t l = 0; l < links_.links(); ++l) {
    const std::int32_t v = links_.variable[l];
    if (weight_[v] > 0.0 && std::abs(point_[l] - seen(l, consensus_[v])) > idle_) is_moving_[v] = 1;
  }
  for (std::size_t v = 0; v < consensus_.size(); ++v) {
    variables += is_moving_[v];
    of_variables += weight_[v] > 0.0;
  }
  double factors = 0.0, links = 0.0;
  for (std::size_t b = 0; b < graph_.blocks.size(); ++b) {
    const BlockArrays& block = graph_.blocks[b];
    for (std::int64_t f = 0; f < block.factors(); ++f) {
      bool moving = false;
      for (std::int64_t l = block.offsets[f]; l < block.offsets[f + 1] && !moving; ++l)
        moving = is_moving_[block.variables[l]] != 0;
      if (!moving) continue;
      factors += 1.0;
      links += static_cast<double>(block.offsets[f + 1] - block.offsets[f]);
    }
  }
  const auto share = [](double part, double whole) { return whole > 0.0 ? part / whole : 0.0; };
  trace.moving_variables.push_back(share(variables, of_variables));
  trace.moving_factors.push_back(share(factors, static_cast<double>(links_.factors())));
  trace.moving_links.push_back(share(links, static_cast<double>(links_.links())));
  consensus_before_ = consensus_;
}

}  // namespace turbotree::graphs
