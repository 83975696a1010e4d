#include "networks/kernels.h"

#include <array>
#include <cstddef>

namespace turbotree::networks {

extern const Kernels kPlainKernels;
#if defined(TURBOTREE_X86_KERNELS)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

namespace {

struct Available {
  std::array<const Kernels*, 3> sets{};
  std::size_t count = 0;

  Available() {
#if defined(TURBOTREE_X86_KERNELS)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
      sets[count++] = &kAvx512Kernels;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      sets[count++] = &kAvx2Kernels;
#endif
    sets[count++] = &kPlainKernels;
  }
};

}  // namespace

std::span<const Kernels* const> available_kernels() {
  static const Available available;
  return {available.sets.data(), available.count};
}

const Kernels* find_kernels(std::string_view name) {
  for (const Kernels* kernels : available_kernels())
    if (name == kernels->name) return kernels;
  return nullptr;
}

}  // namespace turbotree::networks
