// What of a training table goes into a frozen one: averaged weights that are not negligible.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "features/keys.h"
#include "features/weight_table.h"

namespace turbotree::features {

class KeptWeights {
 public:
  // Weights of at most `threshold` in magnitude are left out.
  KeptWeights(const WeightTable& table, float threshold) : table_(table), threshold_(threshold) {
    for_each([this](Key key, float) {
      ++count_;
      highest_label_ = std::max(highest_label_, label_of(key));
    });
  }

  std::size_t count() const { return count_; }
  int highest_label() const { return highest_label_; }

  // Calls visit(key, weight) in the order of the keys, which does not depend on how the table grew.
  template <class Visit>
  void for_each(Visit visit) const {
    table_.for_each([&](const WeightTable::Slot& slot) {
      const float weight = table_.averaged(slot);
      if (std::fabs(weight) > threshold_) visit(slot.key, weight);
    });
  }

 private:
  const WeightTable& table_;
  float threshold_;
  std::size_t count_ = 0;
  int highest_label_ = 0;
};

}  // namespace turbotree::features
