#include "graphs/solvers/cost_network/subproblem.h"

#include <algorithm>
#include <cmath>

#include "common/interrupt.h"
#include "graphs/solvers/cost_network/message_passing.h"

namespace turbotree::graphs {

namespace {

// Sums of whole numbers are exact up to twice this.
constexpr double kMostExact = 0x1p52;

}  // namespace

Subproblem::Subproblem(const CostNetwork& network)
    : network_(network),
      bound_(network.base),
      beliefs_(network.unary),
      messages_(static_cast<std::size_t>(network.messages), 0.0),
      open_(network.sizes.size()),
      assignment_(network.sizes.size(), -1),
      settled_(network.automata.size(), 0) {
  for (std::size_t v = 0; v < open_.size(); ++v) open_[v] = static_cast<std::int32_t>(v);
  for (const std::int32_t v : open_) {
    double* own = beliefs_.data() + network_.first[v];
    const double least = *std::min_element(own, own + network_.sizes[v]);
    if (least == kForbidden) continue;  // propagate will see
    bound_ += least;
    for (std::int32_t a = 0; a < network_.sizes[v]; ++a) own[a] -= least;
  }
  for (const Automaton& automaton : network_.automata)
    messages_[automaton.messages + automaton.message_count() - 1] = -automaton.least;
}

void Subproblem::copy(const Subproblem& other) {
  bound_ = other.bound_;
  forwards_ = other.forwards_;
  changed_ = other.changed_;
  open_ = other.open_;
  assignment_ = other.assignment_;
  overflows_ = false;
  for (const std::int32_t v : open_) {
    double largest = 0.0;
    const auto near_v = network_.neighbours_of(v);
    const std::int64_t from = network_.first[v], to = network_.first[v + 1];
    std::copy(other.beliefs_.begin() + from, other.beliefs_.begin() + to, beliefs_.begin() + from);
    for (const CostNetwork::Neighbour& near : near_v) {
      if (assignment_[near.variable] >= 0) continue;
      const double* source = other.messages_.data() + near.incoming;
      double* target = messages_.data() + near.incoming;
      for (std::int64_t a = 0; a < to - from; ++a) {
        target[a] = source[a];
        largest = std::max(largest, std::abs(source[a]));
      }
    }
    // A belief is the sum of all messages and the own costs.
    if (largest * static_cast<double>(near_v.size() + 2) > kMostExact) overflows_ = true;
  }
  settled_ = other.settled_;
  for (std::size_t i = 0; i < settled_.size(); ++i) {
    if (settled_[i] != 0) continue;
    const std::int64_t from = network_.automata[i].messages;
    const std::int64_t count = network_.automata[i].message_count();
    double total = 0.0;
    for (std::int64_t k = from; k < from + count; ++k) {
      messages_[k] = other.messages_[k];
      total += std::abs(messages_[k]);
    }
    if (total > kMostExact) overflows_ = true;
  }
}

void Subproblem::forbid(std::int32_t variable, std::int32_t value) {
  beliefs_[network_.first[variable] + value] = kForbidden;
  changed_ = true;
}

void Subproblem::assign(std::int32_t variable, std::int32_t value) {
  for (std::int32_t a = 0; a < network_.sizes[variable]; ++a)
    if (a != value) beliefs_[network_.first[variable] + a] = kForbidden;
  changed_ = true;
}

// Moves all costs of a variable with one value to its neighbours and to the bound. A rest may be
// negative by a share of the belief that came first in the last pass. If that is the neighbour's,
// the neighbour's belief stays above 0 nevertheless. If it is the variable's own, the least of the
// rests goes to the bound along with the belief.
void Subproblem::settle(std::int32_t variable, std::int32_t value) {
  bound_ += beliefs_[network_.first[variable] + value];
  assignment_[variable] = value;
  for (const CostNetwork::Neighbour& near : network_.neighbours_of(variable)) {
    const std::int32_t v = near.variable;
    if (assignment_[v] >= 0) continue;
    const std::int32_t size = network_.sizes[v];
    const double* row = network_.tables.data() + near.table + std::int64_t{value} * padded(size);
    const double* outgoing = messages_.data() + near.outgoing;
    const double incoming = messages_[near.incoming + value];
    double* beliefs = beliefs_.data() + network_.first[v];
    double least = 0.0;
    if (forwards_ == (variable < v)) {
      least = kForbidden;
      for (std::int32_t b = 0; b < size; ++b)
        if (beliefs[b] < kForbidden) least = std::min(least, row[b] - outgoing[b] - incoming);
      if (least == kForbidden) least = 0.0;  // and so is every value: the next look will show it
    }
    bound_ += least;
    for (std::int32_t b = 0; b < size; ++b)
      if (beliefs[b] < kForbidden) beliefs[b] += row[b] - outgoing[b] - incoming - least;
  }
}

bool Subproblem::propagate(Workspace& space) {
  while (changed_) {
    changed_ = false;
    std::size_t kept = 0;
    bool settled = false;
    for (const std::int32_t v : open_) {
      const double* own = beliefs_.data() + network_.first[v];
      std::int32_t found = 0, only = 0;
      for (std::int32_t a = 0; a < network_.sizes[v]; ++a)
        if (own[a] < kForbidden) ++found, only = a;
      if (found == 0) return false;
      if (found > 1) {
        open_[kept++] = v;
        continue;
      }
      settle(v, only);
      settled = true;
    }
    open_.resize(kept);
    for (const TreeConstraint& tree : network_.trees)
      if (!propagate_tree(tree, space.top)) return false;
    for (const LinearConstraint& constraint : network_.linear)
      if (!propagate_linear(constraint)) return false;
    if (settled) changed_ = true;  // hard tables may have forbidden values
  }
  return true;
}

bool Subproblem::propagate_linear(const LinearConstraint& constraint) {
  std::int64_t least = 0, most = 0;
  const std::size_t count = constraint.variables.size();
  const auto range = [&](std::size_t i, std::int64_t& low, std::int64_t& high) {
    const std::int32_t v = constraint.variables[i];
    const std::vector<std::int64_t>& weights = constraint.weights[i];
    if (assignment_[v] >= 0) {
      low = high = weights[assignment_[v]];
      return true;
    }
    low = std::numeric_limits<std::int64_t>::max(), high = -low;
    for (std::size_t a = 0; a < weights.size(); ++a)
      if (allows(v, static_cast<std::int32_t>(a)))
        low = std::min(low, weights[a]), high = std::max(high, weights[a]);
    return low <= high;
  };
  std::int64_t low, high;
  for (std::size_t i = 0; i < count; ++i) {
    if (!range(i, low, high)) return false;
    least += low;
    most += high;
  }
  if (least > constraint.most || most < constraint.least) return false;
  if (least >= constraint.least && most <= constraint.most) return true;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t v = constraint.variables[i];
    if (assignment_[v] >= 0) continue;
    const std::vector<std::int64_t>& weights = constraint.weights[i];
    range(i, low, high);
    for (std::size_t a = 0; a < weights.size(); ++a) {
      const auto value = static_cast<std::int32_t>(a);
      if (allows(v, value) && (least - low + weights[a] > constraint.most ||
                               most - high + weights[a] < constraint.least))
        forbid(v, value);
    }
  }
  return true;
}

// Forbids arcs that close a cycle.
bool Subproblem::propagate_tree(const TreeConstraint& tree, std::vector<std::int32_t>& top) {
  const auto words = static_cast<std::int32_t>(tree.variables.size());
  // The word without a head that is above each word, or the root.
  top.assign(static_cast<std::size_t>(words) + 1, -1);
  top[0] = 0;
  for (std::int32_t m = 1; m <= words; ++m) {
    std::int32_t at = m, steps = 0;
    while (top[at] < 0 && assignment_[tree.variables[at - 1]] >= 0) {
      at = tree.heads[at - 1][assignment_[tree.variables[at - 1]]];
      if (++steps > words || at < 0) return false;
    }
    const std::int32_t found = top[at] >= 0 ? top[at] : at;
    for (at = m; at != found && top[at] < 0;) {
      top[at] = found;
      at = tree.heads[at - 1][assignment_[tree.variables[at - 1]]];
    }
    top[m] = found;
  }
  for (std::int32_t m = 1; m <= words; ++m) {
    const std::int32_t v = tree.variables[m - 1];
    if (assignment_[v] >= 0) continue;
    const std::vector<std::int32_t>& heads = tree.heads[m - 1];
    for (std::size_t a = 0; a < heads.size(); ++a)
      if (allows(v, static_cast<std::int32_t>(a)) && (heads[a] < 0 || top[heads[a]] == m))
        forbid(v, static_cast<std::int32_t>(a));
  }
  return true;
}

bool Subproblem::pass(double limit, Workspace& space) {
  space.margins.resize(beliefs_.size());
  return network_.automata.empty() ? pass_by_messages(limit, space) : pass_by_blocks(limit, space);
}

bool Subproblem::pass_by_messages(double limit, Workspace& space) {
  forwards_ = !forwards_;
  std::vector<std::int32_t>& live = space.live;
  std::vector<double>& shares = space.shares;
  const std::size_t count = open_.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::int32_t v = open_[forwards_ ? k : count - 1 - k];
    double* own = beliefs_.data() + network_.first[v];
    const std::int32_t size = network_.sizes[v];
    double least = kForbidden;
    for (std::int32_t a = 0; a < size; ++a) least = std::min(least, own[a]);
    if (least == kForbidden) return false;
    bound_ += least;
    if (bound_ >= limit) return false;
    live.clear();
    shares.clear();
    for (std::int32_t a = 0; a < size; ++a) {
      if (own[a] == kForbidden) continue;
      own[a] -= least;
      if (bound_ + own[a] >= limit) {
        own[a] = kForbidden;
        changed_ = true;
        continue;
      }
      live.push_back(a);
      shares.push_back(own[a]);
    }
    std::copy(own, own + size, space.margins.begin() + network_.first[v]);
    const auto near = network_.neighbours_of(v);
    const CostNetwork::Neighbour* middle = near.data();
    const CostNetwork::Neighbour* end = near.data() + near.size();
    std::int32_t before = 0, after = 0;
    for (; middle != end && middle->variable < v; ++middle)
      before += assignment_[middle->variable] < 0 ? 1 : 0;
    for (const CostNetwork::Neighbour* n = middle; n != end; ++n)
      after += assignment_[n->variable] < 0 ? 1 : 0;
    const std::int32_t receivers = forwards_ ? after : before;
    if (receivers == 0) continue;
    const std::int64_t work =
        std::int64_t{receivers} * padded(size) * static_cast<std::int64_t>(live.size() + 1);
    space.work += work;
    count_work(static_cast<std::uint64_t>(work));
    const auto parts = static_cast<double>(std::max(before, after));
    for (double& share : shares) share = std::floor(share / parts);
    send_messages(network_, forwards_ ? middle : near.data(), forwards_ ? end : middle, assignment_,
                  live, shares, messages_.data(), beliefs_.data());
  }
  return true;
}

}  // namespace turbotree::graphs
