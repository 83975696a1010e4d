#include "features/tables/lazy_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace turbotree::features {
namespace {

constexpr std::size_t lookahead = 24;
// Long before the product of divisors overflows, or the list of steps outgrows the weights.
constexpr double largest_product = 1e12;
constexpr std::size_t most_steps = std::size_t{1} << 20;

}  // namespace

double LazyTable::length(const Slot& slot) const {
  if (!by_label_) return std::fabs(slot.weight);
  // Summed in ascending order: lengths must not depend on how the table grew.
  std::array<float, 64> few;
  std::vector<float> many;
  std::size_t count = 0;
  slots_.for_labels(without_label(slot.key), [&](const Slot& other) {
    const float magnitude = std::fabs(other.weight);
    if (count < few.size())
      few[count] = magnitude;
    else
      many.push_back(magnitude);
    ++count;
  });
  std::span<float> magnitudes{few.data(), std::min(count, few.size())};
  if (!many.empty()) {
    many.insert(many.end(), few.begin(), few.end());
    magnitudes = many;
  }
  std::sort(magnitudes.begin(), magnitudes.end());
  double squares = 0.0;
  for (const double magnitude : magnitudes) squares += magnitude * magnitude;
  return std::sqrt(squares);
}

// Brings the key's group, if any of it is there, to the present step.
void LazyTable::catch_up(Key key) {
  const auto now = static_cast<std::uint32_t>(steps_.size() - 1);
  if (!by_label_) {
    Slot* const slot = slots_.find_known(key);
    if (slot == nullptr || slot->step == now) return;
    slot->weight *= static_cast<float>(factor(length(*slot), slot->step));
    slot->step = now;
    return;
  }
  double shared = -1.0;
  slots_.for_labels(without_label(key), [&](Slot& slot) {
    if (slot.step == now) return;
    if (shared < 0.0) shared = factor(length(slot), slot.step);
    slot.weight *= static_cast<float>(shared);
    slot.step = now;
  });
}

void LazyTable::add(std::span<const Key> keys, std::span<const double> values, double scale) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + lookahead < keys.size()) prefetch(keys[i + lookahead]);
    catch_up(keys[i]);
    Slot& slot = slots_.make(keys[i]);
    slot.step = static_cast<std::uint32_t>(steps_.size() - 1);
    slot.weight += static_cast<float>(scale * values[i]);
  }
}

void LazyTable::shrink(double amount, double divisor) {
  const Steps& last = steps_.back();
  steps_.push_back({last.product * divisor, last.taken + amount * last.product});
  if (steps_.back().product > largest_product || steps_.size() > most_steps) compact();
}

void LazyTable::compact() {
  // A group is brought up to date as a whole: its length must not be read half-way.
  slots_.for_all([this](Slot& slot) { catch_up(slot.key); });
  slots_.for_all([](Slot& slot) { slot.step = 0; });
  steps_.assign(1, {1.0, 0.0});
  slots_.compact([](const Slot& slot) { return slot.weight != 0.0f; });
}

void LazyTable::restore(std::span<const Key> keys, std::span<const float> weights,
                        std::span<const std::uint32_t> slot_steps, std::vector<Steps> steps) {
  steps_ = std::move(steps);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Slot& slot = slots_.make(keys[i]);
    slot.weight = weights[i];
    slot.step = slot_steps[i];
  }
}

}  // namespace turbotree::features
