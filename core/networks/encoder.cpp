#include "networks/encoder.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace turbotree::networks {

void PackedWeights::pack(const float* all, Packing packing) {
  weights = all;
  const bool transposed = packing == Packing::training;
  const auto both = [&](const Block& block, Packed& to, Packed* back) {
    const float* const from = all + block.offset;
    to.pack(*kernels, from, block.rows, block.columns, block.columns, 1);
    if (transposed && back != nullptr)
      back->pack(*kernels, from, block.columns, block.rows, 1, block.columns);
  };
  if (packing != Packing::scores) {
    both(layout->projection, projection, nullptr);
    lstm.resize(layout->lstm.size());
    for (std::size_t i = 0; i < lstm.size(); ++i) {
      both(layout->lstm[i].input, lstm[i].input, &lstm[i].input_transposed);
      both(layout->lstm[i].recurrent, lstm[i].recurrent, &lstm[i].recurrent_transposed);
      lstm[i].bias = all + layout->lstm[i].bias.offset;
    }
    both(layout->perceptrons, perceptrons, &perceptrons_transposed);
  }
  both(layout->arc, arc, &arc_transposed);
  both(layout->label, label, &label_transposed);
  both(layout->label_modifier, label_modifier, &label_modifier_transposed);
  both(layout->label_head, label_head, &label_head_transposed);
  both(layout->column, column, &column_transposed);
}

void encode(const PackedWeights& packed, const Inputs& inputs, const Steps& steps,
            const DropoutShares* dropout, Random& random, Activations& activations) {
  const Layout& layout = *packed.layout;
  const Sizes& sizes = layout.sizes;
  const Kernels& kernels = *packed.kernels;
  const auto rows = static_cast<std::size_t>(steps.total());
  activations.masks.resize(sizes.layers + 1);
  activations.inputs.resize(sizes.layers + 1);
  activations.outputs.resize(sizes.layers);
  activations.traces.resize(2 * sizes.layers);
  if (dropout != nullptr) {
    activations.hidden.draw(dropout->input, inputs, steps, random);
    for (int layer = 0; layer <= sizes.layers; ++layer)
      activations.masks[layer].draw(
          dropout->lstm, dropout->shared, steps,
          layer < sizes.layers ? sizes.layer_input(layer) : sizes.output(), random);
    activations.perceptron_mask.draw(dropout->perceptrons, dropout->shared, steps,
                                     sizes.perceptrons(), random);
  } else {
    activations.hidden = {};
    activations.masks.assign(sizes.layers + 1, {});
    activations.perceptron_mask = {};
  }
  activations.inputs[0].resize(rows * sizes.input.size());
  const InputSizes& input_sizes = sizes.input;
  float* const first = activations.inputs[0].data();
  embed(kernels.add_scaled, layout, packed.weights, inputs, steps, activations.hidden, first);
  if (input_sizes.projected_size > 0)
    multiply(
        kernels, gather_vectors(layout, packed.vectors, inputs, steps, activations.hidden).data(),
        steps.total(), packed.projection, first + input_sizes.size() - input_sizes.projected_size,
        false, input_sizes.vector_size, input_sizes.size());
  const int hidden = sizes.hidden;
  for (int layer = 0; layer < sizes.layers; ++layer) {
    std::vector<float>& input = activations.inputs[layer];
    activations.masks[layer].apply(steps, input.data());
    std::vector<float>& output = activations.outputs[layer];
    output.resize(rows * 2 * hidden);
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      const int which = direction == Direction::forward ? 0 : 1;
      lstm_forward(kernels, packed.lstm[2 * layer + which], hidden, direction, steps, input.data(),
                   sizes.layer_input(layer), output.data() + which * hidden, 2 * hidden,
                   activations.traces[2 * layer + which]);
    }
    activations.inputs[layer + 1] = output;  // the layer's own steps know no dropout
  }
  std::vector<float>& last = activations.inputs[sizes.layers];
  activations.masks[sizes.layers].apply(steps, last.data());
  activations.perceptrons.resize(rows * sizes.perceptrons());
  multiply(kernels, last.data(), steps.total(), packed.perceptrons, activations.perceptrons.data(),
           false, sizes.output(), sizes.perceptrons());
  kernels.leaky_forward(activations.perceptrons.data(),
                        packed.weights + layout.perceptron_bias.offset, steps.total(),
                        sizes.perceptrons());
  activations.perceptron_mask.apply(steps, activations.perceptrons.data());
}

void encode_backward(const PackedWeights& packed, const Inputs& inputs, const Steps& steps,
                     Activations& activations, std::vector<float>& d_perceptrons, float* gradient,
                     TouchedRows& touched, EncoderBuffers& buffers) {
  const Layout& layout = *packed.layout;
  const Sizes& sizes = layout.sizes;
  const Kernels& kernels = *packed.kernels;
  const int total = steps.total();
  const auto rows = static_cast<std::size_t>(total);
  ProductBuffers& products = buffers.lstm.products;

  activations.perceptron_mask.apply(steps, d_perceptrons.data());
  // Dropped values are zero, and so are their derivatives by now: the slope there does not matter.
  kernels.leaky_backward(activations.perceptrons.data(), d_perceptrons.data(),
                         total * sizes.perceptrons());
  for (int row = 0; row < total; ++row)
    kernels.add_scaled(
        d_perceptrons.data() + static_cast<std::ptrdiff_t>(row) * sizes.perceptrons(), 1.0f,
        gradient + layout.perceptron_bias.offset, sizes.perceptrons());
  multiply_transposed(kernels, activations.inputs[sizes.layers].data(), sizes.output(),
                      sizes.output(), d_perceptrons.data(), sizes.perceptrons(),
                      sizes.perceptrons(), total, gradient + layout.perceptrons.offset, products);
  std::vector<float>& d_output = buffers.d_output;
  d_output.resize(rows * sizes.output());
  multiply(kernels, d_perceptrons.data(), total, packed.perceptrons_transposed, d_output.data(),
           false, sizes.perceptrons(), sizes.output());
  activations.masks[sizes.layers].apply(steps, d_output.data());

  const int hidden = sizes.hidden;
  for (int layer = sizes.layers - 1; layer >= 0; --layer) {
    std::vector<float>& d_input = buffers.d_input;
    d_input.assign(rows * sizes.layer_input(layer), 0.0f);
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      const int which = direction == Direction::forward ? 0 : 1;
      const LstmBlocks& blocks = layout.lstm[2 * layer + which];
      lstm_backward(kernels, packed.lstm[2 * layer + which], hidden, direction, steps,
                    activations.inputs[layer].data(), sizes.layer_input(layer),
                    activations.outputs[layer].data() + which * hidden,
                    d_output.data() + which * hidden, 2 * hidden,
                    activations.traces[2 * layer + which], d_input.data(),
                    {gradient + blocks.input.offset, gradient + blocks.recurrent.offset,
                     gradient + blocks.bias.offset},
                    buffers.lstm);
    }
    activations.masks[layer].apply(steps, d_input.data());
    std::swap(d_output, d_input);
  }
  embed_backward(kernels, layout, packed.vectors, inputs, steps, activations.hidden,
                 d_output.data(), gradient, touched, products);
}

}  // namespace turbotree::networks
