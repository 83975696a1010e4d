// Best values and sums over the sets of links whose whole costs keep a limit: BUDGET and KNAPSACK.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace turbotree::graphs {

class CostTable {
 public:
  // How many numbers the table for such costs holds; none is needed if the limit allows all.
  static double entries(std::span<const std::int32_t> costs, std::int64_t limit);

  // As the functions of a kind (factor.h); sum_messages returns the log partition.
  double maximise(std::span<const double> scores, std::span<const std::int32_t> costs,
                  std::int64_t limit, std::span<std::uint8_t> chosen);
  double max_messages(std::span<const double> scores, std::span<const std::int32_t> costs,
                      std::int64_t limit, std::span<double> messages);
  double sum_messages(std::span<const double> scores, std::span<const std::int32_t> costs,
                      std::int64_t limit, std::span<double> messages);

 private:
  template <class Add>
  void fill(std::span<const double> scores, std::span<const std::int32_t> costs, std::int64_t limit,
            Add add);
  template <class Add>
  double messages(std::span<const double> scores, std::span<const std::int32_t> costs,
                  std::int64_t limit, std::span<double> messages, Add add);
  const double* row(std::size_t link) const {
    return table_.data() + static_cast<std::int64_t>(link) * (limit_ + 1);
  }

  std::int64_t divisor_ = 1;  // of all costs: they and the limit are counted in units of it
  std::int64_t limit_ = 0;
  std::vector<double> table_;    // row i, column r: links i and after, at a cost of at most r
  std::vector<double> forward_;  // links before, at a cost of exactly so much
};

}  // namespace turbotree::graphs
