// The functions of all factors of a graph, for tests and measurements of single kinds.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <tuple>
#include <vector>

#include "common/numpy.h"
#include "graphs/bindings/bind.h"
#include "graphs/factors.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree::graphs;
using namespace turbotree::numpy;

namespace {

// The functions of every factor on scores of its links, in the order of the blocks; negated links
// are left as they are.

template <class Function>
void for_each_block(Factors& factors, Function&& function) {
  for (std::int64_t b = 0; b < factors.blocks(); ++b)
    function(b, factors.block(b), factors.block(b).arrays().factors());
}

void require_links(const Graph& graph, std::size_t given) {
  require(given == static_cast<std::size_t>(graph.links()), "one number per link is needed");
}

Output<double> factor_values(const Graph& graph, const Input<std::uint8_t>& chosen) {
  require_links(graph, chosen.shape(0));
  Factors factors(graph);
  const Links& links = factors.links();
  const auto all = view(chosen);
  std::vector<double> values(graph.factors());
  for_each_block(factors, [&](auto b, Block& block, auto count) {
    block.values(0, count, links.links_of_block(b, all), links.factors_of_block(b, values));
  });
  return to_numpy(std::move(values));
}

std::tuple<Output<double>, Output<std::uint8_t>> maximise(const Graph& graph,
                                                          const Input<double>& scores) {
  require_links(graph, scores.shape(0));
  Factors factors(graph);
  const Links& links = factors.links();
  const auto all = view(scores);
  std::vector<double> values(graph.factors());
  std::vector<std::uint8_t> chosen(graph.links());
  for_each_block(factors, [&](auto b, Block& block, auto count) {
    block.maximise(0, count, links.links_of_block(b, all), links.links_of_block(b, chosen),
                   links.factors_of_block(b, values));
  });
  return {to_numpy(std::move(values)), to_numpy(std::move(chosen))};
}

std::tuple<Output<double>, Output<double>> max_messages(const Graph& graph,
                                                        const Input<double>& scores) {
  require_links(graph, scores.shape(0));
  Factors factors(graph);
  const Links& links = factors.links();
  const auto all = view(scores);
  std::vector<double> values(graph.factors()), messages(graph.links());
  for_each_block(factors, [&](auto b, Block& block, auto count) {
    block.max_messages(0, count, links.links_of_block(b, all), links.links_of_block(b, messages),
                       links.factors_of_block(b, values));
  });
  return {to_numpy(std::move(values)), to_numpy(std::move(messages))};
}

std::tuple<Output<double>, Output<double>, Output<double>> sum_messages(
    const Graph& graph, const Input<double>& scores) {
  require_links(graph, scores.shape(0));
  Factors factors(graph);
  const Links& links = factors.links();
  const auto all = view(scores);
  std::vector<Sums> sums(graph.factors());
  std::vector<double> messages(graph.links());
  for_each_block(factors, [&](auto b, Block& block, auto count) {
    block.sum_messages(0, count, links.links_of_block(b, all), links.links_of_block(b, messages),
                       links.factors_of_block(b, sums));
  });
  std::vector<double> log_partitions, expected;
  for (const Sums& s : sums) {
    log_partitions.push_back(s.log_partition);
    expected.push_back(s.expected_score);
  }
  return {to_numpy(std::move(log_partitions)), to_numpy(std::move(messages)),
          to_numpy(std::move(expected))};
}

Output<double> expectations(const Graph& graph, const Input<double>& scores) {
  require_links(graph, scores.shape(0));
  return to_numpy(Factors(graph).expectations(view(scores)));
}

std::tuple<Output<double>, Output<double>> project(const Graph& graph,
                                                   const Input<double, 2>& targets, double scale) {
  require_links(graph, targets.shape(1));
  require(targets.shape(0) >= 1, "at least one target is needed");
  Factors factors(graph);
  const Links& links = factors.links();
  std::vector<double> factor_scores(graph.factors()), points(graph.links());
  for (std::size_t row = 0; row < targets.shape(0); ++row) {
    const std::span target(targets.data() + row * targets.shape(1), targets.shape(1));
    for_each_block(factors, [&](auto b, Block& block, auto) {
      block.project(links.links_of_block(b, target), scale, links.links_of_block(b, points),
                    links.factors_of_block(b, factor_scores));
    });
  }
  return {to_numpy(std::move(points)), to_numpy(std::move(factor_scores))};
}

}  // namespace

void bind_factors(nb::module_& m) {
  m.def("factor_values", &factor_values, "graph"_a, "chosen"_a,
        "Factor score of each factor for the values of its links.");
  m.def("maximise", &maximise, "graph"_a, "scores"_a,
        "Each factor's best value and assignment under scores of its links.");
  m.def("max_messages", &max_messages, "graph"_a, "scores"_a);
  m.def("sum_messages", &sum_messages, "graph"_a, "scores"_a,
        "Log partitions, messages and expected factor scores.");
  m.def("expectations", &expectations, "graph"_a, "scores"_a,
        "How often each of the factor scores counts.");
  m.def("project", &project, "graph"_a, "targets"_a, "scale"_a,
        "The quadratic subproblem of each factor, one row of targets after the other; the last "
        "answer is returned.");
}
