// AVX-VNNI, which newer processors without AVX-512 have.
#define KERNEL_NAME "avx2-vnni"
#define KERNEL_ROWS 6
#define KERNEL_BITS 256
#define KERNEL_VNNI 1
#include "networks/quantised/kernels_body.h"

namespace turbotree::networks::quantised {
extern const Kernels kAvx2VnniKernels;
const Kernels kAvx2VnniKernels = kKernels;
}  // namespace turbotree::networks::quantised
