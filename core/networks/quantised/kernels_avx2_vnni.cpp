// With AVX-VNNI, which newer processors without AVX-512 have: four products of bytes at once. They
// want the bytes of one side unsigned, so that B's steps are kept 128 larger than they are.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace turbotree::networks::quantised {
namespace {

using Step = std::int8_t;
using PackedStep = std::uint8_t;
constexpr int kGroup = 4;
constexpr int kOffset = 128;
using Lanes = __m256i;
using Sums = __m256i;

inline __attribute__((always_inline)) Sums accumulated(Sums sums, Lanes b, std::int32_t a) {
  return _mm256_dpbusd_avx_epi32(sums, b, _mm256_set1_epi32(a));
}

}  // namespace
}  // namespace turbotree::networks::quantised

#define KERNEL_NAME "avx2-vnni"
#define KERNEL_ROWS 6
#include "networks/quantised/kernels_body.h"

namespace turbotree::networks::quantised {
extern const Kernels kAvx2VnniKernels;
const Kernels kAvx2VnniKernels = kKernels;
}  // namespace turbotree::networks::quantised
