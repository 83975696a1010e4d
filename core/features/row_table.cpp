#include "features/row_table.h"

#include "features/kept_weights.h"

namespace turbotree::features {

bool RowTable::well_formed(std::span<const RowSlot> slots, int tag_label_bits) {
  return tag_label_bits >= 0 && tag_label_bits <= features::label_bits && slots.size() > overhang &&
         slots.back().tag == 0;
}

std::vector<RowSlot> RowTable::build(const WeightTable& table, int tag_label_bits,
                                     float threshold) {
  const KeptWeights kept(table, threshold);
  if (kept.highest_label() >> tag_label_bits != 0) return {};
  // Labels of one feature come in bulk, and runs of bulks grow long: they get much air.
  std::size_t homes = kept.count() * 10 / 4 + 64;
  for (int attempt = 0; attempt < 16; ++attempt, homes += homes / 4) {
    std::vector<RowSlot> slots(homes + overhang, RowSlot{0, 0.0f});
    bool fits = true;
    kept.for_each([&](Key key, float weight) {
      std::size_t i = home_of(key, homes);
      while (i < slots.size() && slots[i].tag != 0) ++i;
      fits = fits && i + 1 < slots.size();
      if (!fits) return;
      const auto label = static_cast<std::uint32_t>(label_of(key));
      slots[i] = {fingerprint(key, tag_label_bits) | label, weight};
    });
    if (fits) return slots;
  }
  return {};
}

}  // namespace turbotree::features
