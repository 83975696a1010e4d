#include "features/tables/compact_rows.h"

#include <algorithm>

#include "common/interrupt.h"
#include "features/tables/frozen.h"

namespace turbotree::features {
namespace {

struct Entry {
  std::size_t home;
  Key key;
  std::uint16_t bits;
};

}  // namespace

std::vector<CompactRows::Word> CompactRows::build(const WeightTable& table, float threshold) {
  const Frozen frozen(table, threshold);
  std::vector<Entry> entries;
  entries.reserve(frozen.count);
  std::size_t features = 0;
  frozen.for_each([&](Key key, float weight) {
    const std::uint16_t bits = to_half(weight);
    if ((bits & 0x7fff) == 0) return;
    features += entries.empty() || without_label(entries.back().key) != without_label(key);
    entries.push_back({0, key, bits});
  });
  for (std::size_t homes = features + 1;; homes += homes / 2) {
    for (Entry& entry : entries) entry.home = home_of_hash(hash_of(entry.key), homes);
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      count_work(4);
      return a.home != b.home ? a.home < b.home : a.key < b.key;
    });
    std::vector<Word> bases, offsets, records;
    bool fits = true;
    std::size_t base = 0, e = 0;
    for (std::size_t home = 0; home <= homes; ++home) {
      count_work(8);
      if (home % block == 0) {
        base = records.size();
        bases.push_back(static_cast<Word>(base));
        bases.push_back(static_cast<Word>(base >> 16));
      }
      fits = fits && records.size() - base <= 0xffff;
      offsets.push_back(static_cast<Word>(records.size() - base));
      while (e < entries.size() && entries[e].home == home) {
        const Key feature = without_label(entries[e].key);
        records.push_back(tag_of(hash_of(feature)));
        for (; e < entries.size() && without_label(entries[e].key) == feature; ++e) {
          const bool ends = e + 1 == entries.size() || without_label(entries[e + 1].key) != feature;
          records.push_back(static_cast<Word>(label_of(entries[e].key) | (ends ? last : 0)));
          records.push_back(entries[e].bits);
        }
      }
    }
    if (!fits && homes < 64 * features + 64) continue;  // a block's records need shorter blocks
    if (!fits || homes > 0xffffffff || records.size() > 0xffffffff) return {};
    std::vector<Word> words{static_cast<Word>(homes), static_cast<Word>(homes >> 16)};
    words.insert(words.end(), bases.begin(), bases.end());
    words.insert(words.end(), offsets.begin(), offsets.end());
    words.insert(words.end(), records.begin(), records.end());
    return words;
  }
}

bool CompactRows::well_formed(std::span<const Word> words) {
  if (words.size() < 2) return false;
  const std::size_t homes = wide(words.data());
  const std::size_t before = 2 + 2 * blocks_of(homes) + homes + 1;
  if (homes == 0 || words.size() < before) return false;
  const CompactRows table(words);
  const std::size_t records = words.size() - before;
  if (table.position(0) != 0 || table.position(homes) != records) return false;
  for (std::size_t home = 0; home < homes; ++home) {
    const std::size_t end = table.position(home + 1);
    count_work(4);
    std::size_t at = table.position(home);
    if (at > end || end > records) return false;
    while (at < end) {
      ++at;
      Word label = 0;
      while ((label & last) == 0) {
        if (at + 2 > end) return false;
        label = table.records_[at];
        if ((label & ~last & 0xffff) >= max_labels) return false;
        at += 2;
      }
    }
  }
  return true;
}

std::size_t CompactRows::size() const {
  std::size_t count = 0;
  for (std::size_t at = 0; at < position(homes_);) {
    ++at;
    Word label = 0;
    for (; (label & last) == 0; at += 2, ++count) label = records_[at];
  }
  return count;
}

}  // namespace turbotree::features
