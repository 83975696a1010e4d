// Which words descend from which, as logic over a sentence's candidate arcs.
//
// Word d descends from a if its head is a, or descends from a. So with a variable for each pair
// that is neither certain nor impossible,
//   path(a, d) = the one that holds, if any, of arc(a, d) and of arc(h, d) AND path(a, h),
// and an arc (h, m) is non-projective if some word between does not descend from h. Literals are
// numbers: arcs first, then variables of their own, and ~x for "not x".
#pragma once

#include <cstdint>
#include <vector>

#include "parsing/arcs.h"

namespace turbotree::parsing {

// Pairs of words, each with the literal that says whether it is there. Pairs that are certain or
// impossible, whatever the tree, are omitted.
struct LiteralList {
  std::vector<std::int32_t> rows, literals;
  std::vector<std::int32_t> offsets{0};  // of the sentences' pairs
};

struct Ancestry {
  LiteralList paths;          // (ancestor, descendant)
  LiteralList nonprojective;  // (head, modifier)
  // The variables that stand for something: how many, and what. The inputs of a sum exclude one
  // another; those of an "or" need not.
  std::vector<std::int32_t> variables;  // of each sentence
  std::vector<std::int32_t> ands;       // rows of (variable, one, other)
  std::vector<std::int32_t> and_offsets{0};
  struct Groups {
    std::vector<std::int32_t> outputs, inputs;
    std::vector<std::int32_t> input_offsets{0};  // over the whole batch
    std::vector<std::int32_t> offsets{0};        // of the sentences' groups
  } sums, ors;
};

Ancestry ancestry(const ArcBatch& batch, bool paths, bool nonprojective);

}  // namespace turbotree::parsing
