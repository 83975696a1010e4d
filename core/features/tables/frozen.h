// What a finished model keeps of the weights of training.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "features/keys.h"
#include "features/tables/weight_table.h"

namespace turbotree::features {

// The averaged weights whose magnitude is above a threshold.
class Frozen {
 public:
  Frozen(const WeightTable& table, float threshold) : table_(table), threshold_(threshold) {
    table.for_each([this](const WeightTable::Slot& slot) {
      count += kept(table_.averaged(slot));
      highest_label = std::max(highest_label, label_of(slot.key));
    });
  }

  // Calls visit(key, weight) in ascending order of the keys, however the table grew.
  template <class Visit>
  void for_each(Visit visit) const {
    table_.for_each([&](const WeightTable::Slot& slot) {
      const float weight = table_.averaged(slot);
      if (kept(weight)) visit(slot.key, weight);
    });
  }

  std::size_t count = 0;
  int highest_label = 0;  // of all features, those that are omitted too

 private:
  bool kept(float weight) const { return std::fabs(weight) > threshold_ && weight != 0.0f; }

  const WeightTable& table_;
  float threshold_;
};

}  // namespace turbotree::features
