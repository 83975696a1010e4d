// Weights while whole templates are shrunk: every template has a scale of its own.
//
// A weight is scale * value, so that shrinking a template costs one multiplication however many
// features it has; its norm is kept up to date with every change. A template that dies only moves
// on to its next generation: slots of an earlier one count as zero, are used again when their
// feature comes back, and go when the table is compacted and has many of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/keys.h"
#include "features/tables/slot_table.h"

namespace turbotree::features {

class ScaledTable {
 public:
  struct Slot {
    Key key = 0;  // 0: empty
    float value = 0.0f;
    std::uint32_t generation = 0;
  };
  struct Group {
    double scale = 1.0;
    double squared_norm = 0.0;
    std::size_t live = 0;
    std::uint32_t generation = 1;  // slots start with 0: not yet counted
  };

  explicit ScaledTable(std::size_t expected = 0) : slots_(expected), groups_(max_templates) {}

  std::size_t size() const { return live_; }
  std::size_t memory_bytes() const { return slots_.memory_bytes(); }
  std::span<const Group> groups() const { return groups_; }

  // weight[key] += scale * value for each key.
  void add(std::span<const Key> keys, std::span<const double> values, double scale);
  // Multiplies the weights of each template; zero kills it.
  void scale(std::span<const double> factors);
  // Moves each weight towards zero by its template's amount.
  void threshold(std::span<const double> amounts);
  // Clips each weight to its template's limit, and to minus that.
  void clip(std::span<const double> limits);
  // Drops what is zero, makes all scales one, and sums the norms afresh. Room is given back where a
  // quarter of the slots or more are dead.
  void compact();

  // Calls visit(key, value) for every live feature in ascending order of the keys.
  template <class Visit>
  void for_each(Visit visit) const {
    slots_.for_each([&](const Slot& slot) {
      if (alive(slot)) visit(slot.key, slot.value);
    });
  }
  // Values and groups' scales and squared norms as they were.
  void restore(std::span<const Key> keys, std::span<const float> values,
               std::span<const double> scales, std::span<const double> squared_norms);

  void prefetch(Key key) const { slots_.prefetch(key); }
  float find(Key key) const {
    const Slot& slot = slots_.find(key);
    return slot.key == 0 ? 0.0f : weight(slot);
  }
  template <class Visit>
  void for_labels(Key feature, Visit visit) const {
    slots_.for_labels(feature, [&](const Slot& slot) { visit(label_of(slot.key), weight(slot)); });
  }

 private:
  const Group& group(const Slot& slot) const { return groups_[template_of(slot.key)]; }
  bool alive(const Slot& slot) const { return slot.generation == group(slot).generation; }
  float weight(const Slot& slot) const {
    const Group& own = group(slot);
    return slot.generation == own.generation ? static_cast<float>(own.scale * slot.value) : 0.0f;
  }
  void revive(Slot& slot, Group& own);
  template <class Change>
  void rewrite(Change change);

  SlotTable<Slot> slots_;
  std::vector<Group> groups_;
  std::size_t live_ = 0;
};

}  // namespace turbotree::features
