#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace turbotree::networks::quantised {
namespace {

using Step = std::int16_t;
using PackedStep = std::int16_t;
constexpr int kGroup = 2;
constexpr int kOffset = 0;
using Lanes = __m512i;
using Sums = __m512i;

inline __attribute__((always_inline)) Sums accumulated(Sums sums, Lanes b, std::int32_t a) {
  return _mm512_add_epi32(sums, _mm512_madd_epi16(b, _mm512_set1_epi32(a)));
}

}  // namespace
}  // namespace turbotree::networks::quantised

#define KERNEL_NAME "avx512"
#define KERNEL_ROWS 12
#include "networks/quantised/kernels_body.h"

namespace turbotree::networks::quantised {
extern const Kernels kAvx512Kernels;
const Kernels kAvx512Kernels = kKernels;
}  // namespace turbotree::networks::quantised
