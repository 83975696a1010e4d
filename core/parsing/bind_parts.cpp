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

// Builds the parts without the GIL, and gives their arrays: rows, offsets and arcs of every family,
// then what it has of its own.
template <class Build, class... More>
auto parts_of(const IntVector& lengths, const IntMatrix& arcs, const IntVector& offsets,
              std::size_t columns, std::size_t arcs_a_part, Build build, More... more) {
  const ArcBatch batch = make_batch(lengths, arcs, offsets);
  auto list = [&] {
    nb::gil_scoped_release release;
    return build(batch);
  }();
  return std::make_tuple(to_numpy(std::move(list.rows), columns), to_numpy(std::move(list.offsets)),
                         to_numpy(std::move(list.arcs), arcs_a_part), more(list)...);
}

// Takes one of a list's own vectors.
template <auto Member>
constexpr auto take = [](auto& list) { return to_numpy(std::move(list.*Member)); };
template <auto Member>
constexpr auto take_pairs = [](auto& list) { return to_numpy(std::move(list.*Member), 2); };

auto siblings_of(const IntVector& lengths, const IntMatrix& arcs, const IntVector& offsets,
                 bool grandparents, bool grand_siblings) {
  using L = SiblingList;
  const auto build = [&](const ArcBatch& batch) {
    return consecutive_siblings(batch, {grandparents, grand_siblings});
  };
  return parts_of(lengths, arcs, offsets, 4, 2, build, take<&L::cells>, take_pairs<&L::spans>,
                  take<&L::links>, take<&L::link_offsets>, take<&L::automaton_offsets>,
                  take<&L::variables>, take<&L::above>, take<&L::variable_offsets>,
                  take<&L::score_offsets>);
}

auto grandparents_of(const IntVector& lengths, const IntMatrix& arcs, const IntVector& offsets,
                     bool grand_siblings) {
  const auto build = [&](const ArcBatch& batch) {
    return grandparents(batch, {true, grand_siblings});
  };
  return parts_of(lengths, arcs, offsets, 3, 2, build, take<&GrandparentList::cells>);
}

auto grand_siblings_of(const IntVector& lengths, const IntMatrix& arcs, const IntVector& offsets) {
  const auto build = [](const ArcBatch& batch) { return grand_siblings(batch, {true, true}); };
  return parts_of(lengths, arcs, offsets, 5, 3, build, take<&GrandSiblingList::cells>,
                  take_pairs<&GrandSiblingList::spans>);
}

template <PartList (*Build)(const ArcBatch&)>
auto plain_parts_of(const IntVector& lengths, const IntMatrix& arcs, const IntVector& offsets) {
  return parts_of(lengths, arcs, offsets, 3, 2, Build);
}

}  // namespace

void bind_parts(nb::module_& m) {
  m.def("consecutive_siblings", &siblings_of, "lengths"_a, "arcs"_a, "offsets"_a, "grandparents"_a,
        "grand_siblings"_a);
  m.def("all_siblings", &plain_parts_of<&all_siblings>, "lengths"_a, "arcs"_a, "offsets"_a);
  m.def("grandparents", &grandparents_of, "lengths"_a, "arcs"_a, "offsets"_a, "grand_siblings"_a);
  m.def("grand_siblings", &grand_siblings_of, "lengths"_a, "arcs"_a, "offsets"_a);
  m.def("head_bigrams", &plain_parts_of<&head_bigrams>, "lengths"_a, "arcs"_a, "offsets"_a);
}

}  // namespace turbotree::parsing
