#include "graphs/solvers/cost_network/message_passing.h"

#include <algorithm>

#include "common/vectorize.h"

namespace turbotree::graphs {

namespace {

constexpr double kForbidden = std::numeric_limits<double>::infinity();

// The neighbour's values kRow * kWidth at a time, whose best costs stay in registers.
template <int kWidth>
TURBOTREE_INLINE void send(const double* table, std::int64_t columns, const std::int32_t* live,
                           std::int64_t count, const double* shares, const double* incoming,
                           double* outgoing, double* beliefs) {
  constexpr int kSize = kRow * kWidth;
  double best[kSize];
  for (int b = 0; b < kSize; ++b) best[b] = kForbidden;
  for (std::int64_t k = 0; k < count; ++k) {
    const double offer = shares[k] - incoming[live[k]];
    const double* row = table + live[k] * columns;
    for (int b = 0; b < kSize; ++b) {
      const double cost = offer + row[b];
      best[b] = cost < best[b] ? cost : best[b];
    }
  }
  for (int b = 0; b < kSize; ++b) {
    beliefs[b] += best[b] - outgoing[b];
    outgoing[b] = best[b] < kForbidden ? best[b] : outgoing[b];
  }
}

TURBOTREE_CLONES
void send_all(const double* tables, const std::int32_t* sizes, const std::int64_t* starts,
              const CostNetwork::Neighbour* first, const CostNetwork::Neighbour* last,
              const std::int32_t* assignment, const std::int32_t* live, std::int64_t count,
              const double* shares, double* messages, double* beliefs) {
  for (; first != last; ++first) {
    const std::int32_t v = first->variable;
    if (assignment[v] >= 0) continue;
    const std::int64_t columns = (sizes[v] + kRow - 1) / kRow * kRow;
    const double* incoming = messages + first->incoming;
    for (std::int64_t b = 0; b < columns;) {
      const double* table = tables + first->table + b;
      double* outgoing = messages + first->outgoing + b;
      double* own = beliefs + starts[v] + b;
      if (columns - b >= 3 * kRow) {
        send<3>(table, columns, live, count, shares, incoming, outgoing, own);
        b += 3 * kRow;
      } else if (columns - b == 2 * kRow) {
        send<2>(table, columns, live, count, shares, incoming, outgoing, own);
        b += 2 * kRow;
      } else {
        send<1>(table, columns, live, count, shares, incoming, outgoing, own);
        b += kRow;
      }
    }
  }
}

}  // namespace

void send_messages(const CostNetwork& network, const CostNetwork::Neighbour* first,
                   const CostNetwork::Neighbour* last, std::span<const std::int32_t> assignment,
                   std::span<const std::int32_t> live, std::span<const double> shares,
                   double* messages, double* beliefs) {
  send_all(network.tables.data(), network.sizes.data(), network.first.data(), first, last,
           assignment.data(), live.data(), static_cast<std::int64_t>(live.size()), shares.data(),
           messages, beliefs);
}

}  // namespace turbotree::graphs
