#include "features/compact_buckets.h"

#include <algorithm>

#include "features/frozen.h"

namespace turbotree::features {

std::vector<CompactBucket> CompactBuckets::build(const WeightTable& table, float threshold) {
  const Frozen frozen(table, threshold);
  if (frozen.highest_label != 0) return {};

  constexpr int slots = CompactBucket::slots;
  // Eight tenths full: a look-up goes through 1.6 buckets on average.
  std::size_t homes = frozen.count * 10 / 8 / slots + 1;
  for (int attempt = 0; attempt < 16; ++attempt, homes += homes / 8 + 1) {
    std::vector<CompactBucket> buckets(homes + overhang, CompactBucket{});
    std::vector<std::uint8_t> filled(buckets.size(), 0);
    bool fits = true;
    // In the order of the keys, so that the outcome does not depend on how the table grew.
    frozen.for_each([&](Key key, float weight) {
      const std::uint16_t bits = to_half(weight);
      if (!fits || (bits & 0x7fff) == 0) return;
      const Key hashed = hash(key);
      const std::uint16_t tag = tag_of(hashed);
      std::size_t b = home_of_hash(hashed, homes);
      while (b < buckets.size() && filled[b] == slots) ++b;
      fits = b < buckets.size();
      if (!fits) return;
      CompactBucket& bucket = buckets[b];
      std::uint16_t* const end = bucket.tags + filled[b];
      std::uint16_t* const same = std::find(bucket.tags, end, tag);
      if (same != end) {
        // Of two features that a bucket cannot tell apart the heavier one stays.
        std::uint16_t& kept = bucket.weights[same - bucket.tags];
        if ((bits & 0x7fff) > (kept & 0x7fff)) kept = bits;
        return;
      }
      bucket.tags[filled[b]] = tag;
      bucket.weights[filled[b]++] = bits;
    });
    if (fits && filled.back() < slots) return buckets;
  }
  return {};
}

}  // namespace turbotree::features
