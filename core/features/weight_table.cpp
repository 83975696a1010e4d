#include "features/weight_table.h"

#include <algorithm>
#include <utility>

namespace turbotree::features {
namespace {

// Labels of one feature stand next to each other, so runs are longer than in an ordinary table;
// a load of five eighths keeps them short.
constexpr bool too_full(std::size_t size, std::size_t capacity) { return size * 8 > capacity * 5; }

constexpr std::size_t lookahead = 24;

}  // namespace

WeightTable::WeightTable(std::size_t expected) {
  slots_.assign(std::max(std::size_t{1024}, expected * 8 / 5 + 1), Slot{0, 0.0f, 0.0f});
}

void WeightTable::grow() {
  // By half rather than twofold: the largest tables decide how much memory training needs.
  HugeVector<Slot> old(slots_.size() + slots_.size() / 2, Slot{0, 0.0f, 0.0f});
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.key == 0) continue;
    std::size_t i = home(slot.key);
    while (slots_[i].key != 0) i = next(i);
    slots_[i] = slot;
  }
}

WeightTable::Slot* WeightTable::locate(Key key) {
  std::size_t i = home(key);
  for (;; i = next(i)) {
    if (slots_[i].key == key) return &slots_[i];
    if (slots_[i].key == 0) break;
  }
  if (closed_) return nullptr;
  if (too_full(size_ + 1, slots_.size())) {
    grow();
    i = home(key);
    while (slots_[i].key != 0) i = next(i);
  }
  ++size_;
  slots_[i].key = key;
  return &slots_[i];
}

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
