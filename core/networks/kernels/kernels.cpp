#include "networks/kernels/kernels.h"

#include <vector>

namespace turbotree::networks {

extern const Kernels kPlainKernels;
#if defined(TURBOTREE_X86_KERNELS)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

namespace {

std::vector<const Kernels*> found_kernels() {
  std::vector<const Kernels*> found;
#if defined(TURBOTREE_X86_KERNELS)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    found.push_back(&kAvx512Kernels);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    found.push_back(&kAvx2Kernels);
#endif
  found.push_back(&kPlainKernels);
  return found;
}

}  // namespace

std::span<const Kernels* const> available_kernels() {
  static const std::vector<const Kernels*> available = found_kernels();
  return available;
}

const Kernels* find_kernels(std::string_view name) {
  for (const Kernels* kernels : available_kernels())
    if (name == kernels->name) return kernels;
  return nullptr;
}

}  // namespace turbotree::networks
