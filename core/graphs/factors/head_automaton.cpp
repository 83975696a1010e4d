// HEAD_AUTOMATON: arcs from one head to its modifiers 1..K on one side, outward, with a score for
// each two consecutive ones that are chosen (see sibling_chain.h); factor scores: the matrix.
#include <algorithm>
#include <cstdint>
#include <span>

#include "graphs/factor.h"
#include "graphs/factors/sibling_chain.h"
#include "graphs/kinds.h"
#include "graphs/numerics/semiring.h"

namespace turbotree::graphs {

namespace {

class HeadAutomaton {
 public:
  static const char* check(const Factor& factor) {
    const std::size_t width = static_cast<std::size_t>(factor.links) + 1;
    return factor.scores.size() == width * width ? ""
                                                 : "the scores of consecutive siblings are a "
                                                   "square, one row and column more than arcs";
  }

  double value(const Factor& factor, std::span<const std::uint8_t> chosen) {
    return SiblingChain::score(factor.scores, chosen);
  }

  double maximise(const Factor& factor, std::span<const double> scores,
                  std::span<std::uint8_t> chosen) {
    const double best = chain_.best(factor.scores, scores);
    chain_.trace(chosen);
    return best;
  }

  double max_messages(const Factor& factor, std::span<const double> scores,
                      std::span<double> messages) {
    return pass_messages<Maximum>(factor, scores, messages);
  }

  Sums sum_messages(const Factor& factor, std::span<const double> scores,
                    std::span<double> messages) {
    const double log_partition = pass_messages<LogSum>(factor, scores, messages);
    return {log_partition, chain_.expected_score()};
  }

  void expectations(const Factor& factor, std::span<const double> scores,
                    std::span<double> expectations) {
    std::fill(expectations.begin(), expectations.end(), 0.0);
    chain_.total<LogSum>(factor.scores, scores);
    chain_.add_steps(1.0, expectations);
  }

 private:
  template <class Total>
  double pass_messages(const Factor& factor, std::span<const double> scores,
                       std::span<double> messages) {
    const double total = chain_.total<Total>(factor.scores, scores);
    for (std::int64_t k = 0; k < factor.links; ++k)
      messages[k] = log_odds(chain_.with()[k], chain_.without()[k]);
    return total;
  }

  SiblingChain chain_;
};

}  // namespace

constinit const KindFunctions head_automaton_kind = functions_of<HeadAutomaton>();

}  // namespace turbotree::graphs
