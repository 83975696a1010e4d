// A small random generator whose numbers are the same on every platform.
#pragma once

#include <cstdint>

namespace turbotree {

// SplitMix64: a counter put through a mixing function. `stream` gives independent sequences for
// one seed, so that item i of a batch draws the same numbers whichever thread takes it.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(mix(seed) + mix(mix(stream + 0x632be59bd9b4e019ull))) {}

  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15ull); }

  // Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }

  std::uint64_t state_;
};

}  // namespace turbotree
