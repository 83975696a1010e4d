#include "graphs/solvers/assignments.h"

#include <algorithm>
#include <numeric>

#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {

Assignments::Assignments(Factors& factors, const std::vector<Pin>& pins, const double& push)
    : factors_(factors),
      links_(factors.links()),
      incidence_(factors.incidence()),
      pins_(pins),
      push_(push) {
  const std::int64_t count = links_.factors();
  chosen_.resize(links_.links());
  scores_.resize(links_.links());
  values_.resize(count);
  decided_before_.assign(links_.links(), 0);
  std::vector<std::int32_t> roots(count);
  std::iota(roots.begin(), roots.end(), 0);
  std::stable_sort(roots.begin(), roots.end(), [&](std::int32_t a, std::int32_t b) {
    return incidence_.size(a) > incidence_.size(b);
  });
  std::vector<std::uint8_t> seen(count, 0), reached(factors.graph().scores.size(), 0);
  order_.reserve(count);
  for (const std::int32_t root : roots) {
    if (seen[root] != 0) continue;
    seen[root] = 1;
    order_.push_back(root);
    for (std::size_t next = order_.size() - 1; next < order_.size(); ++next) {
      const std::int32_t f = order_[next];
      for (std::int64_t l = incidence_.offsets[f]; l < incidence_.offsets[f + 1]; ++l) {
        const std::int32_t v = links_.variable[l];
        decided_before_[l] = reached[v];
        if (reached[v] != 0) continue;
        reached[v] = 1;
        for (const std::int64_t other : incidence_.links_of(v)) {
          const std::int32_t g = incidence_.factor[other];
          if (seen[g] == 0) seen[g] = 1, order_.push_back(g);
        }
      }
    }
  }
}

void Assignments::complete(const std::vector<double>& scores, std::vector<std::uint8_t>& values) {
  const Graph& graph = factors_.graph();
  constexpr std::uint8_t kOpen = 2;
  values.resize(graph.scores.size());
  for (std::size_t v = 0; v < values.size(); ++v)
    values[v] = pins_[v] >= 0           ? static_cast<std::uint8_t>(pins_[v])
                : links_.degree[v] == 0 ? (graph.scores[v] > 0.0 ? 1 : 0)
                                        : kOpen;
  for (const std::int32_t f : order_) {
    bool open = false;
    for (std::int64_t l = incidence_.offsets[f]; l < incidence_.offsets[f + 1]; ++l) {
      const std::uint8_t value = values[links_.variable[l]];
      open |= value == kOpen;
      scores_[l] = value == kOpen ? scores[l] : pushed(links_, l, static_cast<Pin>(value), push_);
    }
    if (!open) continue;
    factors_.maximise(f, scores_, chosen_);
    for (std::int64_t l = incidence_.offsets[f]; l < incidence_.offsets[f + 1]; ++l) {
      std::uint8_t& value = values[links_.variable[l]];
      if (value == kOpen) value = links_.literal(l, chosen_[l]);
    }
  }
}

double Assignments::bound(const std::vector<double>& scores) {
  const Graph& graph = factors_.graph();
  double sum = 0.0;
  left_ = graph.scores;
  for (std::int64_t l = 0; l < links_.links(); ++l) {
    const std::int32_t v = links_.variable[l];
    if (pins_[v] >= 0) {
      scores_[l] = pushed(links_, l, pins_[v], push_);
      sum -= std::max(0.0, scores_[l]);
    } else {
      scores_[l] = scores[l];
      if (links_.negated[l] != 0) sum -= scores[l];
      left_[v] -= links_.turned(l, scores[l]);
    }
  }
  for (std::size_t v = 0; v < left_.size(); ++v) {
    if (pins_[v] >= 0)
      sum += pins_[v] != 0 ? graph.scores[v] : 0.0;
    else
      sum += std::max(0.0, left_[v]);
  }
  for (std::int64_t b = 0; b < factors_.blocks(); ++b) {
    Block& block = factors_.block(b);
    const std::int64_t count = block.arrays().factors();
    const auto best = links_.factors_of_block(b, values_);
    block.maximise(0, count, links_.links_of_block(b, std::as_const(scores_)),
                   links_.links_of_block(b, chosen_), best);
    for (const double value : best) sum += value;
  }
  return sum;
}

}  // namespace turbotree::graphs
