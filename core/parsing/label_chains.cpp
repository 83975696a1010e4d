#include "parsing/label_chains.h"

#include <algorithm>

#include "common/interrupt.h"

namespace turbotree::parsing {
namespace {

constexpr std::int32_t most_counted = 3;

// The children of every word of one sentence, each list from left to right.
class Children {
 public:
  void fill(std::span<const std::int32_t> heads) {
    const std::size_t words = heads.size();
    offsets_.assign(words + 2, 0);
    for (const std::int32_t head : heads) ++offsets_[head + 1];
    for (std::size_t w = 0; w <= words; ++w) offsets_[w + 1] += offsets_[w];
    children_.resize(words);
    next_.assign(offsets_.begin(), offsets_.end());
    for (std::size_t w = 0; w < words; ++w)
      children_[next_[heads[w]]++] = static_cast<std::int32_t>(w) + 1;
  }
  std::span<const std::int32_t> of(std::int32_t word) const {
    return {children_.data() + offsets_[word], children_.data() + offsets_[word + 1]};
  }

 private:
  std::vector<std::int32_t> offsets_, children_, next_;
};

std::int32_t left_of(std::span<const std::int32_t> children, std::int32_t word) {
  return static_cast<std::int32_t>(std::lower_bound(children.begin(), children.end(), word) -
                                   children.begin());
}

}  // namespace

bool valid(const LabelDictionary& dictionary) {
  const auto& offsets = dictionary.offsets;
  if (offsets.size() < 2 || offsets.front() != 0 ||
      offsets.back() != static_cast<std::int32_t>(dictionary.labels.size()))
    return false;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    if (offsets[i] >= offsets[i + 1]) return false;
  const auto lists = static_cast<std::int32_t>(offsets.size()) - 1;
  return std::all_of(dictionary.lists, dictionary.lists + dictionary.classes * dictionary.classes,
                     [lists](std::int32_t list) { return list >= 0 && list < lists; });
}

bool build_label_chains(std::span<const std::int32_t> lengths, std::span<const std::int32_t> heads,
                        std::span<const std::int32_t> classes, const LabelDictionary& dictionary,
                        LabelChains& chains) {
  chains = LabelChains{};
  chains.node_offsets.push_back(0);
  chains.pair_offsets.push_back(0);
  chains.label_offsets.push_back(0);
  chains.pair_label_offsets.push_back(0);
  chains.edge_offsets.push_back(0);
  for (const std::int32_t c : classes)
    if (c < 0 || c >= static_cast<std::int32_t>(dictionary.classes)) return false;

  Children children;
  std::size_t first = 0;  // index of the sentence's first word in `heads`
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    const std::int32_t words = lengths[s];
    const auto own = heads.subspan(first, words);
    const std::int32_t* const own_classes = classes.data() + first + s;
    for (const std::int32_t head : own)
      if (head < 0 || head > words) return false;
    children.fill(own);
    for (std::int32_t head = 0; head <= words; ++head) {
      const auto siblings = children.of(head);
      const std::int32_t before_head = left_of(siblings, head);
      const auto count = static_cast<std::int32_t>(siblings.size());
      for (std::int32_t i = 0; i < count; ++i) {
        const std::int32_t modifier = siblings[i];
        count_work(500);
        const auto below = children.of(modifier);
        const std::int32_t left = left_of(below, modifier);
        const auto right = static_cast<std::int32_t>(below.size()) - left;
        const bool at_left = modifier < head;
        const std::int32_t rank = at_left ? before_head - 1 - i : i - before_head;
        const bool last = at_left ? i == 0 : i + 1 == count;
        const std::int32_t before = i > 0 ? siblings[i - 1] : -1;
        chains.nodes.insert(
            chains.nodes.end(),
            {head, modifier, head > 0 ? own[head - 1] : -1, before,
             i + 1 < count ? siblings[i + 1] : -1, below.empty() ? -1 : below.front(),
             below.empty() ? -1 : below.back(), std::min(left, most_counted),
             std::min(right, most_counted), std::min(rank, most_counted), last ? 1 : 0});
        chains.words.push_back(static_cast<std::int32_t>(first) + modifier - 1);

        const std::int32_t list =
            dictionary.lists[own_classes[modifier] * dictionary.classes + own_classes[head]];
        const auto labels = dictionary.labels.subspan(
            dictionary.offsets[list], dictionary.offsets[list + 1] - dictionary.offsets[list]);
        if (before >= 0) {
          const std::size_t from = chains.label_offsets[chains.label_offsets.size() - 2];
          const std::size_t to = chains.label_offsets.back();
          for (std::size_t k = from; k < to; ++k) {
            chains.pairs.insert(chains.pairs.end(), {head, modifier, before, chains.labels[k]});
            chains.pair_labels.insert(chains.pair_labels.end(), labels.begin(), labels.end());
            chains.pair_label_offsets.push_back(
                static_cast<std::int32_t>(chains.pair_labels.size()));
          }
        }
        chains.edge_offsets.push_back(static_cast<std::int32_t>(chains.pair_labels.size()));
        chains.labels.insert(chains.labels.end(), labels.begin(), labels.end());
        chains.label_offsets.push_back(static_cast<std::int32_t>(chains.labels.size()));
      }
    }
    first += words;
    chains.node_offsets.push_back(static_cast<std::int32_t>(first));
    chains.pair_offsets.push_back(static_cast<std::int32_t>(chains.pair_label_offsets.size()) - 1);
  }
  return true;
}

}  // namespace turbotree::parsing
