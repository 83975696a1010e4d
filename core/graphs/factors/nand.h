// NAND: not all of its variables are 1.
#pragma once

#include "graphs/factors/or.h"
#include "graphs/factors/turned.h"

namespace turbotree::graphs {

class Nand : public Turned<Or, Turn::kAll> {
 public:
  static const char* check(const Factor& factor) {
    return factor.links >= 1 ? "" : "not all of no variables is impossible";
  }
};

}  // namespace turbotree::graphs
