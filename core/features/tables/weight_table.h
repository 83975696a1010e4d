// The weights while training: one open-addressing table that grows.
//
// Each slot keeps a weight and what averaging needs. With t rounds finished before an update
// `delta`, the average of the weights at the end of the first T rounds is
// weight - (sum of t * delta) / T.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "features/keys.h"
#include "features/tables/slot_table.h"

namespace turbotree::features {

class WeightTable {
 public:
  struct Slot {
    Key key = 0;  // 0: empty
    float weight = 0.0f;
    float weighted_updates = 0.0f;
  };

  explicit WeightTable(std::size_t expected = 0) : slots_(expected) {}

  std::size_t size() const { return slots_.size(); }
  std::size_t memory_bytes() const { return slots_.memory_bytes(); }

  std::uint64_t round() const { return round_; }
  void set_round(std::uint64_t round) { round_ = round; }

  // A closed table takes no new features: updates of unknown keys are dropped.
  bool closed() const { return closed_; }
  void set_closed(bool closed) { closed_ = closed; }

  // weight[key] += scale * value for each key, in the current round.
  void add(std::span<const Key> keys, std::span<const double> values, double scale);
  // Adds keys, with weight zero where they are new.
  void insert(std::span<const Key> keys);

  // Calls visit(slot) for every entry in ascending order of the keys, however the table grew.
  template <class Visit>
  void for_each(Visit visit) const {
    slots_.for_each(visit);
  }
  void restore(std::span<const Key> keys, std::span<const float> weights,
               std::span<const float> weighted_updates);
  float averaged(const Slot& slot) const {
    return round_ == 0
               ? slot.weight
               : static_cast<float>(slot.weight - static_cast<double>(slot.weighted_updates) /
                                                      static_cast<double>(round_));
  }

  void prefetch(Key key) const { slots_.prefetch(key); }

  float find(Key key) const { return slots_.find(key).weight; }

  // Calls visit(label, weight) for every label of a feature (a key without its label).
  template <class Visit>
  void for_labels(Key feature, Visit visit) const {
    slots_.for_labels(feature, [&](const Slot& slot) { visit(label_of(slot.key), slot.weight); });
  }

 private:
  // The key's slot, made if need be; null in a closed table.
  Slot* locate(Key key) { return closed_ ? slots_.find_known(key) : &slots_.make(key); }

  SlotTable<Slot> slots_;
  std::uint64_t round_ = 0;
  bool closed_ = false;
};

}  // namespace turbotree::features
