#pragma once

#include "trees/types.h"

namespace turbotree::trees {

struct Arc {
  int head;
  int modifier;
};

// True when no score that counts is NaN or +infinity; otherwise `where` is the first such arc.
bool scores_are_valid(const ScoreMatrix& scores, Arc* where);

}  // namespace turbotree::trees
