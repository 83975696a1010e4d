// What ends a solver's run early, and what it reports of every round.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "graphs/factor.h"

namespace turbotree::graphs {

class Control {
 public:
  double time_limit_seconds = kInfinity;
  std::function<bool()> interrupted;  // asked about every 20 ms; may be empty
  bool trace = false;
  // Told the best value so far, with its values, and the bound, about every 200 ms; may be empty.
  using Report = std::function<void(double, double, const std::vector<std::uint8_t>&)>;
  Report report;

  // What to tell, unless it is too early.
  void tell(double value, double bound, const std::vector<std::uint8_t>& values) {
    if (!report) return;
    const auto now = Clock::now();
    if (now - told_ < std::chrono::milliseconds(200)) return;
    told_ = now;
    report(value, bound, values);
  }

  void start() { started_ = asked_ = Clock::now(); }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  // Whether the time is over or the user has had enough.
  bool should_stop() {
    if (stopped_) return true;
    const auto now = Clock::now();
    if (std::chrono::duration<double>(now - started_).count() > time_limit_seconds) return true;
    if (interrupted && now - asked_ > std::chrono::milliseconds(20)) {
      asked_ = now;
      stopped_ = interrupted();
    }
    return stopped_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point started_ = Clock::now(), asked_ = Clock::now();
  Clock::time_point told_ = Clock::now();
  bool stopped_ = false;
};

// One row per round.
struct Trace {
  std::vector<std::int64_t> iteration;
  std::vector<double> upper_bound, value, primal_residual, dual_residual, active;
  // What has not converged, as shares of all; empty if the solver does not know.
  std::vector<double> moving_variables, moving_factors, moving_links;
};

}  // namespace turbotree::graphs
