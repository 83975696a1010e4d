#include "graphs/solvers/subgradient.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {

namespace {

// Bounds of rounds that come back to the same shares differ by as much, and that is no rise.
constexpr double kRoundingOfBounds = 1e-12;

}  // namespace

Subgradient::Subgradient(const Graph& graph)
    : graph_(graph),
      factors_(graph),
      links_(factors_.links()),
      incidence_(factors_.incidence()),
      pins_(graph.pins),
      push_(decisive_push(graph)),
      assignments_(factors_, pins_, push_) {}

void Subgradient::find_hubs() {
  hub_.assign(graph_.scores.size(), -1);
  leads_to_head_.assign(links_.links(), 0);
  for (std::size_t b = 0; b < graph_.blocks.size(); ++b) {
    const BlockArrays& block = graph_.blocks[b];
    const std::int64_t first = links_.first_link[b];
    if (block.kind == Kind::kTree)
      for (std::int64_t l = 0; l < block.links(); ++l) {
        std::int64_t& hub = hub_[block.variables[l]];
        if (hub < 0) hub = first + l;
      }
    if (block.kind == Kind::kGrandparentAutomaton)
      for (std::int64_t f = 0; f < block.factors(); ++f)
        std::fill_n(leads_to_head_.begin() + first + block.offsets[f], block.factor(f).shape[0],
                    std::uint8_t{1});
  }
}

void Subgradient::share_out(double tree_share) {
  const std::size_t variables = graph_.scores.size();
  scores_.resize(links_.links());
  chosen_.assign(links_.links(), 0);
  factor_duals_.assign(links_.factors(), 0.0);
  votes_.assign(variables, 0);
  since_.assign(variables, 0);
  total_.assign(variables, 0.0);
  waits_.assign(links_.factors(), 1);
  waiting_.resize(links_.factors());
  std::iota(waiting_.begin(), waiting_.end(), 0);
  is_touched_.assign(variables, 0);
  constant_ = 0.0;
  for (std::size_t v = 0; v < variables; ++v) {
    if (pins_[v] >= 0)
      constant_ += pins_[v] == 1 ? graph_.scores[v] : 0.0;
    else if (links_.degree[v] == 0)
      constant_ += std::max(0.0, graph_.scores[v]);
  }
  for (std::int64_t l = 0; l < links_.links(); ++l) {
    const std::int32_t v = links_.variable[l];
    scores_[l] = pins_[v] >= 0 ? pushed(links_, l, pins_[v], push_)
                               : links_.turned(l, graph_.scores[v] / links_.degree[v]);
  }
  if (tree_share < 0.0) return;
  // The rest belongs to the automata in which the arc leads to a modifier, if there are any.
  for (std::size_t v = 0; v < variables; ++v) {
    const std::int64_t hub = hub_[v];
    if (hub < 0 || pins_[v] >= 0 || links_.degree[v] == 1) continue;
    const auto own = incidence_.links_of(static_cast<std::int64_t>(v));
    const auto takes = [&](std::int64_t l) { return l != hub && leads_to_head_[l] == 0; };
    const auto takers = std::count_if(own.begin(), own.end(), takes);
    const double others = takers > 0 ? static_cast<double>(takers) : links_.degree[v] - 1.0;
    for (const std::int64_t l : own) {
      const double share = l == hub                  ? tree_share
                           : takers > 0 && !takes(l) ? 0.0
                                                     : (1.0 - tree_share) / others;
      scores_[l] = links_.turned(l, share * graph_.scores[v]);
    }
  }
}

void Subgradient::settle(std::int32_t v) {
  total_[v] +=
      static_cast<double>(round_ - since_[v]) * votes_[v] / static_cast<double>(links_.degree[v]);
  since_[v] = round_;
}

void Subgradient::solve(std::int32_t f) {
  const std::int64_t first = incidence_.offsets[f], last = incidence_.offsets[f + 1];
  for (std::int64_t l = first; l < last; ++l) {
    const std::int32_t v = links_.variable[l];
    if (is_touched_[v] == 0) {
      is_touched_[v] = 1;
      touched_.push_back(v);
      settle(v);
    }
    // Before the first round nobody has voted.
    if (round_ > 0) votes_[v] -= links_.literal(l, chosen_[l]);
  }
  double dual = factors_.maximise(f, scores_, chosen_);
  for (std::int64_t l = first; l < last; ++l) {
    const std::int32_t v = links_.variable[l];
    votes_[v] += links_.literal(l, chosen_[l]);
    if (pins_[v] >= 0)
      dual -= std::max(0.0, scores_[l]);
    else if (links_.negated[l] != 0)
      dual -= scores_[l];
  }
  factor_duals_[f] = dual;
}

bool Subgradient::solve_waiting(Control& control) {
  touched_.clear();
  std::size_t done = 0;
  for (const std::int32_t f : waiting_) {
    if (done++ % 64 == 0 && control.should_stop()) return false;
    solve(f);
    waits_[f] = 0;
  }
  return true;
}

// Only variables of factors that were solved again can have come to disagree, and all those that
// disagreed before are among them.
void Subgradient::find_disagreements() {
  disputed_.clear();
  for (const std::int32_t v : touched_) {
    is_touched_[v] = 0;
    if (pins_[v] < 0 && votes_[v] > 0 && votes_[v] < links_.degree[v]) disputed_.push_back(v);
  }
}

double Subgradient::disagreement() const {
  double sum = 0.0;
  for (const std::int32_t v : disputed_) {
    const double mean = votes_[v] / static_cast<double>(links_.degree[v]);
    sum += static_cast<double>(links_.degree[v]) * mean * (1.0 - mean);
  }
  return sum;
}

void Subgradient::move(double step) {
  waiting_.clear();
  for (const std::int32_t v : disputed_) {
    const double mean = votes_[v] / static_cast<double>(links_.degree[v]);
    for (const std::int64_t l : incidence_.links_of(v)) {
      scores_[l] -= links_.turned(l, step * (links_.literal(l, chosen_[l]) - mean));
      wait_for(incidence_.factor[l]);
    }
  }
}

void Subgradient::wait_for(std::int32_t f) {
  if (waits_[f] == 0) waits_[f] = 1, waiting_.push_back(f);
}

// One multiplier for each link beside the hub. Without a tree, the first link is the hub.
void Subgradient::move_against_hubs(double step) {
  waiting_.clear();
  for (const std::int32_t v : disputed_) {
    const auto own = incidence_.links_of(v);
    const std::int64_t hub = hub_[v] >= 0 ? hub_[v] : own.front();
    const int proposed = links_.literal(hub, chosen_[hub]);
    for (const std::int64_t l : own) {
      const int difference = links_.literal(l, chosen_[l]) - proposed;
      if (difference == 0) continue;
      scores_[l] -= links_.turned(l, step * difference);
      scores_[hub] += links_.turned(hub, step * difference);
      wait_for(incidence_.factor[l]);
    }
    wait_for(incidence_.factor[hub]);
  }
}

double Subgradient::dual() const {
  return std::accumulate(factor_duals_.begin(), factor_duals_.end(), constant_);
}

// No allowed assignment is worth less than this.
void Subgradient::try_candidate(SubgradientResult& result) {
  const double value = factors_.value(candidate_);
  if (value > result.value) result.value = value, result.values = candidate_;
}

void Subgradient::propose(SubgradientResult& result) {
  candidate_.resize(graph_.scores.size());
  for (std::size_t v = 0; v < candidate_.size(); ++v) {
    const std::int64_t degree = links_.degree[v];
    const bool on = pins_[v] >= 0             ? pins_[v] == 1
                    : degree == 0             ? graph_.scores[v] > 0.0
                    : 2 * votes_[v] == degree ? graph_.scores[v] > 0.0
                                              : 2 * votes_[v] > degree;
    candidate_[v] = on ? 1 : 0;
  }
  try_candidate(result);
  if (disputed_.empty()) return;
  assignments_.complete(scores_, candidate_);
  try_candidate(result);
}

void Subgradient::propose_hubs(SubgradientResult& result) {
  candidate_.resize(graph_.scores.size());
  for (std::size_t v = 0; v < candidate_.size(); ++v) {
    if (pins_[v] >= 0 || links_.degree[v] == 0) {
      candidate_[v] = pins_[v] >= 0 ? pins_[v] == 1 : graph_.scores[v] > 0.0;
      continue;
    }
    const std::int64_t hub =
        hub_[v] >= 0 ? hub_[v] : incidence_.links_of(static_cast<std::int64_t>(v)).front();
    candidate_[v] = links_.literal(hub, chosen_[hub]);
  }
  if (candidate_ == last_candidate_) return;
  try_candidate(result);
  last_candidate_ = candidate_;
}

// The paper's: the gap of the first round over 1 + rises. It has no forbidden parts; while the
// trees proposed have some, a usual score, which is 1, has to do.
double Subgradient::literal_step(const SubgradientOptions& options, const SubgradientResult& result,
                                 double bound) {
  if (options.rule == StepRule::kGiven) return options.step / static_cast<double>(1 + rises_);
  if (first_step_ == 0.0 && result.value > -kInfinity) first_step_ = bound - result.value;
  return (result.value > -kInfinity ? first_step_ : 1.0) / static_cast<double>(1 + rises_);
}

std::vector<double> Subgradient::final_scores() const {
  std::vector<double> scores = scores_;
  for (std::int64_t l = 0; l < links_.links(); ++l)
    if (pins_[links_.variable[l]] >= 0) scores[l] = 0.0;
  return scores;
}

double Subgradient::step_size(const SubgradientOptions& options, const SubgradientResult& result,
                              double bound) {
  const double length = disagreement();
  double gap = bound - result.value;
  if (!(gap < kInfinity)) {
    // Towards the worst that an assignment could be worth; below it there is none.
    gap = lowest_ > -kInfinity ? bound - lowest_ : length;
    if (detour_) return (1.1 * gap + 1.0) / length;
    return stalled_ * (options.rule == StepRule::kGiven ? options.step : gap / length);
  }
  if (options.rule == StepRule::kPolyak) return stalled_ * std::max(gap, 0.0) / length;
  if (first_step_ == 0.0)
    first_step_ = options.rule == StepRule::kGiven ? options.step : gap / length;
  return first_step_ / static_cast<double>(1 + rises_);
}

// Long steps prove that there is no assignment, if that is so, and otherwise lead astray. So while
// none is known they are taken for a while now and then, by shares of their own.
void Subgradient::plan_detour(bool assignment_known) {
  constexpr std::int64_t kCycle = 200, kDetour = 50;
  const bool wanted =
      !assignment_known && lowest_ > -kInfinity && round_ % kCycle >= kCycle - kDetour;
  if (wanted == detour_) return;
  detour_ = wanted;
  if (detour_shares_.empty()) detour_shares_ = scores_;
  scores_.swap(detour_shares_);
  waiting_.resize(links_.factors());
  std::iota(waiting_.begin(), waiting_.end(), 0);
  std::fill(waits_.begin(), waits_.end(), std::uint8_t{1});
}

SubgradientResult Subgradient::run(const SubgradientOptions& options, Control& control) {
  SubgradientResult result;
  const auto tight = [&](double value, double bound) {
    return value >= bound - graph_.tolerance(options.relative_gap, bound);
  };
  if (std::any_of(pins_.begin(), pins_.end(), [](Pin pin) { return pin >= 0; })) {
    result.impossible_factor = propagate(factors_, push_, pins_, control);
    if (result.impossible_factor >= 0) {
      result.infeasible = true;
      return result;
    }
  }
  find_hubs();
  share_out(options.tree_share);
  lowest_ = lowest_value(graph_, pins_);
  double last = std::numeric_limits<double>::max();
  std::int64_t links_solved = 0, patience = 0, longest_patience = 10;
  round_ = rises_ = 0;
  detour_ = false;
  detour_shares_.clear();
  last_candidate_.clear();
  first_step_ = 0.0;
  stalled_ = 1.0;
  while (result.iterations < options.max_iterations) {
    const std::size_t solved = waiting_.size();
    for (const std::int32_t f : waiting_) links_solved += incidence_.size(f);
    if (!solve_waiting(control)) break;
    ++round_;
    ++result.iterations;
    find_disagreements();
    const double bound = dual();
    if (options.literal ? bound > last + kRoundingOfBounds * std::abs(last)
                        : bound > last && result.value > -kInfinity)
      ++rises_;
    last = bound;
    if (detour_) {
      patience = 0;
    } else if (bound < result.upper_bound - 1e-9 * std::max(1.0, std::abs(bound))) {
      patience = 0;
    } else if (++patience >= longest_patience) {
      stalled_ *= 0.5;
      patience = 0;
      longest_patience += 10;  // short steps need more rounds to show
    }
    result.upper_bound = std::min(result.upper_bound, bound);
    if (bound < lowest_ - 1e-6 * std::max(1.0, std::abs(lowest_)) - graph_.rounding) {
      result.infeasible = true;
      return result;
    }
    // Looking for assignments costs about as much as solving every factor once.
    if (options.literal && !options.projected) {
      propose_hubs(result);
    } else if (disputed_.empty() || links_solved >= links_.links()) {
      links_solved = 0;
      const double before = result.value;
      propose(result);
      if (result.value > before) stalled_ = 1.0, longest_patience = 10;  // another gap to aim at
    }
    if (control.trace) {
      result.trace.iteration.push_back(result.iterations);
      result.trace.upper_bound.push_back(result.upper_bound);
      result.trace.value.push_back(result.value);
      result.trace.primal_residual.push_back(std::sqrt(
          disagreement() / static_cast<double>(std::max<std::int64_t>(1, links_.links()))));
      result.trace.dual_residual.push_back(std::nan(""));
      result.trace.active.push_back(
          static_cast<double>(solved) /
          static_cast<double>(std::max<std::int64_t>(1, links_.factors())));
    }
    result.optimal =
        (disputed_.empty() || !options.literal) && tight(result.value, result.upper_bound);
    if (result.optimal || disputed_.empty()) break;
    if (options.literal) {
      const double step = literal_step(options, result, bound);
      options.projected ? move(step) : move_against_hubs(step);
      continue;
    }
    move(step_size(options, result, bound));
    plan_detour(result.value > -kInfinity);
  }
  result.link_scores = final_scores();
  if (result.values.empty()) {
    std::vector<Pin> forced = pins_;
    result.impossible_factor = propagate(factors_, push_, forced, control);
    result.infeasible = result.impossible_factor >= 0;
  }
  result.relaxed.resize(graph_.scores.size());
  for (std::size_t v = 0; v < result.relaxed.size(); ++v) {
    if (pins_[v] >= 0 || links_.degree[v] == 0) {
      result.relaxed[v] = pins_[v] >= 0 ? pins_[v] : graph_.scores[v] > 0.0 ? 1.0 : 0.0;
      continue;
    }
    settle(static_cast<std::int32_t>(v));
    result.relaxed[v] = total_[v] / static_cast<double>(std::max<std::int64_t>(1, round_));
  }
  if (!result.optimal) return result;
  std::copy(result.values.begin(), result.values.end(), result.relaxed.begin());
  result.upper_bound = std::max(result.upper_bound, result.value);
  return result;
}

}  // namespace turbotree::graphs
