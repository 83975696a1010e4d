// Open addressing for the tables of training: slots with a `key` (0: empty) in an array that grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "common/interrupt.h"
#include "features/keys.h"
#include "features/tables/huge_pages.h"

namespace turbotree::features {

template <class Slot>
class SlotTable {
 public:
  explicit SlotTable(std::size_t expected = 0) : slots_(capacity_for(expected), Slot{}) {}

  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const { return slots_.size() * sizeof(Slot); }

  void prefetch(Key key) const { __builtin_prefetch(&slots_[home(key)]); }

  // The key's slot, or an empty one.
  const Slot& find(Key key) const {
    std::size_t i = home(key);
    while (slots_[i].key != key && slots_[i].key != 0) i = next(i);
    return slots_[i];
  }
  Slot* find_known(Key key) { return const_cast<Slot*>(known(find(key))); }

  // Whether one more slot would have the table grow.
  bool full() const { return too_full(size_ + 1, slots_.size()); }
  // The key's slot, made if need be: all but the key is then as in Slot{}.
  Slot& make(Key key) {
    std::size_t i = home(key);
    for (;; i = next(i)) {
      if (slots_[i].key == key) return slots_[i];
      if (slots_[i].key == 0) break;
    }
    if (full()) {
      // By half rather than twofold: the largest tables decide how much memory training needs.
      rebuild(slots_.size() + slots_.size() / 2, [](const Slot&) { return true; });
      i = home(key);
      while (slots_[i].key != 0) i = next(i);
    }
    ++size_;
    slots_[i].key = key;
    return slots_[i];
  }

  // Keeps the slots that are wanted, in as much memory as they need.
  template <class Wanted>
  void compact(Wanted wanted) {
    std::size_t kept = 0;
    for (const Slot& slot : slots_) kept += slot.key != 0 && wanted(slot);
    rebuild(capacity_for(kept), wanted);
    size_ = kept;
  }

  // Calls visit(slot) for every label of a feature (a key without its label).
  template <class Visit>
  void for_labels(Key feature, Visit visit) const {
    for (std::size_t i = home(feature); slots_[i].key != 0; i = next(i))
      if (without_label(slots_[i].key) == feature) visit(slots_[i]);
  }
  template <class Visit>
  void for_labels(Key feature, Visit visit) {
    for (std::size_t i = home(feature); slots_[i].key != 0; i = next(i))
      if (without_label(slots_[i].key) == feature) visit(slots_[i]);
  }

  // Calls visit(slot) for every entry in ascending order of the keys, however the table grew.
  template <class Visit>
  void for_each(Visit visit) const;
  // Calls visit(slot) for every entry in the order of the table.
  template <class Visit>
  void for_all(Visit visit) {
    for (Slot& slot : slots_)
      if (slot.key != 0) visit(slot);
  }

 private:
  // Labels of one feature stand next to each other, so runs are longer than in an ordinary table;
  // a load of five eighths keeps them short.
  static constexpr bool too_full(std::size_t size, std::size_t capacity) {
    return size * 8 > capacity * 5;
  }
  static std::size_t capacity_for(std::size_t size) {
    return std::max(std::size_t{1024}, size * 8 / 5 + 1);
  }

  static const Slot* known(const Slot& slot) { return slot.key == 0 ? nullptr : &slot; }
  std::size_t home(Key key) const { return home_of(key, slots_.size()); }
  std::size_t next(std::size_t i) const { return i + 1 == slots_.size() ? 0 : i + 1; }

  template <class Wanted>
  void rebuild(std::size_t capacity, Wanted wanted) {
    HugeVector<Slot> old(capacity, Slot{});
    old.swap(slots_);
    try {
      for (const Slot& slot : old) {
        if (slot.key == 0 || !wanted(slot)) continue;
        count_work(8);
        std::size_t i = home(slot.key);
        while (slots_[i].key != 0) i = next(i);
        slots_[i] = slot;
      }
    } catch (const Interrupted&) {
      old.swap(slots_);  // as it was
      throw;
    }
  }

  HugeVector<Slot> slots_;
  std::size_t size_ = 0;
};

// Homes ascend with the keys, so a key stands in the same run of full slots as all keys that could
// come between it and its home: sorting each run sorts everything. Only the run that goes round
// the table's end needs care.
template <class Slot>
template <class Visit>
void SlotTable<Slot>::for_each(Visit visit) const {
  const auto by_key = [](const Slot& a, const Slot& b) { return a.key < b.key; };
  std::vector<Slot> run, round_the_end;
  const auto flush = [&] {
    count_work(10 * run.size() + 1);
    std::sort(run.begin(), run.end(), by_key);
    for (const Slot& slot : run) visit(slot);
    run.clear();
  };
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.key == 0)
      flush();
    else if (home(slot.key) > i)
      round_the_end.push_back(slot);
    else
      run.push_back(slot);
  }
  run.insert(run.end(), round_the_end.begin(), round_the_end.end());
  flush();
}

}  // namespace turbotree::features
