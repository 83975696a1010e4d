// The kinds of factors: what a graph asks of each, and where to find them.
#pragma once

#include <memory>

#include "graphs/block.h"
#include "graphs/factor.h"
#include "graphs/graph.h"
#include "graphs/kind.h"

namespace turbotree::graphs {

struct KindFunctions {
  const char* (*check)(const Factor& factor);
  std::unique_ptr<Block> (*make_block)(const BlockArrays& arrays);
};

template <FactorKind K>
constexpr KindFunctions functions_of() {
  return {K::check, [](const BlockArrays& arrays) -> std::unique_ptr<Block> {
            return std::make_unique<BlockOf<K>>(arrays);
          }};
}

// Each is defined beside the class of its kind, in factors/.
extern const KindFunctions xor_kind, xor_out_kind, at_most_one_kind, or_kind, or_out_kind,
    nand_kind, imply_kind, and_out_kind, budget_kind, knapsack_kind, pair_kind, dense_kind,
    tree_kind, head_automaton_kind, grandparent_automaton_kind, chain_kind, custom_kind,
    triple_automaton_kind;

// Null if there is no such kind.
constexpr const KindFunctions* find_kind(Kind kind) {
  switch (kind) {
    case Kind::kXor: return &xor_kind;
    case Kind::kXorOut: return &xor_out_kind;
    case Kind::kAtMostOne: return &at_most_one_kind;
    case Kind::kOr: return &or_kind;
    case Kind::kOrOut: return &or_out_kind;
    case Kind::kNand: return &nand_kind;
    case Kind::kImply: return &imply_kind;
    case Kind::kAndOut: return &and_out_kind;
    case Kind::kBudget: return &budget_kind;
    case Kind::kKnapsack: return &knapsack_kind;
    case Kind::kPair: return &pair_kind;
    case Kind::kDense: return &dense_kind;
    case Kind::kTree: return &tree_kind;
    case Kind::kHeadAutomaton: return &head_automaton_kind;
    case Kind::kGrandparentAutomaton: return &grandparent_automaton_kind;
    case Kind::kChain: return &chain_kind;
    case Kind::kCustom: return &custom_kind;
    case Kind::kTripleAutomaton: return &triple_automaton_kind;
  }
  return nullptr;
}

}  // namespace turbotree::graphs
