#include "features/bucket_table.h"

#include "features/kept_weights.h"

namespace turbotree::features {

std::vector<Bucket> BucketTable::build(const WeightTable& table, float threshold) {
  const KeptWeights kept(table, threshold);
  if (kept.highest_label() != 0) return {};
  // Six tenths full: about one bucket in ten runs over.
  std::size_t homes = kept.count() * 10 / 6 / Bucket::slots + 1;
  for (int attempt = 0; attempt < 16; ++attempt, homes += homes / 4 + 1) {
    std::vector<Bucket> buckets(homes + overhang, Bucket{});
    std::vector<std::uint8_t> filled(buckets.size(), 0);
    bool fits = true;
    kept.for_each([&](Key key, float weight) {
      std::size_t b = home_of(key, homes);
      while (b < buckets.size() && filled[b] == Bucket::slots) ++b;
      fits = fits && b < buckets.size();
      if (!fits) return;
      buckets[b].tags[filled[b]] = fingerprint(key, 0);
      buckets[b].weights[filled[b]++] = std::bit_cast<std::uint32_t>(weight);
    });
    if (fits && filled.back() < Bucket::slots) return buckets;
  }
  return {};
}

}  // namespace turbotree::features
