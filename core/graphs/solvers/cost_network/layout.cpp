// Of the builder of networks: costs as whole numbers, and tables where message passing wants them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "graphs/solvers/cost_network/automaton_turn.h"
#include "graphs/solvers/cost_network/builder.h"

namespace turbotree::graphs {

namespace {

// Beyond this, relaxations are the better way: messages, once for each variable.
constexpr std::int64_t kMostMemory = std::int64_t{1} << 26;

// Costs are below 2 to this power, which leaves room for sums of them and for messages.
constexpr int kBits = 46;

}  // namespace

// Rounds all costs to whole multiples of the quantum.
bool NetworkBuilder::set_quantum(double precision) {
  double total = 0.0;
  const auto largest_of = [](const std::vector<double>& costs) {
    double largest = 0.0;
    for (const double cost : costs)
      if (cost < kInfinity) largest = std::max(largest, std::abs(cost));
    return largest;
  };
  for (const std::vector<double>& costs : unary_) total += 2.0 * largest_of(costs);
  for (const Table& table : tables_) total += 2.0 * largest_of(table.costs);
  auto terms = static_cast<double>(unary_.size() + tables_.size());
  // A variable has one value, so that few of all modifiers are chosen: each has a step and a score
  // with the head's own arc.
  std::vector<std::vector<double>> sizes(unary_.size()), counts(unary_.size());
  for (const Automaton& automaton : network_.automata)
    for (const Automaton::Side& side : automaton.sides) {
      const double step = largest_of(side.steps), grand = largest_of(side.grand);
      total += 2.0 * step;
      terms += 1.0;
      for (const Automaton::Modifier& modifier : side.modifiers) {
        const auto v = static_cast<std::size_t>(modifier.variable);
        sizes[v].resize(unary_[v].size(), 0.0);
        counts[v].resize(unary_[v].size(), 0.0);
        sizes[v][modifier.value] += step + grand;
        counts[v][modifier.value] += 2.0;
      }
    }
  for (std::size_t v = 0; v < sizes.size(); ++v) {
    if (sizes[v].empty()) continue;
    total += 2.0 * largest_of(sizes[v]);
    terms += largest_of(counts[v]);
  }
  if (!std::isfinite(total)) return false;
  network_.quantum = std::ldexp(1.0, std::ilogb(std::max(total, 1e-200)) + 1 - kBits);
  network_.error = 0.5 * terms * network_.quantum;
  if (!(network_.error <= 0.25 * precision)) return false;
  const auto round = [&](std::vector<double>& costs) {
    for (double& cost : costs)
      if (cost < kInfinity) cost = std::nearbyint(cost / network_.quantum);
  };
  for (std::vector<double>& costs : unary_) round(costs);
  for (Table& table : tables_) round(table.costs);
  for (Automaton& automaton : network_.automata)
    for (Automaton::Side& side : automaton.sides) {
      round(side.steps);
      round(side.grand);
    }
  return true;
}

void NetworkBuilder::lay_out() {
  CostNetwork& own = network_;
  const std::size_t count = own.sizes.size();
  own.first.assign(1, 0);
  for (const std::int32_t size : own.sizes) own.first.push_back(own.first.back() + padded(size));
  own.unary.assign(static_cast<std::size_t>(own.first.back()), kInfinity);
  for (std::size_t v = 0; v < count; ++v)
    std::copy(unary_[v].begin(), unary_[v].end(), own.unary.begin() + own.first[v]);
  std::vector<std::vector<CostNetwork::Neighbour>> found(count);
  for (Table& table : tables_) {
    const double least = *std::min_element(table.costs.begin(), table.costs.end());
    const double most = *std::max_element(table.costs.begin(), table.costs.end());
    if (least == kInfinity) {  // nothing is allowed
      std::fill_n(own.unary.begin() + own.first[table.low], own.sizes[table.low], kInfinity);
      continue;
    }
    own.base += least;
    if (most == least) continue;
    const std::int32_t rows = own.sizes[table.low], columns = own.sizes[table.high];
    const auto place = static_cast<std::int64_t>(own.tables.size());
    const std::int64_t turned = place + std::int64_t{rows} * padded(columns);
    own.tables.resize(static_cast<std::size_t>(turned + std::int64_t{columns} * padded(rows)));
    for (std::int32_t i = 0; i < rows; ++i)
      for (std::int32_t j = 0; j < columns; ++j) {
        const double cost = table.costs[static_cast<std::size_t>(i) * columns + j] - least;
        own.tables[place + std::int64_t{i} * padded(columns) + j] = cost;
        own.tables[turned + std::int64_t{j} * padded(rows) + i] = cost;
      }
    const std::int64_t to_low = own.messages, to_high = to_low + padded(rows);
    own.messages = to_high + padded(columns);
    const bool hard = most == kInfinity;
    found[table.low].push_back({table.high, hard, place, to_low, to_high});
    found[table.high].push_back({table.low, hard, turned, to_high, to_low});
  }
  own.offsets.assign(1, 0);
  for (std::vector<CostNetwork::Neighbour>& some : found) {
    std::sort(some.begin(), some.end(),
              [](const auto& a, const auto& b) { return a.variable < b.variable; });
    own.neighbours.insert(own.neighbours.end(), some.begin(), some.end());
    own.offsets.push_back(static_cast<std::int64_t>(own.neighbours.size()));
  }
  own.linear_of.resize(count);
  own.trees_of.resize(count);
  own.automata_of.resize(static_cast<std::size_t>(own.first.back()));
  for (std::size_t c = 0; c < own.linear.size(); ++c)
    for (const std::int32_t v : own.linear[c].variables)
      own.linear_of[v].push_back(static_cast<std::int32_t>(c));
  for (std::size_t t = 0; t < own.trees.size(); ++t)
    for (const std::int32_t v : own.trees[t].variables)
      own.trees_of[v].push_back(static_cast<std::int32_t>(t));
  for (std::size_t i = 0; i < own.automata.size(); ++i) {
    Automaton& automaton = own.automata[i];
    automaton.messages = own.messages;
    own.messages += automaton.message_count();
    const std::vector<double> nothing(static_cast<std::size_t>(automaton.message_count()), 0.0);
    automaton.least = least_cost(automaton, nothing.data());
    own.base += automaton.least;
    const auto note = [&](std::int64_t place) {
      std::vector<std::int32_t>& known = own.automata_of[place];
      if (known.empty() || known.back() != static_cast<std::int32_t>(i))
        known.push_back(static_cast<std::int32_t>(i));
    };
    for (std::int32_t a = 0; automaton.variable >= 0 && a < automaton.values; ++a)
      note(own.first[automaton.variable] + a);
    for (const Automaton::Side& side : automaton.sides)
      for (const Automaton::Modifier& modifier : side.modifiers)
        note(own.first[modifier.variable] + modifier.value);
  }
}

std::optional<CostNetwork> NetworkBuilder::finish(double precision) {
  if (given_up_ || !set_quantum(precision)) return std::nullopt;
  lay_out();
  if ((network_.messages + network_.first.back()) * network_.variables() > kMostMemory)
    return std::nullopt;
  return std::move(network_);
}

}  // namespace turbotree::graphs
