#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "chains/chains.h"
#include "common/numpy.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree::chains;
using namespace turbotree::numpy;

namespace {

Chains make_chains(const Input<std::int32_t>& offsets, const Input<double>& node_scores,
                   const Input<std::int32_t>& edge_offsets, const Input<double>& edge_scores) {
  const Chains chains{view(offsets), view(edge_offsets), view(node_scores), view(edge_scores)};
  require(valid(chains), "the offsets of the chains do not fit together");
  for (const auto scores : {chains.node_scores, chains.edge_scores})
    for (const double score : scores)
      require(score < HUGE_VAL, "scores must not be NaN or +infinity");
  return chains;
}

std::tuple<Output<std::int32_t>, double> viterbi_of(const Input<std::int32_t>& offsets, const Input<double>& node_scores,
                     const Input<std::int32_t>& edge_offsets, const Input<double>& edge_scores) {
  const Chains chains = make_chains(offsets, node_scores, edge_offsets, edge_scores);
  std::vector<std::int32_t> best(chains.nodes());
  double value = 0.0;
  {
    nb::gil_scoped_release release;
    value = viterbi(chains, best);
  }
  return {to_numpy(std::move(best)), value};
}

std::tuple<Output<double>, Output<double>, double> forward_backward_of(const Input<std::int32_t>& offsets, const Input<double>& node_scores,
                              const Input<std::int32_t>& edge_offsets,
                              const Input<double>& edge_scores) {
  const Chains chains = make_chains(offsets, node_scores, edge_offsets, edge_scores);
  std::vector<double> nodes(chains.node_scores.size()), edges(chains.edge_scores.size());
  double log_partition = 0.0;
  {
    nb::gil_scoped_release release;
    log_partition = forward_backward(chains, nodes, edges);
  }
  return {to_numpy(std::move(nodes)), to_numpy(std::move(edges)), log_partition};
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "Hot loops of turbotree.chains.";
  m.def("viterbi", &viterbi_of, "offsets"_a, "node_scores"_a, "edge_offsets"_a, "edge_scores"_a);
  m.def("forward_backward", &forward_backward_of, "offsets"_a, "node_scores"_a, "edge_offsets"_a,
        "edge_scores"_a);
}
