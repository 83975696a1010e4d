// The relaxed best assignment with a quadratic regulariser (LP-SparseMAP, Niculae and Martins
// 2020): maximises scores.u + the factor scores - 1/2 |u|^2 over the local polytope.
//
// Consensus among the factors, as in ADMM; that u is strongly convex makes it unique, and a
// piecewise linear function of the scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graphs/factors.h"
#include "graphs/solvers/control.h"

namespace turbotree::graphs {

struct SparsemapOptions {
  std::int64_t max_iterations = 10000;
  double threshold = 1e-9;  // root mean square of disagreement and of movement
};

struct SparsemapResult {
  std::vector<double> point;         // one per variable
  std::vector<double> expectations;  // how often it has each of the factor scores
  std::vector<double> multipliers;   // one per link: where another run may begin
  std::int64_t iterations = 0;
  bool converged = false;
};

// `start` and `start_point` are multipliers and point of an earlier run, or nothing.
SparsemapResult sparsemap(const Graph& graph, const SparsemapOptions& options,
                          std::span<const double> start, std::span<const double> start_point,
                          Control& control);

}  // namespace turbotree::graphs
