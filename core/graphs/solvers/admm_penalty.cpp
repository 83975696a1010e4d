// How the penalty of ADMM is adapted.
//
// In both rules the movement of the consensus counts in units of scores, penalty times movement:
// without that, a small penalty makes for large movements, and those for a still smaller penalty.
#include "graphs/solvers/admm.h"

namespace turbotree::graphs {

namespace {

constexpr double kImbalance = 10.0;
constexpr double kWalkBelow = 0.02, kNoWalkAbove = 0.3;  // disagreement, in units of movement
constexpr int kRoundsOfWalk = 3;
constexpr double kHaste = 8.0;

}  // namespace

// Doubles or halves the penalty where one residual outweighs the other tenfold.
void Admm::adapt_penalty(double primal, double dual) {
  const double moved = dual * penalty_ / first_penalty_;
  if (primal > kImbalance * moved) next_penalty_ = penalty_ * 2.0;
  if (moved > kImbalance * primal) next_penalty_ = penalty_ * 0.5;
}

// Where the factors agree but the scores still prefer one end of a face, the consensus walks over
// the face in equal steps, hundreds of them if the preference is weak. The steps are as long as the
// penalty is small, so it is lowered until the end of the face makes the factors disagree.
void Admm::hasten_walk(double primal, double dual) {
  const double moved = dual * penalty_ / first_penalty_;
  if (primal < kWalkBelow * moved) {
    if (++walk_rounds_ < kRoundsOfWalk) return;
    if (penalty_before_walk_ == 0.0) penalty_before_walk_ = penalty_;
    next_penalty_ = penalty_ / kHaste;
  } else if (penalty_before_walk_ > 0.0 && primal > kNoWalkAbove * moved) {
    next_penalty_ = penalty_before_walk_;
    penalty_before_walk_ = 0.0;
  }
  walk_rounds_ = 0;
}

}  // namespace turbotree::graphs
