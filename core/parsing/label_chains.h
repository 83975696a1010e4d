// The parts of a labelling: the modifiers of each head form a chain, left to right.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace turbotree::parsing {

// Which labels a modifier may take, by the classes (tags) of the modifier and its head.
struct LabelDictionary {
  std::size_t classes = 0;
  const std::int32_t* lists = nullptr;            // classes x classes: number of a list of labels
  std::span<const std::int32_t> offsets, labels;  // list i: labels[offsets[i] .. offsets[i + 1]]
};

bool valid(const LabelDictionary& dictionary);

struct LabelChains {
  // One row per word, in the order of the chains:
  // head, modifier, grandparent, sibling before, sibling after, leftmost child, rightmost child,
  // left children, right children, rank, last.
  static constexpr int node_width = 11;
  // One row for each word with a sibling before it and each label of that sibling:
  // head, modifier, sibling, label of the sibling.
  static constexpr int pair_width = 4;

  std::vector<std::int32_t> nodes, node_offsets;    // offsets by sentence
  std::vector<std::int32_t> words;                  // position of each node's word in the batch
  std::vector<std::int32_t> label_offsets, labels;  // by node
  std::vector<std::int32_t> pairs, pair_offsets;    // offsets by sentence
  std::vector<std::int32_t> pair_label_offsets, pair_labels;  // by pair
  std::vector<std::int32_t> edge_offsets;  // by node, as turbotree::chains wants them
};

// `heads` holds the heads of all words, sentence after sentence; `classes` the class of each
// word, each sentence preceded by its root. Returns false if a head or a class is out of range.
bool build_label_chains(std::span<const std::int32_t> lengths, std::span<const std::int32_t> heads,
                        std::span<const std::int32_t> classes, const LabelDictionary& dictionary,
                        LabelChains& chains);

}  // namespace turbotree::parsing
