#include "networks/quantised/encoder.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/interrupt.h"
#include "networks/embedding.h"

namespace turbotree::networks::quantised {

Encoder::Encoder(const Kernels& kernels, const Layout& layout, const float* weights,
                 const float* vectors)
    : kernels_(&kernels),
      layout_(&layout),
      weights_(weights),
      vectors_(vectors),
      projection_(kernels, weights + layout.projection.offset, layout.projection.rows,
                  layout.projection.columns),
      perceptrons_(kernels, weights + layout.perceptrons.offset, layout.perceptrons.rows,
                   layout.perceptrons.columns) {
  const auto matrix = [&](const Block& block) {
    return Matrix(kernels, weights + block.offset, block.rows, block.columns);
  };
  for (const LstmBlocks& blocks : layout.lstm)
    lstm_.push_back({matrix(blocks.input), matrix(blocks.recurrent), weights + blocks.bias.offset});
}

void Encoder::embed(const Inputs& inputs, const Steps& steps, Buffers& buffers) const {
  const InputSizes& sizes = layout_->sizes.input;
  buffers.input.resize(static_cast<std::size_t>(steps.total()) * sizes.size());
  networks::embed(kernels_->add_scaled, *layout_, weights_, inputs, steps, {},
                  buffers.input.data());
  if (sizes.projected_size == 0) return;
  const std::vector<float> vectors = gather_vectors(*layout_, vectors_, inputs, steps, {});
  projection_.multiply(vectors.data(), sizes.vector_size, steps.total(),
                       buffers.input.data() + sizes.size() - sizes.projected_size, sizes.size(),
                       false, buffers.scratch);
}

void Encoder::run(const Lstm& lstm, Direction direction, int input_size, const Steps& steps,
                  float* output, Buffers& buffers) const {
  const int hidden = layout_->sizes.hidden, output_row = 2 * hidden;
  const auto rows = static_cast<std::size_t>(steps.total());
  buffers.gates.resize(rows * 4 * hidden);
  buffers.cell.resize(rows * hidden);
  for (std::size_t row = 0; row < rows; ++row)
    std::copy_n(lstm.bias, 4 * hidden, buffers.gates.data() + row * 4 * hidden);
  lstm.input.multiply(buffers.input.data(), input_size, steps.total(), buffers.gates.data(),
                      4 * hidden, true, buffers.scratch);
  for_steps(steps, direction, [&](int t, int previous, int common) {
    const std::ptrdiff_t begin = steps.begins[t];
    const std::ptrdiff_t before = common > 0 ? steps.begins[previous] : 0;
    float* const gates = buffers.gates.data() + begin * 4 * hidden;
    if (common > 0)
      lstm.recurrent.multiply(output + before * output_row, output_row, common, gates, 4 * hidden,
                              true, buffers.scratch);
    kernels_->cell_forward({steps.rows(t), hidden, gates, buffers.cell.data() + before * hidden,
                            common, buffers.cell.data() + begin * hidden,
                            output + begin * output_row, output_row});
    count_work(static_cast<std::uint64_t>(steps.rows(t)) * hidden * hidden / 8);
  });
}

void Encoder::encode(const Inputs& inputs, const Steps& steps, Buffers& buffers) const {
  const Sizes& sizes = layout_->sizes;
  const auto rows = static_cast<std::size_t>(steps.total());
  embed(inputs, steps, buffers);
  for (int layer = 0; layer < sizes.layers; ++layer) {
    buffers.output.resize(rows * 2 * sizes.hidden);
    const int width = sizes.layer_input(layer);
    run(lstm_[2 * layer], Direction::forward, width, steps, buffers.output.data(), buffers);
    run(lstm_[2 * layer + 1], Direction::backward, width, steps,
        buffers.output.data() + sizes.hidden, buffers);
    std::swap(buffers.input, buffers.output);
  }
  buffers.perceptrons.resize(rows * sizes.perceptrons());
  perceptrons_.multiply(buffers.input.data(), sizes.output(), steps.total(),
                        buffers.perceptrons.data(), sizes.perceptrons(), false, buffers.scratch);
  kernels_->leaky_forward(buffers.perceptrons.data(), weights_ + layout_->perceptron_bias.offset,
                          steps.total(), sizes.perceptrons());
}

}  // namespace turbotree::networks::quantised
