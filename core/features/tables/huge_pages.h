// Storage for large tables that are read at random places: asks the system for huge pages, which
// saves most of the address-translation misses.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace turbotree::features {

template <class T>
struct HugePageAllocator {
  using value_type = T;
  static constexpr std::size_t huge_page = std::size_t{1} << 21;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}

  static std::size_t alignment(std::size_t bytes) {
    return bytes >= huge_page ? huge_page : std::size_t{64};
  }

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* const memory = ::operator new(bytes, std::align_val_t{alignment(bytes)});
#if defined(__linux__)
    if (bytes >= huge_page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }

  void deallocate(T* memory, std::size_t count) {
    ::operator delete(memory, std::align_val_t{alignment(count * sizeof(T))});
  }

  template <class U>
  bool operator==(const HugePageAllocator<U>&) const {
    return true;
  }
};

template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace turbotree::features
