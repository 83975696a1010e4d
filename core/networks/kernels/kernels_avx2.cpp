#define KERNEL_NAME "avx2"
#define KERNEL_LANES 8
#define KERNEL_ROWS 6
#define KERNEL_VECTORS 2
#include "networks/kernels/kernels_body.h"

namespace turbotree::networks {
extern const Kernels kAvx2Kernels;
const Kernels kAvx2Kernels = kKernels;
}  // namespace turbotree::networks
