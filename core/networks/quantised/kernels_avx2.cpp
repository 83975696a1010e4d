#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace turbotree::networks::quantised {
namespace {

using Step = std::int16_t;
using PackedStep = std::int16_t;
constexpr int kGroup = 2;
constexpr int kOffset = 0;
using Lanes = __m256i;
using Sums = __m256i;

inline __attribute__((always_inline)) Sums accumulated(Sums sums, Lanes b, std::int32_t a) {
  return _mm256_add_epi32(sums, _mm256_madd_epi16(b, _mm256_set1_epi32(a)));
}

}  // namespace
}  // namespace turbotree::networks::quantised

#define KERNEL_NAME "avx2"
#define KERNEL_ROWS 6
#include "networks/quantised/kernels_body.h"

namespace turbotree::networks::quantised {
extern const Kernels kAvx2Kernels;
const Kernels kAvx2Kernels = kKernels;
}  // namespace turbotree::networks::quantised
