#define KERNEL_NAME "avx2"
#define KERNEL_ROWS 6
#define KERNEL_BITS 256
#define KERNEL_VNNI 0
#include "networks/quantised/kernels_body.h"

namespace turbotree::networks::quantised {
extern const Kernels kAvx2Kernels;
const Kernels kAvx2Kernels = kKernels;
}  // namespace turbotree::networks::quantised
