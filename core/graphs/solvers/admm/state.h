// The state of ADMM: what links, factors and variables hold from round to round.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graphs/factors.h"

namespace turbotree::graphs {

// An upper bound of the optimum, from the last round.
struct AdmmBound {
  double fixed = 0.0;    // scores of variables that no factor decides
  double factors = 0.0;  // what the factors' answers are worth
  double slack = 0.0;    // what the consensus moved against the scores

  double value() const { return fixed + factors + slack; }
};

struct AdmmState {
  explicit AdmmState(const Graph& graph);

  void set_pins(const std::vector<Pin>& pins);
  // Takes over link scores and consensus of another run; see Admm.
  void warm_start(std::span<const double> link_scores, std::span<const double> consensus);

  // What a link sees of a variable's value (or probability): 1 - value if it is negated.
  double seen(std::int64_t link, double value) const { return offset[link] + sign[link] * value; }
  // How much the links' shares of the variables' scores have come to miss the scores by rounding,
  // which is as much as a bound may be wrong.
  double rounding_error() const;

  const Graph& graph;
  Factors factors;
  const Links& links;
  std::vector<double> sign, offset;  // per link: +1 and 0, or -1 and 1; for flat loops
  bool any_negated = false;
  std::vector<Pin> pins;
  std::vector<std::int64_t> pinned_links;

  double penalty = 0.0;                        // rho
  std::vector<double> scores, target, point;   // p, u + p / rho, z: per link
  std::vector<double> factor_scores;           // per factor: what its projection returned
  std::vector<double> consensus, sum;          // u, and the sum of the copies: per variable
  std::vector<double> odd_sum;                 // scratch of restore_sums
  std::vector<double> announced;               // the consensus that neighbours know of
  std::vector<double> weight, inverse_weight;  // per variable: its links, 0 if fixed; 1 / that

  AdmmBound bound;
  double squared_change = 0.0;  // of the consensus, times the degrees
  double moving_links = 0.0;
  double idle = 1e-9;  // movements below this count as none
};

// A round of all factors, in flat loops over all links. `gather_all` moves the scores against the
// disagreement and returns its square.
double gather_all(AdmmState& s, double move);
void project_all(AdmmState& s);
void average_all(AdmmState& s);
void restore_sums(AdmmState& s);  // of the copies, from all links

}  // namespace turbotree::graphs
