#include "graphs/links.h"

namespace turbotree::graphs {

Links::Links(const Graph& graph) {
  const std::int64_t count = graph.links();
  variable.reserve(count);
  negated.reserve(count);
  first_link.reserve(graph.blocks.size() + 1);
  first_factor.reserve(graph.blocks.size() + 1);
  first_link.push_back(0);
  first_factor.push_back(0);
  for (const BlockArrays& block : graph.blocks) {
    variable.insert(variable.end(), block.variables.begin(), block.variables.end());
    negated.insert(negated.end(), block.negated.begin(), block.negated.end());
    first_link.push_back(first_link.back() + block.links());
    first_factor.push_back(first_factor.back() + block.factors());
  }
  degree.assign(graph.scores.size(), 0);
  for (const std::int32_t v : variable) ++degree[v];
}

Incidence::Incidence(const Graph& graph, const Links& links) {
  const std::int64_t count = links.links();
  factor.reserve(count);
  offsets.reserve(links.factors() + 1);
  block.reserve(links.factors());
  offsets.push_back(0);
  for (std::size_t b = 0; b < graph.blocks.size(); ++b) {
    const BlockArrays& arrays = graph.blocks[b];
    for (std::int64_t f = 0; f < arrays.factors(); ++f) {
      factor.insert(factor.end(), arrays.offsets[f + 1] - arrays.offsets[f],
                    static_cast<std::int32_t>(block.size()));
      offsets.push_back(links.first_link[b] + arrays.offsets[f + 1]);
      block.push_back(static_cast<std::int32_t>(b));
    }
  }
  of_variable_offsets.reserve(links.degree.size() + 1);
  of_variable_offsets.push_back(0);
  for (const std::int32_t degree : links.degree)
    of_variable_offsets.push_back(of_variable_offsets.back() + degree);
  of_variable.resize(count);
  std::vector<std::int64_t> next(of_variable_offsets.begin(), of_variable_offsets.end() - 1);
  for (std::int64_t link = 0; link < count; ++link)
    of_variable[next[links.variable[link]]++] = link;
}

}  // namespace turbotree::graphs
