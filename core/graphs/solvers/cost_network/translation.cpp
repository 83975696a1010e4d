#include "graphs/solvers/cost_network/translation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "graphs/factors/trees/tree_memory.h"
#include "graphs/solvers/cost_network/builder.h"

namespace turbotree::graphs {

namespace {

class Translation {
 public:
  explicit Translation(const Graph& graph) : graph_(graph), builder_(graph) {}

  std::optional<CostNetwork> run(double precision) {
    for (const Kind kind : {Kind::kTree, Kind::kChain, Kind::kDense, Kind::kXor})
      for (const BlockArrays& block : graph_.blocks)
        if (block.kind == kind)
          for (std::int64_t f = 0; f < block.factors(); ++f) group(block, f);
    builder_.add_the_rest();
    for (const BlockArrays& block : graph_.blocks) {
      for (std::int64_t f = 0; f < block.factors(); ++f)
        if (builder_.fits()) add(block, f);
      links_before_ += block.links();
    }
    return builder_.finish(precision);
  }

 private:
  using Axis = NetworkBuilder::Axis;
  using Literals = std::vector<Literal>;

  static Literals literals(const BlockArrays& block, std::int64_t first, std::int64_t last) {
    Literals found;
    for (std::int64_t l = first; l < last; ++l)
      found.push_back({block.variables[l], block.negated[l] != 0});
    return found;
  }

  // The arcs into each word.
  static std::vector<std::vector<std::int32_t>> arcs_by_word(const Factor& factor) {
    std::vector<std::vector<std::int32_t>> into(static_cast<std::size_t>(factor.shape[0]));
    for (std::int32_t arc = 0; arc < factor.links; ++arc)
      into[factor.shape[3 + 2 * arc] - 1].push_back(arc);
    return into;
  }

  // Makes variables of the network from those of which a factor needs exactly one.
  void group(const BlockArrays& block, std::int64_t f) {
    const Factor factor = block.factor(f);
    const std::int64_t first = block.offsets[f], last = block.offsets[f + 1];
    if (block.kind == Kind::kXor) {
      builder_.add_group(literals(block, first, last));
    } else if (block.kind == Kind::kTree) {
      for (const std::vector<std::int32_t>& arcs : arcs_by_word(factor)) {
        Literals into;
        for (const std::int32_t arc : arcs)
          into.push_back({block.variables[first + arc], block.negated[first + arc] != 0});
        builder_.add_group(into);
      }
    } else {
      std::int64_t link = first;
      for (const std::int32_t size : factor.shape) {
        builder_.add_group(literals(block, link, link + size));
        link += size;
      }
    }
  }

  void add(const BlockArrays& block, std::int64_t f) {
    const Factor factor = block.factor(f);
    Literals all = literals(block, block.offsets[f], block.offsets[f + 1]);
    const auto count = static_cast<std::int64_t>(all.size());
    switch (block.kind) {
      case Kind::kPair: builder_.add_pair(all[0], all[1], -factor.scores[0]); break;
      case Kind::kXorOut: all.back().negated = !all.back().negated; [[fallthrough]];
      case Kind::kXor: builder_.add_linear(all, {}, 1, 1); break;
      case Kind::kAtMostOne: builder_.add_linear(all, {}, 0, 1); break;
      case Kind::kOr: builder_.add_linear(all, {}, 1, count); break;
      case Kind::kNand: builder_.add_linear(all, {}, 0, count - 1); break;
      case Kind::kImply: builder_.add_linear(all, {1, -1}, -1, 0); break;
      case Kind::kAndOut:
        for (Literal& literal : all) literal.negated = !literal.negated;
        [[fallthrough]];
      case Kind::kOrOut: add_or_out(all); break;
      case Kind::kBudget: builder_.add_linear(all, {}, 0, factor.shape[0]); break;
      case Kind::kKnapsack:
        builder_.add_linear(all, {factor.shape.begin() + 1, factor.shape.end()}, 0,
                            factor.shape[0]);
        break;
      case Kind::kDense: add_dense(factor, all); break;
      case Kind::kChain: add_chain(factor, all); break;
      case Kind::kTree: add_tree(factor, all); break;
      case Kind::kHeadAutomaton:
      case Kind::kGrandparentAutomaton: {
        const auto modifiers =
            all.begin() + (block.kind == Kind::kGrandparentAutomaton ? factor.shape[0] : 0);
        builder_.add_automaton({all.begin(), modifiers}, {modifiers, all.end()}, factor.scores,
                               links_before_ + block.offsets[f]);
        break;
      }
      default: break;  // has_network has seen to it
    }
  }

  // The output is at least each input, and at most their sum.
  void add_or_out(const Literals& all) {
    std::vector<std::int64_t> weights(all.size(), 1);
    weights.back() = -1;
    builder_.add_linear(all, weights, 0, static_cast<std::int64_t>(all.size()));
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      builder_.add_linear({all[i], all.back()}, {1, -1}, -1, 0);
  }

  void add_dense(const Factor& factor, const Literals& all) {
    std::vector<Axis> axes;
    auto literal = all.begin();
    for (const std::int32_t size : factor.shape) {
      axes.push_back(size == 1 ? builder_.axis_of(*literal)
                               : builder_.axis_of(Literals(literal, literal + size)));
      literal += size;
    }
    builder_.add_table(axes, [&](std::span<const std::int32_t> states) {
      std::int64_t entry = 0;
      for (std::size_t i = 0; i < states.size(); ++i)
        entry = entry * std::max(factor.shape[i], 2) + states[i];
      return -factor.scores[entry];
    });
  }

  void add_chain(const Factor& factor, const Literals& all) {
    auto literal = all.begin();
    const double* steps = factor.scores.data();
    Axis before;
    for (std::size_t node = 0; node < factor.shape.size(); ++node) {
      const std::int32_t size = factor.shape[node];
      Axis axis = builder_.axis_of(Literals(literal, literal + size));
      literal += size;
      if (node > 0) {
        builder_.add_table({before, axis}, [&](std::span<const std::int32_t> states) {
          return -steps[states[0] * size + states[1]];
        });
        steps += static_cast<std::int64_t>(factor.shape[node - 1]) * size;
      }
      before = std::move(axis);
    }
  }

  void add_tree(const Factor& factor, const Literals& all) {
    const bool projective = (factor.shape[1] & kProjective) != 0;
    const bool single_root = (factor.shape[1] & kSingleRoot) != 0;
    TreeConstraint tree;
    LinearConstraint roots{1, 1, {}, {}};
    for (const std::vector<std::int32_t>& arcs : arcs_by_word(factor)) {
      if (arcs.empty()) return builder_.give_up();
      Literals into;
      for (const std::int32_t arc : arcs) into.push_back(all[arc]);
      const Axis axis = builder_.axis_of(into);
      std::vector<std::int32_t> heads;
      std::vector<std::int64_t> is_root;
      for (const std::int32_t state : axis.states) {
        heads.push_back(state < 0 ? -1 : factor.shape[2 + 2 * arcs[state]]);
        is_root.push_back(heads.back() == 0 ? 1 : 0);
      }
      tree.variables.push_back(axis.variable);
      tree.heads.push_back(std::move(heads));
      roots.variables.push_back(axis.variable);
      roots.weights.push_back(std::move(is_root));
    }
    if (!builder_.has_distinct(tree.variables)) return builder_.give_up();
    if (projective) forbid_crossing(tree);
    if (single_root) builder_.add_linear(std::move(roots));
    builder_.add_tree(std::move(tree));
  }

  void forbid_crossing(const TreeConstraint& tree) {
    const auto leaves = [](std::int32_t m, std::int32_t h, std::int32_t other, std::int32_t head) {
      const std::int32_t low = std::min(m, h), high = std::max(m, h);
      return low < other && other < high && (head < low || head > high);
    };
    const auto words = static_cast<std::int32_t>(tree.variables.size());
    for (std::int32_t i = 0; i < words; ++i)
      for (std::int32_t j = i + 1; j < words; ++j) {
        if (!builder_.fits()) return;
        builder_.add_table({{tree.variables[i], tree.heads[i]}, {tree.variables[j], tree.heads[j]}},
                           [&](std::span<const std::int32_t> heads) {
                             const bool crossing = leaves(i + 1, heads[0], j + 1, heads[1]) ||
                                                   leaves(j + 1, heads[1], i + 1, heads[0]);
                             return crossing ? kInfinity : 0.0;
                           });
      }
  }

  const Graph& graph_;
  std::int64_t links_before_ = 0;  // those of the blocks before
  NetworkBuilder builder_;
};

}  // namespace

bool has_network(const Graph& graph) {
  return std::none_of(graph.blocks.begin(), graph.blocks.end(), [](const BlockArrays& block) {
    return block.kind == Kind::kTripleAutomaton || block.kind == Kind::kCustom;
  });
}

std::optional<CostNetwork> to_network(const Graph& graph, double precision) {
  if (!has_network(graph)) return std::nullopt;
  return Translation(graph).run(precision);
}

}  // namespace turbotree::graphs
