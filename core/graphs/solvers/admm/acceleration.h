// Acceleration of ADMM by extrapolation: while the same few factors stay active, its state is
// followed for some rounds and then extrapolated to where it seems to be going.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graphs/solvers/admm/active_factors.h"
#include "graphs/solvers/admm/extrapolation.h"
#include "graphs/solvers/admm/state.h"

namespace turbotree::graphs {

class Acceleration {
 public:
  bool following() const { return following_; }
  void stop() { following_ = false; }
  // Between gathering and projecting.
  void extrapolate(AdmmState& s, const ActiveFactors& active);

 private:
  void follow(const AdmmState& s, const ActiveFactors& active);
  void read(const AdmmState& s, std::span<double> state) const;
  void write(AdmmState& s, bool sparse, std::span<const double> state) const;
  void keep_shares(const AdmmState& s, std::span<const double> before, std::span<double> after);

  Extrapolation extrapolation_{10};
  std::vector<std::vector<std::int32_t>> followed_;  // the active factors whose states are kept
  std::vector<std::int64_t> followed_links_;
  std::vector<std::int32_t> followed_variables_;
  std::vector<double> followed_degree_;    // per variable: its followed links
  std::vector<std::uint8_t> is_followed_;  // per variable
  std::vector<double> change_;             // per variable: what its shares would miss its score by
  std::vector<double> extrapolated_, fallback_;
  double followed_penalty_ = 0.0, last_step_ = 0.0;
  bool following_ = false, on_trial_ = false;
  int trials_to_skip_ = 0;
};

}  // namespace turbotree::graphs
