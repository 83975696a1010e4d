// The quadratic subproblem of a factor that is known only by its best assignment.
//
// The point is kept as a convex combination of a few assignments. Each step finds the best
// combination of those (a small linear system), drops the ones whose weight would turn negative,
// and asks the factor for an assignment that improves it (Martins et al. 2015, AD3, Sec. 6.1;
// Wolfe's nearest-point algorithm). The assignments of the last call are where the next begins.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "common/interrupt.h"
#include "graphs/factor.h"
#include "graphs/numerics/triangle.h"

namespace turbotree::graphs {

class ActiveSet {
 public:
  struct Assignment {
    std::vector<std::uint64_t> bits;
    std::vector<std::int32_t> on;  // the links that are 1
    double own = 0.0;              // the factor score
  };

  struct Memory {
    std::vector<Assignment> active;
    std::vector<double> weights;    // of the active assignments; they sum to one
    std::vector<Assignment> spare;  // keep their memory for the next assignment
    Triangle triangle;              // of (overlaps of the active assignments + 1)
    std::vector<double> ones;       // triangle^-1 (1, 1, ...)
    int updates = 0;                // of the triangle, since it was computed afresh
  };

  // A few are enough in the middle of a run, where the target moves on anyway.
  static constexpr int kMostSteps = 30, kInexactSteps = 3;
  int max_steps = kMostSteps;

  // Links whose target is as far as kPinnedTarget are fixed and get exactly 0 or 1. If the factor
  // has no assignment with those values, the point is one that it does have, or zero.
  template <FactorKind K>
  double project(K& kind, const Factor& factor, std::span<const double> target, double scale,
                 std::span<double> point, Memory& memory);

 private:
  // Takes in the target, and drops assignments that break the fixed links.
  void prepare(std::span<const double> target, double scale, Memory& memory);
  // Moves to the best combination of the active assignments; leaves the point in `point`. False
  // if the last assignment is a new one and rounding errors throw it out again at once.
  bool minimise(std::span<double> point, Memory& memory, bool last_is_new);
  // Fills scores_ with what the factor is asked to maximise to improve the point; returns their
  // sum at the point.
  double aim(const Factor& factor, std::span<const double> point);
  // Adds the assignment in chosen_ with weight 0 (more if it replaces another without moving the
  // point). False if it is there already.
  bool add(const Factor& factor, double own, Memory& memory);

  void drop_what_breaks_fixed_links(Memory& memory);
  bool chosen_breaks_fixed_links() const;
  // The sum of scores_ at chosen_, but for fixed links, which have arbitrary large ones.
  double chosen_score_of_free_links();
  double factor_score(const Memory& memory) const;
  double pull(const Assignment& assignment) const;
  void solve_pulls(Memory& memory);
  bool append(const Assignment& assignment, Memory& memory);
  void remove(std::size_t index, Memory& memory);
  void refactor(Memory& memory);

  double scale_ = 1.0;
  std::vector<double> target_;       // with fixed links replaced by their values
  std::vector<std::int32_t> fixed_;  // the links that are fixed
  std::vector<double> scores_;
  std::vector<std::uint8_t> chosen_;
  std::vector<double> solved_;  // triangle^-1 of the assignments' pulls
  std::vector<double> solution_, row_;
};

template <FactorKind K>
double ActiveSet::project(K& kind, const Factor& factor, std::span<const double> target,
                          double scale, std::span<double> point, Memory& memory) {
  prepare(target, scale, memory);
  if (memory.active.empty()) {
    std::fill(point.begin(), point.end(), 0.5);
    aim(factor, point);
    kind.maximise(factor, scores_, chosen_);
    const double own = kind.value(factor, chosen_);
    if (own == -kInfinity || chosen_breaks_fixed_links()) {
      std::copy(chosen_.begin(), chosen_.end(), point.begin());
      return own;
    }
    add(factor, own, memory);
    memory.weights[0] = 1.0;
  }
  for (int step = 1;; ++step) {
    const bool moved = minimise(point, memory, step > 1);
    const double own = factor_score(memory);
    const double reached = aim(factor, point) + own;
    if (factor.links >= 32) count_work(4 * static_cast<std::uint64_t>(factor.links));
    double best = kind.maximise(factor, scores_, chosen_);
    if (!fixed_.empty())
      best = chosen_breaks_fixed_links()
                 ? -kInfinity
                 : chosen_score_of_free_links() + kind.value(factor, chosen_);
    const double excess = best - reached;
    const double tolerance = 1e-13 * (1.0 / scale + std::abs(best) + std::abs(own));
    const double bound = own + std::max(0.0, excess);
    if (!(excess > tolerance) || !moved || step >= max_steps) return bound;
    if (!add(factor, kind.value(factor, chosen_), memory)) return bound;
  }
}

}  // namespace turbotree::graphs
