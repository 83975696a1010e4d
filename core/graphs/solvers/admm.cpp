#include "graphs/solvers/admm.h"

#include <algorithm>
#include <cmath>

namespace turbotree::graphs {

namespace {

// Sparse rounds cost several times as much a link, but save the idle ones.
constexpr double kSparseBelow = 0.2, kDenseAbove = 0.3;
// Projections are exact while residuals are below the one, or below so many times that since.
constexpr double kExactBelow = 1e-3, kHurryAgain = 3.0;
constexpr double kFollowBelow = 0.5;  // share of active links up to which leaps pay in dense rounds
constexpr std::int64_t kRoundsBetweenLooks = 8;
constexpr std::int64_t kRoundsBetweenProposals = 10;
constexpr std::int64_t kRoundsBetweenPenalties = 10;  // at first; more and more later
constexpr double kShareOfExtras = 0.04;
constexpr double kNaturalPenalty = 4.0;  // times the size of a link's share of scores

// Root mean square of the shares that links have of the variables' scores at first. Without such,
// those of factors go by what pairs of a dense graph need.
double size_of_shares(const Graph& graph, const Links& links) {
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
        if (counts(score)) add(kShareOfExtras * score);
  return count == 0.0 ? kShareOfExtras : std::sqrt(squares / count);
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

Admm::Admm(const Graph& graph) : graph_(graph), factors_(graph), links_(factors_.links()) {
  const auto links = static_cast<std::size_t>(links_.links());
  const auto factors = static_cast<std::size_t>(links_.factors());
  const std::size_t variables = graph.scores.size();
  sign_.resize(links);
  offset_.resize(links);
  for (std::size_t l = 0; l < links; ++l) {
    offset_[l] = links_.negated[l];
    sign_[l] = 1.0 - 2.0 * offset_[l];
    any_negated_ |= links_.negated[l] != 0;
  }
  own_.assign(factors, 0.0);
  awake_.assign(factors, -1);
  target_.resize(links);
  point_.resize(links);
  scores_.resize(links);
  sum_.resize(variables);
  odd_sum_.resize(variables);
  consensus_.assign(variables, 0.5);
  announced_ = consensus_;
  is_touched_.assign(variables, 0);
  pull_.assign(variables, 0.0);
  active_.resize(graph.blocks.size());
  for (std::size_t l = 0; l < links; ++l) {
    const std::int32_t v = links_.variable[l];
    if (graph.pins[v] < 0) scores_[l] = sign_[l] * graph.scores[v] / links_.degree[v];
    point_[l] = 0.5;
  }
  share_size_ = size_of_shares(graph, links_);
  least_penalty_ = least_penalty(graph, links_);
  set_pins(graph.pins);
}

void Admm::set_pins(const std::vector<Pin>& pins) {
  pins_ = pins;
  sparse_ = following_ = false;  // what was followed may be fixed now
  rounds_in_mode_ = 0;
  pinned_links_.clear();
  fixed_ = 0.0;
  weight_.resize(pins.size());
  inverse_weight_.resize(pins.size());
  for (std::size_t v = 0; v < pins.size(); ++v) {
    const double score = graph_.scores[v];
    weight_[v] = pins[v] < 0 ? links_.degree[v] : 0.0;
    inverse_weight_[v] = weight_[v] > 0.0 ? 1.0 / weight_[v] : 0.0;
    if (pins[v] >= 0) {
      consensus_[v] = pins[v];
      if (pins[v] == 1) fixed_ += score;
    } else if (links_.degree[v] == 0) {
      consensus_[v] = score > 0.0 ? 1.0 : 0.0;
      fixed_ += std::max(0.0, score);
    }
  }
  for (std::int64_t l = 0; l < links_.links(); ++l) {
    if (pins[links_.variable[l]] < 0) continue;
    pinned_links_.push_back(l);
    point_[l] = seen(l, consensus_[links_.variable[l]]);
  }
}

void Admm::warm_start(std::span<const double> link_scores, std::span<const double> consensus,
                      double penalty) {
  std::copy(link_scores.begin(), link_scores.end(), scores_.begin());
  std::copy(consensus.begin(), consensus.end(), consensus_.begin());
  std::fill(sum_.begin(), sum_.end(), 0.0);
  for (std::int64_t l = 0; l < links_.links(); ++l)
    sum_[links_.variable[l]] += sign_[l] * scores_[l];
  for (std::int64_t l = 0; l < links_.links(); ++l) {
    const std::int32_t v = links_.variable[l];
    if (graph_.scores[v] > -kInfinity)
      scores_[l] += sign_[l] * (graph_.scores[v] - sum_[v]) / links_.degree[v];
    point_[l] = seen(l, consensus_[v]);
  }
  penalty_ = next_penalty_ = penalty;
  set_pins(std::vector<Pin>(pins_));
}

// How much the shares of the variables' scores have come to miss the scores by rounding, which is
// as much as a bound may be wrong.
double Admm::drift() {
  rounding_.assign(pins_.size(), 0.0);
  for (std::int64_t l = 0; l < links_.links(); ++l)
    rounding_[links_.variable[l]] += sign_[l] * scores_[l];
  double sum = 0.0;
  for (std::size_t v = 0; v < pins_.size(); ++v)
    if (pins_[v] < 0 && links_.degree[v] > 0) sum += std::abs(graph_.scores[v] - rounding_[v]);
  return sum;
}

AdmmResult Admm::run(const AdmmOptions& options, Control& control) {
  AdmmResult result;
  const double lowest = lowest_value(graph_, pins_);
  const double links = std::max<double>(1.0, static_cast<double>(links_.links()));
  if (first_penalty_ <= 0.0)
    first_penalty_ = std::max(
        least_penalty_, options.penalty > 0.0 ? options.penalty : kNaturalPenalty * share_size_);
  if (penalty_ <= 0.0) penalty_ = next_penalty_ = first_penalty_;
  idle_ = std::min(1e-6, 1e-3 * options.residual_threshold);
  best_value_ = -kInfinity;
  best_values_.clear();
  any_tried_ = false;
  result.impossible_factor = impossible_factor();
  if (result.impossible_factor >= 0) {
    result.outcome = Outcome::kInfeasible;
    return result;
  }
  double primal = 0.0, dual = 0.0, step = 0.0, share = 1.0;
  std::int64_t next_look_at_penalty = kRoundsBetweenPenalties;
  const double exact_below = std::max(kExactBelow, options.residual_threshold);
  bool hurried = true, may_follow = false;
  for (std::int64_t b = 0; b < factors_.blocks(); ++b) factors_.block(b).set_inexact(true);
  if (control.trace) consensus_before_ = consensus_;
  for (;;) {
    const double move = step * penalty_;
    penalty_ = next_penalty_ = std::max(next_penalty_, least_penalty_);
    const double squares = sparse_ ? gather_active(move) : gather_all(move);
    step = options.step;
    if (result.iterations > 0) {
      primal = std::sqrt(squares / links);
      const double residual = std::max(primal, dual);
      const bool converged = residual < options.residual_threshold && !hurried;
      if (converged || result.iterations % kRoundsBetweenProposals == 0) propose();
      if (converged) propose_completed();
      if (control.trace) {
        result.trace.iteration.push_back(result.iterations);
        result.trace.upper_bound.push_back(result.upper_bound);
        result.trace.value.push_back(best_value_);
        result.trace.primal_residual.push_back(primal);
        result.trace.dual_residual.push_back(dual);
        result.trace.active.push_back(share);
        trace_moving(result.trace);
      }
      const double tolerance = graph_.tolerance(options.relative_gap, result.upper_bound);
      if (best_value_ >= result.upper_bound - tolerance &&
          best_value_ >= result.upper_bound + drift() - tolerance)
        result.outcome = Outcome::kOptimal;
      else if (result.upper_bound <= options.cutoff)
        result.outcome = Outcome::kCutOff;
      else if (converged)
        result.outcome = Outcome::kRelaxed;
      if (result.outcome != Outcome::kLimit || result.iterations >= options.max_iterations ||
          control.should_stop())
        break;
      if (hurried ? residual < exact_below : residual > kHurryAgain * exact_below) {
        hurried = !hurried;
        for (std::int64_t b = 0; b < factors_.blocks(); ++b) factors_.block(b).set_inexact(hurried);
      }
      if (options.adapt_penalty && result.iterations >= next_look_at_penalty) {
        adapt_penalty(primal, dual);
        next_look_at_penalty += std::max(kRoundsBetweenPenalties, result.iterations / 5);
      }
    }
    if (options.extrapolate && (sparse_ || following_ || may_follow)) extrapolate();
    if (sparse_) {
      project_active();
      average_active();
    } else {
      project_all();
      average_all();
    }
    dual = std::sqrt(squared_change_ / links);
    ++result.iterations;
    result.upper_bound = std::min(result.upper_bound, bound());
    if (result.upper_bound < lowest - 1e-6 * std::max(1.0, std::abs(lowest)) - graph_.rounding) {
      result.outcome = Outcome::kInfeasible;
      break;
    }
    if (options.adapt_penalty && result.iterations > 1) hasten_walk(primal, dual);
    share = sparse_ ? static_cast<double>(active_links_) / links : 1.0;
    ++rounds_in_mode_;
    may_follow = false;
    if (!sparse_ && rounds_in_mode_ % kRoundsBetweenLooks == 0 &&
        moving_links_ < kFollowBelow * links) {
      list_active();
      may_follow = static_cast<double>(active_links_) < kFollowBelow * links;
      if (static_cast<double>(active_links_) < kSparseBelow * links) start_sparse_rounds();
    } else if (sparse_ && share > kDenseAbove) {
      sparse_ = following_ = false;
      rounds_in_mode_ = 0;
    }
    ++rounds_;
  }
  result.upper_bound += drift();
  if (result.outcome == Outcome::kLimit) {
    propose();
    propose_completed();
  }
  result.value = best_value_;
  result.values = best_values_;
  return result;
}

}  // namespace turbotree::graphs
