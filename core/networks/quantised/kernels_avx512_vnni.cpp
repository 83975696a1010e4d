// With AVX-512's instructions for neural networks: four products of bytes at once. They want the
// bytes of one side unsigned, so that B's steps are kept 128 larger than they are.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace turbotree::networks::quantised {
namespace {

using Step = std::int8_t;
using PackedStep = std::uint8_t;
constexpr int kGroup = 4;
constexpr int kOffset = 128;
using Lanes = __m512i;
using Sums = __m512i;

inline __attribute__((always_inline)) Sums accumulated(Sums sums, Lanes b, std::int32_t a) {
  return _mm512_dpbusd_epi32(sums, b, _mm512_set1_epi32(a));
}

}  // namespace
}  // namespace turbotree::networks::quantised

#define KERNEL_NAME "avx512-vnni"
#define KERNEL_ROWS 12
#include "networks/quantised/kernels_body.h"

namespace turbotree::networks::quantised {
extern const Kernels kAvx512VnniKernels;
const Kernels kAvx512VnniKernels = kKernels;
}  // namespace turbotree::networks::quantised
