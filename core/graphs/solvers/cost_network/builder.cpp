#include "graphs/solvers/cost_network/builder.h"

#include <algorithm>
#include <utility>

namespace turbotree::graphs {

namespace {

// Beyond these, relaxations are the better way.
constexpr std::int32_t kMostValues = 4096;
constexpr std::int64_t kMostCombinations = 256;

}  // namespace

NetworkBuilder::NetworkBuilder(const Graph& graph) : graph_(graph) {
  network_.places.assign(graph.scores.size(), {-1, -1});
}

std::int32_t NetworkBuilder::add_variable(std::vector<CostNetwork::Meaning> meanings) {
  const auto size = static_cast<std::int32_t>(meanings.size());
  if (size > kMostValues) give_up();
  network_.sizes.push_back(size);
  network_.meanings.push_back(std::move(meanings));
  unary_.emplace_back(static_cast<std::size_t>(size), 0.0);
  is_group_.push_back(0);
  return network_.variables() - 1;
}

void NetworkBuilder::add_group(const std::vector<Literal>& literals) {
  if (literals.size() < 2) return;
  for (const Literal& literal : literals)
    if (literal.negated || network_.places[literal.variable].variable >= 0) return;
  std::vector<CostNetwork::Meaning> meanings;
  for (const Literal& literal : literals) meanings.push_back({{literal.variable}, {}});
  const std::int32_t own = add_variable(std::move(meanings));
  is_group_[own] = 1;
  for (std::size_t s = 0; s < literals.size(); ++s) {
    const std::int32_t v = literals[s].variable;
    network_.places[v] = {own, static_cast<std::int32_t>(s)};
    unary_[own][s] = -graph_.scores[v];
  }
}

void NetworkBuilder::add_the_rest() {
  for (std::int32_t v = 0; v < graph_.variables(); ++v) {
    if (network_.places[v].variable >= 0) continue;
    const std::int32_t own = add_variable({{{}, {v}}, {{v}, {}}});
    network_.places[v] = {own, 1};
    unary_[own][1] = -graph_.scores[v];
  }
  settle_pins();
}

void NetworkBuilder::settle_pins() {
  for (std::int32_t v = 0; v < graph_.variables(); ++v) {
    if (graph_.pins[v] < 0) continue;
    const CostNetwork::Place place = network_.places[v];
    for (std::int32_t a = 0; a < network_.sizes[place.variable]; ++a)
      if ((a == place.value) != (graph_.pins[v] == 1)) exclude(place.variable, a);
  }
}

void NetworkBuilder::exclude(std::int32_t variable, std::int32_t value) {
  unary_[variable][value] = kInfinity;
}

NetworkBuilder::Axis NetworkBuilder::axis_of(Literal literal) const {
  Axis axis{network_.places[literal.variable].variable, {}};
  for (std::int32_t a = 0; a < network_.sizes[axis.variable]; ++a)
    axis.states.push_back(is_true(literal, a) ? 1 : 0);
  return axis;
}

NetworkBuilder::Axis NetworkBuilder::axis_of(const std::vector<Literal>& literals) {
  const std::int32_t owner = network_.places[literals[0].variable].variable;
  if (literals.size() == 1) {
    Axis axis = axis_of(literals[0]);
    for (std::size_t a = 0; a < axis.states.size(); ++a) {
      if (axis.states[a] == 0) exclude(owner, static_cast<std::int32_t>(a));
      --axis.states[a];
    }
    return axis;
  }
  const bool is_whole_group =
      is_group_[owner] != 0 && literals.size() == static_cast<std::size_t>(network_.sizes[owner]) &&
      std::all_of(literals.begin(), literals.end(), [&](const Literal& literal) {
        return !literal.negated && network_.places[literal.variable].variable == owner;
      });
  if (is_whole_group) {
    Axis axis{owner, std::vector<std::int32_t>(literals.size())};
    for (std::size_t s = 0; s < literals.size(); ++s)
      axis.states[network_.places[literals[s].variable].value] = static_cast<std::int32_t>(s);
    return axis;
  }
  // A hidden variable says which one is true, and all of them agree with it.
  std::vector<CostNetwork::Meaning> meanings(literals.size());
  Axis axis{-1, {}};
  for (std::size_t s = 0; s < literals.size(); ++s) {
    (literals[s].negated ? meanings[s].zeros : meanings[s].ones).push_back(literals[s].variable);
    axis.states.push_back(static_cast<std::int32_t>(s));
  }
  axis.variable = add_variable(std::move(meanings));
  for (std::size_t s = 0; s < literals.size(); ++s)
    add_costs(axis.variable, network_.places[literals[s].variable].variable,
              [&](std::int32_t own, std::int32_t value) {
                const bool agrees =
                    (own == static_cast<std::int32_t>(s)) == is_true(literals[s], value);
                return agrees ? 0.0 : kInfinity;
              });
  return axis;
}

NetworkBuilder::Table& NetworkBuilder::table_of(std::int32_t a, std::int32_t b) {
  const std::int32_t low = std::min(a, b), high = std::max(a, b);
  const auto [at, is_new] =
      table_numbers_.try_emplace((std::int64_t{low} << 32) | high, tables_.size());
  if (is_new) {
    const auto size = static_cast<std::size_t>(network_.sizes[low]) * network_.sizes[high];
    entries_ += size;
    if (entries_ > kMostEntries) give_up();
    tables_.push_back({low, high, std::vector<double>(given_up_ ? 0 : size, 0.0)});
  }
  return tables_[at->second];
}

void NetworkBuilder::add_costs(std::int32_t a, std::int32_t b,
                               const std::function<double(std::int32_t, std::int32_t)>& cost) {
  Table& table = table_of(a, b);
  if (given_up_) return;
  double* entry = table.costs.data();
  for (std::int32_t i = 0; i < network_.sizes[table.low]; ++i)
    for (std::int32_t j = 0; j < network_.sizes[table.high]; ++j)
      *entry++ += table.low == a ? cost(i, j) : cost(j, i);
}

void NetworkBuilder::add_pair(Literal a, Literal b, double cost) {
  const CostNetwork::Place one = network_.places[a.variable], two = network_.places[b.variable];
  if (one.variable != two.variable && !a.negated && !b.negated) {
    Table& table = table_of(one.variable, two.variable);
    if (given_up_) return;
    const CostNetwork::Place& low = table.low == one.variable ? one : two;
    const CostNetwork::Place& high = table.low == one.variable ? two : one;
    table.costs[static_cast<std::int64_t>(low.value) * network_.sizes[table.high] + high.value] +=
        cost;
    return;
  }
  add_table({axis_of(a), axis_of(b)}, [&](std::span<const std::int32_t> states) {
    return states[0] == 1 && states[1] == 1 ? cost : 0.0;
  });
}

void NetworkBuilder::add_table(const std::vector<Axis>& axes, const Costs& costs) {
  std::vector<std::int32_t> variables;
  std::vector<std::size_t> which;
  for (const Axis& axis : axes) {
    const auto at = std::find(variables.begin(), variables.end(), axis.variable);
    which.push_back(static_cast<std::size_t>(at - variables.begin()));
    if (at == variables.end()) variables.push_back(axis.variable);
  }
  std::vector<std::int32_t> states(axes.size());
  const auto cost = [&](std::span<const std::int32_t> values) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      states[i] = axes[i].states[values[which[i]]];
      if (states[i] < 0) return kInfinity;
    }
    return costs(states);
  };
  if (variables.size() == 1) {
    for (std::int32_t a = 0; a < network_.sizes[variables[0]]; ++a)
      unary_[variables[0]][a] += cost(std::span(&a, 1));
  } else if (variables.size() == 2) {
    add_costs(variables[0], variables[1], [&](std::int32_t a, std::int32_t b) {
      const std::int32_t values[] = {a, b};
      return cost(values);
    });
  } else {
    add_hidden(variables, cost);
  }
}

// A variable whose values are the allowed combinations of values of others.
void NetworkBuilder::add_hidden(const std::vector<std::int32_t>& variables,
                                const std::function<double(std::span<const std::int32_t>)>& cost) {
  std::int64_t combinations = 1;
  for (const std::int32_t v : variables)
    if ((combinations *= network_.sizes[v]) > kMostCombinations) return give_up();
  std::vector<std::vector<std::int32_t>> allowed;
  std::vector<double> own_costs;
  std::vector<CostNetwork::Meaning> meanings;
  std::vector<std::int32_t> values(variables.size(), 0);
  for (std::int64_t c = 0; c < combinations; ++c) {
    std::int64_t rest = c;
    for (std::size_t i = variables.size(); i-- > 0; rest /= network_.sizes[variables[i]])
      values[i] = static_cast<std::int32_t>(rest % network_.sizes[variables[i]]);
    const double own = cost(values);
    if (own == kInfinity) continue;
    allowed.push_back(values);
    own_costs.push_back(own);
    CostNetwork::Meaning meaning;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const CostNetwork::Meaning& part = network_.meanings[variables[i]][values[i]];
      meaning.ones.insert(meaning.ones.end(), part.ones.begin(), part.ones.end());
      meaning.zeros.insert(meaning.zeros.end(), part.zeros.begin(), part.zeros.end());
    }
    meanings.push_back(std::move(meaning));
  }
  if (allowed.empty()) return give_up();
  const std::int32_t hidden = add_variable(std::move(meanings));
  unary_[hidden] = std::move(own_costs);
  for (std::size_t i = 0; i < variables.size(); ++i)
    add_costs(hidden, variables[i], [&](std::int32_t own, std::int32_t value) {
      return allowed[own][i] == value ? 0.0 : kInfinity;
    });
}

void NetworkBuilder::add_linear(const std::vector<Literal>& literals,
                                const std::vector<std::int64_t>& weights, std::int64_t least,
                                std::int64_t most) {
  LinearConstraint constraint{least, most, {}, {}};
  for (std::size_t i = 0; i < literals.size(); ++i) {
    const std::int32_t owner = network_.places[literals[i].variable].variable;
    const auto at = std::find(constraint.variables.begin(), constraint.variables.end(), owner);
    const std::size_t place = at - constraint.variables.begin();
    if (at == constraint.variables.end()) {
      constraint.variables.push_back(owner);
      constraint.weights.emplace_back(static_cast<std::size_t>(network_.sizes[owner]), 0);
    }
    for (std::int32_t a = 0; a < network_.sizes[owner]; ++a)
      if (is_true(literals[i], a)) constraint.weights[place][a] += weights.empty() ? 1 : weights[i];
  }
  add_linear(std::move(constraint));
}

void NetworkBuilder::add_linear(LinearConstraint constraint) {
  const auto allows = [&](std::int64_t sum) {
    return constraint.least <= sum && sum <= constraint.most;
  };
  const std::vector<std::int32_t>& variables = constraint.variables;
  const auto& weights = constraint.weights;
  if (variables.size() == 1) {
    for (std::int32_t a = 0; a < network_.sizes[variables[0]]; ++a)
      if (!allows(weights[0][a])) exclude(variables[0], a);
  } else if (variables.size() == 2) {
    add_costs(variables[0], variables[1], [&](std::int32_t a, std::int32_t b) {
      return allows(weights[0][a] + weights[1][b]) ? 0.0 : kInfinity;
    });
  } else {
    network_.linear.push_back(std::move(constraint));
  }
}

bool NetworkBuilder::has_distinct(std::vector<std::int32_t> variables) {
  std::sort(variables.begin(), variables.end());
  return std::adjacent_find(variables.begin(), variables.end()) == variables.end();
}

}  // namespace turbotree::graphs
