#include "features/bucket_table.h"

#include <algorithm>

#include "features/frozen.h"

namespace turbotree::features {

std::vector<Bucket> BucketTable::build(const WeightTable& table, float threshold) {
  const Frozen frozen(table, threshold);
  if (frozen.highest_label != 0) return {};

  // Six tenths full: about one bucket in ten runs over.
  std::size_t homes = frozen.count * 10 / 6 / Bucket::slots + 1;
  for (int attempt = 0; attempt < 16; ++attempt, homes += homes / 4 + 1) {
    std::vector<Bucket> buckets(homes + overhang, Bucket{});
    std::vector<std::uint8_t> filled(buckets.size(), 0);
    bool fits = true;
    // In the order of the keys, so that the outcome does not depend on how the table grew.
    frozen.for_each([&](Key key, float weight) {
      if (!fits) return;
      std::size_t b = home_of(key, homes);
      while (b < buckets.size() && filled[b] == Bucket::slots) ++b;
      fits = b < buckets.size();
      if (!fits) return;
      const std::uint32_t tag = fingerprint(key, 0);
      // A look-up that finds two equal tags mixes the bits of both weights, so of two features
      // that a bucket cannot tell apart (one pair in 2^32) the first alone stays.
      if (std::find(buckets[b].tags, buckets[b].tags + filled[b], tag) !=
          buckets[b].tags + filled[b])
        return;
      buckets[b].tags[filled[b]] = tag;
      buckets[b].weights[filled[b]++] = std::bit_cast<std::uint32_t>(weight);
    });
    if (fits && filled.back() < Bucket::slots) return buckets;
  }
  return {};
}

}  // namespace turbotree::features
