// Python's way in: converts arrays, releases the GIL, hands failures back as tuples. The shapes
// are checked once more here, so that no call from Python can reach outside an array.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "common/numpy.h"
#include "common/unlocked.h"
#include "trees/batch.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace turbotree::trees;
using turbotree::unlocked;
using namespace turbotree::numpy;

using Scores = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Lengths = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using Heads = nb::ndarray<std::int64_t, nb::c_contig, nb::device::cpu>;
using MaybeLengths = std::optional<Lengths>;

void expect(bool condition, const char* message) {
  if (!condition) throw nb::value_error(message);
}

Batch batch_of(const Scores& scores, const MaybeLengths& lengths) {
  const std::size_t d = scores.ndim();
  expect(d == 2 || d == 3, "scores must have 2 or 3 dimensions");
  expect(scores.shape(d - 1) == scores.shape(d - 2), "score matrices must be square");
  expect(scores.shape(d - 1) >= 1 && scores.shape(d - 1) <= 30000, "unsupported matrix size");
  Batch batch{scores.data(), d == 2 ? 1 : static_cast<std::int64_t>(scores.shape(0)),
              static_cast<int>(scores.shape(d - 1)), nullptr};
  if (lengths) {
    expect(static_cast<std::int64_t>(lengths->shape(0)) == batch.count, "one length per matrix");
    for (std::int64_t i = 0; i < batch.count; ++i) {
      const std::int64_t length = lengths->data()[i];
      expect(length >= 0 && length < batch.side, "length outside its matrix");
    }
    batch.lengths = lengths->data();
  }
  return batch;
}

void expect_size(std::size_t given, std::int64_t expected) {
  expect(static_cast<std::int64_t>(given) == expected, "output array of the wrong size");
}

// None, or (status, item, head, modifier).
using Report = std::optional<std::tuple<int, std::int64_t, int, int>>;

Report report(const Failure& failure) {
  if (failure.status == Status::ok) return std::nullopt;
  return std::make_tuple(static_cast<int>(failure.status), failure.item, failure.arc.head,
                         failure.arc.modifier);
}

Report bind_maximum_trees(const Scores& scores, const MaybeLengths& lengths, const Heads& heads,
                          bool single_root, bool projective, int threads) {
  const Batch batch = batch_of(scores, lengths);
  expect_size(heads.size(), batch.count * (batch.side - 1));
  return report(unlocked(
      [&] { return maximum_trees(batch, {single_root, projective, threads}, heads.data()); }));
}

Report bind_log_partitions(const Scores& scores, const MaybeLengths& lengths,
                           const Doubles& log_partition, bool single_root, bool projective,
                           int threads) {
  const Batch batch = batch_of(scores, lengths);
  expect_size(log_partition.size(), batch.count);
  return report(unlocked([&] {
    return log_partitions(batch, {single_root, projective, threads}, log_partition.data());
  }));
}

Report bind_tree_marginals(const Scores& scores, const MaybeLengths& lengths,
                           const Doubles& marginals, const Doubles& log_partition,
                           const Doubles& entropy, bool single_root, bool projective, int threads) {
  const Batch batch = batch_of(scores, lengths);
  expect_size(marginals.size(), batch.count * batch.side * batch.side);
  expect_size(log_partition.size(), batch.count);
  expect_size(entropy.size(), batch.count);
  return report(unlocked([&] {
    return tree_marginals(batch, {single_root, projective, threads}, marginals.data(),
                          log_partition.data(), entropy.data());
  }));
}

Report bind_marginal_derivatives(const Scores& scores, const MaybeLengths& lengths,
                                 const Scores& direction, const Doubles& derivative,
                                 bool single_root, int threads) {
  const Batch batch = batch_of(scores, lengths);
  expect_size(direction.size(), batch.count * batch.side * batch.side);
  expect_size(derivative.size(), batch.count * batch.side * batch.side);
  return report(unlocked([&] {
    return marginal_derivatives(batch, {single_root, false, threads}, direction.data(),
                                derivative.data());
  }));
}

Report bind_sample(const Scores& scores, const MaybeLengths& lengths, const Heads& heads,
                   std::int64_t count, std::uint64_t seed, bool single_root, bool projective,
                   int threads) {
  const Batch batch = batch_of(scores, lengths);
  expect(count >= 0, "count must not be negative");
  expect_size(heads.size(), batch.count * count * (batch.side - 1));
  return report(unlocked([&] {
    return sample(batch, {single_root, projective, threads}, count, seed, heads.data());
  }));
}

using HeadRows = Output<std::int64_t, 2>;
using TreeScores = Output<double>;

// The failure, if any, and (heads, scores) for each matrix.
std::tuple<Report, std::vector<std::pair<HeadRows, TreeScores>>> bind_k_best(
    const Scores& scores, const MaybeLengths& lengths, std::int64_t k, bool single_root,
    bool projective, int threads) {
  const Batch batch = batch_of(scores, lengths);
  std::vector<std::vector<ScoredHeads>> trees;
  const Failure failure =
      unlocked([&] { return k_best(batch, {single_root, projective, threads}, k, trees); });
  std::vector<std::pair<HeadRows, TreeScores>> results;
  if (failure.status != Status::ok) return {report(failure), results};
  const std::size_t width = static_cast<std::size_t>(batch.side) - 1;
  for (const auto& item : trees) {
    std::vector<std::int64_t> heads(item.size() * width, -1);
    std::vector<double> values(item.size());
    for (std::size_t i = 0; i < item.size(); ++i) {
      std::copy(item[i].heads.begin(), item[i].heads.end(), heads.begin() + i * width);
      values[i] = item[i].score;
    }
    results.emplace_back(to_numpy(std::move(heads), item.size(), width),
                         to_numpy(std::move(values)));
  }
  return {std::nullopt, results};
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "Hot loops of turbotree.trees.";
  turbotree::set_up_module();
  m.attr("BAD_SCORE") = static_cast<int>(Status::bad_score);
  m.attr("INFEASIBLE") = static_cast<int>(Status::infeasible);
  m.attr("OUT_OF_MEMORY") = static_cast<int>(Status::out_of_memory);
  m.def("maximum_trees", &bind_maximum_trees, "scores"_a, "lengths"_a.none(), "heads"_a.noconvert(),
        "single_root"_a, "projective"_a, "threads"_a);
  m.def("log_partitions", &bind_log_partitions, "scores"_a, "lengths"_a.none(),
        "log_partition"_a.noconvert(), "single_root"_a, "projective"_a, "threads"_a);
  m.def("tree_marginals", &bind_tree_marginals, "scores"_a, "lengths"_a.none(),
        "marginals"_a.noconvert(), "log_partition"_a.noconvert(), "entropy"_a.noconvert(),
        "single_root"_a, "projective"_a, "threads"_a);
  m.def("marginal_derivatives", &bind_marginal_derivatives, "scores"_a, "lengths"_a.none(),
        "direction"_a, "derivative"_a.noconvert(), "single_root"_a, "threads"_a);
  m.def("sample", &bind_sample, "scores"_a, "lengths"_a.none(), "heads"_a.noconvert(), "count"_a,
        "seed"_a, "single_root"_a, "projective"_a, "threads"_a);
  m.def("k_best", &bind_k_best, "scores"_a, "lengths"_a.none(), "k"_a, "single_root"_a,
        "projective"_a, "threads"_a);
}
