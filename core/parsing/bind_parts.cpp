#include <nanobind/stl/tuple.h>

#include <tuple>

#include "parsing/bind.h"
#include "parsing/parts.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace turbotree::parsing {
namespace {

using namespace turbotree::numpy;

using IntVector = Input<std::int32_t>;
using IntMatrix = Input<std::int32_t, 2>;

// What a list has beyond rows, their offsets and arcs.
std::tuple<> others(PartList&) { return {}; }
auto others(GrandparentList& list) { return std::tuple(to_numpy(std::move(list.cells))); }
auto others(ThirdOrderList& list) {
  return std::tuple(to_numpy(std::move(list.cells)), to_numpy(std::move(list.spans), 2));
}
auto others(SiblingList& list) {
  return std::tuple(to_numpy(std::move(list.cells)), to_numpy(std::move(list.spans), 2),
                    to_numpy(std::move(list.links)), to_numpy(std::move(list.link_offsets)),
                    to_numpy(std::move(list.automaton_offsets)),
                    to_numpy(std::move(list.variables)), to_numpy(std::move(list.above)),
                    to_numpy(std::move(list.variable_offsets)),
                    to_numpy(std::move(list.score_offsets)));
}

// Options, if any, say what the automata score.
template <auto Build, class... Options>
auto parts_of(const IntVector& lengths, const IntMatrix& arcs, const IntVector& offsets,
              Options... options) {
  const ArcBatch batch = make_batch(lengths, arcs, offsets);
  auto list = [&] {
    const Unlocked unlocked;
    if constexpr (sizeof...(options) == 0)
      return Build(batch);
    else
      return Build(batch, AutomataKind{options...});
  }();
  return std::tuple_cat(
      std::tuple(to_numpy(std::move(list.rows), list.kColumns), to_numpy(std::move(list.offsets)),
                 to_numpy(std::move(list.arcs), list.kArcs)),
      others(list));
}

}  // namespace

void bind_parts(nb::module_& m) {
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
