#include "graphs/solvers/cost_network/local_search.h"

#include <algorithm>
#include <cmath>

#include "common/interrupt.h"
#include "common/vectorize.h"

namespace turbotree::graphs {

namespace {

constexpr double kForbidden = std::numeric_limits<double>::infinity();
constexpr int kPatience = 20;  // steps without a move
// What automata forbid costs so much, which leaves sums exact; a move never costs a part of it.
constexpr double kBlocked = 0x1p50, kTooMuch = 0x1p48;

// costs += now - before. What a table forbids is looked at elsewhere.
TURBOTREE_CLONES
void exchange_rows(std::int64_t size, const double* TURBOTREE_RESTRICT before,
                   const double* TURBOTREE_RESTRICT now, double* TURBOTREE_RESTRICT costs) {
  for (std::int64_t b = 0; b < size; ++b) {
    const double less = before[b] < kForbidden ? before[b] : 0.0;
    const double more = now[b] < kForbidden ? now[b] : 0.0;
    costs[b] += more - less;
  }
}

}  // namespace

LocalSearch::LocalSearch(const CostNetwork& network) : network_(network) {}

void LocalSearch::start(const std::vector<std::int32_t>& assignment) {
  now_ = assignment;
  cost_ = 0.0;
  costs_ = network_.unary;
  tabu_.assign(costs_.size(), 0);
  for (std::int32_t v = 0; v < network_.variables(); ++v)
    for (const CostNetwork::Neighbour& near : network_.neighbours_of(v)) {
      const std::int32_t size = network_.sizes[near.variable];
      const double* row =
          network_.tables.data() + near.table + std::int64_t{now_[v]} * padded(size);
      double* costs = costs_.data() + network_.first[near.variable];
      for (std::int32_t b = 0; b < size; ++b) costs[b] += row[b] < kForbidden ? row[b] : 0.0;
    }
  parts_.assign(static_cast<std::size_t>(network_.messages), 0.0);
  for (const Automaton& automaton : network_.automata) add_costs(automaton);
  sums_.assign(network_.linear.size(), 0);
  for (std::size_t c = 0; c < sums_.size(); ++c)
    for (std::size_t i = 0; i < network_.linear[c].variables.size(); ++i)
      sums_[c] += network_.linear[c].weights[i][now_[network_.linear[c].variables[i]]];
}

bool LocalSearch::is_allowed(std::int32_t variable, std::int32_t value) const {
  for (const CostNetwork::Neighbour& near : network_.neighbours_of(variable)) {
    if (!near.hard) continue;
    const std::int64_t row =
        near.table + std::int64_t{value} * padded(network_.sizes[near.variable]);
    if (network_.tables[row + now_[near.variable]] == kForbidden) return false;
  }
  for (const std::int32_t c : network_.linear_of[variable]) {
    const LinearConstraint& constraint = network_.linear[c];
    const std::size_t i =
        std::find(constraint.variables.begin(), constraint.variables.end(), variable) -
        constraint.variables.begin();
    const std::int64_t sum =
        sums_[c] - constraint.weights[i][now_[variable]] + constraint.weights[i][value];
    if (sum < constraint.least || sum > constraint.most) return false;
  }
  for (const std::int32_t t : network_.trees_of[variable]) {
    const TreeConstraint& tree = network_.trees[t];
    const auto word = static_cast<std::int32_t>(
        std::find(tree.variables.begin(), tree.variables.end(), variable) - tree.variables.begin() +
        1);
    std::int32_t at = tree.heads[word - 1][value];
    while (at > 0 && at != word) at = tree.heads[at - 1][now_[tree.variables[at - 1]]];
    if (at != 0) return false;
  }
  return true;
}

void LocalSearch::add_costs(const Automaton& automaton) {
  const std::int64_t row = padded(automaton.values);
  const std::int32_t head = automaton.variable, own = head < 0 ? 0 : now_[head];
  double* of_head = parts_.data() + automaton.messages;
  double* of_modifier = of_head + row;
  std::vector<double> totals(static_cast<std::size_t>(automaton.values), 0.0);
  const auto add = [&](std::int32_t variable, std::int32_t value, double cost, double& part) {
    cost = std::clamp(cost, -kBlocked, kBlocked);
    costs_[network_.first[variable] + value] += cost - part;
    part = cost;
  };
  for (const Automaton::Side& side : automaton.sides) {
    const std::size_t count = side.modifiers.size();
    const auto step = [&](std::size_t from, std::size_t to, std::int32_t value) {
      const std::size_t cell = from * (count + 1) + to;
      return side.steps[side.steps_by_value ? cell * row + value : cell];
    };
    const auto is_chosen = [&](std::size_t k) {
      return now_[side.modifiers[k].variable] == side.modifiers[k].value;
    };
    std::size_t before = 0, after = 0;
    for (std::size_t k = 0; k < count; ++k) {
      if (after <= k)
        for (after = k + 1; after < count && !is_chosen(after);) ++after;
      const double with =
          step(before, k, own) + step(k + 1, after, own) + side.grand[k * row + own];
      const double without = step(before, after, own);
      add(side.modifiers[k].variable, side.modifiers[k].value,
          without < kForbidden ? with - without
          : with < kForbidden  ? -kBlocked
                               : 0.0,
          *of_modifier++);
      if (!is_chosen(k)) continue;
      for (std::int32_t a = 0; a < automaton.values; ++a) {
        totals[a] += side.grand[k * row + a];
        if (side.steps_by_value) totals[a] += step(before, k, a);
      }
      before = k + 1;
    }
    if (side.steps_by_value)
      for (std::int32_t a = 0; a < automaton.values; ++a) totals[a] += step(before, count, a);
  }
  for (std::int32_t a = 0; head >= 0 && a < automaton.values; ++a)
    add(head, a, totals[a], of_head[a]);
}

void LocalSearch::change(std::int32_t variable, std::int32_t value) {
  const std::int32_t before = now_[variable];
  const std::int64_t own = network_.first[variable];
  cost_ += costs_[own + value] - costs_[own + before];
  now_[variable] = value;
  for (const CostNetwork::Neighbour& near : network_.neighbours_of(variable)) {
    const std::int64_t size = padded(network_.sizes[near.variable]);
    const double* table = network_.tables.data() + near.table;
    exchange_rows(size, table + before * size, table + value * size,
                  costs_.data() + network_.first[near.variable]);
  }
  for (const std::int32_t at : {before, value})
    for (const std::int32_t i : network_.automata_of[own + at]) add_costs(network_.automata[i]);
  for (const std::int32_t c : network_.linear_of[variable]) {
    const LinearConstraint& constraint = network_.linear[c];
    const std::size_t i =
        std::find(constraint.variables.begin(), constraint.variables.end(), variable) -
        constraint.variables.begin();
    sums_[c] += constraint.weights[i][value] - constraint.weights[i][before];
  }
}

bool LocalSearch::run(std::vector<std::int32_t>& assignment, std::int64_t steps) {
  start(assignment);
  double best = 0.0;
  const std::int32_t count = network_.variables();
  int stuck = 0;
  for (std::int64_t step = 1; step <= steps; ++step) {
    count_work(static_cast<std::uint64_t>(network_.first.back()));
    double least = kForbidden;
    std::int32_t variable = -1, value = -1;
    for (std::int32_t v = 0; v < count; ++v) {
      const std::int64_t own = network_.first[v];
      const double here = costs_[own + now_[v]];
      for (std::int32_t a = 0; a < network_.sizes[v]; ++a) {
        const double more = costs_[own + a] - here;
        if (!(more < least) || more > kTooMuch || a == now_[v]) continue;
        const bool is_record = cost_ + more < best;
        if ((tabu_[own + a] > step && !is_record) || !is_allowed(v, a)) continue;
        least = more, variable = v, value = a;
      }
    }
    if (variable < 0) {  // all is tabu, for now or for ever
      if (++stuck > kPatience) break;
      continue;
    }
    stuck = 0;
    const std::int32_t before = now_[variable];
    tabu_[network_.first[variable] + before] =
        step + 3 + static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(8 + count / 4));
    change(variable, value);
    if (cost_ < best) best = cost_, assignment = now_;
  }
  return best < 0.0;
}

}  // namespace turbotree::graphs
