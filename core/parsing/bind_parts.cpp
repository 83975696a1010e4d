#include "parsing/bind.h"
#include "parsing/parts.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace turbotree::parsing {
namespace {

using namespace turbotree::numpy;

using IntVector = Input<std::int32_t>;
using IntMatrix = Input<std::int32_t, 2>;

// Options, if any, say what the automata score.
template <auto Build, class... Options>
auto parts_of(const IntVector& lengths, const IntMatrix& arcs, const IntVector& offsets,
              Options... options) {
  const ArcBatch batch = make_batch(lengths, arcs, offsets);
  const Unlocked unlocked;
  if constexpr (sizeof...(options) == 0)
    return Build(batch);
  else
    return Build(batch, AutomataKind{options...});
}

// What all lists have.
template <class List>
nb::class_<List> bind_list(nb::module_& m, const char* name) {
  nb::class_<List> bound(m, name);
  def_array<&List::rows, List::kColumns>(bound, "rows");
  def_array<&List::offsets>(bound, "offsets");
  def_array<&List::arcs, List::kArcs>(bound, "arcs");
  return bound;
}

}  // namespace

void bind_parts(nb::module_& m) {
  bind_list<PartList>(m, "PartList");
  auto siblings = bind_list<SiblingList>(m, "SiblingList");
  def_array<&SiblingList::cells>(siblings, "cells");
  def_array<&SiblingList::spans, 2>(siblings, "spans");
  def_array<&SiblingList::links>(siblings, "links");
  def_array<&SiblingList::link_offsets>(siblings, "link_offsets");
  def_array<&SiblingList::automaton_offsets>(siblings, "automaton_offsets");
  def_array<&SiblingList::variables>(siblings, "variables");
  def_array<&SiblingList::above>(siblings, "above");
  def_array<&SiblingList::variable_offsets>(siblings, "variable_offsets");
  def_array<&SiblingList::score_offsets>(siblings, "score_offsets");
  auto grand = bind_list<GrandparentList>(m, "GrandparentList");
  def_array<&GrandparentList::cells>(grand, "cells");
  auto thirds = bind_list<ThirdOrderList>(m, "ThirdOrderList");
  def_array<&ThirdOrderList::cells>(thirds, "cells");
  def_array<&ThirdOrderList::spans, 2>(thirds, "spans");

  m.def("consecutive_siblings", &parts_of<&consecutive_siblings, bool, bool>, "lengths"_a, "arcs"_a,
        "offsets"_a, "grandparents"_a, "grand_siblings"_a);
  m.def("all_siblings", &parts_of<&all_siblings>, "lengths"_a, "arcs"_a, "offsets"_a);
  m.def("grandparents", &parts_of<&grandparents, bool, bool>, "lengths"_a, "arcs"_a, "offsets"_a,
        "grandparents"_a, "grand_siblings"_a);
  m.def("grand_siblings", &parts_of<&grand_siblings, bool, bool>, "lengths"_a, "arcs"_a,
        "offsets"_a, "grandparents"_a, "grand_siblings"_a);
  m.attr("MOST_LINKS_OF_CUBES") = kMostLinksOfCubes;
  m.def("tri_siblings", &parts_of<&tri_siblings>, "lengths"_a, "arcs"_a, "offsets"_a);
  m.def("head_bigrams", &parts_of<&head_bigrams>, "lengths"_a, "arcs"_a, "offsets"_a);
}

}  // namespace turbotree::parsing
