#include "graphs/solvers/cost_network/network.h"

#include <algorithm>
#include <cmath>

namespace turbotree::graphs {

double CostNetwork::cost_above(double score) const {
  if (score == -std::numeric_limits<double>::infinity())
    return std::numeric_limits<double>::infinity();
  return std::ceil((error - score) / quantum);
}

bool CostNetwork::read(std::span<const std::uint8_t> values,
                       std::vector<std::int32_t>& assignment) const {
  const auto holds = [&](const Meaning& meaning) {
    return std::all_of(meaning.ones.begin(), meaning.ones.end(),
                       [&](std::int32_t v) { return values[v] != 0; }) &&
           std::all_of(meaning.zeros.begin(), meaning.zeros.end(),
                       [&](std::int32_t v) { return values[v] == 0; });
  };
  assignment.resize(sizes.size());
  for (std::size_t v = 0; v < sizes.size(); ++v) {
    const auto found = std::find_if(meanings[v].begin(), meanings[v].end(), holds);
    if (found == meanings[v].end()) return false;
    assignment[v] = static_cast<std::int32_t>(found - meanings[v].begin());
  }
  return true;
}

void CostNetwork::write(std::span<const std::int32_t> assignment,
                        std::vector<std::uint8_t>& values) const {
  values.resize(places.size());
  for (std::size_t v = 0; v < places.size(); ++v)
    values[v] = assignment[places[v].variable] == places[v].value ? 1 : 0;
}

}  // namespace turbotree::graphs
