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
// The arcs of one head and side are an automaton: its links outward. A part's cell is its place
// among the scores of its sentence's automata, and its span the links that it jumps over.
struct SiblingList : PartList {
  static constexpr int kColumns = 4;
  std::vector<std::int32_t> cells, spans;
  std::vector<std::int32_t> links;
  std::vector<std::int32_t> link_offsets{0};       // of the automata, over the whole batch
  std::vector<std::int32_t> automaton_offsets{0};  // of the sentences' automata
  // The automata as factors: the arcs into the head, if grandparents are scored, and the links.
  std::vector<std::int32_t> variables;
  std::vector<std::int32_t> above;  // how many of them lead into the head
  std::vector<std::int64_t> variable_offsets{0}, score_offsets{0};  // over the whole batch
};

// What automata score, and how their scores lie, one automaton after the other. First a square:
// a row per modifier just passed (first: none yet), a column per next one (last: none). Then for
// grandparents a box: a row per arc into the head, a column per link. Then for grand-siblings a
// square for each arc into the head. The root, whose automaton comes first, has a square only.
struct AutomataKind {
  bool grandparents = false, grand_siblings = false;

  static std::int32_t square(std::int32_t links) { return (links + 1) * (links + 1); }
  // Where the box begins, and the first square of grand-siblings, and where all ends.
  static std::int32_t box_at(std::int32_t links) { return square(links); }
  std::int32_t thirds_at(std::int32_t links, std::int32_t above) const {
    return square(links) + (grandparents ? above * links : 0);
  }
  std::int32_t size(std::int32_t links, std::int32_t above) const {
    return thirds_at(links, above) + (grand_siblings ? above * square(links) : 0);
  }
};

SiblingList consecutive_siblings(const ArcBatch& batch, AutomataKind kind);

// Rows of (grandparent, head, modifier), with cells as siblings have them.
struct GrandparentList : PartList {
  std::vector<std::int32_t> cells;
};

// Any two modifiers of a head: rows of (head, left, right).
PartList all_siblings(const ArcBatch& batch);

GrandparentList grandparents(const ArcBatch& batch, AutomataKind kind);

// Three arcs. The cell of a part is its place among the scores of its sentence's automata, and its
// span the links between its first and its last modifier.
struct ThirdOrderList : PartList {
  static constexpr int kColumns = 5, kArcs = 3;
  std::vector<std::int32_t> cells, spans;
};

// Consecutive siblings with their grandparent: rows of (grandparent, head, inner, outer, side),
// arcs (above, inner, outer); one of the modifiers at least is there. Cells as siblings have them.
ThirdOrderList grand_siblings(const ArcBatch& batch, AutomataKind kind);

// Three consecutive siblings: rows of (head, inner, middle, outer, side), arcs (inner, middle,
// outer); one of the inner and the outer modifier at least is there. An automaton with two links
// or more, but not so many that its parts would fill the memory, has a cube of scores: cell
// [i][j][k] is for the i-th link, the (j + 1)-th and the (k + 2)-th, where 0 is before the first
// and one more than there are links is after the last.
inline constexpr std::int32_t kMostLinksOfCubes = 60;
ThirdOrderList tri_siblings(const ArcBatch& batch);

// The heads of two neighbouring words: rows of (head of the left one, its head, word). In the order
// of the words; then of the left one's arcs, then of its own, which have to be sorted by modifier.
PartList head_bigrams(const ArcBatch& batch);

}  // namespace turbotree::parsing
