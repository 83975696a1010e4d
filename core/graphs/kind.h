// The kinds of factors by number, as Python stores them.
#pragma once

#include <cstdint>

namespace turbotree::graphs {

enum class Kind : std::int32_t {
  kXor = 0,
  kXorOut = 1,
  kAtMostOne = 2,
  kOr = 3,
  kOrOut = 4,
  kNand = 5,
  kImply = 6,
  kAndOut = 7,
  kBudget = 8,
  kKnapsack = 9,
  kPair = 10,
  kDense = 11,
  kTree = 12,
  kHeadAutomaton = 13,
  kGrandparentAutomaton = 14,
  kChain = 15,
  kCustom = 16,
  kTripleAutomaton = 17,
};

}  // namespace turbotree::graphs
