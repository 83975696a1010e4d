#include "features/tables/scaled_table.h"

#include <algorithm>
#include <cmath>

namespace turbotree::features {
namespace {

constexpr std::size_t lookahead = 24;
// Values grow as their scale shrinks; long before they overflow, the scale is multiplied in.
constexpr double smallest_scale = 1e-12;

}  // namespace

void ScaledTable::revive(Slot& slot, Group& own) {
  slot.value = 0.0f;
  slot.generation = own.generation;
  ++own.live;
  ++live_;
}

void ScaledTable::add(std::span<const Key> keys, std::span<const double> values, double scale) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + lookahead < keys.size()) prefetch(keys[i + lookahead]);
    // Room that dead features hold is used before more is asked for.
    if (slots_.full() && 2 * live_ < slots_.size())
      slots_.compact([this](const Slot& slot) { return alive(slot); });
    Slot& slot = slots_.make(keys[i]);
    Group& own = groups_[template_of(keys[i])];
    if (slot.generation != own.generation) revive(slot, own);
    const double before = slot.value;
    slot.value += static_cast<float>(scale * values[i] / own.scale);
    const double after = slot.value;
    const double change = own.scale * own.scale * (after - before) * (after + before);
    own.squared_norm = std::max(0.0, own.squared_norm + change);
  }
}

void ScaledTable::scale(std::span<const double> factors) {
  bool tiny = false;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    if (factors[g] == 0.0) {
      live_ -= group.live;
      group = Group{1.0, 0.0, 0, group.generation + 1};
    } else {
      group.scale *= factors[g];
      group.squared_norm *= factors[g] * factors[g];
      tiny |= group.scale < smallest_scale;
    }
  }
  if (tiny) compact();
}

// Replaces each live weight w by change(template, w), drops zeros and makes all scales one.
template <class Change>
void ScaledTable::rewrite(Change change) {
  std::size_t kept = 0;
  slots_.for_all([&](Slot& slot) {
    if (!alive(slot)) return;
    const int number = template_of(slot.key);
    slot.value = static_cast<float>(change(number, groups_[number].scale * slot.value));
    if (slot.value == 0.0f)
      slot.generation = 0;
    else
      ++kept;
  });
  // Moving all that lives costs far more than the memory of a few dead features.
  if (4 * kept < 3 * slots_.size())
    slots_.compact([this](const Slot& slot) { return alive(slot); });
  for (Group& group : groups_) group = Group{1.0, 0.0, 0, group.generation};
  // In the order of the keys: norms must not depend on how the table grew.
  slots_.for_each([&](const Slot& slot) {
    if (!alive(slot)) return;
    Group& own = groups_[template_of(slot.key)];
    ++own.live;
    own.squared_norm += static_cast<double>(slot.value) * slot.value;
  });
  live_ = kept;
}

void ScaledTable::compact() {
  rewrite([](int, double weight) { return weight; });
}

void ScaledTable::threshold(std::span<const double> amounts) {
  rewrite([&](int number, double weight) {
    const double left = std::fabs(weight) - amounts[number];
    return left <= 0.0 ? 0.0 : std::copysign(left, weight);
  });
}

void ScaledTable::clip(std::span<const double> limits) {
  rewrite([&](int number, double weight) {
    return std::clamp(weight, -limits[number], limits[number]);
  });
}

void ScaledTable::restore(std::span<const Key> keys, std::span<const float> values,
                          std::span<const double> scales, std::span<const double> squared_norms) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Slot& slot = slots_.make(keys[i]);
    Group& own = groups_[template_of(keys[i])];
    if (slot.generation != own.generation) revive(slot, own);
    slot.value = values[i];
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].scale = scales[g];
    groups_[g].squared_norm = squared_norms[g];
  }
}

}  // namespace turbotree::features
