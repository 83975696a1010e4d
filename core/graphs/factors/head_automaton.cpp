#include "graphs/factors/head_automaton.h"

#include <algorithm>

#include "graphs/semiring.h"

namespace turbotree::graphs {

const char* HeadAutomaton::check(const Factor& factor) {
  const std::size_t width = static_cast<std::size_t>(factor.links) + 1;
  return factor.extras.size() == width * width
             ? ""
             : "the scores of consecutive siblings are a square, one row and column more than arcs";
}

double HeadAutomaton::value(const Factor& factor, const std::uint8_t* chosen) {
  return SiblingChain::score(factor.links, factor.extras.data(), chosen);
}

double HeadAutomaton::maximise(const Factor& factor, const double* scores, std::uint8_t* chosen) {
  const double best = chain_.best(factor.links, factor.extras.data(), scores);
  chain_.trace(chosen);
  return best;
}

template <class Total>
double HeadAutomaton::pass_messages(const Factor& factor, const double* scores, double* messages) {
  const double total = chain_.total<Total>(factor.links, factor.extras.data(), scores);
  for (std::int64_t k = 0; k < factor.links; ++k)
    messages[k] = log_odds(chain_.with()[k], chain_.without()[k]);
  return total;
}

double HeadAutomaton::max_messages(const Factor& factor, const double* scores, double* messages) {
  return pass_messages<Maximum>(factor, scores, messages);
}

Sums HeadAutomaton::sum_messages(const Factor& factor, const double* scores, double* messages) {
  const double log_partition = pass_messages<LogSum>(factor, scores, messages);
  return {log_partition, chain_.expected_score()};
}

void HeadAutomaton::expectations(const Factor& factor, const double* scores, double* expectations) {
  std::fill_n(expectations, factor.extras.size(), 0.0);
  chain_.total<LogSum>(factor.links, factor.extras.data(), scores);
  chain_.add_steps(1.0, expectations);
}

}  // namespace turbotree::graphs
