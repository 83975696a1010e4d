// What every processor runs: SSE2 on x86-64, NEON on ARM64, whatever the compiler makes of it.
#define KERNEL_NAME "plain"
#define KERNEL_LANES 4
#define KERNEL_ROWS 6
#define KERNEL_VECTORS 2
#include "networks/kernels/kernels_body.h"

namespace turbotree::networks {
extern const Kernels kPlainKernels;
const Kernels kPlainKernels = kKernels;
}  // namespace turbotree::networks
