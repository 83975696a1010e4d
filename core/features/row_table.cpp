#include "features/row_table.h"

#include <algorithm>
#include <cmath>

namespace turbotree::features {

bool RowTable::well_formed(std::span<const RowSlot> slots, int tag_label_bits) {
  return tag_label_bits >= 0 && tag_label_bits <= features::label_bits && slots.size() > overhang &&
         slots.back().tag == 0;
}

std::vector<RowSlot> RowTable::build(const WeightTable& table, int tag_label_bits,
                                           float threshold) {
  const auto weight_of = [&table, threshold](const WeightTable::Slot& slot) {
    const float weight = table.averaged(slot);
    return std::fabs(weight) > threshold ? weight : 0.0f;
  };
  std::size_t count = 0;
  int highest_label = 0;
  table.for_each([&](const WeightTable::Slot& slot) {
    count += weight_of(slot) != 0.0f;
    highest_label = std::max(highest_label, label_of(slot.key));
  });
  if (highest_label >> tag_label_bits != 0) return {};
  // Labels of one feature come in bulk, and runs of bulks grow long: they get much air.
  std::size_t homes = count * 10 / 4 + 64;
  for (int attempt = 0; attempt < 16; ++attempt, homes += homes / 4) {
    std::vector<RowSlot> slots(homes + overhang, RowSlot{0, 0.0f});
    const RowTable placement(slots, tag_label_bits);
    bool fits = true;
    // In the order of the keys, so that the outcome does not depend on how the table grew.
    table.for_each([&](const WeightTable::Slot& slot) {
      const float weight = weight_of(slot);
      if (weight == 0.0f || !fits) return;
      std::size_t i = placement.home(slot.key);
      while (i < slots.size() && slots[i].tag != 0) ++i;
      fits = i + 1 < slots.size();
      if (fits)
        slots[i] = {placement.tag(slot.key) | static_cast<std::uint32_t>(label_of(slot.key)),
                    weight};
    });
    if (fits) return slots;
  }
  return {};
}

}  // namespace turbotree::features
