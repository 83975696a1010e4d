#include "parsing/ancestry.h"
#include "parsing/bind.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace turbotree::parsing {
namespace {

using namespace turbotree::numpy;

Ancestry ancestry_of(const Input<std::int32_t>& lengths, const Input<std::int32_t, 2>& arcs,
                     const Input<std::int32_t>& offsets, bool paths, bool nonprojective) {
  const ArcBatch batch = make_batch(lengths, arcs, offsets);
  const Unlocked unlocked;
  return ancestry(batch, paths, nonprojective);
}

}  // namespace

void bind_ancestry(nb::module_& m) {
  nb::class_<LiteralList> literals(m, "LiteralList");
  def_array<&LiteralList::rows, 2>(literals, "rows");
  def_array<&LiteralList::offsets>(literals, "offsets");
  def_array<&LiteralList::literals>(literals, "literals");
  nb::class_<Ancestry::Groups> groups(m, "AncestryGroups");
  def_array<&Ancestry::Groups::outputs>(groups, "outputs");
  def_array<&Ancestry::Groups::inputs>(groups, "inputs");
  def_array<&Ancestry::Groups::input_offsets>(groups, "input_offsets");
  def_array<&Ancestry::Groups::offsets>(groups, "offsets");
  nb::class_<Ancestry> all(m, "Ancestry");
  all.def_ro("paths", &Ancestry::paths)
      .def_ro("nonprojective", &Ancestry::nonprojective)
      .def_ro("sums", &Ancestry::sums)
      .def_ro("ors", &Ancestry::ors);
  def_array<&Ancestry::variables>(all, "variables");
  def_array<&Ancestry::ands, 3>(all, "ands");
  def_array<&Ancestry::and_offsets>(all, "and_offsets");
  m.def("ancestry", &ancestry_of, "lengths"_a, "arcs"_a, "offsets"_a, "paths"_a, "nonprojective"_a);
}

}  // namespace turbotree::parsing
