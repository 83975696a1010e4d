// Finds the cuts that a point breaks: sets of words that get less than one unit from outside.
//
// Masses of arcs are capacities of a flow from the root. If a unit of it can get to every word, no
// cut is broken; otherwise a minimum cut before a word that starves is one.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factors/trees/tree_memory.h"

namespace turbotree::graphs {

class ViolatedTreeCuts {
 public:
  // Appends broken cuts; false if there is none. Looks no further after so many flows.
  bool add(const TreeArcs& arcs, const std::vector<double>& point, int max_flows,
           std::vector<TreeCut>& cuts);

 private:
  // Counts the word's mass as supply for those it heads, and so on from those this fills.
  void reach(std::size_t word, const TreeArcs& arcs, const std::vector<double>& point);
  bool surely_reached(std::size_t word, const TreeArcs& arcs,
                      const std::vector<double>& point) const;
  // Reaches all words that need no flow; of the others the one with most inflow, 0 if none is left.
  std::size_t reach_what_is_sure(const TreeArcs& arcs, const std::vector<double>& point);
  // The words that cannot get a unit to `word`; empty if it can get one.
  std::vector<std::int32_t> starved_set(std::size_t word, const TreeArcs& arcs,
                                        const std::vector<double>& point);
  std::int32_t find_giver(std::size_t sink, const TreeArcs& arcs, const std::vector<double>& point);
  TreeCut cut_around(std::vector<std::int32_t> words, const TreeArcs& arcs);

  std::vector<double> inflow_;  // by word: from the words reached so far
  std::vector<std::uint8_t> reached_, in_cut_;
  std::vector<std::int32_t> queue_;
  // The flow: by place, and what each word can still get from the reached ones; the steps to the
  // word that is asked about.
  std::vector<double> flow_, supply_;
  std::vector<std::int32_t> step_, frontier_;
};

}  // namespace turbotree::graphs
