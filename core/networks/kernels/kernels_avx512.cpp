#define KERNEL_NAME "avx512"
#define KERNEL_LANES 16
#define KERNEL_ROWS 12
#define KERNEL_VECTORS 2
#include "networks/kernels/kernels_body.h"

namespace turbotree::networks {
extern const Kernels kAvx512Kernels;
const Kernels kAvx512Kernels = kKernels;
}  // namespace turbotree::networks
