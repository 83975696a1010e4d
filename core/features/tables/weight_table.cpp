#include "features/tables/weight_table.h"

#include <utility>

namespace turbotree::features {
namespace {

constexpr std::size_t lookahead = 24;

}  // namespace

void WeightTable::add(std::span<const Key> keys, std::span<const double> values, double scale) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + lookahead < keys.size()) prefetch(keys[i + lookahead]);
    Slot* const slot = locate(keys[i]);
    if (slot == nullptr) continue;
    const double delta = scale * values[i];
    slot->weight += static_cast<float>(delta);
    slot->weighted_updates += static_cast<float>(delta * static_cast<double>(round_));
  }
}

void WeightTable::insert(std::span<const Key> keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + lookahead < keys.size()) prefetch(keys[i + lookahead]);
    locate(keys[i]);
  }
}

void WeightTable::restore(std::span<const Key> keys, std::span<const float> weights,
                          std::span<const float> weighted_updates) {
  const bool closed = std::exchange(closed_, false);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Slot* const slot = locate(keys[i]);
    slot->weight = weights[i];
    slot->weighted_updates = weighted_updates[i];
  }
  closed_ = closed;
}

}  // namespace turbotree::features
