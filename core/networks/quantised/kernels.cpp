#include "networks/quantised/kernels.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace turbotree::networks::quantised {

extern const Kernels kPlainKernels;
#if defined(TURBOTREE_X86_KERNELS)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
extern const Kernels kAvx2VnniKernels;
extern const Kernels kAvx512VnniKernels;
#endif

namespace {

struct Available {
  std::array<const Kernels*, 5> sets{};
  std::size_t count = 0;

  Available() {
#if defined(TURBOTREE_X86_KERNELS)
    if (find_kernels("avx512") != nullptr) {
      if (__builtin_cpu_supports("avx512vnni")) sets[count++] = &kAvx512VnniKernels;
      sets[count++] = &kAvx512Kernels;
    }
    if (find_kernels("avx2") != nullptr) {
      if (__builtin_cpu_supports("avxvnni")) sets[count++] = &kAvx2VnniKernels;
      sets[count++] = &kAvx2Kernels;
    }
#endif
    sets[count++] = &kPlainKernels;
  }
};

}  // namespace

std::span<const Kernels* const> available_kernels() {
  static const Available available;
  return {available.sets.data(), available.count};
}

const Kernels& kernels_of(const networks::Kernels& set) {
  // The first whose name begins so: avx512-vnni before avx512.
  for (const Kernels* kernels : available_kernels())
    if (std::string_view(kernels->name).starts_with(set.name)) return *kernels;
  return kPlainKernels;
}

}  // namespace turbotree::networks::quantised
