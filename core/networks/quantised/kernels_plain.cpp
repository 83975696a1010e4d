// What every processor runs: SSE2 on x86-64, elsewhere whatever the compiler makes of it.
#include <cstddef>
#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace turbotree::networks::quantised {
namespace {

using Step = std::int16_t;
using PackedStep = std::int16_t;
constexpr int kGroup = 2;
constexpr int kOffset = 0;

#if defined(__SSE2__)
using Lanes = __m128i;
using Sums = __m128i;

inline __attribute__((always_inline)) Sums accumulated(Sums sums, Lanes b, std::int32_t a) {
  return _mm_add_epi32(sums, _mm_madd_epi16(b, _mm_set1_epi32(a)));
}
#else
struct Lanes {
  std::int16_t steps[8];
};
struct Sums {
  std::int32_t lane[4];
};

inline __attribute__((always_inline)) Sums accumulated(Sums sums, Lanes b, std::int32_t a) {
  std::int16_t pair[2];
  __builtin_memcpy(pair, &a, sizeof a);
  for (int i = 0; i < 4; ++i)
    sums.lane[i] += b.steps[2 * i] * pair[0] + b.steps[2 * i + 1] * pair[1];
  return sums;
}
#endif

}  // namespace
}  // namespace turbotree::networks::quantised

#define KERNEL_NAME "plain"
#define KERNEL_ROWS 5
#include "networks/quantised/kernels_body.h"

namespace turbotree::networks::quantised {
extern const Kernels kPlainKernels;
const Kernels kPlainKernels = kKernels;
}  // namespace turbotree::networks::quantised
