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
                    to_numpy(std::move(list.automaton_offsets)), to_numpy(std::move(list.above)),
                    to_numpy(std::move(list.above_offsets)));
}

template <auto Build>
auto parts_of(const IntVector& lengths, const IntMatrix& arcs, const IntVector& offsets) {
  const ArcBatch batch = make_batch(lengths, arcs, offsets);
  decltype(Build(batch)) list;
  {
    nb::gil_scoped_release release;
    list = Build(batch);
  }
  return std::tuple_cat(std::tuple(to_numpy(std::move(list.rows), list.kColumns),
                                   to_numpy(std::move(list.offsets)),
                                   to_numpy(std::move(list.arcs), list.kArcs)),
                        others(list));
}

}  // namespace

void bind_parts(nb::module_& m) {
  m.def("consecutive_siblings", &parts_of<&consecutive_siblings>, "lengths"_a, "arcs"_a,
        "offsets"_a);
  m.def("all_siblings", &parts_of<&all_siblings>, "lengths"_a, "arcs"_a, "offsets"_a);
  m.def("grandparents", &parts_of<&grandparents>, "lengths"_a, "arcs"_a, "offsets"_a);
  m.def("grand_siblings", &parts_of<&grand_siblings>, "lengths"_a, "arcs"_a, "offsets"_a);
  m.def("tri_siblings", &parts_of<&tri_siblings>, "lengths"_a, "arcs"_a, "offsets"_a);
  m.def("head_bigrams", &parts_of<&head_bigrams>, "lengths"_a, "arcs"_a, "offsets"_a);
}

}  // namespace turbotree::parsing
