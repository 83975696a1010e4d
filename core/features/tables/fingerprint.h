// How frozen tables tell features apart without keeping their keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/keys.h"

namespace turbotree::features {

// Of a feature under all its labels.
inline constexpr Key hash_of(Key key) { return mix(key >> label_bits); }

// The high bits of a tag, the low `free_bits` being zero; never 0, which marks an empty slot.
inline constexpr std::uint32_t fingerprint(Key key, int free_bits) {
  const auto hash = static_cast<std::uint32_t>(hash_of(key));
  const std::uint32_t high = hash >> free_bits << free_bits;
  return high == 0 ? std::uint32_t{1} << free_bits : high;
}

// In 16 bits, of others than the home is; never 0.
inline constexpr std::uint16_t half_tag(Key hashed) {
  const auto low = static_cast<std::uint16_t>(hashed);
  return low == 0 ? 1 : low;
}

inline constexpr std::size_t home_of_hash(Key hashed, std::size_t homes) {
  return static_cast<std::size_t>((hashed >> 32) * homes >> 32);
}

}  // namespace turbotree::features
