// Weights while many small groups are shrunk: single features, or a feature under all its labels.
//
// A step w -> max(0, |w| - amount) / divisor is only written down. What a group missed is made up
// for when it is next changed: with P the product of all divisors so far, |w| P falls by
// amount * P in each step, so that any number of steps is one subtraction. Slots remember up to
// which step they are true; all slots of a group agree on that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/keys.h"
#include "features/tables/slot_table.h"

namespace turbotree::features {

class LazyTable {
 public:
  struct Slot {
    Key key = 0;  // 0: empty
    float weight = 0.0f;
    std::uint32_t step = 0;  // the steps before this one are in the weight
  };

  // All steps up to one.
  struct Steps {
    double product;  // of the divisors
    double taken;    // sum of amount * product
  };

  // By label: the labels of a feature are one group.
  explicit LazyTable(bool by_label, std::size_t expected = 0)
      : slots_(expected), by_label_(by_label), steps_{{1.0, 0.0}} {}

  bool by_label() const { return by_label_; }
  std::size_t size() const { return slots_.size(); }
  std::size_t memory_bytes() const { return slots_.memory_bytes(); }

  // weight[key] += scale * value for each key.
  void add(std::span<const Key> keys, std::span<const double> values, double scale);
  // Takes `amount` from the length of each group, then divides what is left.
  void shrink(double amount, double divisor);
  // Makes up for all steps, in all groups, and drops what is zero.
  void compact();

  // Calls visit(slot) for every feature in ascending order of the keys.
  template <class Visit>
  void for_each(Visit visit) const {
    slots_.for_each(visit);
  }
  std::span<const Steps> steps() const { return steps_; }
  // Every slot's step has to be one of those given.
  void restore(std::span<const Key> keys, std::span<const float> weights,
               std::span<const std::uint32_t> slot_steps, std::vector<Steps> steps);

  void prefetch(Key key) const { slots_.prefetch(key); }
  float find(Key key) const {
    const Slot& slot = slots_.find(key);
    if (slot.key == 0) return 0.0f;
    return static_cast<float>(slot.weight * factor(length(slot), slot.step));
  }
  template <class Visit>
  void for_labels(Key feature, Visit visit) const {
    double shared = -1.0;  // the group's factor, once known
    slots_.for_labels(feature, [&](const Slot& slot) {
      if (!by_label_ || shared < 0.0) shared = factor(length(slot), slot.step);
      visit(label_of(slot.key), static_cast<float>(slot.weight * shared));
    });
  }

 private:
  double length(const Slot& slot) const;  // of the slot's group
  double factor(double length, std::uint32_t step) const {
    if (step + 1 == steps_.size() || length == 0.0) return 1.0;
    const Steps& then = steps_[step];
    const Steps& now = steps_.back();
    const double left = length * then.product - (now.taken - then.taken);
    return left <= 0.0 ? 0.0 : left / (now.product * length);
  }
  void catch_up(Key key);

  SlotTable<Slot> slots_;
  bool by_label_;
  std::vector<Steps> steps_;
};

}  // namespace turbotree::features
