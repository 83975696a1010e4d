#include "graphs/solvers/cost_network/network_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace turbotree::graphs {

namespace {

// Steps of local search per variable, at first and later; and how many values they may look at.
constexpr std::int64_t kFirstSteps = 50, kSteps = 200, kMostSteps = 20'000'000;
// Dead ends of the first plunge and of the longest.
constexpr std::int64_t kPatience = 16, kMostPatience = 1 << 14;
// Nodes after which local search tries again; twice as many each time.
constexpr std::int64_t kNodesToImprove = 100;

}  // namespace

// What the root and the first subproblem of a plunge gain serves all below them, and where
// variables have many neighbours, bounds rise slowly, but for long.
constexpr NetworkSearch::Passes NetworkSearch::kAtFirst{200, 0.001};
constexpr NetworkSearch::Passes NetworkSearch::kBelow{6, 0.05};

NetworkSearch::NetworkSearch(const CostNetwork& network, Factors& factors,
                             std::function<double(double)> cutoff, Control& control)
    : network_(network),
      factors_(factors),
      cutoff_(std::move(cutoff)),
      control_(control),
      local_search_(network),
      root_(network),
      depth_(kNoPlunge),
      patience_(kPatience),
      improve_at_(kNodesToImprove),
      limit_(network.cost_above(cutoff_(-kInfinity))),
      weights_(network.sizes.size(), 1.0) {}

void NetworkSearch::offer(double value, const std::vector<std::uint8_t>& values) {
  if (!(value > value_)) return;
  value_ = value;
  values_ = values;
  limit_ = network_.cost_above(cutoff_(value));
  if (!network_.read(values, best_)) best_.clear();
}

void NetworkSearch::take(const std::vector<std::int32_t>& assignment) {
  std::vector<std::uint8_t> values;
  network_.write(assignment, values);
  const double value = factors_.value(values);
  if (!(value > value_)) return;
  value_ = value;
  values_ = std::move(values);
  best_ = assignment;
  limit_ = network_.cost_above(cutoff_(value));
}

void NetworkSearch::improve(std::int64_t steps_per_variable) {
  if (best_.empty()) return;
  std::vector<std::int32_t> found = best_;
  const std::int64_t steps =
      std::min(steps_per_variable * network_.variables(),
               kMostSteps / std::max<std::int64_t>(1, network_.first.back()));
  if (local_search_.run(found, steps)) take(found);
}

bool NetworkSearch::tighten(Subproblem& subproblem, const Passes& passes) {
  const auto is_open = [&] { return subproblem.propagate(space_) && subproblem.bound() < limit_; };
  if (!is_open()) return false;
  for (std::int64_t i = 0; i < passes.most && !subproblem.open().empty(); ++i) {
    const double before = subproblem.bound();
    if (!subproblem.pass(limit_, space_) || !is_open()) return false;
    const double gap = std::isfinite(limit_) ? limit_ - subproblem.bound() : subproblem.bound();
    if (i > 0 && subproblem.bound() - before < passes.worthwhile * std::abs(gap)) break;
    if (control_.should_stop()) break;
  }
  return true;
}

bool NetworkSearch::visit(Subproblem& subproblem, const Passes& passes) {
  const bool is_open = tighten(subproblem, passes);
  ++nodes_;
  if (each_node) each_node();
  return is_open;
}

// The variable with few values that led to dead ends often, and whose values cost much more than
// the bound on average; the value that costs least.
NetworkSearch::Decision NetworkSearch::choose(const Subproblem& subproblem) const {
  const double gap = std::isfinite(limit_) ? limit_ - subproblem.bound() : 1.0 / network_.quantum;
  double most = -1.0;
  Decision best{-1, -1, true};
  for (const std::int32_t v : subproblem.open()) {
    const double* margins = space_.margins.data() + network_.first[v];
    double sum = 0.0;
    std::int32_t value = -1, count = 0;
    for (std::int32_t a = 0; a < network_.sizes[v]; ++a) {
      if (!subproblem.allows(v, a)) continue;
      ++count;
      sum += margins[a];
      if (value < 0 || margins[a] < margins[value]) value = a;
    }
    constexpr double kLittle = 1e-3;  // so that ties are broken by the number of values
    const double urgency = weights_[v] * (kLittle + sum / (count * gap)) / count;
    if (urgency > most) most = urgency, best = {v, value, true};
  }
  return best;
}

Subproblem& NetworkSearch::subproblem(std::size_t depth) {
  while (frames_.size() <= depth)
    frames_.push_back({std::make_unique<Subproblem>(network_), {-1, -1, false}, 0});
  return *frames_[depth].subproblem;
}

void NetworkSearch::descend() {
  Subproblem& child = subproblem(depth_ + 1);
  Frame& here = frames_[depth_];
  here.path = path_.size();
  if (here.subproblem->open().empty()) {
    take(here.subproblem->assignment());
    close();
    return;
  }
  if (here.subproblem->bound() >= limit_) {  // something better was found since it was visited
    close();
    return;
  }
  child.copy(*here.subproblem);
  if (child.overflows()) {
    failed_ = true;
    return;
  }
  here.tried = choose(*here.subproblem);
  child.assign(here.tried.variable, here.tried.value);
  path_.push_back(here.tried);
  ++depth_;
  if (visit(child, kBelow)) return;
  weights_[here.tried.variable] += 1.0;
  close();
}

void NetworkSearch::close() {
  is_closed_ = true;
  ++dead_ends_;
}

void NetworkSearch::back_up() {
  is_closed_ = false;
  if (depth_ == 0) {
    depth_ = kNoPlunge;
    return;
  }
  Frame& above = frames_[--depth_];
  path_.resize(above.path);
  above.subproblem->forbid(above.tried.variable, above.tried.value);
  path_.push_back({above.tried.variable, above.tried.value, false});
  if (visit(*above.subproblem, kBelow)) return;
  weights_[above.tried.variable] += 1.0;
  is_closed_ = true;
}

void NetworkSearch::begin_plunge() {
  path_ = queue_.top().path;
  queue_.pop();
  depth_ = 0;
  dead_ends_ = 0;
  Subproblem& first = subproblem(0);
  first.copy(root_);
  for (const Decision& decision : path_)
    if (decision.is_assigned)
      first.assign(decision.variable, decision.value);
    else
      first.forbid(decision.variable, decision.value);
  is_closed_ = !visit(first, kAtFirst);
}

void NetworkSearch::end_plunge() {
  for (std::size_t d = 0; d <= depth_; ++d) {
    const Frame& here = frames_[d];
    Open open{here.subproblem->bound(), created_++, path_};
    if (d < depth_) {
      open.path.resize(here.path);
      open.path.push_back({here.tried.variable, here.tried.value, false});
    }
    queue_.push(std::move(open));
  }
  depth_ = kNoPlunge;
  patience_ = std::min(2 * patience_, kMostPatience);
}

bool NetworkSearch::begin() {
  started_ = true;
  if (!visit(root_, kAtFirst)) return false;
  improve(kFirstSteps);
  if (!tighten(root_, kBelow)) return false;
  queue_.push({root_.bound(), created_++, {}});
  return true;
}

bool NetworkSearch::run(std::int64_t max_nodes, std::int64_t max_work) {
  const std::int64_t last_node = nodes_ + max_nodes, last_work = space_.work + max_work;
  if (!started_) done_ = !begin();
  while (!done_ && !failed_) {
    if (depth_ == kNoPlunge && (queue_.empty() || queue_.top().bound >= limit_)) {
      done_ = true;
      break;
    }
    if (nodes_ >= last_node || space_.work >= last_work || control_.should_stop()) return false;
    if (nodes_ >= improve_at_) {
      improve_at_ = 2 * nodes_;
      improve(kSteps);
    }
    if (depth_ == kNoPlunge)
      begin_plunge();
    else if (is_closed_)
      back_up();
    else if (dead_ends_ >= patience_)
      end_plunge();
    else
      descend();
  }
  return done_;
}

double NetworkSearch::upper_bound() const {
  double least = limit_;
  if (!done_) {
    if (!queue_.empty()) least = std::min(least, queue_.top().bound);
    if (depth_ != kNoPlunge)
      for (std::size_t d = 0; d < depth_ + (is_closed_ ? 0 : 1); ++d)
        least = std::min(least, frames_[d].subproblem->bound());
    else if (queue_.empty())  // not even the root was visited
      least = std::min(least, root_.bound());
  }
  return std::max(value_, network_.score_of(least));
}

double NetworkSearch::open_share() const {
  if (depth_ == kNoPlunge || network_.variables() == 0) return depth_ == kNoPlunge ? 1.0 : 0.0;
  return static_cast<double>(frames_[depth_].subproblem->open().size()) / network_.variables();
}

}  // namespace turbotree::graphs
