#define KERNEL_NAME "avx512-vnni"
#define KERNEL_ROWS 12
#define KERNEL_BITS 512
#define KERNEL_VNNI 1
#include "networks/quantised/kernels_body.h"

namespace turbotree::networks::quantised {
extern const Kernels kAvx512VnniKernels;
const Kernels kAvx512VnniKernels = kKernels;
}  // namespace turbotree::networks::quantised
