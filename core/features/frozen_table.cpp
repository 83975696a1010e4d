#include "features/frozen_table.h"

#include <algorithm>
#include <cmath>

namespace turbotree::features {

bool FrozenTable::well_formed(std::span<const FrozenSlot> slots, int tag_label_bits) {
  return tag_label_bits >= 0 && tag_label_bits <= features::label_bits && slots.size() > overhang &&
         slots.back().tag == 0;
}

std::vector<FrozenSlot> FrozenTable::build(const WeightTable& table, int tag_label_bits,
                                           float threshold) {
  struct Entry {
    Key key;
    float weight;
  };
  std::vector<Entry> entries;
  const auto weight_of = [&table, threshold](const WeightTable::Slot& slot) {
    const float weight = table.averaged(slot);
    return std::fabs(weight) > threshold ? weight : 0.0f;
  };
  std::size_t count = 0;
  table.for_each([&](const WeightTable::Slot& slot) { count += weight_of(slot) != 0.0f; });
  entries.reserve(count);
  table.for_each([&](const WeightTable::Slot& slot) {
    if (const float weight = weight_of(slot); weight != 0.0f) entries.push_back({slot.key, weight});
  });
  // In a fixed order, so that the outcome does not depend on how the table grew.
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key < b.key; });
  // A load of seven tenths: short runs, little air.
  std::size_t homes = entries.size() * 10 / 7 + 64;
  for (;; homes += homes / 4) {
    std::vector<FrozenSlot> slots(homes + overhang, FrozenSlot{0, 0.0f});
    const FrozenTable placement(slots, tag_label_bits);
    bool fits = true;
    for (const Entry& entry : entries) {
      std::size_t i = placement.home(entry.key);
      while (i < slots.size() && slots[i].tag != 0) ++i;
      fits = i + 1 < slots.size();
      if (!fits) break;
      slots[i] = {placement.tag(entry.key) | static_cast<std::uint32_t>(label_of(entry.key)),
                  entry.weight};
    }
    if (fits) return slots;
  }
}

}  // namespace turbotree::features
