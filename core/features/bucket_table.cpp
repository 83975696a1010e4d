#include "features/bucket_table.h"

#include <algorithm>
#include <cmath>

namespace turbotree::features {

std::vector<Bucket> BucketTable::build(const WeightTable& table, float threshold) {
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
  if (highest_label != 0) return {};

  // Six tenths full: about one bucket in ten runs over.
  std::size_t homes = count * 10 / 6 / Bucket::slots + 1;
  for (int attempt = 0; attempt < 16; ++attempt, homes += homes / 4 + 1) {
    std::vector<Bucket> buckets(homes + overhang, Bucket{});
    std::vector<std::uint8_t> filled(buckets.size(), 0);
    bool fits = true;
    // In the order of the keys, so that the outcome does not depend on how the table grew.
    table.for_each([&](const WeightTable::Slot& slot) {
      const float weight = weight_of(slot);
      if (weight == 0.0f || !fits) return;
      std::size_t b = home_of(slot.key, homes);
      while (b < buckets.size() && filled[b] == Bucket::slots) ++b;
      fits = b < buckets.size();
      if (!fits) return;
      buckets[b].tags[filled[b]] = fingerprint(slot.key, 0);
      buckets[b].weights[filled[b]++] = std::bit_cast<std::uint32_t>(weight);
    });
    if (fits && filled.back() < Bucket::slots) return buckets;
  }
  return {};
}

}  // namespace turbotree::features
