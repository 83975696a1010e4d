#include "networks/quantised/kernels.h"

#include <string_view>
#include <vector>
#if defined(TURBOTREE_X86_KERNELS)
#include <cpuid.h>
#endif

namespace turbotree::networks::quantised {

extern const Kernels kPlainKernels;
#if defined(TURBOTREE_X86_KERNELS)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
extern const Kernels kAvx2VnniKernels;
extern const Kernels kAvx512VnniKernels;
#endif

namespace {

#if defined(TURBOTREE_X86_KERNELS)
// Compilers of today do not all know the name of this feature.
bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a >> 4 & 1) != 0;
}
#endif

std::vector<const Kernels*> found_kernels() {
  std::vector<const Kernels*> found;
#if defined(TURBOTREE_X86_KERNELS)
  if (find_kernels("avx512") != nullptr) {
    if (__builtin_cpu_supports("avx512vnni")) found.push_back(&kAvx512VnniKernels);
    found.push_back(&kAvx512Kernels);
  }
  if (find_kernels("avx2") != nullptr) {
    if (has_avx_vnni()) found.push_back(&kAvx2VnniKernels);
    found.push_back(&kAvx2Kernels);
  }
#endif
  found.push_back(&kPlainKernels);
  return found;
}

}  // namespace

std::span<const Kernels* const> available_kernels() {
  static const std::vector<const Kernels*> available = found_kernels();
  return available;
}

const Kernels& kernels_of(const networks::Kernels& set) {
  // The first whose name begins so: avx512-vnni before avx512.
  for (const Kernels* kernels : available_kernels())
    if (std::string_view(kernels->name).starts_with(set.name)) return *kernels;
  return kPlainKernels;
}

}  // namespace turbotree::networks::quantised
