// Attributes for hot loops, as GCC and Clang spell them.
#pragma once

#include <cstdlib>  // defines __GLIBC__ where it applies

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TURBOTREE_UNDER_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TURBOTREE_UNDER_SANITIZER 1
#endif

// TURBOTREE_CLONES compiles a function twice, for AVX2 and for any x86-64, and lets the loader
// choose. The arithmetic is the same operation by operation (no fused multiply-add), so both
// clones give the same bits. Clang exports what chooses, so that cloned functions need names that
// no other file has, in anonymous namespaces too. The choice needs glibc's indirect functions,
// which run before a sanitizer is ready.
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && \
    !defined(TURBOTREE_UNDER_SANITIZER) && (!defined(__clang__) || __clang_major__ >= 14)
#define TURBOTREE_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define TURBOTREE_CLONES
#endif

// Helpers called from a cloned function must be inlined to be compiled for its target.
#define TURBOTREE_INLINE inline __attribute__((always_inline))
#define TURBOTREE_INLINE_LAMBDA __attribute__((always_inline))
#define TURBOTREE_RESTRICT __restrict__
