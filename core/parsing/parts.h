// The parts of higher order that a sentence's candidate arcs form.
//
// A part is a row of words (-1 for "none") and the arcs it is made of, by their numbers among the
// sentence's candidate arcs (-1 for "none" again).
#pragma once

#include <cstdint>
#include <vector>

#include "parsing/arcs.h"

namespace turbotree::parsing {

struct PartList {
  static constexpr int kColumns = 3, kArcs = 2;  // of a row; other lists have their own
  std::vector<std::int32_t> rows, arcs;
  std::vector<std::int32_t> offsets{0};  // of the sentences' parts
};

// Consecutive modifiers of a head on one side, outward: rows of (head, inner, outer, side), where
// "none" stands for before the first and after the last, and side is 0 on the left.
//
// The arcs of one head and side are an automaton: its links outward, and a square of scores, one
// row a modifier just passed (first: none yet) and one column a next one (last: none). A part's
// cell is its place among the squares of its sentence, and its span the links that it jumps over.
struct SiblingList : PartList {
  static constexpr int kColumns = 4;
  std::vector<std::int32_t> cells, spans;
  std::vector<std::int32_t> links;
  std::vector<std::int32_t> link_offsets{0};       // of the automata, over the whole batch
  std::vector<std::int32_t> automaton_offsets{0};  // of the sentences' automata
  std::vector<std::int32_t> above;                 // the arcs into each automaton's head
  std::vector<std::int32_t> above_offsets{0};
};

// Rows of (grandparent, head, modifier). The cell of a part is its place among the boxes of scores
// of its sentence's automata (those of the root have none): a row an arc into the head, a column a
// link.
struct GrandparentList : PartList {
  std::vector<std::int32_t> cells;
};

SiblingList consecutive_siblings(const ArcBatch& batch);

// Any two modifiers of a head: rows of (head, left, right).
PartList all_siblings(const ArcBatch& batch);

GrandparentList grandparents(const ArcBatch& batch);

// Three arcs. The cell of a part is its place among the scores of its sentence's automata, and its
// span the links between its first and its last modifier.
struct ThirdOrderList : PartList {
  static constexpr int kColumns = 5, kArcs = 3;
  std::vector<std::int32_t> cells, spans;
};

// Consecutive siblings with their grandparent: rows of (grandparent, head, inner, outer, side),
// arcs (above, inner, outer); one of the modifiers at least is there. An automaton with arcs above
// it has a box of scores: a square for each of those.
ThirdOrderList grand_siblings(const ArcBatch& batch);

// Three consecutive siblings: rows of (head, inner, middle, outer, side), arcs (inner, middle,
// outer); one of the inner and the outer modifier at least is there. An automaton with two links
// or more has a cube of scores: cell [i][j][k] is for the i-th link, the (j + 1)-th and the
// (k + 2)-th, where 0 is before the first and one more than there are links is after the last.
ThirdOrderList tri_siblings(const ArcBatch& batch);

// The heads of two neighbouring words: rows of (head of the left one, its head, word). In the order
// of the words; then of the left one's arcs, then of its own, which have to be sorted by modifier.
PartList head_bigrams(const ArcBatch& batch);

}  // namespace turbotree::parsing
