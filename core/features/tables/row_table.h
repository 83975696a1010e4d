// Weights of a finished model whose features have labels: compact, read-only, used where the model
// file is mapped.
//
// A slot is eight bytes, a 32-bit tag and a weight. The tag holds a fingerprint of the feature in
// its high bits and the label in its low ones; the labels of one feature stand next to each other.
// Two features share home and fingerprint with a chance of about 2^-26 per look-up, which no score
// notices, and the table is half the size that full keys would need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/keys.h"
#include "features/tables/fingerprint.h"
#include "features/tables/weight_table.h"

namespace turbotree::features {

struct RowSlot {
  std::uint32_t tag;  // 0: empty
  float weight;
};

class RowTable {
 public:
  // Views slots that outlive the table. The last slot must be empty: look-ups stop there.
  RowTable(std::span<const RowSlot> slots, int tag_label_bits)
      : slots_(slots.data()), homes_(homes_of(slots.size())), label_bits_(tag_label_bits) {}

  static bool well_formed(std::span<const RowSlot> slots, int tag_label_bits);
  // Entries whose averaged weight is at most `threshold` in magnitude are omitted. Empty if a
  // label needs more bits, or if absurdly many features share one hash.
  static std::vector<RowSlot> build(const WeightTable& table, int tag_label_bits, float threshold);

  void prefetch(Key key) const { __builtin_prefetch(&slots_[home(key)]); }

  float find(Key key) const {
    const std::uint32_t wanted = tag(key) | static_cast<std::uint32_t>(label_of(key));
    for (const RowSlot* slot = slots_ + home(key); slot->tag != 0; ++slot)
      if (slot->tag == wanted) return slot->weight;
    return 0.0f;
  }

  template <class Visit>
  void for_labels(Key feature, Visit visit) const {
    const std::uint32_t wanted = tag(feature) >> label_bits_;
    const std::uint32_t labels = (std::uint32_t{1} << label_bits_) - 1;
    const RowSlot* slot = slots_ + home(feature);
    while (slot->tag != 0 && slot->tag >> label_bits_ != wanted) ++slot;
    // Slots were filled in the order of the keys: a feature's labels stand together.
    for (; slot->tag >> label_bits_ == wanted; ++slot)
      visit(static_cast<int>(slot->tag & labels), slot->weight);
  }

 private:
  // Runs may pass the last home: this many slots behind it are theirs.
  static constexpr std::size_t overhang = max_labels + 64;
  static std::size_t homes_of(std::size_t slots) { return slots > overhang ? slots - overhang : 1; }

  std::size_t home(Key key) const { return home_of(key, homes_); }
  std::uint32_t tag(Key key) const { return fingerprint(key, label_bits_); }

  const RowSlot* slots_;
  std::size_t homes_;
  int label_bits_;
};

}  // namespace turbotree::features
