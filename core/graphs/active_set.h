// The quadratic subproblem of a factor that is known only by its best assignment.
//
// The point is kept as a convex combination of a few assignments. Each step finds the best
// combination of those (a small linear system), drops the ones whose weight would turn negative,
// and asks the factor for an assignment that improves it (Martins et al. 2015, AD3, Sec. 6.1;
// Wolfe's nearest-point algorithm). The assignments of the last call are where the next begins.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "graphs/factor.h"

namespace turbotree::graphs {

class ActiveSet {
 public:
  struct Assignment {
    std::vector<std::uint64_t> bits;
    std::vector<std::int32_t> on;  // the links that are 1
    double own = 0.0;              // the factor's own score
    double weight = 0.0;
  };

  struct Memory {
    std::vector<Assignment> active;
    std::vector<Assignment> spare;  // keeps its memory for the next assignment
    // Lower triangle of the Cholesky factor of (overlaps + 1), one row an active assignment.
    std::vector<std::vector<double>> triangle;
    int updates = 0;  // of the triangle, since it was computed afresh
  };

  // A few are enough in the middle of a run, where the target moves on anyway.
  int max_steps = 30;

  template <class KindOfFactor>
  double project(KindOfFactor& kind, const Factor& factor, const double* target, double scale,
                 double* point, Memory& memory);

 private:
  void prepare(const Factor& factor, const double* target, Memory& memory);
  // Moves to the best combination of the active assignments; leaves the point in `point`.
  void minimise(const Factor& factor, double scale, double* point, Memory& memory);
  // Adds the assignment in chosen_ with weight 0 (more if it replaces another without moving the
  // point). False if it is there already.
  bool add(const Factor& factor, double own, Memory& memory);

  double right_hand_side(const Assignment& assignment, double scale) const;
  void solve_triangle(const Memory& memory, std::vector<double>& values) const;
  bool append_row(const Assignment& assignment, Memory& memory, std::vector<double>& row) const;
  void remove(std::size_t index, Memory& memory);
  void refactor(Memory& memory);

  std::vector<double> target_;  // with fixed links replaced by their values
  std::vector<double> scores_, solution_, ones_, row_;
  std::vector<std::uint8_t> chosen_;
};

template <class KindOfFactor>
double ActiveSet::project(KindOfFactor& kind, const Factor& factor, const double* target,
                          double scale, double* point, Memory& memory) {
  const auto links = static_cast<std::size_t>(factor.links);
  prepare(factor, target, memory);
  if (memory.active.empty()) {
    for (std::size_t i = 0; i < links; ++i) scores_[i] = (target[i] - 0.5) / scale;
    kind.maximise(factor, scores_.data(), chosen_.data());
    add(factor, kind.value(factor, chosen_.data()), memory);
    memory.active.back().weight = 1.0;
  }
  for (int step = 1;; ++step) {
    minimise(factor, scale, point, memory);
    double own = 0.0, reached = 0.0, constant = 0.0;
    for (std::size_t i = 0; i < links; ++i) {
      const double push = (target_[i] - point[i]) / scale;
      reached += push * point[i];
      // A fixed link keeps its value: pushed hard, but not counted.
      const bool fixed = std::abs(target[i]) >= 0.5 * kPinnedTarget;
      scores_[i] = fixed ? target[i] / scale : push;
      if (fixed && target[i] > 0.0) constant += scores_[i];
    }
    for (const Assignment& a : memory.active) own += a.weight * a.own;
    const double best = kind.maximise(factor, scores_.data(), chosen_.data()) - constant;
    const double excess = best - (reached + own);
    const double tolerance = 1e-13 * (1.0 / scale + std::abs(best) + std::abs(constant));
    if (!(excess > tolerance) || step >= max_steps) return own + (excess > 0.0 ? excess : 0.0);
    if (!add(factor, kind.value(factor, chosen_.data()), memory))
      return own + (excess > 0.0 ? excess : 0.0);
  }
}

}  // namespace turbotree::graphs
