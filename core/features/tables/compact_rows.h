// The weights of a row table at a third of the size: no empty slots, and a feature's tag written
// once for all its labels. Read-only, used where the model file is mapped.
//
// All is one row of 16-bit words:
//
//   homes: 2 words (low, high)
//   bases: 2 words for every 32 homes: where their runs begin among the records
//   offsets: 1 word per home, and one more: where its run begins, counted from the base
//   records: a feature's tag, then a label and a weight for each of its labels; the last label
//            has the highest bit set
//
// A look-up of a feature that the table lacks finds another one's weights with a chance of about
// 2^-16, as there is about one feature per home.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/keys.h"
#include "features/tables/fingerprint.h"
#include "features/tables/half.h"
#include "features/tables/weight_table.h"

namespace turbotree::features {

class CompactRows {
 public:
  using Word = std::uint16_t;

  // Views words that outlive the table; they have to be well formed.
  explicit CompactRows(std::span<const Word> words) : homes_(wide(words.data())) {
    bases_ = words.data() + 2;
    offsets_ = bases_ + 2 * blocks_of(homes_);
    records_ = offsets_ + homes_ + 1;
  }

  // Whether every look-up stays inside, and no label is out of range.
  static bool well_formed(std::span<const Word> words);
  // As RowTable::build; labels of any size fit.
  static std::vector<Word> build(const WeightTable& table, float threshold);

  void prefetch(Key key) const {
    __builtin_prefetch(offsets_ + home_of_hash(hash_of(key), homes_));
  }

  template <class Visit>
  void for_labels(Key feature, Visit visit) const {
    const Key hashed = hash_of(feature);
    const std::size_t home = home_of_hash(hashed, homes_);
    const Word* word = records_ + position(home);
    const Word* const end = records_ + position(home + 1);
    while (word < end) {
      const bool found = *word++ == tag_of(hashed);
      Word label;
      do {
        label = word[0];
        if (found) visit(static_cast<int>(label & ~last), from_half(word[1]));
        word += 2;
      } while ((label & last) == 0);
      if (found) return;
    }
  }

  float find(Key key) const {
    float weight = 0.0f;
    for_labels(key, [&](int label, float value) {
      if (label == label_of(key)) weight = value;
    });
    return weight;
  }

  // How many weights there are.
  std::size_t size() const;

 private:
  static constexpr Word last = 0x8000;
  static constexpr std::size_t block = 32;

  static std::size_t wide(const Word* words) { return words[0] | std::size_t{words[1]} << 16; }
  static std::size_t blocks_of(std::size_t homes) { return homes / block + 1; }
  static Word tag_of(Key hashed) { return static_cast<Word>(hashed); }
  std::size_t position(std::size_t home) const {
    return wide(bases_ + 2 * (home / block)) + offsets_[home];
  }

  std::size_t homes_;
  const Word* bases_;
  const Word* offsets_;
  const Word* records_;
};

}  // namespace turbotree::features
