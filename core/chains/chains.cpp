#include "chains/chains.h"

#include <algorithm>
#include <vector>

#include "chains/log_sum.h"
#include "common/interrupt.h"

namespace turbotree::chains {

bool valid(const Chains& chains) {
  const auto fits = [](std::span<const std::int32_t> offsets, std::size_t total) {
    return !offsets.empty() && offsets.front() == 0 &&
           offsets.back() == static_cast<std::int32_t>(total) &&
           std::is_sorted(offsets.begin(), offsets.end());
  };
  if (!fits(chains.offsets, chains.node_scores.size()) ||
      !fits(chains.edge_offsets, chains.edge_scores.size()) ||
      chains.offsets.size() != chains.edge_offsets.size())
    return false;
  for (std::size_t i = 0; i < chains.nodes(); ++i) {
    if (chains.states(i) < 1) return false;
    if (chains.starts(i)) continue;
    if (i == 0 || chains.edge_offsets[i + 1] - chains.edge_offsets[i] !=
                      chains.states(i - 1) * chains.states(i))
      return false;
  }
  return true;
}

double viterbi(const Chains& chains, std::span<std::int32_t> best) {
  const std::size_t nodes = chains.nodes();
  std::vector<double> value(chains.node_scores.begin(), chains.node_scores.end());
  std::vector<std::int32_t> back(value.size(), 0);
  for (std::size_t i = 0; i < nodes; ++i) {
    if (chains.starts(i)) continue;
    const int before = chains.states(i - 1), here = chains.states(i);
    count_work(static_cast<std::uint64_t>(before) * here);
    const double* const previous = value.data() + chains.offsets[i - 1];
    const double* const edges = chains.edge_scores.data() + chains.edge_offsets[i];
    for (int s = 0; s < here; ++s) {
      double highest = previous[0] + edges[s];
      int from = 0;
      for (int r = 1; r < before; ++r) {
        const double candidate = previous[r] + edges[r * here + s];
        if (candidate > highest) highest = candidate, from = r;
      }
      value[chains.offsets[i] + s] += highest;
      back[chains.offsets[i] + s] = from;
    }
  }
  double total = 0.0;
  std::int32_t state = 0;
  for (std::size_t i = nodes; i-- > 0;) {
    if (i + 1 == nodes || chains.starts(i + 1)) {
      const auto from = value.begin() + chains.offsets[i],
                 to = value.begin() + chains.offsets[i + 1];
      const auto highest = std::max_element(from, to);
      state = static_cast<std::int32_t>(highest - from);
      total += *highest;
    } else {
      state = back[chains.offsets[i + 1] + state];
    }
    best[i] = state;
  }
  return total;
}

double forward_backward(const Chains& chains, std::span<double> node_probabilities,
                        std::span<double> edge_probabilities) {
  const std::size_t nodes = chains.nodes();
  std::vector<double> alpha(chains.node_scores.begin(), chains.node_scores.end());
  std::vector<double> beta(alpha.size(), 0.0);
  std::vector<double> log_partition(nodes, 0.0);  // of the chain that a node belongs to
  double total = 0.0;
  for (std::size_t i = 0; i < nodes; ++i) {
    if (chains.starts(i)) continue;
    const int before = chains.states(i - 1), here = chains.states(i);
    count_work(10 * static_cast<std::uint64_t>(before) * here);
    const double* const previous = alpha.data() + chains.offsets[i - 1];
    const double* const edges = chains.edge_scores.data() + chains.edge_offsets[i];
    for (int s = 0; s < here; ++s)
      alpha[chains.offsets[i] + s] +=
          log_sum(before, [=](int r) { return previous[r] + edges[r * here + s]; });
  }
  for (std::size_t i = nodes; i-- > 0;) {
    const int here = chains.states(i);
    double* const own = beta.data() + chains.offsets[i];
    if (i + 1 == nodes || chains.starts(i + 1)) {
      const double* const last = alpha.data() + chains.offsets[i];
      log_partition[i] = log_sum(here, [=](int s) { return last[s]; });
      total += log_partition[i];
    } else {
      const int after = chains.states(i + 1);
      count_work(20 * static_cast<std::uint64_t>(after) * here);
      const double* const next = beta.data() + chains.offsets[i + 1];
      const double* const scores = chains.node_scores.data() + chains.offsets[i + 1];
      const double* const edges = chains.edge_scores.data() + chains.edge_offsets[i + 1];
      for (int s = 0; s < here; ++s)
        own[s] = log_sum(after, [=](int t) { return edges[s * after + t] + scores[t] + next[t]; });
      log_partition[i] = log_partition[i + 1];
      for (int s = 0; s < here; ++s)
        for (int t = 0; t < after; ++t)
          edge_probabilities[chains.edge_offsets[i + 1] + s * after + t] =
              probability(alpha[chains.offsets[i] + s] + edges[s * after + t] + scores[t] +
                          next[t] - log_partition[i]);
    }
    for (int s = 0; s < here; ++s)
      node_probabilities[chains.offsets[i] + s] =
          probability(alpha[chains.offsets[i] + s] + own[s] - log_partition[i]);
  }
  return total;
}

}  // namespace turbotree::chains
