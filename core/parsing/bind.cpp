#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>

#include "parsing/bind.h"
#include "parsing/label_chains.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree;
using namespace turbotree::numpy;
using namespace turbotree::parsing;

namespace turbotree::parsing {

ArcBatch make_batch(const Input<std::int32_t>& lengths, const Input<std::int32_t, 2>& arcs,
                    const Input<std::int32_t>& offsets) {
  require(arcs.shape(1) == 2, "arcs: expected rows of head and modifier");
  const ArcBatch batch{view(lengths), view(offsets), arcs.data()};
  require(offsets.shape(0) > 0 &&
              batch.offsets.back() == static_cast<std::int32_t>(arcs.shape(0)) && valid(batch),
          "arcs, offsets and lengths do not fit together");
  return batch;
}

}  // namespace turbotree::parsing

namespace {

using IntVector = Input<std::int32_t>;

ArcBatch make_scored_batch(const IntVector& lengths, const Input<std::int32_t, 2>& arcs,
                           const IntVector& offsets, std::size_t scores) {
  require(scores == arcs.shape(0), "scores: expected one per arc");
  return make_batch(lengths, arcs, offsets);
}

// Infeasibility is an answer, and has a type of its own: no built-in exception can be taken for it.
[[noreturn]] void raise_infeasible(const std::string& reason) {
  const nb::object type = nb::module_::import_("turbotree.errors").attr("InfeasibleError");
  PyErr_SetString(type.ptr(), reason.c_str());
  throw nb::python_error();
}

// A status code becomes an exception; the types tell them apart in Python.
void check(const BatchStatus& outcome) {
  switch (outcome.status) {
    case trees::Status::ok: return;
    case trees::Status::bad_score:
      throw nb::value_error(
          ("a score of sentence " + std::to_string(outcome.sentence) + " is NaN or infinite")
              .c_str());
    case trees::Status::infeasible:
      raise_infeasible("sentence " + std::to_string(outcome.sentence) + " has no tree");
    case trees::Status::out_of_memory: throw std::bad_alloc();
  }
}

bool are_lengths(const IntVector& lengths) {
  const auto span = view(lengths);
  return std::all_of(span.begin(), span.end(), [](std::int32_t length) { return length >= 0; });
}

std::size_t words_of(const IntVector& lengths) {
  const auto span = view(lengths);
  return std::accumulate(span.begin(), span.end(), std::size_t{0});
}

Output<std::int32_t> best_trees_of(const IntVector& lengths, const Input<std::int32_t, 2>& arcs,
                                   const IntVector& offsets, const Input<double>& scores,
                                   bool single_root, bool projective) {
  const ArcBatch batch = make_scored_batch(lengths, arcs, offsets, scores.shape(0));
  std::vector<std::int32_t> heads(words_of(lengths));
  check(unlocked(
      [&] { return best_trees(batch, scores.data(), {single_root, projective}, heads.data()); }));
  return to_numpy(std::move(heads));
}

std::tuple<Output<double>, Output<double>> arc_marginals_of(const IntVector& lengths,
                                                            const Input<std::int32_t, 2>& arcs,
                                                            const IntVector& offsets,
                                                            const Input<double>& scores,
                                                            bool single_root, bool projective) {
  const ArcBatch batch = make_scored_batch(lengths, arcs, offsets, scores.shape(0));
  std::vector<double> probabilities(scores.shape(0)), log_partitions(lengths.shape(0));
  check(unlocked([&] {
    return arc_marginals(batch, scores.data(), {single_root, projective}, probabilities.data(),
                         log_partitions.data());
  }));
  return {to_numpy(std::move(probabilities)), to_numpy(std::move(log_partitions))};
}

ArcList all_arcs_of(const IntVector& lengths) {
  require(are_lengths(lengths), "lengths: expected 0 or more");
  const Unlocked unlocked;
  return all_arcs(view(lengths));
}

ArcList prune_arcs(const IntVector& lengths, const Input<std::int32_t, 2>& arcs,
                   const IntVector& offsets, const Input<double>& scores, bool single_root,
                   bool projective, double threshold, int max_heads,
                   const std::optional<IntVector>& keep, bool of_words) {
  const ArcBatch batch = make_scored_batch(lengths, arcs, offsets, scores.shape(0));
  require(!keep || keep->shape(0) == words_of(lengths), "keep: expected one head per word");
  require(max_heads >= 1, "max_heads: expected at least 1");
  const auto probability = of_words ? HeadProbability::of_words : HeadProbability::of_trees;
  ArcList kept;
  check(unlocked([&] {
    return prune(batch, scores.data(), {single_root, projective},
                 {threshold, max_heads, probability},
                 keep ? view(*keep) : std::span<const std::int32_t>{}, kept);
  }));
  return kept;
}

LabelChains label_chains_of(const IntVector& lengths, const IntVector& heads,
                            const IntVector& classes, const Input<std::int32_t, 2>& lists,
                            const IntVector& list_offsets, const IntVector& list_labels) {
  require(are_lengths(lengths), "lengths: expected 0 or more");
  require(heads.shape(0) == words_of(lengths), "heads: expected one per word");
  require(classes.shape(0) == heads.shape(0) + lengths.shape(0),
          "classes: expected one per word and one per root");
  require(lists.shape(0) == lists.shape(1), "lists: expected a square matrix");
  const LabelDictionary dictionary{lists.shape(0), lists.data(), view(list_offsets),
                                   view(list_labels)};
  require(valid(dictionary), "label dictionary: not well formed");
  LabelChains chains;
  require(unlocked([&] {
            return build_label_chains(view(lengths), view(heads), view(classes), dictionary,
                                      chains);
          }),
          "a head or a class is out of range");
  return chains;
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "Hot loops of turbotree.parsing: trees over candidate arcs, parts, chains of labels.";
  set_up_module();
  nb::class_<ArcList> arcs(m, "ArcList");
  def_array<&ArcList::arcs, 2>(arcs, "arcs");
  def_array<&ArcList::offsets>(arcs, "offsets");
  m.def("all_arcs", &all_arcs_of, "lengths"_a);
  m.def("best_trees", &best_trees_of, "lengths"_a, "arcs"_a, "offsets"_a, "scores"_a,
        "single_root"_a, "projective"_a);
  m.def("arc_marginals", &arc_marginals_of, "lengths"_a, "arcs"_a, "offsets"_a, "scores"_a,
        "single_root"_a, "projective"_a);
  m.def("prune", &prune_arcs, "lengths"_a, "arcs"_a, "offsets"_a, "scores"_a, "single_root"_a,
        "projective"_a, "threshold"_a, "max_heads"_a, "keep"_a = nb::none(), "of_words"_a = false);

  bind_ancestry(m);
  bind_parts(m);

  nb::class_<LabelChains> chains(m, "LabelChains", "The parts of a labelling.");
  def_array<&LabelChains::nodes, LabelChains::node_width>(chains, "nodes");
  def_array<&LabelChains::node_offsets>(chains, "node_offsets");
  def_array<&LabelChains::words>(chains, "words");
  def_array<&LabelChains::label_offsets>(chains, "label_offsets");
  def_array<&LabelChains::labels>(chains, "labels");
  def_array<&LabelChains::pairs, LabelChains::pair_width>(chains, "pairs");
  def_array<&LabelChains::pair_offsets>(chains, "pair_offsets");
  def_array<&LabelChains::pair_label_offsets>(chains, "pair_label_offsets");
  def_array<&LabelChains::pair_labels>(chains, "pair_labels");
  def_array<&LabelChains::edge_offsets>(chains, "edge_offsets");
  m.def("label_chains", &label_chains_of, "lengths"_a, "heads"_a, "classes"_a, "lists"_a,
        "list_offsets"_a, "list_labels"_a);
}
