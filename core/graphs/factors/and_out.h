// AND_OUT: the last variable says whether all the others are 1.
#pragma once

#include "graphs/factors/or_out.h"
#include "graphs/factors/turned.h"

namespace turbotree::graphs {

class AndOut : public Turned<OrOut, Turn::kAll> {
 public:
  static const char* check(const Factor& factor) {
    return factor.links >= 1 ? "" : "the outcome of an and needs a variable";
  }
};

}  // namespace turbotree::graphs
