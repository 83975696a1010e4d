// XOR_OUT: the last variable is 1 if exactly one of the others is, and 0 if none is.
#pragma once

#include "graphs/factors/xor.h"
#include "graphs/factors/turned.h"

namespace turbotree::graphs {

class XorOut : public Turned<Xor, Turn::kLast> {
 public:
  static const char* check(const Factor& factor) {
    return factor.links >= 1 ? "" : "the outcome of an exclusive or needs a variable";
  }
};

}  // namespace turbotree::graphs
