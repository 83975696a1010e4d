// From scores of links to whole assignments and bounds; shared by the solvers that pass messages.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factors.h"

namespace turbotree::graphs {

class Assignments {
 public:
  // The pins and the push on fixed variables belong to the caller and may change.
  Assignments(Factors& factors, const std::vector<Pin>& pins, const double& push);

  // Decides the variables factor by factor, breadth first from the largest factor of each
  // component: every factor takes its best assignment given what others decided before it. From
  // converged max-product scores this is the best assignment of a tree, ties or not.
  void complete(const std::vector<double>& scores, std::vector<std::uint8_t>& values);

  // Upper bound on every assignment's score, whatever the scores of the links are: each factor
  // takes the best of its factor score and the links', each variable the better of what is left.
  // -infinity if a factor allows nothing.
  double bound(const std::vector<double>& scores);

  // Whether an earlier factor decides the link's variable: all links of a variable but one.
  const std::vector<std::uint8_t>& decided_before() const { return decided_before_; }

 private:
  Factors& factors_;
  const Links& links_;
  const Incidence& incidence_;
  const std::vector<Pin>& pins_;
  const double& push_;
  std::vector<std::int32_t> order_;
  std::vector<std::uint8_t> decided_before_, chosen_;
  std::vector<double> scores_, left_, values_;
};

}  // namespace turbotree::graphs
