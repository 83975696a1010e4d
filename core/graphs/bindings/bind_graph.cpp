// Graphs on their way from Python's chunks to the core's blocks.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "common/numpy.h"
#include "graphs/bindings/bind.h"
#include "graphs/graph.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree::graphs;
using namespace turbotree::numpy;

namespace {

// Calls a Python function as an oracle, from whatever thread the solver runs in.
Oracle to_oracle(nb::object function) {
  // The last owner may be a thread without the GIL.
  const std::shared_ptr<nb::object> shared(new nb::object(std::move(function)), [](nb::object* o) {
    nb::gil_scoped_acquire acquire;
    delete o;
  });
  return [shared](std::span<const double> scores, std::span<std::uint8_t> chosen) {
    nb::gil_scoped_acquire acquire;
    std::vector<double> copy(scores.begin(), scores.end());
    const std::size_t size = copy.size();
    const nb::object result = (*shared)(to_numpy(std::move(copy)));
    const auto [answer, own] = nb::cast<std::tuple<Input<std::uint8_t>, double>>(result);
    if (answer.shape(0) != size) throw std::invalid_argument("an oracle gave a wrong shape");
    std::copy_n(answer.data(), size, chosen.begin());
    return own;
  };
}

template <class T>
void append(std::vector<T>& values, nb::handle array) {
  const auto more = nb::cast<Input<T>>(array);
  values.insert(values.end(), more.data(), more.data() + more.shape(0));
}

// Lengths are one number for all factors of a chunk, or one for each.
void append_lengths(std::vector<std::int64_t>& offsets, std::int64_t factors, nb::handle lengths) {
  if (offsets.empty()) offsets.push_back(0);
  std::int64_t end = offsets.back();
  if (PyLong_Check(lengths.ptr())) {
    const auto length = nb::cast<std::int64_t>(lengths);
    for (std::int64_t f = 0; f < factors; ++f) offsets.push_back(end += length);
  } else {
    const auto each = nb::cast<Input<std::int64_t>>(lengths);
    require(each.shape(0) == static_cast<std::size_t>(factors),
            "a length for each factor is needed");
    for (std::int64_t f = 0; f < factors; ++f) offsets.push_back(end += each.data()[f]);
  }
}

bool nothing(nb::handle lengths) {
  return PyLong_Check(lengths.ptr()) && nb::cast<std::int64_t>(lengths) == 0;
}

// Numbers of the factors' own: none at all where no chunk has any.
template <class T>
void append_ragged(std::vector<std::int64_t>& offsets, std::vector<T>& values, std::int64_t before,
                   std::int64_t factors, nb::handle lengths, nb::handle array) {
  if (nothing(lengths) && offsets.empty()) return;
  if (offsets.empty()) offsets.assign(static_cast<std::size_t>(before) + 1, 0);
  append_lengths(offsets, factors, lengths);
  append(values, array);
}

void append_chunk(BlockArrays& block, nb::handle chunk) {
  const auto t = nb::cast<nb::tuple>(chunk);
  require(t.size() == 9, "a chunk is nine items");
  const std::int64_t before = block.offsets.empty() ? 0 : block.factors();
  const auto factors = nb::cast<std::int64_t>(t[0]);
  append_lengths(block.offsets, factors, t[1]);
  append(block.variables, t[2]);
  append(block.negated, t[3]);
  append_ragged(block.score_offsets, block.factor_scores, before, factors, t[4], t[5]);
  append_ragged(block.shape_offsets, block.shapes, before, factors, t[6], t[7]);
  for (const nb::handle oracle : nb::cast<nb::tuple>(t[8]))
    block.oracles.push_back(to_oracle(nb::borrow(oracle)));
}

using Chunks = nb::typed<nb::dict, nb::any, nb::any>;

std::unique_ptr<Graph> make_graph(const Input<double>& scores,
                                  const std::optional<Input<std::int8_t>>& evidence,
                                  const Chunks& chunks) {
  auto graph = std::make_unique<Graph>();
  graph->scores.assign(scores.data(), scores.data() + scores.shape(0));
  if (evidence)
    graph->pins.assign(evidence->data(), evidence->data() + evidence->shape(0));
  else
    graph->pins.assign(graph->scores.size(), -1);
  require(graph->pins.size() == graph->scores.size(), "a graph needs one pin per variable");
  for (std::size_t v = 0; v < graph->scores.size(); ++v)
    if (graph->scores[v] == -kInfinity && graph->pins[v] < 0) graph->pins[v] = 0;
  for (const auto [kind, list] : chunks) {
    BlockArrays& block = graph->blocks.emplace_back();
    block.kind = static_cast<Kind>(nb::cast<int>(kind));
    for (const nb::handle chunk : list) append_chunk(block, chunk);
  }
  std::sort(graph->blocks.begin(), graph->blocks.end(),
            [](const BlockArrays& a, const BlockArrays& b) { return a.kind < b.kind; });
  const std::string problem = check(*graph);
  require(problem.empty(), problem.c_str());
  return graph;
}

}  // namespace

void bind_graph(nb::module_& m) {
  nb::class_<Graph>(m, "Graph")
      .def(nb::new_(&make_graph), "scores"_a, "evidence"_a.none(), "chunks"_a,
           "Join chunks, by the numbers of their kinds. Variables with a score of -inf are fixed "
           "to 0, which evidence must not contradict.")
      .def_prop_ro("links", &Graph::links)
      .def_prop_ro("factors", &Graph::factors);
}
