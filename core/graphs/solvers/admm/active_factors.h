// The factors of ADMM that are not idle, and rounds of these alone.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/solvers/admm/state.h"

namespace turbotree::graphs {

class ActiveFactors {
 public:
  explicit ActiveFactors(const AdmmState& s);

  bool sparse = false;                             // whether rounds are of the active factors alone
  std::int64_t rounds_in_mode = 0;                 // sparse or dense
  std::int64_t links = 0;                          // of the active factors
  std::vector<std::vector<std::int32_t>> factors;  // per block: its active factors

  void list(const AdmmState& s);  // from all factors, after average_all
  void start_sparse_rounds(AdmmState& s);
  void start_dense_rounds() {
    sparse = false;
    rounds_in_mode = 0;
  }
  void end_round() { ++rounds_; }

  // A sparse round, in the same three steps as a dense one.
  double gather(AdmmState& s, double move);
  void project(AdmmState& s);
  void average(AdmmState& s);

 private:
  // Whether the factor would answer differently in the next round.
  bool is_active(const AdmmState& s, std::size_t block, std::int32_t factor) const;
  void wake(AdmmState& s, std::int32_t variable);

  std::int64_t rounds_ = 0;
  std::vector<double> before_, factor_bounds_;
  std::vector<std::int64_t> awake_;  // per factor: the last round it is listed for
  std::vector<std::int32_t> touched_;
  std::vector<std::uint8_t> is_touched_;
  std::vector<double> pull_;  // per touched variable: how far its active links are above it
};

}  // namespace turbotree::graphs
