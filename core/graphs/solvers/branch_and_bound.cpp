#include "graphs/solvers/branch_and_bound.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "graphs/solvers/cost_network/translation.h"
#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {

namespace {

// If there is a network, it is tried after so many rounds of the first relaxation.
constexpr std::int64_t kRoundsBeforeNetwork = 100;

}  // namespace

BranchAndBound::BranchAndBound(const Graph& graph, const BranchAndBoundOptions& options,
                               Control& control)
    : graph_(graph), options_(options), control_(control), admm_(graph) {
  weight_.resize(graph.scores.size());
  for (std::size_t v = 0; v < weight_.size(); ++v)
    weight_[v] = graph.scores[v] > -kInfinity ? std::abs(graph.scores[v]) : 0.0;
  for (const BlockArrays& block : graph.blocks)
    if (block.kind == Kind::kPair)
      for (std::int64_t f = 0; f < block.factors(); ++f)
        for (std::int64_t l = 2 * f; l < 2 * f + 2; ++l)
          weight_[block.variables[l]] += std::abs(block.factor_scores[f]);
}

double BranchAndBound::cutoff() const {
  if (!wants_several()) return cutoff_of(result_.value);
  const bool has_all = static_cast<std::int64_t>(result_.found.size()) == options_.count;
  return cutoff_of(has_all ? result_.found.back().value : -kInfinity);
}

double BranchAndBound::cutoff_of(double value) const {
  const double last = std::max(options_.floor, value);
  if (last == -kInfinity) return -kInfinity;
  return last + graph_.tolerance(options_.relative_gap, last);
}

void BranchAndBound::take(double value, const std::vector<std::uint8_t>& values) {
  if (wants_several() && value > -kInfinity) {
    auto& found = result_.found;
    const auto same = [&](const BranchAndBoundResult::Found& other) {
      return std::equal(values.begin(), values.begin() + keys(), other.values.begin());
    };
    if (std::none_of(found.begin(), found.end(), same)) {
      const auto at = std::upper_bound(
          found.begin(), found.end(), value,
          [](double v, const BranchAndBoundResult::Found& other) { return v > other.value; });
      found.insert(at, {value, values});
      if (static_cast<std::int64_t>(found.size()) > options_.count) found.pop_back();
    }
  }
  if (!(value > result_.value)) return;
  result_.value = value;
  result_.values = values;
}

double BranchAndBound::find_losses(const std::vector<Pin>& pins) {
  Factors& factors = admm_.factors();
  const Links& links = factors.links();
  scores_ = admm_.link_scores();
  messages_.resize(scores_.size());
  double bound = 0.0;
  const Incidence& incidence = factors.incidence();
  for (std::int64_t f = 0; f < links.factors(); ++f) {
    const std::int64_t first = incidence.offsets[f], last = incidence.offsets[f + 1];
    double others = 0.0;
    bool any_fixed = false;
    for (std::int64_t l = first; l < last; ++l) {
      if (pins[links.variable[l]] >= 0) {
        any_fixed = true;
        continue;
      }
      others += std::abs(scores_[l]);
      if (links.negated[l] != 0) bound -= scores_[l];
    }
    if (!any_fixed) continue;
    const double push = factors.decisive_push(f, others);
    for (std::int64_t l = first; l < last; ++l) {
      const Pin pin = pins[links.variable[l]];
      if (pin < 0) continue;
      scores_[l] = pushed(links, l, pin, push);
      bound -= std::max(0.0, scores_[l]);
    }
  }
  for (std::size_t b = 0; b < graph_.blocks.size(); ++b) {
    const std::int64_t count = graph_.blocks[b].factors();
    values_.resize(static_cast<std::size_t>(count));
    factors.block(b).max_messages(0, count, links.links_of_block(b, std::as_const(scores_)),
                                  links.links_of_block(b, messages_), values_);
    for (const double value : values_) bound += value;
  }
  // The shares of a variable's score may miss it by a rounding error; what is left is its own.
  loss_if_one_.assign(pins.size(), 0.0);
  loss_if_zero_.assign(pins.size(), 0.0);
  std::vector<double> left = graph_.scores;
  for (std::size_t l = 0; l < scores_.size(); ++l) {
    const std::int32_t v = links.variable[l];
    if (pins[v] >= 0) continue;
    left[v] -= links.turned(l, scores_[l]);
    const double preference = links.turned(l, scores_[l] + messages_[l]);
    loss_if_one_[v] += std::max(0.0, -preference);
    loss_if_zero_[v] += std::max(0.0, preference);
  }
  for (std::size_t v = 0; v < pins.size(); ++v) {
    if (pins[v] >= 0) {
      bound += pins[v] == 1 ? graph_.scores[v] : 0.0;
      continue;
    }
    bound += std::max(0.0, left[v]);
    loss_if_one_[v] += std::max(0.0, -left[v]);
    loss_if_zero_[v] += std::max(0.0, left[v]);
  }
  return bound;
}

BranchAndBound::Losses BranchAndBound::losses(std::span<const double> link_scores) {
  const std::vector<double> consensus(graph_.scores.size(), 0.5);
  admm_.warm_start(link_scores, consensus, 1.0);
  const double bound = find_losses(graph_.pins);
  return {bound, loss_if_one_, loss_if_zero_};
}

double BranchAndBound::fix_variables(std::vector<Pin>& pins) {
  const double bound = find_losses(pins);
  for (std::size_t v = 0; v < pins.size(); ++v) {
    if (pins[v] >= 0) continue;
    const bool one_is_hopeless = bound - loss_if_one_[v] <= cutoff();
    const bool zero_is_hopeless = bound - loss_if_zero_[v] <= cutoff();
    if (one_is_hopeless && zero_is_hopeless) return -kInfinity;
    if (one_is_hopeless) pins[v] = 0;
    if (zero_is_hopeless) pins[v] = 1;
  }
  return bound;
}

// The variable that the relaxation leaves most open, weighted by what hangs on it.
std::int64_t BranchAndBound::choose_variable(const std::vector<Pin>& pins) const {
  const std::vector<std::int32_t>& degree = admm_.links().degree;
  std::int64_t best = -1;
  double most = -1.0;
  for (std::size_t v = 0; v < pins.size(); ++v) {
    if (pins[v] >= 0 || degree[v] == 0) continue;
    const double u = admm_.consensus()[v];
    const double open = std::max(0.0, std::min(u, 1.0 - u)) * (1.0 + weight_[v]);
    if (open > most) most = open, best = static_cast<std::int64_t>(v);
  }
  return best;
}

void BranchAndBound::branch(std::vector<Pin> pins, double bound) {
  const std::int64_t variable = choose_variable(pins);
  if (variable < 0) {  // all is decided
    std::vector<std::uint8_t> values(pins.size());
    for (std::size_t v = 0; v < pins.size(); ++v)
      values[v] =
          pins[v] >= 0 ? static_cast<std::uint8_t>(pins[v]) : (graph_.scores[v] > 0.0 ? 1 : 0);
    take(admm_.factors().value(values), values);
    if (wants_several()) divide(std::move(pins), bound, values);
    return;
  }
  const auto state =
      std::make_shared<const State>(State{admm_.link_scores(), admm_.consensus(), admm_.penalty()});
  const Pin likely = admm_.consensus()[variable] > 0.5 ? 1 : 0;
  for (const Pin value : {static_cast<Pin>(1 - likely), likely}) {
    pins[variable] = value;
    open_.push({bound, created_++, pins, state});
  }
}

void BranchAndBound::divide(std::vector<Pin> pins, double bound,
                            const std::vector<std::uint8_t>& values) {
  const auto state =
      std::make_shared<const State>(State{admm_.link_scores(), admm_.consensus(), admm_.penalty()});
  // What is dearest to change comes first: its child is closed at once, or soon, and the likely
  // changes at the end have the most variables fixed.
  std::vector<std::int32_t> order;
  for (std::size_t v = 0; v < keys(); ++v)
    if (pins[v] < 0 && values[v] != 0) order.push_back(static_cast<std::int32_t>(v));
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return loss_if_zero_[a] > loss_if_zero_[b];
  });
  if (!options_.same_size)  // an assignment may have all of these and others beside them
    for (std::size_t v = 0; v < keys(); ++v)
      if (pins[v] < 0 && values[v] == 0) order.push_back(static_cast<std::int32_t>(v));
  for (const std::int32_t v : order) {
    const double loss = values[v] != 0 ? loss_if_zero_[v] : loss_if_one_[v];
    const double own = std::min(bound, bound_ - loss);
    const Pin kept = static_cast<Pin>(values[v]);
    if (own > cutoff()) {
      pins[v] = static_cast<Pin>(1 - kept);
      open_.push({own, created_++, pins, state});
    } else {
      closed_ = std::max(closed_, own);
    }
    pins[v] = kept;
  }
}

void BranchAndBound::solve(const Node& node) {
  admm_.set_pins(node.pins);
  if (node.start)
    admm_.warm_start(node.start->link_scores, node.start->consensus, node.start->penalty);
  AdmmOptions relaxation = options_.relaxation;
  relaxation.relative_gap = options_.relative_gap;
  relaxation.cutoff = cutoff();
  if (result_.nodes == 0 && may_have_network_)
    relaxation.max_iterations = std::min(relaxation.max_iterations, kRoundsBeforeNetwork);
  const bool trace = std::exchange(control_.trace, false);  // of nodes, not of their rounds
  const AdmmResult result = admm_.run(relaxation, control_);
  control_.trace = trace;
  ++result_.nodes;
  result_.rounds += result.iterations;
  if (result_.nodes == 1) {
    result_.relaxed = admm_.consensus();
    result_.link_scores = admm_.link_scores();
    result_.penalty = admm_.penalty();
    result_.impossible_factor = result.impossible_factor;
  }
  take(result.value, result.values);
  if (result.outcome == Outcome::kInfeasible) return;
  double bound = std::min(node.bound, result.upper_bound);
  if (bound > cutoff()) {
    std::vector<Pin> pins = node.pins;
    bound_ = fix_variables(pins);
    bound = std::min(bound, bound_);
    // What was ruled out may be as good as this.
    if (pins != node.pins) closed_ = std::max(closed_, cutoff());
    if (bound > cutoff()) {
      // By an assignment that has what is fixed by now: another one would hide those that have the
      // rest of it.
      const auto has = [&](const std::vector<std::uint8_t>& values) {
        for (std::size_t v = 0; v < pins.size(); ++v)
          if (pins[v] >= 0 && pins[v] != values[v]) return false;
        return true;
      };
      if (wants_several() && result.value > -kInfinity && has(result.values))
        divide(std::move(pins), bound, result.values);
      else
        branch(std::move(pins), bound);
      return;
    }
  }
  closed_ = std::max(closed_, bound);
}

void BranchAndBound::add_to_trace(double bound, double free) {
  Trace& trace = result_.trace;
  double value = result_.value;
  if (network_search_) value = std::max(value, network_search_->value());
  if (!trace.upper_bound.empty()) bound = std::min(bound, trace.upper_bound.back());
  if (!trace.iteration.empty() && trace.iteration.back() == result_.nodes) {
    trace.upper_bound.back() = std::max(value, bound);
    trace.value.back() = value;
    return;
  }
  trace.iteration.push_back(result_.nodes);
  trace.upper_bound.push_back(std::max(value, bound));
  trace.value.push_back(value);
  trace.primal_residual.push_back(std::nan(""));
  trace.dual_residual.push_back(std::nan(""));
  trace.active.push_back(free);
}

BranchAndBoundResult BranchAndBound::run() {
  may_have_network_ = !wants_several() && has_network(graph_);
  open_.push({kInfinity, created_++, graph_.pins, nullptr});
  bool is_proven = false;
  while (!open_.empty()) {
    if (wants_several())
      result_.upper_bound = open_.top().bound;  // of what is left
    else
      result_.upper_bound =
          std::min(result_.upper_bound, std::max(result_.value, open_.top().bound));
    if (open_.top().bound <= cutoff()) break;
    if (result_.nodes >= options_.max_nodes || (result_.nodes > 0 && control_.should_stop()))
      return std::move(result_);
    if (result_.nodes > 0) control_.tell(result_.value, result_.upper_bound, result_.values);
    if (result_.nodes > 0 && may_have_network_) start_network();
    if (is_turn_of_network()) {
      is_proven = search_network();
      if (is_proven) break;
      continue;
    }
    const Node node = open_.top();
    open_.pop();
    solve(node);
    if (control_.trace) {
      std::int64_t free = 0;
      for (const Pin pin : node.pins) free += pin < 0 ? 1 : 0;
      add_to_trace(
          open_.empty() ? -kInfinity : open_.top().bound,
          static_cast<double>(free) / std::max<double>(1.0, static_cast<double>(node.pins.size())));
    }
  }
  const bool found = result_.value > -kInfinity;
  result_.outcome = found ? Outcome::kOptimal : Outcome::kInfeasible;
  if (is_proven) {
    result_.upper_bound = std::max(result_.value, result_.upper_bound);
    return std::move(result_);
  }
  if (!open_.empty()) closed_ = std::max(closed_, open_.top().bound);
  if (wants_several())
    result_.upper_bound = closed_;
  else if (found)
    result_.upper_bound = std::max(result_.value, std::min(result_.upper_bound, closed_));
  return std::move(result_);
}

}  // namespace turbotree::graphs
