// From words to what arcs, labels and columns are scored by: embeddings, BiLSTM layers,
// perceptrons.
#pragma once

#include <vector>

#include "common/random.h"
#include "networks/batch.h"
#include "networks/dropout.h"
#include "networks/embedding.h"
#include "networks/kernels/kernels.h"
#include "networks/layout.h"
#include "networks/lstm.h"
#include "networks/matrix.h"

namespace turbotree::networks {

// What packed weights are for: for all that training does; for encoding and scoring; or for scoring
// alone, where others encode.
enum class Packing { training, everything, scores };

// All weights, packed. The transposed ones are for training only.
struct PackedWeights {
  PackedWeights(const Kernels& kernels, const Layout& layout)
      : kernels(&kernels), layout(&layout) {}

  void pack(const float* weights, Packing packing);

  const Kernels* kernels;
  const Layout* layout;
  const float* weights = nullptr;  // as they are
  const float* vectors = nullptr;  // the pretrained ones
  Packed projection;
  std::vector<LstmWeights> lstm;
  Packed perceptrons, perceptrons_transposed;
  Packed arc, arc_transposed;
  Packed label, label_transposed;
  Packed label_modifier, label_modifier_transposed;
  Packed label_head, label_head_transposed;
  Packed column, column_transposed;
};

struct DropoutShares {
  InputDropout input;
  float lstm = 0.0f;         // of what goes into each layer and into the perceptrons
  float perceptrons = 0.0f;  // of what comes out of them
  bool shared = true;        // the same for all words of a sentence
};

// Everything that one batch of sentences went through.
struct Activations {
  HiddenInputs hidden;
  std::vector<DropoutMask> masks;  // of each layer's input, and of the perceptrons'
  DropoutMask perceptron_mask;
  std::vector<std::vector<float>> inputs;   // of each layer, then of the perceptrons
  std::vector<std::vector<float>> outputs;  // of each layer, before dropout
  std::vector<LstmTrace> traces;            // forward and backward of each layer
  std::vector<float> perceptrons;           // rows x sizes.perceptrons()
};

// Draws what is dropped, if anything, from `random`.
void encode(const PackedWeights& packed, const Inputs& inputs, const Steps& steps,
            const DropoutShares* dropout, Random& random, Activations& activations);

struct EncoderBuffers {
  std::vector<float> d_output, d_input;
  LstmBuffers lstm;
};

// d_perceptrons is changed; the activations are used up.
void encode_backward(const PackedWeights& packed, const Inputs& inputs, const Steps& steps,
                     Activations& activations, std::vector<float>& d_perceptrons, float* gradient,
                     TouchedRows& touched, EncoderBuffers& buffers);

}  // namespace turbotree::networks
