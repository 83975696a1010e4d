// Weights of a finished model whose features have no labels: compact, read-only, used where the
// model file is mapped.
//
// A bucket is one cache line: tags and their weights. A look-up compares all tags
// at once and takes no branch that depends on where, or whether, the feature stands.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "features/keys.h"
#include "features/tables/fingerprint.h"
#include "features/tables/half.h"
#include "features/tables/weight_table.h"

namespace turbotree::features {

// Eight tags and weights of 32 bits in a bucket.
struct FullPrecision {
  using Word = std::uint32_t;
  // About one bucket in ten runs over.
  static constexpr std::size_t tenths_full = 6;
  static constexpr std::size_t growth = 4;

  static Word tag(Key key) { return fingerprint(key, 0); }
  static std::size_t home(Key key, std::size_t homes) { return home_of(key, homes); }
  static Word to_bits(float weight) { return std::bit_cast<Word>(weight); }
  static float from_bits(Word bits) { return std::bit_cast<float>(bits); }
  // Of two features that a bucket cannot tell apart (one pair in 2^32) the first stays.
  static bool replaces(Word, Word) { return false; }
};

// Sixteen tags and weights of 16 bits, and hardly any air: a third of the size. A look-up of a
// feature that the table lacks finds another one's weight with a chance of at most 16 / 2^16 per
// bucket: once in some three thousand look-ups a small weight is added that does not belong there.
struct HalfPrecision {
  using Word = std::uint16_t;
  // A look-up goes through 1.6 buckets on average.
  static constexpr std::size_t tenths_full = 8;
  static constexpr std::size_t growth = 8;

  static Word tag(Key key) { return half_tag(hash_of(key)); }
  static std::size_t home(Key key, std::size_t homes) { return home_of_hash(hash_of(key), homes); }
  static Word to_bits(float weight) { return to_half(weight); }
  static float from_bits(Word bits) { return from_half(bits); }
  // Of two features that a bucket cannot tell apart the heavier one stays.
  static bool replaces(Word bits, Word kept) { return (bits & 0x7fff) > (kept & 0x7fff); }
};

template <class Precision>
class Buckets {
 public:
  using Word = typename Precision::Word;
  struct Bucket {
    static constexpr int slots = 32 / sizeof(Word);
    Word tags[slots];     // filled from the front; 0: empty
    Word weights[slots];  // 0 in empty slots only
  };

  // Views buckets that outlive the table. The last bucket must not be full: look-ups stop there.
  explicit Buckets(std::span<const Bucket> buckets)
      : buckets_(buckets.data()), homes_(buckets.size() - overhang) {}

  static bool well_formed(std::span<const Bucket> buckets) {
    return buckets.size() > overhang && buckets.back().tags[Bucket::slots - 1] == 0;
  }
  // Entries whose averaged weight is at most `threshold` in magnitude are omitted. Empty if a
  // feature has a label, or if absurdly many features share one hash.
  static std::vector<Bucket> build(const WeightTable& table, float threshold);

  void prefetch(Key key) const { __builtin_prefetch(&buckets_[Precision::home(key, homes_)]); }

  float find(Key key) const {
    const Word tag = Precision::tag(key);
    for (const Bucket* bucket = buckets_ + Precision::home(key, homes_);; ++bucket) {
      const Word bits = matching_bits(*bucket, tag);
      // Runs on to the next bucket only if this one is full: rarely, so the branch is foreseen.
      if ((bits != 0) | (bucket->tags[Bucket::slots - 1] == 0)) return Precision::from_bits(bits);
    }
  }

 private:
  // Entries of the last homes may run over into this many more buckets.
  static constexpr std::size_t overhang = 64;

  typedef Word Lanes __attribute__((vector_size(16)));

  // The weight behind the tag, as bits; 0 if the tag is not there.
  static Word matching_bits(const Bucket& bucket, Word tag) {
    const Lanes wanted = Lanes{} + tag;
    Lanes tags[2], weights[2];
    std::memcpy(tags, bucket.tags, sizeof tags);
    std::memcpy(weights, bucket.weights, sizeof weights);
    const Lanes found = ((tags[0] == wanted) & weights[0]) | ((tags[1] == wanted) & weights[1]);
    std::uint64_t halves[2];
    std::memcpy(halves, &found, sizeof halves);
    std::uint64_t both = halves[0] | halves[1];
    for (std::size_t bits = 32; bits >= 8 * sizeof(Word); bits /= 2) both |= both >> bits;
    return static_cast<Word>(both);
  }

  const Bucket* buckets_;
  std::size_t homes_;
};

using BucketTable = Buckets<FullPrecision>;
using CompactBuckets = Buckets<HalfPrecision>;

}  // namespace turbotree::features
