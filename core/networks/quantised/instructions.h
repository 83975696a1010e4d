// What one instruction multiplies and adds up, by the instructions that a file is compiled for.
//
// A file that includes this defines KERNEL_BITS, those of a register, and KERNEL_VNNI: whether
// there are instructions for four products of bytes at once. These want the bytes of one side
// unsigned, so that B's steps are kept 128 larger than they are. Others multiply pairs of 16 bits.
#pragma once

#include <cstdint>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "common/vectorize.h"

namespace turbotree::networks::quantised {
namespace {

#if KERNEL_VNNI
using Step = std::int8_t;
using PackedStep = std::uint8_t;
constexpr int kGroup = 4;
constexpr int kOffset = 128;
#else
using Step = std::int16_t;
using PackedStep = std::int16_t;
constexpr int kGroup = 2;
constexpr int kOffset = 0;
#endif

#if KERNEL_BITS == 512
using Lanes = __m512i;
using Sums = __m512i;

TURBOTREE_INLINE Sums accumulated(Sums sums, Lanes b, std::int32_t a) {
#if KERNEL_VNNI
  return _mm512_dpbusd_epi32(sums, b, _mm512_set1_epi32(a));
#else
  return _mm512_add_epi32(sums, _mm512_madd_epi16(b, _mm512_set1_epi32(a)));
#endif
}
#elif KERNEL_BITS == 256
using Lanes = __m256i;
using Sums = __m256i;

TURBOTREE_INLINE Sums accumulated(Sums sums, Lanes b, std::int32_t a) {
#if KERNEL_VNNI
  return _mm256_dpbusd_avx_epi32(sums, b, _mm256_set1_epi32(a));
#else
  return _mm256_add_epi32(sums, _mm256_madd_epi16(b, _mm256_set1_epi32(a)));
#endif
}
#elif defined(__SSE2__)
using Lanes = __m128i;
using Sums = __m128i;

TURBOTREE_INLINE Sums accumulated(Sums sums, Lanes b, std::int32_t a) {
  return _mm_add_epi32(sums, _mm_madd_epi16(b, _mm_set1_epi32(a)));
}
#else
struct Lanes {
  std::int16_t steps[8];
};
struct Sums {
  std::int32_t lane[4];
};

TURBOTREE_INLINE Sums accumulated(Sums sums, Lanes b, std::int32_t a) {
  std::int16_t pair[2];
  __builtin_memcpy(pair, &a, sizeof a);
  for (int i = 0; i < 4; ++i)
    sums.lane[i] += b.steps[2 * i] * pair[0] + b.steps[2 * i + 1] * pair[1];
  return sums;
}
#endif

}  // namespace
}  // namespace turbotree::networks::quantised
