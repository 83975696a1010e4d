// A trained network: encodes sentences, and scores arcs, their labels and those of words by
// log-probabilities.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "networks/batch.h"
#include "networks/biaffine.h"
#include "networks/encoder.h"
#include "networks/kernels/kernels.h"
#include "networks/layout.h"
#include "networks/quantised/encoder.h"

namespace turbotree::networks {

// Parts as turbotree.features has them: rows of head and modifier, sentence after sentence.
struct Arcs {
  std::span<const std::int32_t> rows;
  std::span<const std::int32_t> offsets;
};

struct LabelLists {
  std::span<const std::int32_t> offsets, labels;
};

// Arcs found, with their log-probabilities.
struct LikelyArcs {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> offsets{0};
  std::vector<double> log_probabilities;
};

class Network {
 public:
  // Weights of 8 bits can be computed with whole numbers: faster, and with the same encodings on
  // all processors.
  Network(const Kernels& kernels, const Layout& layout, std::vector<float> weights,
          std::vector<float> vectors, bool whole_numbers);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const Layout& layout() const { return layout_; }
  const Kernels& kernels() const { return *kernels_; }

  Encodings encode(const Inputs& inputs, int words_at_once, int threads) const;

  // log p(head | modifier) of each arc, among all heads that the modifier could have.
  void arcs(const Encodings& encodings, const Arcs& parts, double* log_probabilities) const;

  // log p(label | arc) for each label of each arc's list, among all labels.
  void labels(const Encodings& encodings, const Arcs& parts, const LabelLists& lists,
              double* log_probabilities) const;

  // log p(label | word) of all labels of a column for all words, word after word.
  void column(const Encodings& encodings, int number, float* log_probabilities) const;

  // All arcs whose probability is at least `threshold` times that of the modifier's best head, the
  // likeliest `max_heads` of each modifier; by head, then by modifier.
  LikelyArcs likely_arcs(const Encodings& encodings, double threshold, int max_heads) const;

 private:
  // Calls use(sentence, first modifier, end, rows of log-probabilities).
  template <class Use>
  void for_matrices(const Encodings& encodings, Use use) const;

  const Kernels* kernels_;
  Layout layout_;
  std::vector<float> weights_, vectors_;
  PackedWeights packed_;
  std::optional<quantised::Encoder> quantised_;
};

}  // namespace turbotree::networks
