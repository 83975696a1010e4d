// XOR_OUT: the last variable is 1 if exactly one of the others is, and 0 if none is.
#pragma once

#include "graphs/factors/simplex.h"
#include "graphs/factors/turned.h"
#include "graphs/factors/xor.h"

namespace turbotree::graphs {

class XorOut : public Turned<Xor, Turn::kLast> {
 public:
  static const char* check(const Factor& factor) {
    return factor.links >= 1 ? "" : "the outcome of an exclusive or needs a variable";
  }

  double project(const Factor& factor, const double* target, double, double* point,
                 Memory& memory) {
    project_with_last_the_sum(factor.links, target, point, memory.threshold);
    return 0.0;
  }
};

}  // namespace turbotree::graphs
