// Which class implements which kind: the one place that lists them all.
#pragma once

#include "graphs/factors/and_out.h"
#include "graphs/factors/at_most_one.h"
#include "graphs/factors/budget.h"
#include "graphs/factors/chain.h"
#include "graphs/factors/custom.h"
#include "graphs/factors/dense.h"
#include "graphs/factors/grandparent_automaton.h"
#include "graphs/factors/head_automaton.h"
#include "graphs/factors/imply.h"
#include "graphs/factors/knapsack.h"
#include "graphs/factors/nand.h"
#include "graphs/factors/or.h"
#include "graphs/factors/or_out.h"
#include "graphs/factors/pair.h"
#include "graphs/factors/tree.h"
#include "graphs/factors/triple_automaton.h"
#include "graphs/factors/xor.h"
#include "graphs/factors/xor_out.h"
#include "graphs/kind.h"

namespace turbotree::graphs {

template <class KindOfFactor>
struct Tag {
  using type = KindOfFactor;
};

// Calls the visitor with the Tag of a kind's class; false if there is no such kind.
template <class Visitor>
bool visit_kind(Kind kind, Visitor&& visitor) {
  switch (kind) {
    case Kind::kXor: visitor(Tag<Xor>{}); return true;
    case Kind::kXorOut: visitor(Tag<XorOut>{}); return true;
    case Kind::kAtMostOne: visitor(Tag<AtMostOne>{}); return true;
    case Kind::kOr: visitor(Tag<Or>{}); return true;
    case Kind::kOrOut: visitor(Tag<OrOut>{}); return true;
    case Kind::kNand: visitor(Tag<Nand>{}); return true;
    case Kind::kImply: visitor(Tag<Imply>{}); return true;
    case Kind::kAndOut: visitor(Tag<AndOut>{}); return true;
    case Kind::kBudget: visitor(Tag<Budget>{}); return true;
    case Kind::kKnapsack: visitor(Tag<Knapsack>{}); return true;
    case Kind::kPair: visitor(Tag<Pair>{}); return true;
    case Kind::kDense: visitor(Tag<Dense>{}); return true;
    case Kind::kTree: visitor(Tag<Tree>{}); return true;
    case Kind::kHeadAutomaton: visitor(Tag<HeadAutomaton>{}); return true;
    case Kind::kGrandparentAutomaton: visitor(Tag<GrandparentAutomaton>{}); return true;
    case Kind::kChain: visitor(Tag<Chain>{}); return true;
    case Kind::kCustom: visitor(Tag<Custom>{}); return true;
    case Kind::kTripleAutomaton: visitor(Tag<TripleAutomaton>{}); return true;
    default: return false;
  }
}

}  // namespace turbotree::graphs
