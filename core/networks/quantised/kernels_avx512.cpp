#define KERNEL_NAME "avx512"
#define KERNEL_ROWS 12
#define KERNEL_BITS 512
#define KERNEL_VNNI 0
#include "networks/quantised/kernels_body.h"

namespace turbotree::networks::quantised {
extern const Kernels kAvx512Kernels;
const Kernels kAvx512Kernels = kKernels;
}  // namespace turbotree::networks::quantised
