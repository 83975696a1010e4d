// The point nearest to a target that respects the words' simplexes and some cuts.
//
// Given the cuts' multipliers, each word projects its shifted scores on its simplex by itself. The
// multipliers maximise a concave dual function; its gradient, a cut's gap, is the mass that the
// arcs inside hold beyond what is allowed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graphs/factors/trees/tree_memory.h"

namespace turbotree::graphs {

class TreeMultipliers {
 public:
  // Takes the target of each arc and projects every word without any cuts.
  void start(std::span<const double> target, TreeMemory& memory);
  // False if the cuts are not satisfied after so many steps of Newton's method.
  bool fit(int max_steps, TreeMemory& memory);

  const std::vector<double>& point() const { return point_; }    // by place
  const std::vector<double>& target() const { return target_; }  // by place

 private:
  void project_word(std::size_t word, TreeMemory& memory);
  void list_cut_words(const TreeMemory& memory);
  // The words of all cuts, with the multipliers as they are.
  void project_cut_words(TreeMemory& memory);
  double gap(const TreeCut& cut) const;
  void measure(const TreeMemory& memory);
  double dual_value(const TreeMemory& memory) const;

  // A step of Newton's method on the multipliers of the binding cuts; false if it gains nothing.
  bool newton_step(TreeMemory& memory);
  bool list_binding_cuts(const TreeMemory& memory);
  void fill_jacobian(const TreeMemory& memory);
  void solve_for_step();
  bool take_step(TreeMemory& memory);
  // The best multiplier of one cut while the others stay.
  void maximise_multiplier(TreeCut& cut, TreeMemory& memory);
  double slope(const TreeCut& cut, const TreeMemory& memory) const;

  std::vector<double> target_, shifted_, point_;  // by place
  std::vector<double> gaps_;                      // by cut
  double violation_ = 0.0;  // the largest break of the multipliers' optimality conditions
  std::vector<std::uint8_t> in_cut_;
  std::vector<std::int32_t> cut_words_;
  std::vector<std::size_t> binding_;
  std::vector<std::uint64_t> cuts_at_;  // by place: which of the binding cuts it lies in, as bits
  std::vector<double> jacobian_, step_, old_multipliers_;
};

}  // namespace turbotree::graphs
