// A graph whose best assignments are those of another one, with scores that solvers can trust.
//
// Users measure scores in any unit, add constants to them and write -1e9 for "never". Solvers
// compare values with tolerances and push fixed variables, which has to work for all of them alike:
//
// - Where exactly one of several scores counts (those of an XOR, of the arcs into a word of a
//   TREE, of a table), the largest is subtracted from each: a constant of all assignments. What is
//   left tells what is usual. Where the constants are not large, the scores stay as they were.
// - Scores that outweigh all smaller ones together are tamed (magnitudes.h).
// - All scores are divided by a power of two, which loses no digit, so that a usual one is about 1.
#pragma once

#include <vector>

#include "graphs/graph.h"
#include "graphs/presolve/magnitudes.h"

namespace turbotree::graphs {

struct Presolved {
  Graph graph;
  double unit = 1.0;          // the power of two
  double constant = 0.0;      // what was subtracted in all, in units
  Taming taming;              // in units
  double floor = -kInfinity;  // assignments below this, in the old graph, do not matter

  // Whether assignments of this value, in the new graph, have their place in the old one.
  bool trusts(double value) const { return taming.ordered || value > taming.least; }
  // The value in the old graph. If scores were tamed, only of assignments without such.
  double restored(double value) const { return unit * (value + constant); }
};

enum class Constants { kSubtract, kKeep };

// Assignments below `floor` do not matter (for kLevel).
Presolved presolve(const Graph& graph, Tame how, double floor = -kInfinity,
                   Constants constants = Constants::kSubtract);

// Makes negative scores that outweigh all smaller ones together equal, and lower than needed by
// this much.
Taming flatten_masks(Graph& graph, double lower);

}  // namespace turbotree::graphs
