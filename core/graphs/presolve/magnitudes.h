// Numbers of very different sizes, and smaller ones that do as well.
//
// A score of -1e9 says "never", and so does every other score that outweighs all smaller ones
// together. Next to scores of about 1 it costs the solvers nine of their sixteen digits, and says
// nothing of how near two values may lie and still be different. Such masks are tamed here.
#pragma once

#include <limits>
#include <span>
#include <vector>

namespace turbotree::graphs {

struct Taming {
  bool changed = false;
  // Whether sums are ordered as before. Otherwise only those without a changed number are, and all
  // others are below `least`, as they were before.
  bool ordered = true;
  double least = 0.0;
  // From this size on numbers outweigh the others: those that changed, if any did.
  double from = std::numeric_limits<double>::infinity();
  // The size of the smallest number that was flattened, before it was; 0 if none was.
  double lightest = 0.0;
  // Sums that differ in what they have of a level lie further apart than this.
  double margin = std::numeric_limits<double>::infinity();
  // By how much a sum may have been higher before.
  double most_lost = 0.0;
};

enum class Tame {
  kFlatten,  // negative numbers that outweigh all smaller ones become equal, if all are negative
  kLevel,    // numbers that outweigh all smaller ones become smaller, in the same order
};

// Changes numbers that are far larger than all smaller ones together. None is 0 or infinite, and a
// sum has each of them once or not at all. Sums below `floor` do not matter (for kLevel).
Taming tame(std::span<double* const> numbers, Tame how,
            double floor = -std::numeric_limits<double>::infinity());

// What is usual among numbers up to this size: the lower quartile of the sizes that are not 0. It
// is 0 if there are none.
double typical_size(std::span<const double> numbers, double up_to);

}  // namespace turbotree::graphs
