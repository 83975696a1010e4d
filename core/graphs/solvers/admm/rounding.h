// Where ADMM asks for assignments: whether the fixed variables leave each factor one, and what the
// consensus comes to when it is rounded or completed factor by factor.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graphs/solvers/admm/state.h"
#include "graphs/solvers/assignments.h"

namespace turbotree::graphs {

// A factor that cannot hold with the fixed variables, by itself; -1 if there is none.
std::int64_t impossible_factor(AdmmState& s);

class Rounding {
 public:
  double best_value = -kInfinity;
  std::vector<std::uint8_t> best_values;  // empty if there is none

  void clear() {
    best_value = -kInfinity;
    best_values.clear();
    any_tried_ = false;
  }
  void propose(AdmmState& s);
  void propose_completed(AdmmState& s);

 private:
  struct Completion {
    Completion(Factors& factors, const std::vector<Pin>& pins);
    double push;
    Assignments assignments;
  };

  void try_candidate(AdmmState& s);

  std::vector<double> numbers_;
  std::vector<std::uint8_t> chosen_, candidate_, last_candidate_;
  bool any_tried_ = false;
  std::unique_ptr<Completion> completion_;  // made when first needed
};

}  // namespace turbotree::graphs
