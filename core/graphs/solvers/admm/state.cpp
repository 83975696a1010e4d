#include "graphs/solvers/admm/state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "common/ordered_sum.h"
#include "common/vectorize.h"
#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {

namespace {

struct LinkArrays {
  std::size_t count;
  const std::int32_t* variable;
  const double* sign;
  const double* offset;
};

// p -= move * (z - u); target = u + p / rho. Returns the squared disagreement.
template <bool kNegated>
TURBOTREE_INLINE double gather(const LinkArrays links, const double* TURBOTREE_RESTRICT consensus,
                               const double* TURBOTREE_RESTRICT point, double move, double inverse,
                               double* TURBOTREE_RESTRICT scores,
                               double* TURBOTREE_RESTRICT target) {
  return ordered_sum(links.count, [&](std::size_t l) TURBOTREE_INLINE_LAMBDA {
    double u = consensus[links.variable[l]];
    if constexpr (kNegated) u = links.offset[l] + links.sign[l] * u;
    const double difference = point[l] - u;
    const double p = scores[l] - move * difference;
    scores[l] = p;
    target[l] = u + p * inverse;
    return difference * difference;
  });
}

TURBOTREE_CLONES
double gather_plain(LinkArrays links, const double* consensus, const double* point, double move,
                    double inverse, double* scores, double* target) {
  return gather<false>(links, consensus, point, move, inverse, scores, target);
}

TURBOTREE_CLONES
double gather_negated(LinkArrays links, const double* consensus, const double* point, double move,
                      double inverse, double* scores, double* target) {
  return gather<true>(links, consensus, point, move, inverse, scores, target);
}

// Sum of (target - z) . (value of the variable that z stands for).
TURBOTREE_CLONES
double support(std::size_t count, const double* TURBOTREE_RESTRICT target,
               const double* TURBOTREE_RESTRICT point, const double* TURBOTREE_RESTRICT offset) {
  return ordered_sum(count, [=](std::size_t l) TURBOTREE_INLINE_LAMBDA {
    return (target[l] - point[l]) * (point[l] - offset[l]);
  });
}

struct Averages {
  double squares, rises, moving;  // of the changes; links of what moved
};

struct VariableArrays {
  std::size_t count;
  const double* sum;
  const double* weight;          // the degree; 0 if the variable is fixed or has no links
  const double* inverse_weight;  // 0 where that is 0
  double idle;
};

TURBOTREE_CLONES
Averages average(const VariableArrays all, const double* TURBOTREE_RESTRICT before,
                 double* TURBOTREE_RESTRICT after) {
  const auto [squares, rises, moving] =
      ordered_sums<3, double>(all.count, [&](std::size_t v) TURBOTREE_INLINE_LAMBDA {
        const double weight = all.weight[v];
        const double change = weight * (all.sum[v] * all.inverse_weight[v] - before[v]);
        const double step = change * all.inverse_weight[v];
        after[v] = before[v] + step;
        return std::array{change * step, std::max(0.0, change),
                          std::abs(step) > all.idle ? weight : 0.0};
      });
  return {squares, rises, moving};
}

TURBOTREE_CLONES
double total(std::size_t count, const double* values) {
  return ordered_sum(count, [=](std::size_t i) TURBOTREE_INLINE_LAMBDA { return values[i]; });
}

}  // namespace

AdmmState::AdmmState(const Graph& g) : graph(g), factors(g), links(factors.links()) {
  const auto count = static_cast<std::size_t>(links.links());
  const std::size_t variables = graph.scores.size();
  sign.resize(count);
  offset.resize(count);
  for (std::size_t l = 0; l < count; ++l) {
    offset[l] = links.negated[l];
    sign[l] = 1.0 - 2.0 * offset[l];
    any_negated |= links.negated[l] != 0;
  }
  factor_scores.assign(static_cast<std::size_t>(links.factors()), 0.0);
  target.resize(count);
  point.assign(count, 0.5);
  scores.resize(count);
  sum.resize(variables);
  odd_sum.resize(variables);
  consensus.assign(variables, 0.5);
  announced = consensus;
  for (std::size_t l = 0; l < count; ++l) {
    const std::int32_t v = links.variable[l];
    if (graph.pins[v] < 0) scores[l] = sign[l] * graph.scores[v] / links.degree[v];
  }
  set_pins(graph.pins);
}

void AdmmState::set_pins(const std::vector<Pin>& fixed) {
  pins = fixed;
  pinned_links.clear();
  bound.fixed = 0.0;
  weight.resize(pins.size());
  inverse_weight.resize(pins.size());
  for (std::size_t v = 0; v < pins.size(); ++v) {
    const double score = graph.scores[v];
    weight[v] = pins[v] < 0 ? links.degree[v] : 0.0;
    inverse_weight[v] = weight[v] > 0.0 ? 1.0 / weight[v] : 0.0;
    if (pins[v] >= 0) {
      consensus[v] = pins[v];
      if (pins[v] == 1) bound.fixed += score;
    } else if (links.degree[v] == 0) {
      consensus[v] = score > 0.0 ? 1.0 : 0.0;
      bound.fixed += std::max(0.0, score);
    }
  }
  for (std::int64_t l = 0; l < links.links(); ++l) {
    if (pins[links.variable[l]] < 0) continue;
    pinned_links.push_back(l);
    point[l] = seen(l, consensus[links.variable[l]]);
  }
}

void AdmmState::warm_start(std::span<const double> link_scores,
                           std::span<const double> last_consensus) {
  std::copy(link_scores.begin(), link_scores.end(), scores.begin());
  std::copy(last_consensus.begin(), last_consensus.end(), consensus.begin());
  std::fill(sum.begin(), sum.end(), 0.0);
  for (std::int64_t l = 0; l < links.links(); ++l) sum[links.variable[l]] += sign[l] * scores[l];
  for (std::int64_t l = 0; l < links.links(); ++l) {
    const std::int32_t v = links.variable[l];
    if (graph.scores[v] > -kInfinity)
      scores[l] += sign[l] * (graph.scores[v] - sum[v]) / links.degree[v];
    point[l] = seen(l, consensus[v]);
  }
}

double AdmmState::rounding_error() const {
  std::vector<double> shared(pins.size(), 0.0);
  for (std::int64_t l = 0; l < links.links(); ++l) shared[links.variable[l]] += sign[l] * scores[l];
  double error = 0.0;
  for (std::size_t v = 0; v < pins.size(); ++v)
    if (pins[v] < 0 && links.degree[v] > 0) error += std::abs(graph.scores[v] - shared[v]);
  return error;
}

double gather_all(AdmmState& s, double move) {
  const LinkArrays links{s.point.size(), s.links.variable.data(), s.sign.data(), s.offset.data()};
  const auto loop = s.any_negated ? gather_negated : gather_plain;
  return loop(links, s.consensus.data(), s.point.data(), move, 1.0 / s.penalty, s.scores.data(),
              s.target.data());
}

void project_all(AdmmState& s) {
  for (const std::int64_t l : s.pinned_links)
    s.target[l] = pushed(s.links, l, s.pins[s.links.variable[l]], kPinnedTarget);
  for (std::int64_t b = 0; b < s.factors.blocks(); ++b) {
    s.factors.block(b).project(s.links.links_of_block(b, std::as_const(s.target)), 1.0 / s.penalty,
                               s.links.links_of_block(b, s.point),
                               s.links.factors_of_block(b, s.factor_scores));
  }
  // What a fixed link is pushed by does not count: its value is not a choice.
  for (const std::int64_t l : s.pinned_links) s.target[l] = s.point[l];
  s.bound.factors =
      s.penalty * support(s.point.size(), s.target.data(), s.point.data(), s.offset.data());
  s.bound.factors += total(s.factor_scores.size(), s.factor_scores.data());
}

// Neighbouring links often share a variable, and adding to the same place twice in a row makes the
// second wait for the first: even and odd links go to sums of their own.
void restore_sums(AdmmState& s) {
  std::fill(s.sum.begin(), s.sum.end(), 0.0);
  std::fill(s.odd_sum.begin(), s.odd_sum.end(), 0.0);
  const std::int64_t count = s.links.links(), even = count & ~std::int64_t{1};
  const std::int32_t* variable = s.links.variable.data();
  if (s.any_negated) {
    for (std::int64_t l = 0; l < even; l += 2) {
      s.sum[variable[l]] += s.seen(l, s.point[l]);
      s.odd_sum[variable[l + 1]] += s.seen(l + 1, s.point[l + 1]);
    }
    if (even < count) s.sum[variable[even]] += s.seen(even, s.point[even]);
  } else {
    for (std::int64_t l = 0; l < even; l += 2) {
      s.sum[variable[l]] += s.point[l];
      s.odd_sum[variable[l + 1]] += s.point[l + 1];
    }
    if (even < count) s.sum[variable[even]] += s.point[even];
  }
  for (std::size_t v = 0; v < s.sum.size(); ++v) s.sum[v] += s.odd_sum[v];
}

void average_all(AdmmState& s) {
  restore_sums(s);
  s.announced.swap(s.consensus);
  const Averages averages =
      average({s.consensus.size(), s.sum.data(), s.weight.data(), s.inverse_weight.data(), s.idle},
              s.announced.data(), s.consensus.data());
  s.squared_change = averages.squares;
  s.bound.slack = s.penalty * averages.rises;
  s.moving_links = averages.moving;
}

}  // namespace turbotree::graphs
