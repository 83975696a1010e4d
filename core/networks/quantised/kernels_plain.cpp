// What every processor runs: SSE2 on x86-64, elsewhere whatever the compiler makes of it.
#define KERNEL_NAME "plain"
#define KERNEL_ROWS 5
#define KERNEL_BITS 128
#define KERNEL_VNNI 0
#include "networks/quantised/kernels_body.h"

namespace turbotree::networks::quantised {
extern const Kernels kPlainKernels;
const Kernels kPlainKernels = kKernels;
}  // namespace turbotree::networks::quantised
