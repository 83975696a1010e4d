// The factors of logic: hard constraints on binary variables, without scores of their own.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "common/vectorize.h"
#include "graphs/factors/simplex.h"
#include "graphs/kinds.h"
#include "graphs/numerics/leave_one_out.h"
#include "graphs/numerics/log_domain.h"

namespace turbotree::graphs {

namespace {

std::int64_t count_ones(std::span<const std::uint8_t> chosen) {
  std::int64_t ones = 0;
  for (const std::uint8_t one : chosen) ones += one;
  return ones;
}

bool any_chosen(std::span<const std::uint8_t> chosen) {
  return std::any_of(chosen.begin(), chosen.end(), [](auto one) { return one != 0; });
}

double allowed_if(bool allowed) { return allowed ? 0.0 : -kInfinity; }

// XOR and AT_MOST_ONE: one variable is 1, or perhaps none, which is one more choice of score 0.
template <bool kMayBeNone>
class OneOf {
 public:
  using Memory = ThresholdMemory;

  static const char* check(const Factor& factor) {
    if (factor.links >= 1) return "";
    return kMayBeNone ? "at most one needs a variable"
                      : "exactly one of no variables is impossible";
  }

  double value(const Factor&, std::span<const std::uint8_t> chosen) {
    const std::int64_t ones = count_ones(chosen);
    return allowed_if(ones == 1 || (kMayBeNone && ones == 0));
  }

  double maximise(const Factor&, std::span<const double> scores, std::span<std::uint8_t> chosen) {
    const std::int64_t best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    std::fill(chosen.begin(), chosen.end(), std::uint8_t{0});
    if (kMayBeNone && scores[best] <= 0.0) return 0.0;
    chosen[best] = 1;
    return scores[best];
  }

  double max_messages(const Factor&, std::span<const double> scores, std::span<double> messages) {
    const TopTwo top(scores);
    for (std::size_t i = 0; i < scores.size(); ++i) messages[i] = -or_none(top.without(i));
    return or_none(top.best);
  }

  Sums sum_messages(const Factor&, std::span<const double> scores, std::span<double> messages) {
    const double log_partition =
        log_sums_of_others(scores, kMayBeNone ? 0.0 : -kInfinity, messages);
    for (double& message : messages) message = -message;
    return {log_partition, 0.0};
  }

  double project(const Factor&, std::span<const double> target, double, std::span<double> point,
                 Memory& memory) {
    if (!kMayBeNone || clip(target, 1.0, point) > 1.0)
      project_on_simplex(target, point, memory.threshold);
    return 0.0;
  }

 private:
  static double or_none(double score) { return kMayBeNone ? std::max(0.0, score) : score; }
};

using Xor = OneOf<false>;
using AtMostOne = OneOf<true>;

// OR: at least one of its variables is 1.
class Or {
 public:
  using Memory = ThresholdMemory;

  static const char* check(const Factor& factor) {
    return factor.links >= 1 ? "" : "at least one of no variables is impossible";
  }

  double value(const Factor&, std::span<const std::uint8_t> chosen) {
    return allowed_if(any_chosen(chosen));
  }

  double maximise(const Factor&, std::span<const double> scores, std::span<std::uint8_t> chosen) {
    double sum = 0.0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      chosen[i] = scores[i] > 0.0 ? 1 : 0;
      sum += std::max(0.0, scores[i]);
      if (scores[i] > scores[best]) best = i;
    }
    if (scores[best] > 0.0) return sum;
    chosen[best] = 1;
    return scores[best];
  }

  // A link is needed only if all others are better off, by that much, without being chosen.
  double max_messages(const Factor&, std::span<const double> scores, std::span<double> messages) {
    const TopTwo top(scores);
    double sum = 0.0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      messages[i] = std::max(0.0, -top.without(i));
      sum += std::max(0.0, scores[i]);
    }
    return sum + std::min(0.0, top.best);
  }

  // With e^l the summed weight of all the others' values, the odds of a link are e^l / (e^l - 1).
  Sums sum_messages(const Factor&, std::span<const double> scores, std::span<double> messages) {
    const std::size_t n = scores.size();
    free_.resize(n);
    free_others_.resize(n);
    for (std::size_t i = 0; i < n; ++i) free_[i] = log_one_plus_exp(scores[i]);
    const double all = sums_of_others(free_, free_others_);
    bool underflow = false;
    for (std::size_t i = 0; i < n; ++i) {
      messages[i] = -std::log(-std::expm1(-free_others_[i]));
      underflow |= free_others_[i] < kSafeSum;
    }
    if (!underflow) return {log_exp_minus_one(all), 0.0};
    // Where two or more of the others together have no weight to speak of, at least one is one.
    one_other_.resize(n);
    const double one = log_sums_of_others(scores, -kInfinity, one_other_);
    for (std::size_t i = 0; i < n; ++i)
      if (free_others_[i] < kSafeSum) messages[i] = -one_other_[i];
    return {all < kSafeSum ? one : log_exp_minus_one(all), 0.0};
  }

  double project(const Factor&, std::span<const double> target, double, std::span<double> point,
                 Memory& memory) {
    if (clip(target, 1.0, point) < 1.0) project_on_simplex(target, point, memory.threshold);
    return 0.0;
  }

  // After sum_messages: for every link, the log of the summed weights of the others' values, all
  // zero included.
  const std::vector<double>& free_others() const { return free_others_; }

 private:
  std::vector<double> free_, free_others_, one_other_;
};

// OR_OUT: the last variable, the output, says whether at least one of the others, the inputs, is 1.
class OrOut {
 public:
  // Where the last projection ended, for the next to start there.
  struct Memory {
    double level = 0.0;      // the output, if it is only held up by inputs
    double threshold = 0.0;  // the multiplier, if the output is the sum of the inputs
    bool output_is_sum = false;
  };

  static const char* check(const Factor& factor) {
    return factor.links >= 1 ? "" : "the outcome of an or needs a variable";
  }

  double value(const Factor&, std::span<const std::uint8_t> chosen) {
    const std::size_t n = chosen.size() - 1;
    return allowed_if(any_chosen(chosen.first(n)) == (chosen[n] != 0));
  }

  double maximise(const Factor& factor, std::span<const double> scores,
                  std::span<std::uint8_t> chosen) {
    const std::size_t n = scores.size() - 1;
    if (n > 0) {
      const double best = inputs_.maximise(factor, scores.first(n), chosen.first(n)) + scores[n];
      chosen[n] = 1;
      if (best > 0.0) return best;
    }
    std::fill(chosen.begin(), chosen.end(), std::uint8_t{0});
    return 0.0;
  }

  double max_messages(const Factor&, std::span<const double> scores, std::span<double> messages) {
    const std::size_t n = scores.size() - 1;
    if (n == 0) {
      messages[0] = -kInfinity;
      return 0.0;
    }
    const double output = scores[n];
    positive_.resize(n);
    for (std::size_t i = 0; i < n; ++i) positive_[i] = std::max(0.0, scores[i]);
    const double sum = sums_of_others(positive_, messages.first(n));
    // An input brings the output and all others that are worth it, instead of the best without it:
    // the same with the best other input, or nothing at all.
    const TopTwo top(scores.first(n));
    for (std::size_t i = 0; i < n; ++i)
      messages[i] = std::min(output + messages[i], std::max(0.0, -top.without(i)));
    messages[n] = sum + std::min(0.0, top.best);
    return std::max(0.0, output + messages[n]);
  }

  // With e^l the summed weight of all the others' values and e^o that of the output, the odds of an
  // input are e^o e^l / (1 + e^o (e^l - 1)).
  Sums sum_messages(const Factor& factor, std::span<const double> scores,
                    std::span<double> messages) {
    const std::size_t n = scores.size() - 1;
    if (n == 0) {
      messages[0] = -kInfinity;
      return {0.0, 0.0};
    }
    const double output = scores[n];
    const double some =
        inputs_.sum_messages(factor, scores.first(n), messages.first(n)).log_partition;
    for (std::size_t i = 0; i < n; ++i) {
      const double free = inputs_.free_others()[i];
      const double some_other = output + free - messages[i];
      if (some_other > 0.0)
        messages[i] -= std::log1p(std::exp(-some_other));
      else
        messages[i] = output + free - std::log1p(std::exp(some_other));
    }
    messages[n] = some;
    return {log_one_plus_exp(output + some), 0.0};
  }

  // The polytope: no input above the output, and the output not above the sum of the inputs.
  double project(const Factor&, std::span<const double> target, double, std::span<double> point,
                 Memory& memory) {
    if (memory.output_is_sum) {
      // Right if the sum holds the output down: its multiplier, -threshold, is not negative.
      project_with_last_the_sum(target, point, memory.threshold);
      if (memory.threshold <= 0.0) return 0.0;
    }
    const std::size_t n = target.size() - 1;
    memory.level = raise(target.first(n), target[n], memory.level);
    point[n] = std::min(1.0, std::max(0.0, memory.level));
    memory.output_is_sum = clip(target.first(n), point[n], point.first(n)) < point[n];
    if (memory.output_is_sum) project_with_last_the_sum(target, point, memory.threshold);
    return 0.0;
  }

 private:
  Or inputs_;
  std::vector<double> positive_;
};

enum class Negate { kLast, kAll };

// A kind made of another by negating variables. With y = 1 - x, a score s of y is a score -s of x
// and s for certain.
template <class Base, Negate kNegate>
class Negated {
 public:
  using Memory = typename Base::Memory;

  double value(const Factor& factor, std::span<const std::uint8_t> chosen) {
    chosen_.assign(chosen.begin(), chosen.end());
    for (std::size_t i = first(chosen.size()); i < chosen.size(); ++i) chosen_[i] = 1 - chosen[i];
    return base_.value(factor, chosen_);
  }

  double maximise(const Factor& factor, std::span<const double> scores,
                  std::span<std::uint8_t> chosen) {
    const double certain = negate_scores(scores);
    const double best = base_.maximise(factor, numbers_, chosen);
    for (std::size_t i = first(chosen.size()); i < chosen.size(); ++i) chosen[i] = 1 - chosen[i];
    return best + certain;
  }

  double max_messages(const Factor& factor, std::span<const double> scores,
                      std::span<double> messages) {
    const double certain = negate_scores(scores);
    const double best = base_.max_messages(factor, numbers_, messages);
    negate(messages);
    return best + certain;
  }

  Sums sum_messages(const Factor& factor, std::span<const double> scores,
                    std::span<double> messages) {
    const double certain = negate_scores(scores);
    const Sums sums = base_.sum_messages(factor, numbers_, messages);
    negate(messages);
    return {sums.log_partition + certain, sums.expected_score};
  }

  double project(const Factor& factor, std::span<const double> target, double scale,
                 std::span<double> point, Memory& memory)
    requires(kNegate == Negate::kAll)
  {
    numbers_.resize(target.size());
    complement(target, numbers_);
    const double score = base_.project(factor, numbers_, scale, point, memory);
    for (double& z : point) z = 1.0 - z;
    return score;
  }

 private:
  static std::size_t first(std::size_t links) { return kNegate == Negate::kAll ? 0 : links - 1; }

  static void negate(std::span<double> messages) {
    for (double& message : messages.subspan(first(messages.size()))) message = -message;
  }

  double negate_scores(std::span<const double> scores) {
    numbers_.assign(scores.begin(), scores.end());
    double certain = 0.0;
    for (std::size_t i = first(scores.size()); i < scores.size(); ++i) {
      certain += scores[i];
      numbers_[i] = -scores[i];
    }
    return certain;
  }

  Base base_;
  std::vector<double> numbers_;
  std::vector<std::uint8_t> chosen_;
};

// XOR_OUT: the last variable is 1 if exactly one of the others is, and 0 if none is.
class XorOut : public Negated<Xor, Negate::kLast> {
 public:
  static const char* check(const Factor& factor) {
    return factor.links >= 1 ? "" : "the outcome of an exclusive or needs a variable";
  }

  double project(const Factor&, std::span<const double> target, double, std::span<double> point,
                 Memory& memory) {
    project_with_last_the_sum(target, point, memory.threshold);
    return 0.0;
  }
};

// NAND: not all of its variables are 1.
class Nand : public Negated<Or, Negate::kAll> {
 public:
  static const char* check(const Factor& factor) {
    return factor.links >= 1 ? "" : "not all of no variables is impossible";
  }
};

// AND_OUT: the last variable says whether all the others are 1.
class AndOut : public Negated<OrOut, Negate::kAll> {
 public:
  static const char* check(const Factor& factor) {
    return factor.links >= 1 ? "" : "the outcome of an and needs a variable";
  }
};

// What the first has more than the second is shared; then both are clipped.
TURBOTREE_CLONES
void project_implications(std::int64_t count, const double* TURBOTREE_RESTRICT target,
                          double* TURBOTREE_RESTRICT point,
                          double* TURBOTREE_RESTRICT factor_scores) {
  for (std::int64_t f = 0; f < count; ++f) {
    const double a = target[2 * f], b = target[2 * f + 1];
    const double share = std::max(0.0, 0.5 * (a - b));
    point[2 * f] = std::min(1.0, std::max(0.0, a - share));
    point[2 * f + 1] = std::min(1.0, std::max(0.0, b + share));
    factor_scores[f] = 0.0;
  }
}

// IMPLY: if the first of its two variables is 1, so is the second.
class Imply {
 public:
  static const char* check(const Factor& factor) {
    return factor.links == 2 ? "" : "an implication has two variables";
  }

  double value(const Factor&, std::span<const std::uint8_t> chosen) {
    return allowed_if(chosen[0] <= chosen[1]);
  }

  double maximise(const Factor&, std::span<const double> scores, std::span<std::uint8_t> chosen) {
    const double second = scores[1] + std::max(0.0, scores[0]);
    chosen[1] = second > 0.0 ? 1 : 0;
    chosen[0] = second > 0.0 && scores[0] > 0.0 ? 1 : 0;
    return std::max(0.0, second);
  }

  double max_messages(const Factor&, std::span<const double> scores, std::span<double> messages) {
    messages[0] = std::min(0.0, scores[1]);
    messages[1] = std::max(0.0, scores[0]);
    return std::max(0.0, scores[1] + messages[1]);
  }

  Sums sum_messages(const Factor&, std::span<const double> scores, std::span<double> messages) {
    messages[0] = -log_one_plus_exp(-scores[1]);
    messages[1] = log_one_plus_exp(scores[0]);
    return {log_one_plus_exp(scores[1] + messages[1]), 0.0};
  }

  static void project_many(std::span<const double>, std::span<const double> target, double,
                           std::span<double> point, std::span<double> factor_scores) {
    project_implications(static_cast<std::int64_t>(factor_scores.size()), target.data(),
                         point.data(), factor_scores.data());
  }
};

}  // namespace

constinit const KindFunctions xor_kind = functions_of<Xor>();
constinit const KindFunctions xor_out_kind = functions_of<XorOut>();
constinit const KindFunctions at_most_one_kind = functions_of<AtMostOne>();
constinit const KindFunctions or_kind = functions_of<Or>();
constinit const KindFunctions or_out_kind = functions_of<OrOut>();
constinit const KindFunctions nand_kind = functions_of<Nand>();
constinit const KindFunctions and_out_kind = functions_of<AndOut>();
constinit const KindFunctions imply_kind = functions_of<Imply>();

}  // namespace turbotree::graphs
