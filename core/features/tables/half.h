// Numbers of 16 bits (IEEE 754 binary16) for the weights of compact models.
//
// A weight keeps eleven significant bits, whatever its size: a relative error of at most 2^-12.
// Weights scaled to whole numbers would all have the error of the largest one, and most weights
// are a hundred times smaller.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace turbotree::features {

// The nearest number, ties to even; what is too large becomes the largest there is.
inline std::uint16_t to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const float size = std::fabs(value);
  if (!(size < 65504.0f)) return sign | 0x7bffu;
  if (size < 0x1p-14f)  // below the normal numbers: multiples of 2^-24
    return sign | static_cast<std::uint16_t>(std::nearbyint(size * 0x1p24f));
  std::uint32_t wide = bits & 0x7fffffffu;
  wide += 0xfffu + (wide >> 13 & 1u);
  return sign | static_cast<std::uint16_t>((wide - (std::uint32_t{112} << 23)) >> 13);
}

inline float from_half(std::uint16_t half) {
  // The exponents' offsets differ by 112; the product is exact, for the smallest numbers too.
  const float size =
      std::bit_cast<float>(static_cast<std::uint32_t>(half & 0x7fffu) << 13) * 0x1p112f;
  return half & 0x8000u ? -size : size;
}

}  // namespace turbotree::features
