// Sentences as ids, and the order in which a network computes a few of them at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace turbotree::networks {

// The inputs of all words of some sentences, one after the other. Bags are the ids of kinds of
// words: word w has the surface features of its form's kind, and so on.
struct Inputs {
  std::span<const std::int32_t> starts;  // of the sentences, and the end
  std::span<const std::int32_t> words;   // 0: unknown
  std::span<const std::int32_t> lemmas;
  std::span<const std::int32_t> vectors;  // empty, or one per word
  std::span<const std::int32_t> forms;    // which bag of surface features
  std::span<const std::int32_t> surface_starts, surfaces;
  std::span<const std::int32_t> bundles;  // which bag of tag features
  std::span<const std::int32_t> tag_starts, tags;

  int sentences() const { return static_cast<int>(starts.size()) - 1; }
  int length(int sentence) const { return starts[sentence + 1] - starts[sentence]; }
};

// Some sentences, the longest first, word by word: the first words of all of them, then the second
// words, ... Step t has rows(t) of them, and row b of each step is of the same sentence.
struct Steps {
  // The sentences by their numbers in the inputs; ties keep their order.
  Steps(const Inputs& inputs, std::span<const std::int32_t> chosen);

  std::vector<std::int32_t> sentences;  // longest first
  std::vector<std::int32_t> lengths;
  std::vector<std::int32_t> begins;  // of the steps' rows, and the end
  std::vector<std::int32_t> tokens;  // of each row: which word of the inputs it is

  int steps() const { return static_cast<int>(begins.size()) - 1; }
  int rows(int step) const { return begins[step + 1] - begins[step]; }
  int total() const { return begins.back(); }
  // Where word `position` (from 0) of the b-th sentence is.
  int row(int b, int position) const { return begins[position] + b; }
};

}  // namespace turbotree::networks
