#include <nanobind/stl/tuple.h>

#include <tuple>

#include "parsing/ancestry.h"
#include "parsing/bind.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace turbotree::parsing {
namespace {

using namespace turbotree::numpy;

auto arrays_of(LiteralList& list) {
  return std::tuple(to_numpy(std::move(list.rows), 2), to_numpy(std::move(list.offsets)),
                    to_numpy(std::move(list.literals)));
}

auto arrays_of(Ancestry::Groups& groups) {
  return std::tuple(to_numpy(std::move(groups.outputs)), to_numpy(std::move(groups.inputs)),
                    to_numpy(std::move(groups.input_offsets)), to_numpy(std::move(groups.offsets)));
}

auto ancestry_of(const Input<std::int32_t>& lengths, const Input<std::int32_t, 2>& arcs,
                 const Input<std::int32_t>& offsets, bool paths, bool nonprojective) {
  const ArcBatch batch = make_batch(lengths, arcs, offsets);
  Ancestry found = [&] {
    const Unlocked unlocked;
    return ancestry(batch, paths, nonprojective);
  }();
  return std::tuple(arrays_of(found.paths), arrays_of(found.nonprojective),
                    to_numpy(std::move(found.variables)), to_numpy(std::move(found.ands), 3),
                    to_numpy(std::move(found.and_offsets)), arrays_of(found.sums),
                    arrays_of(found.ors));
}

}  // namespace

void bind_ancestry(nb::module_& m) {
  m.def("ancestry", &ancestry_of, "lengths"_a, "arcs"_a, "offsets"_a, "paths"_a, "nonprojective"_a);
}

}  // namespace turbotree::parsing
