#include "graphs/solvers/bethe.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {

namespace {

double binary_entropy(double p) {
  return p <= 0.0 || p >= 1.0 ? 0.0 : -p * std::log(p) - (1.0 - p) * std::log1p(-p);
}

double probability(double odds) { return 1.0 / (1.0 + std::exp(-odds)); }

}  // namespace

BetheResult bethe_entropy(const Graph& graph, std::span<const double> probabilities,
                          double tolerance, std::int64_t max_sweeps, Control& control) {
  Factors factors(graph);
  const Links& links = factors.links();
  const double push = decisive_push(graph);
  BetheResult result;
  std::vector<double> wanted(links.links()), scores(links.links()), messages(links.links());
  for (std::int64_t v = 0; v < graph.variables(); ++v)
    result.entropy += static_cast<double>(1 - links.degree(v)) * binary_entropy(probabilities[v]);
  for (std::int64_t l = 0; l < links.links(); ++l) {
    const double p = probabilities[links.variable[l]];
    wanted[l] = links.negated[l] != 0 ? 1.0 - p : p;
    scores[l] = std::clamp(std::log(wanted[l]) - std::log1p(-wanted[l]), -push, push);
  }
  for (std::int64_t f = 0; f < links.factors(); ++f) {
    const std::int64_t first = links.offsets[f], last = links.offsets[f + 1];
    double misfit = kInfinity;
    for (std::int64_t sweep = 0; sweep <= max_sweeps && misfit > tolerance; ++sweep) {
      for (std::int64_t l = first; sweep > 0 && l < last; ++l) {
        if (wanted[l] <= 0.0 || wanted[l] >= 1.0) continue;
        factors.sum_messages(f, scores.data(), messages.data());
        const double odds = std::log(wanted[l]) - std::log1p(-wanted[l]);
        scores[l] = std::clamp(odds - messages[l], -push, push);
      }
      const Sums sums = factors.sum_messages(f, scores.data(), messages.data());
      if (sums.log_partition == -kInfinity) break;
      misfit = 0.0;
      for (std::int64_t l = first; l < last; ++l)
        misfit = std::max(misfit, std::abs(probability(scores[l] + messages[l]) - wanted[l]));
      if (control.should_stop()) {
        result.stopped = true;
        return result;
      }
    }
    if (!(misfit <= tolerance)) {
      result.misfit_factor = f;
      return result;
    }
    const Sums sums = factors.sum_messages(f, scores.data(), messages.data());
    result.entropy += sums.log_partition - sums.expected_extra;
    for (std::int64_t l = first; l < last; ++l)
      result.entropy -= probability(scores[l] + messages[l]) * scores[l];
  }
  return result;
}

}  // namespace turbotree::graphs
