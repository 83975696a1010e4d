// CUSTOM: a factor of the user's, known by a function that finds its best assignment.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "graphs/kinds.h"

namespace turbotree::graphs {

namespace {

class Custom {
 public:
  explicit Custom(const BlockArrays& arrays) : oracles_(arrays.oracles) {}

  void select(std::int64_t factor) { oracle_ = &oracles_[factor]; }

  static const char* check(const Factor&) { return ""; }

  // An assignment is allowed if it comes back when nothing else is worth anything. What the
  // function adds may be large, too.
  double value(const Factor& factor, std::span<const std::uint8_t> chosen) {
    const auto links = static_cast<std::size_t>(factor.links);
    scores_.resize(links);
    answer_.resize(links);
    for (const double push : {kPinnedScore, kPinnedScore * 1e4, kPinnedScore * 1e8}) {
      for (std::size_t i = 0; i < links; ++i) scores_[i] = chosen[i] != 0 ? push : -push;
      const double own = (*oracle_)(scores_, answer_);
      if (std::equal(answer_.begin(), answer_.end(), chosen.begin())) return own;
    }
    return -kInfinity;
  }

  double maximise(const Factor&, std::span<const double> scores, std::span<std::uint8_t> chosen) {
    double sum = (*oracle_)(scores, chosen);
    for (std::size_t i = 0; i < scores.size(); ++i) sum += chosen[i] != 0 ? scores[i] : 0.0;
    return sum;
  }

  // Both values of every link by pushing the link hard one way and the other.
  double max_messages(const Factor& factor, std::span<const double> scores,
                      std::span<double> messages) {
    const auto links = static_cast<std::size_t>(factor.links);
    pushed_.assign(scores.begin(), scores.end());
    answer_.resize(links);
    for (std::size_t i = 0; i < links; ++i) {
      double best[2];
      for (const std::uint8_t on : {0, 1}) {
        pushed_[i] = on != 0 ? kPinnedScore : -kPinnedScore;
        const double own = (*oracle_)(pushed_, answer_);
        best[on] = answer_[i] == on ? own : -kInfinity;
        for (std::size_t j = 0; j < links; ++j)
          if (j != i && answer_[j] != 0) best[on] += scores[j];
      }
      messages[i] = best[1] - best[0];
      pushed_[i] = scores[i];
    }
    return maximise(factor, scores, answer_);
  }

  // Sums cannot be had from a function that maximises; Python refuses before it comes here.
  Sums sum_messages(const Factor&, std::span<const double>, std::span<double> messages) {
    std::fill(messages.begin(), messages.end(), 0.0);
    return {-kInfinity, 0.0};
  }

 private:
  const std::vector<Oracle>& oracles_;
  const Oracle* oracle_ = nullptr;
  std::vector<double> scores_, pushed_;
  std::vector<std::uint8_t> answer_;
};

}  // namespace

constinit const KindFunctions custom_kind = functions_of<Custom>();

}  // namespace turbotree::graphs
