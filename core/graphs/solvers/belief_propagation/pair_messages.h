// Sum-product messages of many PAIR factors in one loop that vectorises.
#pragma once

#include <cstdint>

namespace turbotree::graphs {

// Two links and one score per factor; messages as in factor.h. Absolute error below 1e-15 times the
// size of the scores.
void pair_sum_messages(std::int64_t count, const double* own, const double* scores,
                       double* messages);

}  // namespace turbotree::graphs
