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
  int bits = 10;
  while (too_full(expected, std::size_t{1} << bits)) ++bits;
  slots_.assign(std::size_t{1} << bits, Slot{0, 0.0f, 0.0f});
  mask_ = slots_.size() - 1;
  shift_ = 64 - bits;
}

void WeightTable::grow() {
  HugeVector<Slot> old(slots_.size() * 2, Slot{0, 0.0f, 0.0f});
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  --shift_;
  for (const Slot& slot : old) {
    if (slot.key == 0) continue;
    std::size_t i = home(slot.key);
    while (slots_[i].key != 0) i = (i + 1) & mask_;
    slots_[i] = slot;
  }
}

WeightTable::Slot* WeightTable::locate(Key key) {
  std::size_t i = home(key);
  for (;; i = (i + 1) & mask_) {
    if (slots_[i].key == key) return &slots_[i];
    if (slots_[i].key == 0) break;
  }
  if (closed_) return nullptr;
  if (too_full(size_ + 1, slots_.size())) {
    grow();
    i = home(key);
    while (slots_[i].key != 0) i = (i + 1) & mask_;
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

std::vector<WeightTable::Slot> WeightTable::sorted() const {
  std::vector<Slot> entries;
  entries.reserve(size_);
  for (const Slot& slot : slots_)
    if (slot.key != 0) entries.push_back(slot);
  std::sort(entries.begin(), entries.end(),
            [](const Slot& a, const Slot& b) { return a.key < b.key; });
  return entries;
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
