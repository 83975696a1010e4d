// The weights of a bucket table at a third of the size: tags and weights of 16 bits, and hardly
// any air. Read-only, used where the model file is mapped.
//
// A bucket is one cache line: sixteen tags and their weights. A look-up of a feature that the
// table lacks finds another one's weight with a chance of at most 16 / 2^16 a bucket: once in
// some three thousand look-ups a small weight is added that does not belong there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "features/half.h"
#include "features/keys.h"
#include "features/weight_table.h"

namespace turbotree::features {

struct CompactBucket {
  static constexpr int slots = 16;
  std::uint16_t tags[slots];     // filled from the front; 0: empty
  std::uint16_t weights[slots];  // half-precision bits; 0 in empty slots only
};

class CompactBuckets {
 public:
  // Views buckets that outlive the table. The last bucket must not be full: look-ups stop there.
  explicit CompactBuckets(std::span<const CompactBucket> buckets)
      : buckets_(buckets.data()), homes_(buckets.size() - overhang) {}

  static bool well_formed(std::span<const CompactBucket> buckets) {
    return buckets.size() > overhang && buckets.back().tags[CompactBucket::slots - 1] == 0;
  }
  // As BucketTable::build.
  static std::vector<CompactBucket> build(const WeightTable& table, float threshold);

  void prefetch(Key key) const { __builtin_prefetch(&buckets_[home_of_hash(hash(key), homes_)]); }

  float find(Key key) const {
    const Key hashed = hash(key);
    const std::uint16_t tag = tag_of(hashed);
    for (const CompactBucket* bucket = buckets_ + home_of_hash(hashed, homes_);; ++bucket) {
      const std::uint16_t bits = matching_bits(*bucket, tag);
      if ((bits != 0) | (bucket->tags[CompactBucket::slots - 1] == 0)) return from_half(bits);
    }
  }

 private:
  // Entries of the last homes may run over into this many more buckets.
  static constexpr std::size_t overhang = 64;

  typedef std::uint16_t Lanes __attribute__((vector_size(16)));

  static Key hash(Key key) { return mix(key >> label_bits); }
  // Tag and home are of different bits.
  static std::uint16_t tag_of(Key hashed) {
    const auto low = static_cast<std::uint16_t>(hashed);
    return low == 0 ? 1 : low;
  }
  static std::size_t home_of_hash(Key hashed, std::size_t homes) {
    return static_cast<std::size_t>((hashed >> 32) * homes >> 32);
  }

  // The weight behind the tag, as bits; 0 if the tag is not there.
  static std::uint16_t matching_bits(const CompactBucket& bucket, std::uint16_t tag) {
    const Lanes wanted = {tag, tag, tag, tag, tag, tag, tag, tag};
    Lanes tags[2], weights[2];
    std::memcpy(tags, bucket.tags, sizeof tags);
    std::memcpy(weights, bucket.weights, sizeof weights);
    const Lanes found = ((tags[0] == wanted) & weights[0]) | ((tags[1] == wanted) & weights[1]);
    std::uint64_t halves[2];
    std::memcpy(halves, &found, sizeof halves);
    std::uint64_t both = halves[0] | halves[1];
    both |= both >> 32;
    return static_cast<std::uint16_t>(both | both >> 16);
  }

  const CompactBucket* buckets_;
  std::size_t homes_;
};

}  // namespace turbotree::features
