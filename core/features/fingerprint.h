// How frozen tables tell features apart without keeping their keys.
#pragma once

#include <cstdint>

#include "features/keys.h"

namespace turbotree::features {

// The high bits of a tag, the low `free_bits` being zero; never 0, which marks an empty slot.
inline constexpr std::uint32_t fingerprint(Key key, int free_bits) {
  const auto hash = static_cast<std::uint32_t>(mix(key >> label_bits));
  const std::uint32_t high = hash >> free_bits << free_bits;
  return high == 0 ? std::uint32_t{1} << free_bits : high;
}

}  // namespace turbotree::features
