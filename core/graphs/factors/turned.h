// A kind made of another by turning variables round: 1 for 0 and 0 for 1.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factor.h"
#include "graphs/factors/simplex.h"

namespace turbotree::graphs {

enum class Turn { kLast, kAll };

// With y = 1 - x, a score s of y is a score -s of x and s for certain.
template <class Base, Turn kTurn>
class Turned {
 public:
  using Memory = typename Base::Memory;

  double value(const Factor& factor, const std::uint8_t* chosen) {
    chosen_.assign(chosen, chosen + factor.links);
    for (std::int64_t i = first(factor); i < factor.links; ++i) chosen_[i] = 1 - chosen_[i];
    return base_.value(factor, chosen_.data());
  }

  double maximise(const Factor& factor, const double* scores, std::uint8_t* chosen) {
    const double certain = turn_scores(factor, scores);
    const double best = base_.maximise(factor, numbers_.data(), chosen);
    for (std::int64_t i = first(factor); i < factor.links; ++i) chosen[i] = 1 - chosen[i];
    return best + certain;
  }

  double max_messages(const Factor& factor, const double* scores, double* messages) {
    const double certain = turn_scores(factor, scores);
    const double best = base_.max_messages(factor, numbers_.data(), messages);
    for (std::int64_t i = first(factor); i < factor.links; ++i) messages[i] = -messages[i];
    return best + certain;
  }

  Sums sum_messages(const Factor& factor, const double* scores, double* messages) {
    const double certain = turn_scores(factor, scores);
    const Sums sums = base_.sum_messages(factor, numbers_.data(), messages);
    for (std::int64_t i = first(factor); i < factor.links; ++i) messages[i] = -messages[i];
    return {sums.log_partition + certain, sums.expected_extra};
  }

  double project(const Factor& factor, const double* target, double scale, double* point,
                 Memory& memory)
    requires(kTurn == Turn::kAll)
  {
    numbers_.resize(static_cast<std::size_t>(factor.links));
    turn_round(factor.links, target, numbers_.data());
    const double own = base_.project(factor, numbers_.data(), scale, point, memory);
    for (std::int64_t i = 0; i < factor.links; ++i) point[i] = 1.0 - point[i];
    return own;
  }

 private:
  static std::int64_t first(const Factor& factor) {
    return kTurn == Turn::kAll ? 0 : factor.links - 1;
  }

  double turn_scores(const Factor& factor, const double* scores) {
    numbers_.assign(scores, scores + factor.links);
    double certain = 0.0;
    for (std::int64_t i = first(factor); i < factor.links; ++i) {
      certain += scores[i];
      numbers_[i] = -scores[i];
    }
    return certain;
  }

  Base base_;
  std::vector<double> numbers_;
  std::vector<std::uint8_t> chosen_;
};

}  // namespace turbotree::graphs
