// The batches of sentences of an epoch, and their order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace turbotree::networks {

struct Batches {
  std::vector<std::int32_t> sentences;
  std::vector<std::int32_t> offsets{0};  // batch i: sentences[offsets[i]], ...
};

// Batches of up to `words` words each (or one longer sentence), drawn again for each
// epoch. Those of one batch are of about the same length, which keeps the steps of an LSTM full.
Batches draw_batches(std::span<const std::int32_t> lengths, int words, std::uint64_t seed,
                     std::int64_t epoch);

}  // namespace turbotree::networks
