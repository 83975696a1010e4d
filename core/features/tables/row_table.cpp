#include "features/tables/row_table.h"

#include "features/tables/frozen.h"

namespace turbotree::features {

bool RowTable::well_formed(std::span<const RowSlot> slots, int tag_label_bits) {
  return tag_label_bits >= 0 && tag_label_bits <= features::label_bits && slots.size() > overhang &&
         slots.back().tag == 0;
}

std::vector<RowSlot> RowTable::build(const WeightTable& table, int tag_label_bits,
                                     float threshold) {
  const Frozen frozen(table, threshold);
  if (frozen.highest_label >> tag_label_bits != 0) return {};
  // Labels of one feature come in bulk, and runs of bulks grow long: they get much air.
  std::size_t homes = frozen.count * 10 / 4 + 64;
  for (int attempt = 0; attempt < 16; ++attempt, homes += homes / 4) {
    std::vector<RowSlot> slots(homes + overhang, RowSlot{0, 0.0f});
    const RowTable placement(slots, tag_label_bits);
    bool fits = true;
    // In the order of the keys, so that the outcome does not depend on how the table grew.
    frozen.for_each([&](Key key, float weight) {
      if (!fits) return;
      std::size_t i = placement.home(key);
      while (i < slots.size() && slots[i].tag != 0) ++i;
      fits = i + 1 < slots.size();
      if (fits) slots[i] = {placement.tag(key) | static_cast<std::uint32_t>(label_of(key)), weight};
    });
    if (fits) return slots;
  }
  return {};
}

}  // namespace turbotree::features
