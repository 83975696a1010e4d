#include "graphs/factors.h"

#include <algorithm>

namespace turbotree::graphs {

std::size_t Factors::largest_block() const {
  std::int64_t most = 0;
  for (const BlockArrays& block : graph_.blocks) most = std::max(most, block.factors());
  return static_cast<std::size_t>(most);
}

double Factors::value(const std::vector<std::uint8_t>& values) {
  double sum = 0.0;
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (graph_.pins[v] >= 0 && graph_.pins[v] != values[v]) return -kInfinity;
    if (values[v] != 0) sum += graph_.scores[v];
  }
  chosen_.resize(links_.variable.size());
  for (std::int64_t l = 0; l < links_.links(); ++l)
    chosen_[l] = links_.literal(l, values[links_.variable[l]]);
  double* const own = values_of_block();
  for (std::int64_t b = 0; b < blocks(); ++b) {
    const std::int64_t count = graph_.blocks[b].factors();
    blocks_[b]->values(0, count, chosen_.data() + links_.first_link[b], own);
    for (std::int64_t f = 0; f < count; ++f) sum += own[f];
    if (sum == -kInfinity) break;
  }
  return sum;
}

void Factors::find_own_sizes() {
  own_sizes_.reserve(static_cast<std::size_t>(links_.factors()));
  for (const BlockArrays& block : graph_.blocks)
    for (std::int64_t f = 0; f < block.factors(); ++f) {
      double sum = block.kind == Kind::kCustom ? kPinnedScore : 0.0;
      for (const double score : block.factor(f).extras)
        if (score > -kInfinity) sum += std::abs(score);
      own_sizes_.push_back(sum);
    }
}

}  // namespace turbotree::graphs
