// What the messages say in the end: probabilities and the Bethe entropy, or an assignment and a
// bound.
#include <algorithm>
#include <cmath>

#include "graphs/solvers/belief_propagation/belief_propagation.h"

namespace turbotree::graphs {

// Whether the factor's best assignment fights against what it was told far beyond any score.
bool BeliefPropagation::suspicious(std::int64_t f, double value) const {
  double agreed = 0.0;
  for (std::int64_t l = incidence_.offsets[f]; l < incidence_.offsets[f + 1]; ++l)
    agreed += std::max(0.0, told_[l]);
  return !(value > agreed - 0.4 * push_);
}

void BeliefPropagation::summarise_sums(BeliefPropagationResult& result) {
  add_up_beliefs();
  tell(0, links_.links());
  result.probabilities.resize(beliefs_.size());
  double entropy = 0.0, expected = 0.0;
  for (std::size_t v = 0; v < beliefs_.size(); ++v) {
    if (pins_[v] >= 0) {
      result.probabilities[v] = pins_[v];
      if (pins_[v] == 1) expected += graph_.scores[v];
      continue;
    }
    const double size = std::abs(beliefs_[v]);
    const double unlikely = std::exp(-size) / (1.0 + std::exp(-size));
    const double p = beliefs_[v] > 0.0 ? 1.0 / (1.0 + std::exp(-size)) : unlikely;
    result.probabilities[v] = p;
    expected += p * graph_.scores[v];
    entropy +=
        static_cast<double>(1 - links_.degree[v]) * (std::log1p(std::exp(-size)) + size * unlikely);
  }
  for (std::int64_t f = 0; f < links_.factors(); ++f) {
    const Sums sums = factors_.sum_messages(f, told_, fresh_);
    suspicion_ |= suspicious(f, sums.log_partition);
    // Log partition less the expected scores; told > 0 counts only where the link is 0.
    double own_entropy = sums.log_partition - sums.expected_score;
    for (std::int64_t l = incidence_.offsets[f]; l < incidence_.offsets[f + 1]; ++l) {
      const double told = told_[l], odds = told + fresh_[l];
      const double against = 1.0 / (1.0 + std::exp(told > 0.0 ? odds : -odds));
      own_entropy += (against > 0.0 ? std::abs(told) * against : 0.0) - std::max(0.0, told);
    }
    entropy += own_entropy;
    expected += sums.expected_score;
  }
  result.entropy = entropy;
  result.log_partition = expected + entropy;
  if (!options_.expectations) return;
  result.expectations = factors_.expectations(told_);
  // Beside the messages of fixed variables rounding is not small.
  for (double& probability : result.expectations) probability = std::min(probability, 1.0);
}

void BeliefPropagation::summarise_maxima(BeliefPropagationResult& result) {
  add_up_beliefs();
  tell(0, links_.links());
  // Each variable belongs to the factor that decides it: exact on trees. Or to all of them alike.
  shares_.resize(told_.size());
  for (const bool alike : {false, true}) {
    for (std::int64_t l = 0; l < links_.links(); ++l) {
      const std::int32_t v = links_.variable[l];
      const double degree = static_cast<double>(links_.degree[v]);
      const double taken = alike ? (degree - 1.0) / degree : assignments_.decided_before()[l];
      shares_[l] = told_[l] - taken * links_.turned(l, beliefs_[v]);
    }
    result.upper_bound = std::min(result.upper_bound, assignments_.bound(shares_));
  }
  const auto propose = [&] {
    const double value = factors_.value(candidate_);
    if (value > result.value) result.value = value, result.values = candidate_;
  };
  assignments_.complete(told_, candidate_);
  propose();
  for (std::size_t v = 0; v < beliefs_.size(); ++v) candidate_[v] = beliefs_[v] > 0.0 ? 1 : 0;
  propose();
  for (std::int64_t f = 0; f < links_.factors() && result.values.empty(); ++f)
    suspicion_ |= suspicious(f, factors_.max_messages(f, told_, fresh_));
}

}  // namespace turbotree::graphs
