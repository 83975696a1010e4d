// A feature is a 64-bit key:  [ hash of its values: 42 | template number + 1: 10 | label: 12 ].
//
// The hash is on top because tables take a slot's home from the top bits. The label is not part
// of the hash, on purpose: all labels of one feature then live next to each other, and one cache
// line answers for all of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace turbotree::features {

using Key = std::uint64_t;

inline constexpr int label_bits = 12;
inline constexpr int template_bits = 10;
inline constexpr int max_labels = 1 << label_bits;
inline constexpr int max_templates = (1 << template_bits) - 1;
inline constexpr Key label_mask = (Key{1} << label_bits) - 1;
inline constexpr Key hash_mask = ~((Key{1} << (label_bits + template_bits)) - 1);

// A bijective mixer with full avalanche (two multiply-xorshift rounds).
inline constexpr Key mix(Key x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  return x;
}

inline constexpr Key combine(Key hash, Key value) {
  return mix(hash ^ (value + 0x9e3779b97f4a7c15ULL));
}

inline constexpr Key make_key(Key hash, int template_number) {
  return (hash & hash_mask) | (static_cast<Key>(template_number + 1) << label_bits);
}

// Where a table of this many slots starts to look for a key: the same place for all labels.
inline constexpr std::size_t home_of(Key key, std::size_t slots) {
  return static_cast<std::size_t>((static_cast<unsigned __int128>(key & hash_mask) * slots) >> 64);
}

inline constexpr Key without_label(Key key) { return key & ~label_mask; }

// -1 for what is no feature's key.
inline constexpr int template_of(Key key) {
  return static_cast<int>((key & ~hash_mask) >> label_bits) - 1;
}

inline constexpr int label_of(Key key) { return static_cast<int>(key & label_mask); }

}  // namespace turbotree::features
