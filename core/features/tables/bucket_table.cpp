#include "features/tables/bucket_table.h"

#include <algorithm>

#include "features/tables/frozen.h"

namespace turbotree::features {

template <class Precision>
auto Buckets<Precision>::build(const WeightTable& table, float threshold) -> std::vector<Bucket> {
  const Frozen frozen(table, threshold);
  if (frozen.highest_label != 0) return {};

  constexpr int slots = Bucket::slots;
  std::size_t homes = frozen.count * 10 / Precision::tenths_full / slots + 1;
  for (int attempt = 0; attempt < 16; ++attempt, homes += homes / Precision::growth + 1) {
    std::vector<Bucket> buckets(homes + overhang, Bucket{});
    std::vector<std::uint8_t> filled(buckets.size(), 0);
    bool fits = true;
    // In the order of the keys, so that the outcome does not depend on how the table grew.
    frozen.for_each([&](Key key, float weight) {
      const Word bits = Precision::to_bits(weight);
      const bool is_zero = static_cast<Word>(bits << 1) == 0;  // by rounding
      if (!fits || is_zero) return;
      std::size_t b = Precision::home(key, homes);
      while (b < buckets.size() && filled[b] == slots) ++b;
      fits = b < buckets.size();
      if (!fits) return;
      Bucket& bucket = buckets[b];
      const Word tag = Precision::tag(key);
      Word* const end = bucket.tags + filled[b];
      Word* const same = std::find(bucket.tags, end, tag);
      // A look-up that finds two equal tags would mix the bits of both weights.
      if (same != end) {
        Word& kept = bucket.weights[same - bucket.tags];
        if (Precision::replaces(bits, kept)) kept = bits;
        return;
      }
      bucket.tags[filled[b]] = tag;
      bucket.weights[filled[b]++] = bits;
    });
    if (fits && filled.back() < slots) return buckets;
  }
  return {};
}

template class Buckets<FullPrecision>;
template class Buckets<HalfPrecision>;

}  // namespace turbotree::features
