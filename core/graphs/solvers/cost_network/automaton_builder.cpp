// Of the builder of networks: automata.
#include <algorithm>
#include <utility>

#include "graphs/solvers/cost_network/builder.h"

namespace turbotree::graphs {

CostNetwork::Place NetworkBuilder::place_of(Literal literal) {
  const CostNetwork::Place place = network_.places[literal.variable];
  if (!literal.negated) return place;
  if (network_.sizes[place.variable] == 2) return {place.variable, 1 - place.value};
  const std::int32_t own = add_variable({{{literal.variable}, {}}, {{}, {literal.variable}}});
  add_costs(own, place.variable, [&](std::int32_t is_true, std::int32_t value) {
    return (is_true == 1) == (value != place.value) ? 0.0 : kInfinity;
  });
  return {own, 1};
}

void NetworkBuilder::add_automaton(const std::vector<Literal>& above,
                                   const std::vector<Literal>& modifiers,
                                   std::span<const double> scores, std::int64_t first_link) {
  Axis axis{-1, {0}};
  if (!above.empty()) axis = axis_of(above);
  const auto heads = static_cast<std::int64_t>(above.size());
  const auto count = static_cast<std::int64_t>(modifiers.size());
  const std::int64_t square = (count + 1) * (count + 1);
  const auto values = static_cast<std::int32_t>(axis.states.size());
  const std::int64_t row = padded(values);
  Automaton::Side side;
  side.steps_by_value = static_cast<std::int64_t>(scores.size()) > square + heads * count;
  side.first_link = first_link;
  side.links_above = static_cast<std::int32_t>(heads);
  if (heads > 0) side.link_of_value = axis.states;
  for (const Literal& literal : modifiers) {
    const CostNetwork::Place place = place_of(literal);
    side.modifiers.push_back({place.variable, place.value});
  }
  side.grand.assign(static_cast<std::size_t>(count * row), 0.0);
  const std::int64_t width = side.steps_by_value ? row : 1;
  entries_ += static_cast<std::size_t>(count * row + square * width);
  if (entries_ > kMostEntries) give_up();
  if (given_up_) return;
  side.steps.assign(static_cast<std::size_t>(square * width), 0.0);
  for (std::int64_t i = 0; i <= count; ++i)
    for (std::int64_t j = i; j <= count; ++j) {
      const std::int64_t cell = i * (count + 1) + j;
      if (!side.steps_by_value) {
        side.steps[cell] = -scores[cell];
        continue;
      }
      for (std::int32_t a = 0; a < values; ++a)
        if (axis.states[a] >= 0)
          side.steps[cell * width + a] =
              -scores[cell] - scores[square + heads * count + axis.states[a] * square + cell];
    }
  for (std::int64_t k = 0; k < count; ++k)
    for (std::int32_t a = 0; a < values; ++a)
      if (heads > 0 && axis.states[a] >= 0)
        side.grand[k * row + a] = -scores[square + axis.states[a] * count + k];
  // Both sides of a head share its own arc.
  if (axis.variable >= 0) {
    const auto [at, is_new] =
        automaton_numbers_.try_emplace(axis.variable, network_.automata.size());
    if (!is_new) {
      network_.automata[at->second].sides.push_back(std::move(side));
      return;
    }
  }
  Automaton automaton;
  automaton.variable = axis.variable;
  automaton.values = values;
  automaton.sides.push_back(std::move(side));
  network_.automata.push_back(std::move(automaton));
}

}  // namespace turbotree::graphs
