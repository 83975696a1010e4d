// One direction of an LSTM layer over a batch (Hochreiter & Schmidhuber 1997).
#pragma once

#include <algorithm>
#include <vector>

#include "networks/batch.h"
#include "networks/kernels/kernels.h"
#include "networks/matrix.h"

namespace turbotree::networks {

enum class Direction { forward, backward };

// The steps in the order of a direction; the step before each, and how many rows it has in common.
template <class Use>
void for_steps(const Steps& steps, Direction direction, Use use) {
  const int count = steps.steps();
  for (int i = 0; i < count; ++i) {
    const int t = direction == Direction::forward ? i : count - 1 - i;
    const int previous = direction == Direction::forward ? t - 1 : t + 1;
    const int common = i == 0 ? 0 : std::min(steps.rows(t), steps.rows(previous));
    use(t, previous, common);
  }
}

// The weights, packed for what reads them. The transposed ones are for training only.
struct LstmWeights {
  Packed input, recurrent;
  Packed input_transposed, recurrent_transposed;
  const float* bias = nullptr;
};

// What the backward pass needs of the forward pass: rows of the batch x 4 hidden, x hidden.
struct LstmTrace {
  std::vector<float> gates, cell;
};

// `output` has a row of `output_row` floats per word; this direction writes `hidden` of them.
void lstm_forward(const Kernels& kernels, const LstmWeights& weights, int hidden,
                  Direction direction, const Steps& steps, const float* input, int input_size,
                  float* output, int output_row, LstmTrace& trace);

struct LstmGradient {
  float* input;
  float* recurrent;
  float* bias;
};

struct LstmBuffers {
  std::vector<float> d_carried, d_cell, previous;
  ProductBuffers products;
};

// The trace is used up. d_input is added to, unless it is null.
void lstm_backward(const Kernels& kernels, const LstmWeights& weights, int hidden,
                   Direction direction, const Steps& steps, const float* input, int input_size,
                   const float* output, const float* d_output, int output_row, LstmTrace& trace,
                   float* d_input, const LstmGradient& gradient, LstmBuffers& buffers);

}  // namespace turbotree::networks
