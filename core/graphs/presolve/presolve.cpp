#include "graphs/presolve/presolve.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "graphs/links.h"

namespace turbotree::graphs {

namespace {

// Where solvers cannot tell values apart: numbers of this size lose so much to rounding.
constexpr double kRounding = 1e-13;
// A usual score of variables counts unless those of factors are so many times as large.
constexpr double kFactorsOutweigh = 100.0;
constexpr double kMask = 1e3;         // times the usual score
constexpr double kLargeShift = 30.0;  // smaller ones do no harm

// Subtracts the largest of scores of which exactly one counts, and adds up what it subtracted.
class Shifts {
 public:
  explicit Shifts(Graph& graph) : graph_(graph) {
    for (BlockArrays& block : graph_.blocks)
      for (std::int64_t f = 0; f < block.factors(); ++f) {
        if (block.kind == Kind::kXor) shift_links(block, block.offsets[f], block.offsets[f + 1]);
        if (block.kind == Kind::kTree) shift_heads(block, f);
        if (block.kind == Kind::kDense) shift_table(block, f);
        if (block.kind == Kind::kChain) shift_chain(block, f);
      }
  }

  double total() const { return total_; }
  double largest() const { return largest_; }

 private:
  void shift_links(const BlockArrays& block, std::int64_t first, std::int64_t last) {
    group_.clear();
    for (std::int64_t l = first; l < last; ++l) {
      if (block.negated[l] != 0) return;
      group_.push_back(block.variables[l]);
    }
    shift_group();
  }

  // The arcs into each word.
  void shift_heads(const BlockArrays& block, std::int64_t f) {
    const Factor factor = block.factor(f);
    const std::int64_t first = block.offsets[f];
    into_.assign(static_cast<std::size_t>(factor.shape[0]) + 1, {});
    for (std::int64_t arc = 0; arc < factor.links; ++arc) {
      if (block.negated[first + arc] != 0) return;
      into_[factor.shape[3 + 2 * arc]].push_back(block.variables[first + arc]);
    }
    for (std::vector<std::int32_t>& arcs : into_) {
      group_.swap(arcs);
      shift_group();
    }
  }

  void shift_table(BlockArrays& block, std::int64_t f) {
    std::int64_t link = block.offsets[f];
    for (const std::int32_t size : block.factor(f).shape) {
      if (size > 1) shift_links(block, link, link + size);  // else a variable by itself
      link += size;
    }
    double* const table = own_scores(block, f);
    shift_numbers(table, table + block.factor(f).scores.size());
  }

  void shift_chain(BlockArrays& block, std::int64_t f) {
    std::int64_t link = block.offsets[f];
    double* steps = own_scores(block, f);
    std::int32_t before = 0;
    for (const std::int32_t size : block.factor(f).shape) {
      shift_links(block, link, link + size);
      shift_numbers(steps, steps + before * size);
      link += size;
      steps += before * size;
      before = size;
    }
  }

  // A block has no offsets where no factor has scores, as chains of one node.
  static double* own_scores(BlockArrays& block, std::int64_t f) {
    return block.factor_scores.data() + (block.score_offsets.empty() ? 0 : block.score_offsets[f]);
  }

  void shift_group() {
    double most = -kInfinity;
    for (const std::int32_t v : group_) {
      if (graph_.pins[v] == 1) return;
      if (graph_.pins[v] < 0) most = std::max(most, graph_.scores[v]);
    }
    if (most == -kInfinity || most == 0.0) return;
    for (const std::int32_t v : group_) graph_.scores[v] -= most;
    note(most);
  }

  void shift_numbers(double* first, double* last) {
    if (first == last) return;
    const double most = *std::max_element(first, last);
    if (most == -kInfinity) return;
    for (; first != last; ++first) *first -= most;
    note(most);
  }

  void note(double shift) {
    total_ += shift;
    largest_ = std::max(largest_, std::abs(shift));
  }

  Graph& graph_;
  double total_ = 0.0, largest_ = 0.0;
  std::vector<std::int32_t> group_;
  std::vector<std::vector<std::int32_t>> into_;
};

// Scores of variables that are fixed are no choice; returns what they come to.
double settle_pins(Graph& graph) {
  double sum = 0.0;
  for (std::size_t v = 0; v < graph.scores.size(); ++v) {
    if (graph.pins[v] < 0) continue;
    if (graph.pins[v] == 1) sum += graph.scores[v];
    graph.scores[v] = 0.0;
  }
  return sum;
}

std::vector<double*> numbers_of(Graph& graph) {
  std::vector<double*> numbers;
  const auto take = [&](double& number) {
    if (number != 0.0 && number > -kInfinity) numbers.push_back(&number);
  };
  for (double& score : graph.scores) take(score);
  for (BlockArrays& block : graph.blocks)
    for (double& score : block.factor_scores) take(score);
  return numbers;
}

// Functions of the user's go on seeing scores in the user's units.
void rescale_oracles(BlockArrays& block, double unit) {
  for (Oracle& oracle : block.oracles)
    oracle = [unit, asked = std::move(oracle), scores = std::vector<double>()](
                 std::span<const double> own, std::span<std::uint8_t> chosen) mutable {
      scores.assign(own.begin(), own.end());
      for (double& score : scores) score *= unit;
      return asked(scores, chosen) / unit;
    };
}

// 0 if all scores are.
double usual_score(const Graph& graph, const Taming& taming) {
  std::vector<double> scores_of_factors;
  for (const BlockArrays& block : graph.blocks)
    scores_of_factors.insert(scores_of_factors.end(), block.factor_scores.begin(),
                             block.factor_scores.end());
  const double of_variables = typical_size(graph.scores, taming.from);
  const double of_factors = typical_size(scores_of_factors, taming.from);
  return of_variables > 0.0 ? std::max(of_variables, of_factors / kFactorsOutweigh) : of_factors;
}

double largest_score(const Graph& graph) {
  double largest = 0.0;
  const auto look = [&](double score) {
    if (score > -kInfinity) largest = std::max(largest, std::abs(score));
  };
  for (const double score : graph.scores) look(score);
  for (const BlockArrays& block : graph.blocks)
    for (const double score : block.factor_scores) look(score);
  return largest;
}

// What else a graph has never changes.
void restore_scores(Graph& graph, const Graph& before) {
  graph.scores = before.scores;
  for (std::size_t b = 0; b < graph.blocks.size(); ++b)
    graph.blocks[b].factor_scores = before.blocks[b].factor_scores;
}

void scale(Graph& graph, double unit) {
  const double factor = 1.0 / unit;
  for (double& score : graph.scores) score *= factor;
  for (BlockArrays& block : graph.blocks) {
    for (double& score : block.factor_scores) score *= factor;
    rescale_oracles(block, unit);
  }
}

}  // namespace

Taming flatten_masks(Graph& graph, double lower) {
  Taming taming = tame(numbers_of(graph), Tame::kFlatten);
  if (!taming.changed) return taming;
  for (double* number : numbers_of(graph))
    if (*number <= -taming.from) *number -= lower;
  return taming;
}

Presolved presolve(const Graph& graph, Tame how, double floor, Constants constants) {
  Presolved result;
  Graph& own = result.graph;
  Taming& taming = result.taming;
  const bool any_custom =
      std::any_of(graph.blocks.begin(), graph.blocks.end(),
                  [](const BlockArrays& block) { return block.kind == Kind::kCustom; });
  double constant = 0.0;
  const auto tame_own = [&] {
    // Who knows what scores functions have?
    if (!any_custom) taming = tame(numbers_of(own), how, floor - constant);
  };
  own = graph;
  const Shifts shifts(own);
  constant = shifts.total() + settle_pins(own);
  tame_own();
  double usual = usual_score(own, taming);
  // Even where the constants stay, they do not tell what is usual.
  if (constants == Constants::kKeep || usual == 0.0 || shifts.largest() <= kLargeShift * usual) {
    restore_scores(own, graph);
    constant = settle_pins(own);
    tame_own();
    const double unshifted = usual_score(own, taming);
    if (usual == 0.0 || (unshifted > 0.0 && unshifted < usual)) usual = unshifted;
    if (usual == 0.0) usual = 1.0;
  }
  const double unit = std::ldexp(1.0, std::clamp(std::ilogb(usual), -900, 900));
  result.unit = unit;
  result.floor = how == Tame::kLevel ? floor : -kInfinity;
  result.constant = constant / unit;
  taming.least /= unit;
  taming.from /= unit;
  taming.margin /= unit;
  taming.most_lost /= unit;
  own.rounding = kRounding * largest_score(own) / unit;
  own.mask_size = std::min(kMask, taming.from);
  if (unit != 1.0) scale(own, unit);
  return result;
}

}  // namespace turbotree::graphs
