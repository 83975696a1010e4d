#include "graphs/solvers/admm/admm.h"

#include <algorithm>
#include <cmath>

namespace turbotree::graphs {

namespace {

// Sparse rounds cost several times as much per link, but save the idle ones.
constexpr double kSparseBelow = 0.2, kDenseAbove = 0.3;
// Projections are exact while residuals are below the one, or below so many times that since.
constexpr double kExactBelow = 1e-3, kInexactAgain = 3.0;
// The share of active links up to which extrapolation pays in dense rounds.
constexpr double kExtrapolateBelow = 0.5;
constexpr double kRoundingOfLinks = 1e-15;
constexpr std::int64_t kRoundsBetweenLooks = 8;
constexpr std::int64_t kRoundsBetweenProposals = 10;
constexpr std::int64_t kRoundsBetweenPenalties = 10;  // at first; more and more later

// What of ADMM has not converged, for traces: Figure 3 of Martins et al. (2011).
class MovingTrace {
 public:
  explicit MovingTrace(const AdmmState& s) : before_(s.consensus) {}

  // A variable is idle if all its copies in the last round were the consensus of the round before,
  // which then does not move; a factor if all its variables are. Counted again from all links,
  // whether the round was sparse or not, so that it tells how many could have been omitted.
  void append(const AdmmState& s, Trace& trace) {
    std::vector<std::uint8_t> is_moving(s.consensus.size(), 0);
    double variables = 0.0, of_variables = 0.0;
    for (std::size_t v = 0; v < s.consensus.size(); ++v)
      is_moving[v] = s.weight[v] > 0.0 && std::abs(s.consensus[v] - before_[v]) > s.idle;
    for (std::int64_t l = 0; l < s.links.links(); ++l) {
      const std::int32_t v = s.links.variable[l];
      if (s.weight[v] > 0.0 && std::abs(s.point[l] - s.seen(l, s.consensus[v])) > s.idle)
        is_moving[v] = 1;
    }
    for (std::size_t v = 0; v < s.consensus.size(); ++v) {
      variables += is_moving[v];
      of_variables += s.weight[v] > 0.0;
    }
    double factors = 0.0, links = 0.0;
    for (std::size_t b = 0; b < s.graph.blocks.size(); ++b) {
      const BlockArrays& block = s.graph.blocks[b];
      for (std::int64_t f = 0; f < block.factors(); ++f) {
        bool moving = false;
        for (std::int64_t l = block.offsets[f]; l < block.offsets[f + 1] && !moving; ++l)
          moving = is_moving[block.variables[l]] != 0;
        if (!moving) continue;
        factors += 1.0;
        links += static_cast<double>(block.offsets[f + 1] - block.offsets[f]);
      }
    }
    const auto share = [](double part, double whole) { return whole > 0.0 ? part / whole : 0.0; };
    trace.moving_variables.push_back(share(variables, of_variables));
    trace.moving_factors.push_back(share(factors, static_cast<double>(s.links.factors())));
    trace.moving_links.push_back(share(links, static_cast<double>(s.links.links())));
    before_ = s.consensus;
  }

 private:
  std::vector<double> before_;  // the consensus one round ago
};

}  // namespace

Admm::Admm(const Graph& graph) : state_(graph), penalty_(graph, state_.links), active_(state_) {}

void Admm::set_pins(const std::vector<Pin>& pins) {
  state_.set_pins(pins);
  active_.start_dense_rounds();
  acceleration_.stop();  // what was followed may be fixed now
}

void Admm::warm_start(std::span<const double> link_scores, std::span<const double> consensus,
                      double penalty) {
  state_.warm_start(link_scores, consensus);
  state_.penalty = penalty;
  penalty_.set(penalty);
  set_pins(std::vector<Pin>(state_.pins));
}

void Admm::set_inexact(bool inexact) {
  for (std::int64_t b = 0; b < state_.factors.blocks(); ++b)
    state_.factors.block(b).set_inexact(inexact);
}

void Admm::do_round() {
  if (active_.sparse) {
    active_.project(state_);
    active_.average(state_);
  } else {
    project_all(state_);
    average_all(state_);
  }
}

bool Admm::choose_mode() {
  const double links = std::max<double>(1.0, static_cast<double>(state_.links.links()));
  bool few = false;
  ++active_.rounds_in_mode;
  if (!active_.sparse && active_.rounds_in_mode % kRoundsBetweenLooks == 0 &&
      state_.moving_links < kExtrapolateBelow * links) {
    active_.list(state_);
    const auto active = static_cast<double>(active_.links);
    few = active < kExtrapolateBelow * links;
    if (active < kSparseBelow * links) {
      active_.start_sparse_rounds(state_);
      acceleration_.stop();
    }
  } else if (active_.sparse && static_cast<double>(active_.links) / links > kDenseAbove) {
    active_.start_dense_rounds();
    acceleration_.stop();
  }
  active_.end_round();
  return few;
}

AdmmResult Admm::run(const AdmmOptions& options, Control& control) {
  AdmmResult result;
  AdmmState& s = state_;
  const double lowest = lowest_value(s.graph, s.pins);
  const double links = std::max<double>(1.0, static_cast<double>(s.links.links()));
  const double first_penalty = penalty_.start(options.penalty);
  if (s.penalty <= 0.0) s.penalty = first_penalty;
  s.idle = std::min(1e-6, 1e-3 * options.residual_threshold);
  rounding_.clear();
  result.impossible_factor = impossible_factor(s);
  if (result.impossible_factor >= 0) {
    result.outcome = Outcome::kInfeasible;
    return result;
  }
  double primal = 0.0, dual = 0.0, step = 0.0, active_share = 1.0;
  std::int64_t next_look_at_penalty = kRoundsBetweenPenalties;
  const double exact_below = std::max(kExactBelow, options.residual_threshold);
  const bool adapts = options.adapt_penalty && !options.literal;
  const bool extrapolates = options.extrapolate && !options.literal;
  bool inexact = !options.literal, few_active = false;
  set_inexact(inexact);
  const auto residual_of = [&](double squares) {
    return options.literal ? squares / links : std::sqrt(squares / links);
  };
  MovingTrace moving(s);
  for (;;) {
    const double move = step * s.penalty;
    s.penalty = penalty_.next();
    const double squares = active_.sparse ? active_.gather(s, move) : gather_all(s, move);
    step = options.step;
    if (result.iterations > 0) {
      primal = residual_of(squares);
      const double residual = std::max(primal, dual);
      const bool converged = residual < options.residual_threshold && !inexact;
      if (converged || result.iterations % kRoundsBetweenProposals == 0) rounding_.propose(s);
      if (converged) rounding_.propose_completed(s);
      if (control.trace) {
        result.trace.iteration.push_back(result.iterations);
        result.trace.upper_bound.push_back(result.upper_bound);
        result.trace.value.push_back(rounding_.best_value);
        result.trace.primal_residual.push_back(primal);
        result.trace.dual_residual.push_back(dual);
        result.trace.active.push_back(active_share);
        moving.append(s, result.trace);
      }
      const double tolerance = s.graph.tolerance(options.relative_gap, result.upper_bound);
      if ((converged || !options.literal) &&
          rounding_.best_value >= result.upper_bound - tolerance &&
          rounding_.best_value >= result.upper_bound + s.rounding_error() - tolerance)
        result.outcome = Outcome::kOptimal;
      else if (result.upper_bound <= options.cutoff)
        result.outcome = Outcome::kCutOff;
      else if (converged)
        result.outcome = Outcome::kRelaxed;
      if (result.outcome != Outcome::kLimit || result.iterations >= options.max_iterations ||
          control.should_stop())
        break;
      if (options.literal) {
        // The new penalty is that of the very next round, whose targets are those of the old one.
        if (options.adapt_penalty) penalty_.balance_literally(s.penalty, primal, dual);
        if (penalty_.next() != s.penalty) {
          s.penalty = penalty_.next();
          gather_all(s, 0.0);
        }
      } else if (inexact ? residual < exact_below : residual > kInexactAgain * exact_below) {
        inexact = !inexact;
        set_inexact(inexact);
      }
      if (adapts && result.iterations >= next_look_at_penalty) {
        penalty_.balance(s.penalty, primal, dual);
        next_look_at_penalty += std::max(kRoundsBetweenPenalties, result.iterations / 5);
      }
    }
    if (extrapolates && (active_.sparse || acceleration_.following() || few_active))
      acceleration_.extrapolate(s, active_);
    do_round();
    dual = residual_of(s.squared_change);
    ++result.iterations;
    // A penalty far above the scores, which only the paper's rule comes to, costs the bound digits.
    const double lost = options.literal ? kRoundingOfLinks * s.penalty * links : 0.0;
    result.upper_bound = std::min(result.upper_bound, s.bound.value() + lost);
    if (result.upper_bound < lowest - 1e-6 * std::max(1.0, std::abs(lowest)) - s.graph.rounding) {
      result.outcome = Outcome::kInfeasible;
      break;
    }
    if (adapts && result.iterations > 1) penalty_.lower_while_drifting(s.penalty, primal, dual);
    active_share = active_.sparse ? static_cast<double>(active_.links) / links : 1.0;
    if (!options.literal) few_active = choose_mode();
  }
  result.upper_bound += s.rounding_error();
  if (result.outcome == Outcome::kLimit) {
    rounding_.propose(s);
    rounding_.propose_completed(s);
  }
  result.value = rounding_.best_value;
  result.values = rounding_.best_values;
  return result;
}

}  // namespace turbotree::graphs
