#include "graphs/factors.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
  const auto factor_scores = values_of_block();
  for (std::int64_t b = 0; b < blocks(); ++b) {
    const std::int64_t count = graph_.blocks[b].factors();
    blocks_[b]->values(0, count, links_.links_of_block(b, std::as_const(chosen_)), factor_scores);
    for (std::int64_t f = 0; f < count; ++f) sum += factor_scores[f];
    if (sum == -kInfinity) break;
  }
  return sum;
}

std::vector<double> Factors::expectations(std::span<const double> scores) {
  std::vector<double> found(graph_.factor_scores());
  std::span<double> rest = found;
  for (std::int64_t b = 0; b < blocks(); ++b) {
    const std::size_t count = graph_.blocks[b].factor_scores.size();
    block(b).expectations(links_.links_of_block(b, scores), rest.first(count));
    rest = rest.subspan(count);
  }
  return found;
}

std::vector<double> Factors::expectations_at(std::span<const double> point) {
  std::vector<double> found(graph_.factor_scores());
  std::span<double> rest = found;
  for (std::int64_t b = 0; b < blocks(); ++b) {
    const std::size_t count = graph_.blocks[b].factor_scores.size();
    if (count > 0) block(b).expectations_at(links_.links_of_block(b, point), rest.first(count));
    rest = rest.subspan(count);
  }
  return found;
}

void Factors::find_largest_scores() {
  largest_scores_.reserve(static_cast<std::size_t>(links_.factors()));
  for (const BlockArrays& block : graph_.blocks)
    for (std::int64_t f = 0; f < block.factors(); ++f) {
      double sum = block.kind == Kind::kCustom ? kPinnedScore : 0.0;
      for (const double score : block.factor(f).scores)
        if (score > -kInfinity) sum += std::abs(score);
      largest_scores_.push_back(sum);
    }
}

}  // namespace turbotree::graphs
