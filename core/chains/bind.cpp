#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "chains/chains.h"
#include "chains/transitions.h"
#include "common/numpy.h"
#include "common/unlocked.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree;
using namespace turbotree::chains;
using namespace turbotree::numpy;

namespace {

void require_scores(const Input<double>& node_scores, const Input<double>& edge_scores) {
  for (const auto scores : {view(node_scores), view(edge_scores)})
    for (const double score : scores)
      require(score < HUGE_VAL, "scores must not be NaN or +infinity");
}

Chains make_chains(const Input<std::int32_t>& offsets, const Input<double>& node_scores,
                   const Input<std::int32_t>& edge_offsets, const Input<double>& edge_scores) {
  const Chains chains{view(offsets), view(edge_offsets), view(node_scores), view(edge_scores)};
  require(valid(chains), "the offsets of the chains do not fit together");
  require_scores(node_scores, edge_scores);
  return chains;
}

std::tuple<Output<std::int32_t>, double> viterbi_of(const Input<std::int32_t>& offsets,
                                                    const Input<double>& node_scores,
                                                    const Input<std::int32_t>& edge_offsets,
                                                    const Input<double>& edge_scores) {
  const Chains chains = make_chains(offsets, node_scores, edge_offsets, edge_scores);
  std::vector<std::int32_t> best(chains.nodes());
  const double value = unlocked([&] { return viterbi(chains, best); });
  return {to_numpy(std::move(best)), value};
}

std::tuple<Output<double>, Output<double>, double> forward_backward_of(
    const Input<std::int32_t>& offsets, const Input<double>& node_scores,
    const Input<std::int32_t>& edge_offsets, const Input<double>& edge_scores) {
  const Chains chains = make_chains(offsets, node_scores, edge_offsets, edge_scores);
  std::vector<double> nodes(chains.node_scores.size()), edges(chains.edge_scores.size());
  const double log_partition = unlocked([&] { return forward_backward(chains, nodes, edges); });
  return {to_numpy(std::move(nodes)), to_numpy(std::move(edges)), log_partition};
}

void make_transitions(Transitions* self, const Input<std::int32_t>& from,
                      const Input<std::int32_t>& to, const Input<std::uint8_t>& starts,
                      const Input<std::uint8_t>& ends) {
  require(
      starts.shape(0) == ends.shape(0) && Transitions::valid(view(from), view(to), starts.shape(0)),
      "the pairs of labels are not in order or out of range");
  const auto copy = [](const auto& array) {
    return std::vector(array.data(), array.data() + array.shape(0));
  };
  new (self) Transitions(copy(from), copy(to), copy(starts), copy(ends));
}

// Calls use(words, index of the first node's score, of the first edge's) for each row of words.
template <class Use>
void for_rows(const Transitions& transitions, const Input<std::int32_t>& lengths, Use use) {
  std::size_t nodes = 0, edges = 0;
  for (const std::int32_t length : view(lengths)) {
    const auto words = static_cast<std::size_t>(length);
    use(words, nodes, edges);
    nodes += words * transitions.labels();
    edges += words > 0 ? (words - 1) * transitions.pairs() : 0;
  }
}

void check_rows(const Transitions& transitions, const Input<std::int32_t>& lengths,
                const Input<double>& node_scores, const Input<double>& edge_scores) {
  for (const std::int32_t length : view(lengths)) require(length >= 0, "a negative length");
  std::size_t nodes = 0, edges = 0;
  for_rows(transitions, lengths, [&](std::size_t words, std::size_t, std::size_t) {
    nodes += words * transitions.labels();
    edges += words > 0 ? (words - 1) * transitions.pairs() : 0;
  });
  require(nodes == node_scores.shape(0) && edges == edge_scores.shape(0),
          "the scores do not fit the lengths");
  require_scores(node_scores, edge_scores);
}

std::tuple<Output<std::int32_t>, Output<double>> best_labels(const Transitions& transitions,
                                                             const Input<std::int32_t>& lengths,
                                                             const Input<double>& node_scores,
                                                             const Input<double>& edge_scores) {
  check_rows(transitions, lengths, node_scores, edge_scores);
  std::vector<std::int32_t> best(node_scores.shape(0) / transitions.labels());
  std::vector<double> values;
  {
    const Unlocked unlocked;
    for_rows(transitions, lengths, [&](std::size_t words, std::size_t node, std::size_t edge) {
      values.push_back(
          transitions.viterbi({words, node_scores.data() + node, edge_scores.data() + edge},
                              best.data() + node / transitions.labels()));
    });
  }
  return {to_numpy(std::move(best)), to_numpy(std::move(values))};
}

std::tuple<Output<double>, Output<double>, Output<double>> label_marginals(
    const Transitions& transitions, const Input<std::int32_t>& lengths,
    const Input<double>& node_scores, const Input<double>& edge_scores) {
  check_rows(transitions, lengths, node_scores, edge_scores);
  std::vector<double> nodes(node_scores.shape(0)), edges(edge_scores.shape(0)), log_partitions;
  {
    const Unlocked unlocked;
    for_rows(transitions, lengths, [&](std::size_t words, std::size_t node, std::size_t edge) {
      log_partitions.push_back(transitions.forward_backward(
          {words, node_scores.data() + node, edge_scores.data() + edge}, nodes.data() + node,
          edges.data() + edge));
    });
  }
  return {to_numpy(std::move(nodes)), to_numpy(std::move(edges)),
          to_numpy(std::move(log_partitions))};
}

std::tuple<Output<std::int32_t, 2>, Output<double>> k_best_labels(const Transitions& transitions,
                                                                  std::int32_t words,
                                                                  const Input<double>& node_scores,
                                                                  const Input<double>& edge_scores,
                                                                  std::size_t count) {
  require(words > 0 && node_scores.shape(0) == words * transitions.labels() &&
              edge_scores.shape(0) == (words - 1) * transitions.pairs(),
          "the scores do not fit the length");
  require_scores(node_scores, edge_scores);
  const auto best = unlocked([&] {
    return transitions.k_best(
        {static_cast<std::size_t>(words), node_scores.data(), edge_scores.data()}, count);
  });
  std::vector<std::int32_t> labels;
  std::vector<double> values;
  for (const auto& one : best) {
    labels.insert(labels.end(), one.labels.begin(), one.labels.end());
    values.push_back(one.score);
  }
  return {to_numpy(std::move(labels), values.size(), words), to_numpy(std::move(values))};
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "Hot loops of turbotree.chains.";
  set_up_module();
  m.def("viterbi", &viterbi_of, "offsets"_a, "node_scores"_a, "edge_offsets"_a, "edge_scores"_a);
  m.def("forward_backward", &forward_backward_of, "offsets"_a, "node_scores"_a, "edge_offsets"_a,
        "edge_scores"_a);

  nb::class_<Transitions>(m, "Transitions", "Which labels may follow one another.")
      .def("__init__", &make_transitions, "from_labels"_a, "to_labels"_a, "starts"_a, "ends"_a)
      .def("best_labels", &best_labels, "lengths"_a, "node_scores"_a, "edge_scores"_a)
      .def("marginals", &label_marginals, "lengths"_a, "node_scores"_a, "edge_scores"_a)
      .def("k_best", &k_best_labels, "words"_a, "node_scores"_a, "edge_scores"_a, "count"_a);
}
