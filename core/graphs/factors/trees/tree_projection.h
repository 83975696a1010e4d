// The projection on the polytope of spanning trees, by cuts.
//
// A tree chooses one head per word, so the nearest point of every word's simplex of heads is a
// first answer. It is the right one unless a set of words gets less than one unit of head from
// outside itself. Such a cut, once found, joins the problem with a multiplier that lowers the
// scores of the arcs inside the set; few are needed, and they are kept from call to call.
#pragma once

#include <optional>
#include <span>

#include "graphs/factor.h"
#include "graphs/factors/trees/tree_cuts.h"
#include "graphs/factors/trees/tree_memory.h"
#include "graphs/factors/trees/tree_multipliers.h"

namespace turbotree::graphs {

class TreeProjection {
 public:
  using Memory = TreeMemory;

  // Stop before the point is exact; the next call goes on from the cuts of this one.
  bool inexact = false;

  // The factor score; none if the method does not converge: then the point is not to be used.
  std::optional<double> project(const Factor& factor, std::span<const double> target, double scale,
                                std::span<double> point, Memory& memory);

 private:
  bool satisfy_all_cuts(Memory& memory);
  double factor_score(const Memory& memory) const;

  ViolatedTreeCuts violated_;
  TreeMultipliers multipliers_;
};

}  // namespace turbotree::graphs
