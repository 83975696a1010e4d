#include "graphs/links.h"

namespace turbotree::graphs {

Links::Links(const Graph& graph) {
  const std::int64_t count = graph.links();
  variable.reserve(count);
  negated.reserve(count);
  factor.reserve(count);
  offsets.reserve(graph.factors() + 1);
  block.reserve(graph.factors());
  first_link.push_back(0);
  first_factor.push_back(0);
  offsets.push_back(0);
  for (const BlockArrays& arrays : graph.blocks) {
    const auto number = static_cast<std::int32_t>(first_link.size()) - 1;
    variable.insert(variable.end(), arrays.variables.begin(), arrays.variables.end());
    negated.insert(negated.end(), arrays.negated.begin(), arrays.negated.end());
    for (std::int64_t f = 0; f < arrays.factors(); ++f) {
      factor.insert(factor.end(), arrays.offsets[f + 1] - arrays.offsets[f],
                    static_cast<std::int32_t>(block.size()));
      offsets.push_back(first_link.back() + arrays.offsets[f + 1]);
      block.push_back(number);
    }
    first_link.push_back(first_link.back() + arrays.links());
    first_factor.push_back(first_factor.back() + arrays.factors());
  }
  of_variable_offsets.assign(graph.scores.size() + 1, 0);
  for (const std::int32_t v : variable) ++of_variable_offsets[v + 1];
  for (std::size_t v = 0; v < graph.scores.size(); ++v)
    of_variable_offsets[v + 1] += of_variable_offsets[v];
  of_variable.resize(count);
  std::vector<std::int64_t> next(of_variable_offsets.begin(), of_variable_offsets.end() - 1);
  for (std::int64_t link = 0; link < count; ++link) of_variable[next[variable[link]]++] = link;
}

}  // namespace turbotree::graphs
