// Of subproblems: passes over networks with automata, one cost function after another.
//
// Each takes over the beliefs of its variables and gives back no more than leaves all its costs at
// least 0, so that the bound holds after every turn.
#include <algorithm>
#include <cmath>

#include "common/interrupt.h"
#include "graphs/solvers/cost_network/subproblem.h"

namespace turbotree::graphs {

namespace {

// An automaton's costs are computed so many times as fast as messages between two variables.
constexpr std::int64_t kWorkPerEntry = 2;
// A variable gets so many times as much as an equal share of what is left.
constexpr double kEagerness = 2.0;

}  // namespace

bool Subproblem::move_least(std::int32_t variable, double limit, Workspace& space) {
  double* own = beliefs_.data() + network_.first[variable];
  const std::int32_t size = network_.sizes[variable];
  const double least = *std::min_element(own, own + size);
  if (least == kForbidden) return false;
  bound_ += least;
  if (bound_ >= limit) return false;
  double* margins = space.margins.data() + network_.first[variable];
  for (std::int32_t a = 0; a < size; ++a) {
    if (own[a] == kForbidden) continue;
    own[a] -= least;
    margins[a] = std::max(margins[a], own[a]);
    if (bound_ + own[a] >= limit) forbid(variable, a);
  }
  return true;
}

// Half of what the values of the first cost goes to them, and all of the rest to the second.
void Subproblem::take_turn(std::int32_t variable, const CostNetwork::Neighbour& near,
                           Workspace& space) {
  double* own = beliefs_.data() + network_.first[variable];
  double* other = beliefs_.data() + network_.first[near.variable];
  double* to_own = messages_.data() + near.incoming;
  double* to_other = messages_.data() + near.outgoing;
  const std::int32_t rows = network_.sizes[variable], columns = network_.sizes[near.variable];
  const double* table = network_.tables.data() + near.table;
  std::vector<double>& least = space.shares;
  least.assign(static_cast<std::size_t>(columns), kForbidden);
  for (std::int32_t a = 0; a < rows; ++a) {
    if (own[a] == kForbidden) continue;
    const double* row = table + std::int64_t{a} * padded(columns);
    double cheapest = kForbidden;
    for (std::int32_t b = 0; b < columns; ++b)
      cheapest = std::min(cheapest, row[b] - to_other[b] + other[b]);
    if (cheapest == kForbidden) {
      forbid(variable, a);
      continue;
    }
    // What is left to the table beside the message.
    const double mine = std::floor((cheapest - to_own[a] + own[a]) / 2.0);
    to_own[a] += mine - own[a];
    own[a] = mine;
    for (std::int32_t b = 0; b < columns; ++b) least[b] = std::min(least[b], row[b] - to_own[a]);
  }
  for (std::int32_t b = 0; b < columns; ++b) {
    if (other[b] == kForbidden) continue;
    if (least[b] == kForbidden) {
      forbid(near.variable, b);
      continue;
    }
    const double theirs = least[b] - to_other[b] + other[b];
    to_other[b] += theirs - other[b];
    other[b] = theirs;
  }
  const std::int64_t work = std::int64_t{2} * rows * columns;
  space.work += work;
  count_work(static_cast<std::uint64_t>(work));
}

// Gives a variable what a value costs more than the bound, and all others; one of both is 0.
void Subproblem::give(const Automaton::Modifier& modifier, double in, double out) {
  double* beliefs = beliefs_.data() + network_.first[modifier.variable];
  beliefs[modifier.value] += in;
  if (out == 0.0) return;
  for (std::int32_t a = 0; a < network_.sizes[modifier.variable]; ++a)
    if (a != modifier.value) beliefs[a] += out;
}

// Takes all beliefs about a modifier, as far as they tell the value from others; false if the
// modifier cannot be chosen.
bool Subproblem::take(const Automaton::Modifier& modifier, double& message, double& constant,
                      bool& forced) {
  const std::int32_t v = modifier.variable, chosen = modifier.value;
  forced = false;
  if (assignment_[v] >= 0) {
    forced = assignment_[v] == chosen;
    return forced;
  }
  double* beliefs = beliefs_.data() + network_.first[v];
  const std::int32_t size = network_.sizes[v];
  if (beliefs[chosen] == kForbidden) return false;
  double others = kForbidden;
  for (std::int32_t a = 0; a < size; ++a)
    if (a != chosen) others = std::min(others, beliefs[a]);
  message += beliefs[chosen];
  beliefs[chosen] = 0.0;
  forced = others == kForbidden;
  if (forced || others == 0.0) return true;
  message -= others;
  constant += others;
  for (std::int32_t a = 0; a < size; ++a)
    if (a != chosen) beliefs[a] -= others;
  return true;
}

bool Subproblem::is_settled(const Automaton& automaton) const {
  if (automaton.variable >= 0 && assignment_[automaton.variable] < 0) return false;
  for (const Automaton::Side& side : automaton.sides)
    for (const Automaton::Modifier& modifier : side.modifiers)
      if (assignment_[modifier.variable] < 0) return false;
  return true;
}

bool Subproblem::take_turn(const Automaton& automaton, double limit, Workspace& space) {
  AutomatonSpace& own = space.automaton;
  double* to_head = messages_.data() + automaton.messages;
  double* to_modifiers = to_head + padded(automaton.values);
  double& constant = to_modifiers[automaton.modifiers()];
  const std::int32_t head = automaton.variable;
  double* head_beliefs = head < 0 ? nullptr : beliefs_.data() + network_.first[head];
  const bool head_is_open = head >= 0 && assignment_[head] < 0;

  own.heads.clear();
  if (head_is_open) {
    for (std::int32_t a = 0; a < automaton.values; ++a)
      if (head_beliefs[a] < kForbidden) own.heads.push_back(a);
  } else {
    own.heads.push_back(head < 0 ? 0 : assignment_[head]);
  }
  const std::int64_t columns = padded(static_cast<std::int32_t>(own.heads.size()));
  if (head_is_open)
    for (const std::int32_t a : own.heads) {
      to_head[a] += head_beliefs[a];
      head_beliefs[a] = 0.0;
    }
  std::int64_t waiting = head_is_open ? 1 : 0;  // variables that have yet to get their share
  own.sides.resize(std::max(own.sides.size(), automaton.sides.size()));
  own.modifiers.resize(own.sides.size());
  double* messages = to_modifiers;
  std::int64_t work = 0;
  for (std::size_t s = 0; s < automaton.sides.size(); ++s) {
    const Automaton::Side& side = automaton.sides[s];
    std::vector<std::int32_t>& live = own.modifiers[s];
    live.clear();
    own.forced.clear();
    for (std::size_t k = 0; k < side.modifiers.size(); ++k) {
      bool forced;
      if (!take(side.modifiers[k], messages[k], constant, forced)) continue;
      live.push_back(static_cast<std::int32_t>(k));
      own.forced.push_back(forced ? 1 : 0);
      if (assignment_[side.modifiers[k].variable] < 0) ++waiting;
    }
    own.sides[s].gather(automaton, side, own.heads, columns, live, messages);
    for (std::size_t k = 0; k < live.size(); ++k)
      if (own.forced[k] != 0) own.sides[s].force(k);
    own.sides[s].go_back();
    work += own.sides[s].work();
    messages += side.modifiers.size();
  }
  space.work += work / kWorkPerEntry;
  count_work(static_cast<std::uint64_t>(2 * work));

  own.base.assign(static_cast<std::size_t>(columns), kForbidden);
  own.inside.assign(static_cast<std::size_t>(columns), 0.0);
  double least = kForbidden;
  for (std::size_t g = 0; g < own.heads.size(); ++g) {
    for (std::size_t s = 0; s < automaton.sides.size(); ++s)
      own.inside[g] += own.sides[s].inside()[g];
    own.base[g] = constant + to_head[own.heads[g]];
    least = std::min(least, own.base[g] + own.inside[g]);
  }
  if (least == kForbidden) return false;
  constant -= least;
  bound_ += least;
  if (bound_ >= limit) return false;
  double* margins = head < 0 ? nullptr : space.margins.data() + network_.first[head];
  for (std::size_t g = 0; g < own.heads.size(); ++g) {
    own.base[g] -= least;
    const double cost = own.base[g] + own.inside[g];
    if (head_is_open) margins[own.heads[g]] = std::max(margins[own.heads[g]], cost);
    if (!(bound_ + cost >= limit)) continue;
    own.base[g] = kForbidden;
    own.inside[g] = 0.0;
    if (head_is_open) forbid(head, own.heads[g]);
  }
  if (waiting == 0) return true;

  messages = to_modifiers;
  for (std::size_t s = 0; s < automaton.sides.size(); ++s) {
    const Automaton::Side& side = automaton.sides[s];
    SideTurn& turn = own.sides[s];
    // The other sides count as well: those before have shares in the base already.
    for (std::size_t g = 0; g < own.heads.size(); ++g) {
      own.inside[g] -= own.base[g] < kForbidden ? turn.inside()[g] : 0.0;
      own.base[g] += own.inside[g];
    }
    turn.begin(own.base.data());
    for (const std::int32_t k : own.modifiers[s]) {
      const Automaton::Modifier& modifier = side.modifiers[k];
      SideTurn::Costs costs = turn.look();
      if (assignment_[modifier.variable] >= 0) {
        turn.step(0.0, kForbidden);  // or it would not be here
        continue;
      }
      const double share = std::max(1.0, static_cast<double>(waiting--) / kEagerness);
      double* values = space.margins.data() + network_.first[modifier.variable];
      const bool in_is_hopeless = bound_ + costs.in >= limit;
      const bool out_is_hopeless = bound_ + costs.out >= limit;
      if (in_is_hopeless && out_is_hopeless) return false;
      if (in_is_hopeless) {
        forbid(modifier.variable, modifier.value);
        turn.step(kForbidden, 0.0);
        continue;
      }
      values[modifier.value] = std::max(values[modifier.value], costs.in);
      if (out_is_hopeless) {
        assign(modifier.variable, modifier.value);
        turn.step(0.0, kForbidden);
        continue;
      }
      const double in = std::floor(costs.in / share), out = std::floor(costs.out / share);
      if (costs.out > 0.0)
        for (std::int32_t a = 0; a < network_.sizes[modifier.variable]; ++a)
          if (a != modifier.value) values[a] = std::max(values[a], costs.out);
      give(modifier, in, out);
      messages[k] -= in - out;
      constant -= out;
      turn.step(in, out);
    }
    turn.end(own.base.data());
    for (std::size_t g = 0; g < own.heads.size(); ++g)
      if (own.base[g] < kForbidden) own.base[g] -= own.inside[g];
    messages += side.modifiers.size();
  }
  if (!head_is_open) return true;
  for (std::size_t g = 0; g < own.heads.size(); ++g) {
    const std::int32_t a = own.heads[g];
    if (own.base[g] == kForbidden) {
      forbid(head, a);
      continue;
    }
    to_head[a] -= own.base[g];
    head_beliefs[a] += own.base[g];
  }
  return true;
}

void Subproblem::move_to(const Automaton& automaton, std::span<const double> link_scores) {
  double* to_head = messages_.data() + automaton.messages;
  double* to_modifier = to_head + padded(automaton.values);
  const auto move = [&](std::int32_t variable, std::int32_t value, std::int64_t link, double& to) {
    double& belief = beliefs_[network_.first[variable] + value];
    if (belief == kForbidden || !(std::abs(link_scores[link]) < kForbidden)) return;
    const double cost = std::nearbyint(-link_scores[link] / network_.quantum);
    belief -= cost;
    to += cost;
  };
  for (const Automaton::Side& side : automaton.sides) {
    for (std::int32_t a = 0; a < static_cast<std::int32_t>(side.link_of_value.size()); ++a)
      if (side.link_of_value[a] >= 0)
        move(automaton.variable, a, side.first_link + side.link_of_value[a], to_head[a]);
    std::int64_t link = side.first_link + side.links_above;
    for (const Automaton::Modifier& modifier : side.modifiers)
      move(modifier.variable, modifier.value, link++, *to_modifier++);
  }
  const double least = least_cost(automaton, to_head);
  bound_ += least + *to_modifier;
  *to_modifier = -least;
}

void Subproblem::start_from(std::span<const double> link_scores) {
  for (const Automaton& automaton : network_.automata) move_to(automaton, link_scores);
  for (const std::int32_t v : open_) {
    double* own = beliefs_.data() + network_.first[v];
    const double least = *std::min_element(own, own + network_.sizes[v]);
    if (least == kForbidden) continue;
    bound_ += least;
    for (std::int32_t a = 0; a < network_.sizes[v]; ++a) own[a] -= least;
  }
}

bool Subproblem::pass_by_blocks(double limit, Workspace& space) {
  forwards_ = !forwards_;
  for (const std::int32_t v : open_)
    std::fill_n(space.margins.begin() + network_.first[v], network_.sizes[v], 0.0);
  for (const std::int32_t v : open_)
    for (const CostNetwork::Neighbour& near : network_.neighbours_of(v))
      if (near.variable > v && assignment_[near.variable] < 0) take_turn(v, near, space);
  for (const std::int32_t v : open_)
    if (!move_least(v, limit, space)) return false;
  const std::size_t count = network_.automata.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t number = forwards_ ? i : count - 1 - i;
    if (settled_[number] != 0) continue;
    settled_[number] = is_settled(network_.automata[number]) ? 1 : 0;
    if (!take_turn(network_.automata[number], limit, space)) return false;
  }
  for (const std::int32_t v : open_)
    if (!move_least(v, limit, space)) return false;
  return true;
}

}  // namespace turbotree::graphs
