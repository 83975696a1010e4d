// The weights while training: one open-addressing table that grows.
//
// Each slot keeps a weight and what averaging needs. With t rounds finished before an update
// `delta`, the average of the weights at the end of the first T rounds is
// weight - (sum of t * delta) / T.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/huge_pages.h"
#include "features/keys.h"

namespace turbotree::features {

class WeightTable {
 public:
  struct Slot {
    Key key;  // 0: empty
    float weight;
    float weighted_updates;
  };

  explicit WeightTable(std::size_t expected = 0);

  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const { return slots_.size() * sizeof(Slot); }

  std::uint64_t round() const { return round_; }
  void set_round(std::uint64_t round) { round_ = round; }

  // A closed table takes no new features: updates of unknown keys are dropped.
  bool closed() const { return closed_; }
  void set_closed(bool closed) { closed_ = closed; }

  // weight[key] += scale * value for each key, in the current round.
  void add(std::span<const Key> keys, std::span<const double> values, double scale);
  // Makes room for keys, with weight zero where they are new.
  void insert(std::span<const Key> keys);

  // Calls visit(slot) for every entry in ascending order of the keys, however the table grew.
  template <class Visit>
  void for_each(Visit visit) const;
  void restore(std::span<const Key> keys, std::span<const float> weights,
               std::span<const float> weighted_updates);
  float averaged(const Slot& slot) const {
    return round_ == 0 ? slot.weight
                       : static_cast<float>(slot.weight - static_cast<double>(slot.weighted_updates) /
                                                              static_cast<double>(round_));
  }

  void prefetch(Key key) const { __builtin_prefetch(&slots_[home(key)]); }

  float find(Key key) const {
    for (std::size_t i = home(key);; i = next(i)) {
      if (slots_[i].key == key) return slots_[i].weight;
      if (slots_[i].key == 0) return 0.0f;
    }
  }

  // Calls visit(label, weight) for every label of a feature (a key without its label).
  template <class Visit>
  void for_labels(Key feature, Visit visit) const {
    for (std::size_t i = home(feature); slots_[i].key != 0; i = next(i))
      if (without_label(slots_[i].key) == feature) visit(label_of(slots_[i].key), slots_[i].weight);
  }

 private:
  std::size_t home(Key key) const { return home_of(key, slots_.size()); }
  std::size_t next(std::size_t i) const { return i + 1 == slots_.size() ? 0 : i + 1; }
  Slot* locate(Key key);  // the key's slot, made if need be; null in a closed table
  void grow();

  HugeVector<Slot> slots_;
  std::size_t size_ = 0;
  std::uint64_t round_ = 0;
  bool closed_ = false;
};

// Homes ascend with the keys, so a key stands in the same run of full slots as all keys that could
// come between it and its home: sorting each run sorts everything. Only the run that goes round
// the table's end needs care.
template <class Visit>
void WeightTable::for_each(Visit visit) const {
  const auto by_key = [](const Slot& a, const Slot& b) { return a.key < b.key; };
  std::vector<Slot> run, round_the_end;
  const auto flush = [&] {
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
