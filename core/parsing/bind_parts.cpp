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
using Vector = Output<std::int32_t>;
using Matrix = Output<std::int32_t, 2>;
using PartArrays = std::tuple<Matrix, Vector, Matrix>;
using SiblingArrays =
    std::tuple<Matrix, Vector, Matrix, Vector, Matrix, Vector, Vector, Vector, Vector, Vector>;
using GrandSiblingArrays = std::tuple<Matrix, Vector, Matrix, Vector, Matrix>;
using GrandparentArrays = std::tuple<Matrix, Vector, Matrix, Vector>;

template <PartList (*Build)(const ArcBatch&)>
PartArrays parts_of(const IntVector& lengths, const IntMatrix& arcs, const IntVector& offsets) {
  const ArcBatch batch = make_batch(lengths, arcs, offsets);
  PartList list;
  {
    nb::gil_scoped_release release;
    list = Build(batch);
  }
  return {to_numpy(std::move(list.rows), 3), to_numpy(std::move(list.offsets)),
          to_numpy(std::move(list.arcs), 2)};
}

SiblingArrays siblings_of(const IntVector& lengths, const IntMatrix& arcs,
                          const IntVector& offsets) {
  const ArcBatch batch = make_batch(lengths, arcs, offsets);
  SiblingList list;
  {
    nb::gil_scoped_release release;
    list = consecutive_siblings(batch);
  }
  return {to_numpy(std::move(list.rows), 4),  to_numpy(std::move(list.offsets)),
          to_numpy(std::move(list.arcs), 2),  to_numpy(std::move(list.cells)),
          to_numpy(std::move(list.spans), 2), to_numpy(std::move(list.links)),
          to_numpy(std::move(list.link_offsets)), to_numpy(std::move(list.automaton_offsets)),
          to_numpy(std::move(list.above)), to_numpy(std::move(list.above_offsets))};
}

GrandparentArrays grandparents_of(const IntVector& lengths, const IntMatrix& arcs,
                                  const IntVector& offsets) {
  const ArcBatch batch = make_batch(lengths, arcs, offsets);
  GrandparentList list;
  {
    nb::gil_scoped_release release;
    list = grandparents(batch);
  }
  return {to_numpy(std::move(list.rows), 3), to_numpy(std::move(list.offsets)),
          to_numpy(std::move(list.arcs), 2), to_numpy(std::move(list.cells))};
}

GrandSiblingArrays grand_siblings_of(const IntVector& lengths, const IntMatrix& arcs,
                                     const IntVector& offsets) {
  const ArcBatch batch = make_batch(lengths, arcs, offsets);
  GrandSiblingList list;
  {
    nb::gil_scoped_release release;
    list = grand_siblings(batch);
  }
  return {to_numpy(std::move(list.rows), 5), to_numpy(std::move(list.offsets)),
          to_numpy(std::move(list.arcs), 3), to_numpy(std::move(list.cells)),
          to_numpy(std::move(list.spans), 2)};
}

}  // namespace

void bind_parts(nb::module_& m) {
  m.def("consecutive_siblings", &siblings_of, "lengths"_a, "arcs"_a, "offsets"_a);
  m.def("all_siblings", &parts_of<&all_siblings>, "lengths"_a, "arcs"_a, "offsets"_a);
  m.def("grandparents", &grandparents_of, "lengths"_a, "arcs"_a, "offsets"_a);
  m.def("grand_siblings", &grand_siblings_of, "lengths"_a, "arcs"_a, "offsets"_a);
  m.def("head_bigrams", &parts_of<&head_bigrams>, "lengths"_a, "arcs"_a, "offsets"_a);
}

}  // namespace turbotree::parsing
