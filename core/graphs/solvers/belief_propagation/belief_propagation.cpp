#include "graphs/solvers/belief_propagation/belief_propagation.h"

#include <algorithm>
#include <cmath>

#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {

BeliefPropagation::BeliefPropagation(const Graph& graph)
    : graph_(graph),
      factors_(graph),
      links_(factors_.links()),
      incidence_(factors_.incidence()),
      pins_(graph.pins),
      push_(decisive_push(graph)),
      limit_(10.0 * push_),
      assignments_(factors_, pins_, push_) {}

void BeliefPropagation::reset() {
  const auto links = static_cast<std::size_t>(links_.links());
  beliefs_.assign(graph_.scores.size(), 0.0);
  messages_.assign(links, 0.0);
  told_.assign(links, 0.0);
  fresh_.assign(links, 0.0);
}

// Messages to fixed variables stay 0, so that the push alone is what they tell.
void BeliefPropagation::add_up_beliefs() {
  for (std::size_t v = 0; v < beliefs_.size(); ++v)
    beliefs_[v] = pins_[v] < 0 ? graph_.scores[v] : pins_[v] == 1 ? push_ : -push_;
  for (std::int64_t l = 0; l < links_.links(); ++l)
    beliefs_[links_.variable[l]] += links_.turned(l, messages_[l]);
}

void BeliefPropagation::tell(std::int64_t first, std::int64_t last) {
  for (std::int64_t l = first; l < last; ++l)
    told_[l] = links_.turned(l, beliefs_[links_.variable[l]]) - messages_[l];
}

void BeliefPropagation::compute(std::int64_t f) {
  if (options_.sums)
    factors_.sum_messages(f, told_, fresh_);
  else
    factors_.max_messages(f, told_, fresh_);
}

double BeliefPropagation::change_of(std::int64_t f) const {
  double change = 0.0;
  for (std::int64_t l = incidence_.offsets[f]; l < incidence_.offsets[f + 1]; ++l)
    change = std::max(change, std::abs(clamped(l) - messages_[l]));
  return change;
}

BeliefPropagationResult BeliefPropagation::run(const BeliefPropagationOptions& options,
                                               Control& control) {
  options_ = options;
  BeliefPropagationResult result;
  reset();
  const bool any_pins = std::any_of(pins_.begin(), pins_.end(), [](Pin pin) { return pin >= 0; });
  if (any_pins) {
    result.impossible_factor = propagate(factors_, push_, pins_, control);
    if (result.impossible_factor >= 0) return result;
  }
  add_up_beliefs();
  next_beliefs_.resize(beliefs_.size());
  if (options_.schedule == Schedule::kResidual) start_residuals();
  while (!result.converged && result.iterations < options_.max_iterations) {
    double change;
    switch (options_.schedule) {
      case Schedule::kFlooding: change = flood(control); break;
      case Schedule::kSequential: change = sweep(result.iterations % 2 == 0, control); break;
      default: change = follow_residuals(control);
    }
    if (change == kInfinity) break;
    ++result.iterations;
    result.converged = change <= options_.tolerance;
    if (control.trace) {
      if (!options_.sums) summarise_maxima(result);
      result.trace.iteration.push_back(result.iterations);
      result.trace.upper_bound.push_back(options_.sums ? std::nan("") : result.upper_bound);
      result.trace.value.push_back(options_.sums ? std::nan("") : result.value);
      result.trace.primal_residual.push_back(change);
      result.trace.dual_residual.push_back(std::nan(""));
      result.trace.active.push_back(1.0);
    }
  }
  suspicion_ = false;
  if (options_.sums)
    summarise_sums(result);
  else
    summarise_maxima(result);
  if (suspicion_) result.impossible_factor = propagate(factors_, push_, pins_, control);
  return result;
}

}  // namespace turbotree::graphs
