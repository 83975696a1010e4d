// The input of each word: its embeddings side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "common/random.h"
#include "networks/batch.h"
#include "networks/kernels/kernels.h"
#include "networks/layout.h"
#include "networks/matrix.h"

namespace turbotree::networks {

// What training hides of the input: unknown words and absent tags will come later on.
struct InputDropout {
  std::vector<float> word_shares;  // of each word's embedding: how often it is made unknown
  std::vector<float> lemma_shares;
  float group_share = 0.0f;  // how often a whole group is omitted
};

// Which ids and groups of a batch were drawn; empty: all as they are.
struct HiddenInputs {
  std::vector<std::uint8_t> unknown_word, unknown_lemma;
  std::vector<std::uint8_t> dropped;  // a bit per group

  void draw(const InputDropout& dropout, const Inputs& inputs, const Steps& steps, Random& random);
};

// Which rows of the tables have a gradient.
struct TouchedRows {
  std::vector<std::uint8_t> words, surfaces, tags, lemmas;
  explicit TouchedRows(const InputSizes& sizes)
      : words(sizes.words), surfaces(sizes.surfaces), tags(sizes.tags), lemmas(sizes.lemmas) {}
};

using AddScaled = void (*)(const float* from, float scale, float* to, int count);

// The sums of embeddings. to: rows of the batch x the input's size; what is projected from the
// pretrained vectors is left at zero.
void embed(AddScaled add_scaled, const Layout& layout, const float* weights, const Inputs& inputs,
           const Steps& steps, const HiddenInputs& hidden, float* to);

// The pretrained vectors of a batch, zero for words that have none.
std::vector<float> gather_vectors(const Layout& layout, const float* vectors, const Inputs& inputs,
                                  const Steps& steps, const HiddenInputs& hidden);

void embed_backward(const Kernels& kernels, const Layout& layout, const float* vectors,
                    const Inputs& inputs, const Steps& steps, const HiddenInputs& hidden,
                    const float* d, float* gradient, TouchedRows& touched, ProductBuffers& buffers);

}  // namespace turbotree::networks
