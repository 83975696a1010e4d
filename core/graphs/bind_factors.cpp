// The functions of all factors of a graph, for tests and measurements of single kinds.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <tuple>
#include <vector>

#include "common/numpy.h"
#include "graphs/bind.h"
#include "graphs/block.h"
#include "graphs/graph.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree::graphs;
using namespace turbotree::numpy;

namespace {

// The functions of every factor on scores of its links, in the order of the blocks; negated links
// are not turned round.

template <class Function>
void for_each_block(const Graph& graph, Function&& function) {
  const auto blocks = make_blocks(graph);
  std::int64_t link = 0, factor = 0;
  for (const auto& block : blocks) {
    function(*block, block->arrays().factors(), link, factor);
    link += block->arrays().links();
    factor += block->arrays().factors();
  }
}

void require_links(const Graph& graph, std::size_t given) {
  require(given == static_cast<std::size_t>(graph.links()), "one number per link is needed");
}

Output<double> factor_values(const Graph& graph, const Input<std::uint8_t>& chosen) {
  require_links(graph, chosen.shape(0));
  std::vector<double> values(graph.factors());
  for_each_block(graph, [&](Block& block, auto count, auto link, auto factor) {
    block.values(0, count, chosen.data() + link, values.data() + factor);
  });
  return to_numpy(std::move(values));
}

std::tuple<Output<double>, Output<std::uint8_t>> maximise(const Graph& graph,
                                                          const Input<double>& scores) {
  require_links(graph, scores.shape(0));
  std::vector<double> values(graph.factors());
  std::vector<std::uint8_t> chosen(graph.links());
  for_each_block(graph, [&](Block& block, auto count, auto link, auto factor) {
    block.maximise(0, count, scores.data() + link, chosen.data() + link, values.data() + factor);
  });
  return {to_numpy(std::move(values)), to_numpy(std::move(chosen))};
}

std::tuple<Output<double>, Output<double>> max_messages(const Graph& graph,
                                                        const Input<double>& scores) {
  require_links(graph, scores.shape(0));
  std::vector<double> values(graph.factors()), messages(graph.links());
  for_each_block(graph, [&](Block& block, auto count, auto link, auto factor) {
    block.max_messages(0, count, scores.data() + link, messages.data() + link,
                       values.data() + factor);
  });
  return {to_numpy(std::move(values)), to_numpy(std::move(messages))};
}

std::tuple<Output<double>, Output<double>, Output<double>> sum_messages(
    const Graph& graph, const Input<double>& scores) {
  require_links(graph, scores.shape(0));
  std::vector<Sums> sums(graph.factors());
  std::vector<double> messages(graph.links());
  for_each_block(graph, [&](Block& block, auto count, auto link, auto factor) {
    block.sum_messages(0, count, scores.data() + link, messages.data() + link,
                       sums.data() + factor);
  });
  std::vector<double> log_partitions, expected;
  for (const Sums& s : sums) {
    log_partitions.push_back(s.log_partition);
    expected.push_back(s.expected_extra);
  }
  return {to_numpy(std::move(log_partitions)), to_numpy(std::move(messages)),
          to_numpy(std::move(expected))};
}

Output<double> expectations(const Graph& graph, const Input<double>& scores) {
  require_links(graph, scores.shape(0));
  std::size_t extras = 0;
  for (const BlockArrays& block : graph.blocks) extras += block.extras.size();
  std::vector<double> expectations(extras);
  double* at = expectations.data();
  for_each_block(graph, [&](Block& block, auto count, auto link, auto) {
    block.expectations(0, count, scores.data() + link, at);
    at += block.arrays().extras.size();
  });
  return to_numpy(std::move(expectations));
}

std::tuple<Output<double>, Output<double>> project(const Graph& graph,
                                                   const Input<double, 2>& targets, double scale) {
  require_links(graph, targets.shape(1));
  require(targets.shape(0) >= 1, "at least one target is needed");
  std::vector<double> own(graph.factors()), points(graph.links());
  for_each_block(graph, [&](Block& block, auto count, auto link, auto factor) {
    for (std::size_t row = 0; row < targets.shape(0); ++row)
      block.project(0, count, targets.data() + row * targets.shape(1) + link, scale,
                    points.data() + link, own.data() + factor);
  });
  return {to_numpy(std::move(points)), to_numpy(std::move(own))};
}

}  // namespace

void bind_factors(nb::module_& m) {
  m.def("factor_values", &factor_values, "graph"_a, "chosen"_a,
        "Own score of each factor for the values of its links.");
  m.def("maximise", &maximise, "graph"_a, "scores"_a,
        "Each factor's best value and assignment under scores of its links.");
  m.def("max_messages", &max_messages, "graph"_a, "scores"_a);
  m.def("sum_messages", &sum_messages, "graph"_a, "scores"_a,
        "Log partitions, messages and expected own scores.");
  m.def("expectations", &expectations, "graph"_a, "scores"_a,
        "How often each of the factor scores counts.");
  m.def("project", &project, "graph"_a, "targets"_a, "scale"_a,
        "The quadratic subproblem of each factor, one row of targets after the other; the last "
        "answer is returned.");
}
