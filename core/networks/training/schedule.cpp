#include "networks/training/schedule.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "common/random.h"

namespace turbotree::networks {
namespace {

template <class Item>
void shuffle(std::vector<Item>& items, Random& random) {
  for (std::size_t left = items.size(); left > 1; --left)
    std::swap(items[left - 1], items[random.next() % left]);
}

}  // namespace

Batches draw_batches(std::span<const std::int32_t> lengths, int words, std::uint64_t seed,
                     std::int64_t epoch) {
  // A stream that no update draws its dropout from.
  Random random(seed, ~static_cast<std::uint64_t>(epoch + 1));
  std::vector<std::int32_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, random);
  // Pools of this many batches are sorted by length.
  constexpr std::int64_t kPool = 16;
  std::vector<std::vector<std::int32_t>> batches;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    for (std::int64_t taken = 0; end < order.size() && taken < kPool * words; ++end)
      taken += lengths[order[end]];
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
                     order.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](std::int32_t a, std::int32_t b) { return lengths[a] < lengths[b]; });
    std::int64_t taken = words;  // full: the first sentence opens a batch
    for (; begin < end; ++begin) {
      if (taken + lengths[order[begin]] > words) {
        batches.emplace_back();
        taken = 0;
      }
      batches.back().push_back(order[begin]);
      taken += lengths[order[begin]];
    }
  }
  shuffle(batches, random);
  Batches result;
  for (const auto& batch : batches) {
    result.sentences.insert(result.sentences.end(), batch.begin(), batch.end());
    result.offsets.push_back(static_cast<std::int32_t>(result.sentences.size()));
  }
  return result;
}

}  // namespace turbotree::networks
