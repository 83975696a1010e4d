// The encoder of a trained network whose weights have 8 bits: what networks::encode computes, with
// products in whole numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "networks/batch.h"
#include "networks/layout.h"
#include "networks/lstm.h"
#include "networks/quantised/kernels.h"
#include "networks/quantised/matrix.h"

namespace turbotree::networks::quantised {

// What a thread needs for encoding, and what comes out.
struct Buffers {
  std::vector<float> input, output, gates, cell;
  std::vector<float> perceptrons;  // rows of the batch x sizes.perceptrons()
  std::vector<std::byte> scratch;
};

class Encoder {
 public:
  // The weights and the pretrained vectors are kept by the caller.
  Encoder(const Kernels& kernels, const Layout& layout, const float* weights, const float* vectors);

  void encode(const Inputs& inputs, const Steps& steps, Buffers& buffers) const;

 private:
  struct Lstm {
    Matrix input, recurrent;
    const float* bias;
  };

  void embed(const Inputs& inputs, const Steps& steps, Buffers& buffers) const;
  void run(const Lstm& lstm, Direction direction, int input_size, const Steps& steps, float* output,
           Buffers& buffers) const;

  const Kernels* kernels_;
  const Layout* layout_;
  const float* weights_;
  const float* vectors_;
  Matrix projection_;
  std::vector<Lstm> lstm_;
  Matrix perceptrons_;
};

}  // namespace turbotree::networks::quantised
