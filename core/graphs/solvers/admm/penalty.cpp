#include "graphs/solvers/admm/penalty.h"

#include <algorithm>
#include <cmath>

namespace turbotree::graphs {

namespace {

constexpr double kShareOfFactorScores = 0.04;
constexpr double kShareOfSteps = 0.12;   // of automata
constexpr double kNaturalPenalty = 4.0;  // times the size of a link's share of scores
constexpr double kImbalance = 10.0;
constexpr double kDriftBelow = 0.02, kNoDriftAbove = 0.3;  // disagreement, in units of movement
constexpr int kRoundsOfDrift = 3;
// Where the paper's rule doubles or halves without end, bounds would soon be nothing but rounding.
constexpr double kMostGrowth = 0x1p60;
constexpr double kLowering = 8.0;

bool is_automaton(Kind kind) {
  return kind == Kind::kHeadAutomaton || kind == Kind::kGrandparentAutomaton ||
         kind == Kind::kTripleAutomaton;
}

// Root mean square of the shares that links have of the variables' scores at first. Without such,
// those of factors go by what pairs of a dense graph need. Automata whose scores are far larger
// than those of the arcs need more than these tell.
double natural_share(const Graph& graph, const Links& links) {
  double squares = 0.0, count = 0.0;
  const auto add = [&](double share) {
    squares += share * share;
    count += 1.0;
  };
  const auto counts = [&](double score) {
    return score != 0.0 && std::abs(score) < graph.mask_size;
  };
  for (std::size_t v = 0; v < graph.scores.size(); ++v)
    if (links.degree[v] > 0 && counts(graph.scores[v])) add(graph.scores[v] / links.degree[v]);
  if (count == 0.0)
    for (const BlockArrays& block : graph.blocks)
      for (const double score : block.factor_scores)
        if (counts(score)) add(kShareOfFactorScores * score);
  const double share = count == 0.0 ? kShareOfFactorScores : std::sqrt(squares / count);
  squares = count = 0.0;
  for (const BlockArrays& block : graph.blocks)
    if (is_automaton(block.kind))
      for (const double score : block.factor_scores)
        if (counts(score)) add(kShareOfSteps * score);
  return count == 0.0 ? share : std::max(share, std::sqrt(squares / count));
}

// A penalty below this would let shares of masks reach as far as targets of fixed links.
double least_penalty(const Graph& graph, const Links& links) {
  double largest = 0.0;
  for (std::size_t v = 0; v < graph.scores.size(); ++v)
    if (graph.pins[v] < 0 && links.degree[v] > 0)
      largest = std::max(largest, std::abs(graph.scores[v]) / links.degree[v]);
  return 1e-5 * largest;
}

}  // namespace

PenaltySchedule::PenaltySchedule(const Graph& graph, const Links& links)
    : least_(least_penalty(graph, links)),
      natural_(kNaturalPenalty * natural_share(graph, links)) {}

double PenaltySchedule::start(double asked_for) {
  if (first_ <= 0.0) first_ = std::max(least_, asked_for > 0.0 ? asked_for : natural_);
  if (next_ <= 0.0) next_ = first_;
  return next_;
}

double PenaltySchedule::next() {
  next_ = std::max(next_, least_);
  return next_;
}

void PenaltySchedule::balance(double penalty, double primal, double dual) {
  const double moved = dual * penalty / first_;
  if (primal > kImbalance * moved) next_ = penalty * 2.0;
  if (moved > kImbalance * primal) next_ = penalty * 0.5;
}

void PenaltySchedule::balance_literally(double penalty, double primal, double dual) {
  if (primal > kImbalance * dual) next_ = std::min(penalty * 2.0, kMostGrowth * first_);
  if (dual > kImbalance * primal) next_ = std::max(penalty * 0.5, first_ / kMostGrowth);
}

void PenaltySchedule::lower_while_drifting(double penalty, double primal, double dual) {
  const double moved = dual * penalty / first_;
  if (primal < kDriftBelow * moved) {
    if (++rounds_of_drift_ < kRoundsOfDrift) return;
    if (before_drift_ == 0.0) before_drift_ = penalty;
    next_ = penalty / kLowering;
  } else if (before_drift_ > 0.0 && primal > kNoDriftAbove * moved) {
    next_ = before_drift_;
    before_drift_ = 0.0;
  }
  rounds_of_drift_ = 0;
}

}  // namespace turbotree::graphs
