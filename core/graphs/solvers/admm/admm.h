// DD-ADMM, also known as AD3 (Martins et al. 2011): the relaxed best assignment by consensus.
//
// Every link keeps a copy z of its variable and a score p (a share of the variable's score, plus
// multipliers). A round projects each factor's u + p / rho on its polytope to get its copies z,
// averages the copies of each variable to a consensus u, and moves p against the disagreement
// z - u. A factor whose copies agree with a consensus that does not move would answer the same
// again: it is idle and is not solved until a neighbour wakes it.
//
// Every round bounds the optimum for free. The projection's optimality says that z is also the
// factor's best answer to the scores q = p + rho (u_before - z), and these miss the variables'
// scores by rho * degree * (u - u_before), whose positive parts are added.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graphs/factors.h"
#include "graphs/solvers/admm/acceleration.h"
#include "graphs/solvers/admm/active_factors.h"
#include "graphs/solvers/admm/penalty.h"
#include "graphs/solvers/admm/rounding.h"
#include "graphs/solvers/admm/state.h"
#include "graphs/solvers/control.h"

namespace turbotree::graphs {

enum class Outcome : int {
  kOptimal = 0,     // an assignment reaches the bound
  kRelaxed = 1,     // the relaxation is solved, and its solution is fractional
  kLimit = 2,       // stopped by a limit
  kInfeasible = 3,  // no point satisfies all factors
  kCutOff = 4,      // the bound fell below the cutoff
};

struct AdmmOptions {
  std::int64_t max_iterations = 1000;
  double residual_threshold = 1e-3;
  double penalty = 0.0;  // rho; 0 chooses it by the size of the scores
  bool adapt_penalty = true;
  double step = 1.5;  // tau
  bool extrapolate = true;
  // The algorithm as printed: every factor in every round, exactly; residuals are mean squares,
  // which decide on the penalty after each round, and alone on when to stop.
  bool literal = false;
  double relative_gap = 1e-6;
  double cutoff = -kInfinity;
  bool expectations = false;  // tell how often the relaxed solution has each factor score
};

struct AdmmResult {
  Outcome outcome = Outcome::kLimit;
  std::int64_t impossible_factor = -1;  // the factor that the fixed variables contradict
  std::int64_t iterations = 0;
  double value = -kInfinity;
  double upper_bound = kInfinity;
  std::vector<std::uint8_t> values;  // empty if no assignment was found
  Trace trace;
};

class Admm {
 public:
  explicit Admm(const Graph& graph);

  // Fixes variables; -1 frees. The next run goes on from where the last one stopped.
  void set_pins(const std::vector<Pin>& pins);
  // Scores of links as another run left them, and its consensus and penalty. Where the variables'
  // scores have changed since, the difference is shared out.
  void warm_start(std::span<const double> link_scores, std::span<const double> consensus,
                  double penalty);

  AdmmResult run(const AdmmOptions& options, Control& control);

  const std::vector<double>& consensus() const { return state_.consensus; }
  // How often the factors' own solutions have each of their scores.
  std::vector<double> expectations() { return state_.factors.expectations_at(state_.point); }
  const std::vector<double>& link_scores() const { return state_.scores; }
  double penalty() const { return state_.penalty; }
  Factors& factors() { return state_.factors; }
  const Links& links() const { return state_.links; }

 private:
  void set_inexact(bool inexact);
  // Projects the factors and averages their copies.
  void do_round();
  // Sparse rounds while few factors are active; whether these are few enough to extrapolate.
  bool choose_mode();

  AdmmState state_;
  PenaltySchedule penalty_;
  ActiveFactors active_;
  Acceleration acceleration_;
  Rounding rounding_;
};

}  // namespace turbotree::graphs
