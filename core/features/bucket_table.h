// Weights of a finished model whose features have no labels: compact, read-only, used where the
// model file is mapped.
//
// A bucket is one cache line: eight 32-bit tags and their eight weights. A look-up compares all
// tags at once and takes no branch that depends on where, or whether, the feature stands.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "features/fingerprint.h"
#include "features/keys.h"
#include "features/weight_table.h"

namespace turbotree::features {

struct Bucket {
  static constexpr int slots = 8;
  std::uint32_t tags[slots];     // filled from the front; 0: empty
  std::uint32_t weights[slots];  // the bits of a float; 0 in empty slots only
};

class BucketTable {
 public:
  // Views buckets that outlive the table. The last bucket must not be full: look-ups stop there.
  explicit BucketTable(std::span<const Bucket> buckets)
      : buckets_(buckets.data()), homes_(buckets.size() - overhang) {}

  static bool well_formed(std::span<const Bucket> buckets) {
    return buckets.size() > overhang && buckets.back().tags[Bucket::slots - 1] == 0;
  }
  // Entries whose averaged weight is at most `threshold` in magnitude are omitted. Empty if a
  // feature has a label, or if absurdly many features share one hash.
  static std::vector<Bucket> build(const WeightTable& table, float threshold);

  void prefetch(Key key) const { __builtin_prefetch(&buckets_[home(key)]); }

  float find(Key key) const {
    const std::uint32_t tag = fingerprint(key, 0);
    for (const Bucket* bucket = buckets_ + home(key);; ++bucket) {
      const std::uint32_t bits = matching_bits(*bucket, tag);
      // Runs on to the next bucket only if this one is full: rarely, so the branch is foreseen.
      if ((bits != 0) | (bucket->tags[Bucket::slots - 1] == 0)) return std::bit_cast<float>(bits);
    }
  }

 private:
  // Entries of the last homes may run over into this many more buckets.
  static constexpr std::size_t overhang = 64;

  typedef std::uint32_t Lanes __attribute__((vector_size(16)));

  // The weight behind the tag, as bits; 0 if the tag is not there.
  static std::uint32_t matching_bits(const Bucket& bucket, std::uint32_t tag) {
    const Lanes wanted = {tag, tag, tag, tag};
    Lanes tags[2], weights[2];
    std::memcpy(tags, bucket.tags, sizeof tags);
    std::memcpy(weights, bucket.weights, sizeof weights);
    const Lanes found = ((tags[0] == wanted) & weights[0]) | ((tags[1] == wanted) & weights[1]);
    std::uint64_t halves[2];
    std::memcpy(halves, &found, sizeof halves);
    const std::uint64_t both = halves[0] | halves[1];
    return static_cast<std::uint32_t>(both | both >> 32);
  }

  std::size_t home(Key key) const { return home_of(key, homes_); }

  const Bucket* buckets_;
  std::size_t homes_;
};

}  // namespace turbotree::features
