#include "graphs/network.h"

namespace turbotree::graphs {

Network::Network(const Graph& graph) : graph(graph), blocks(make_blocks(graph)) {
  const auto count = static_cast<std::size_t>(graph.links());
  variable.reserve(count);
  offset.reserve(count);
  std::int64_t factor = 0;
  for (const BlockArrays& block : graph.blocks) {
    first_link.push_back(static_cast<std::int64_t>(variable.size()));
    first_factor.push_back(factor);
    factor += block.factors();
    variable.insert(variable.end(), block.variables.begin(), block.variables.end());
    offset.insert(offset.end(), block.negated.begin(), block.negated.end());
  }
  sign.resize(count);
  degree.assign(graph.scores.size(), 0.0);
  for (std::size_t l = 0; l < count; ++l) {
    sign[l] = 1.0 - 2.0 * offset[l];
    any_negated |= offset[l] != 0.0;
    degree[variable[l]] += 1.0;
  }
}

double Network::evaluate(const std::vector<std::uint8_t>& values) {
  double sum = 0.0;
  for (std::size_t v = 0; v < values.size(); ++v)
    if (values[v] != 0) sum += graph.scores[v];
  chosen_.resize(links());
  for (std::size_t l = 0; l < chosen_.size(); ++l) chosen_[l] = seen(l, values[variable[l]]);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::int64_t count = graph.blocks[b].factors();
    values_.resize(static_cast<std::size_t>(count));
    blocks[b]->values(0, count, chosen_.data() + first_link[b], values_.data());
    for (const double value : values_) sum += value;
    if (sum == -kInfinity) break;
  }
  return sum;
}

}  // namespace turbotree::graphs
