// How the penalty of ADMM is chosen and adapted.
#pragma once

#include "graphs/links.h"

namespace turbotree::graphs {

// In the rules of ours the movement of the consensus counts in units of scores, penalty times
// movement: without that, a small penalty makes for large movements, and those for a still smaller
// penalty.
class PenaltySchedule {
 public:
  PenaltySchedule(const Graph& graph, const Links& links);

  // The penalty of a run's first round: as the last run left it; if there was none, the one asked
  // for, or one by the size of the scores if that is 0.
  double start(double asked_for);
  // The penalty of the next round.
  double next();
  void set(double penalty) { next_ = penalty; }

  // Residual balancing: doubles or halves the penalty where one residual outweighs the other
  // tenfold.
  void balance(double penalty, double primal, double dual);
  // The same as printed, in any round, for residuals that are mean squares of plain movements; at
  // most 60 times in one direction.
  void balance_literally(double penalty, double primal, double dual);
  // Where the factors agree but the scores still prefer one end of a face, the consensus drifts
  // over the face in equal steps, hundreds of them if the preference is weak. The steps are as long
  // as the penalty is small, so it is lowered until the end of the face makes the factors disagree.
  void lower_while_drifting(double penalty, double primal, double dual);

 private:
  double next_ = 0.0, first_ = 0.0;
  double least_, natural_;
  double before_drift_ = 0.0;  // 0 if the consensus does not drift
  int rounds_of_drift_ = 0;
};

}  // namespace turbotree::graphs
