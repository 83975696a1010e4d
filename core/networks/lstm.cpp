#include "networks/lstm.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/interrupt.h"

namespace turbotree::networks {
void lstm_forward(const Kernels& kernels, const LstmWeights& weights, int hidden,
                  Direction direction, const Steps& steps, const float* input, int input_size,
                  float* output, int output_row, LstmTrace& trace) {
  const auto rows = static_cast<std::size_t>(steps.total());
  trace.gates.resize(rows * 4 * hidden);
  trace.cell.resize(rows * hidden);
  for (std::size_t row = 0; row < rows; ++row)
    std::copy_n(weights.bias, 4 * hidden, trace.gates.data() + row * 4 * hidden);
  multiply(kernels, input, steps.total(), weights.input, trace.gates.data(), true, input_size,
           4 * hidden);
  for_steps(steps, direction, [&](int t, int previous, int common) {
    const std::ptrdiff_t begin = steps.begins[t];
    float* const gates = trace.gates.data() + begin * 4 * hidden;
    const std::ptrdiff_t before = common > 0 ? steps.begins[previous] : 0;
    if (common > 0)
      multiply(kernels, output + before * output_row, common, weights.recurrent, gates, true,
               output_row, 4 * hidden);
    kernels.cell_forward({steps.rows(t), hidden, gates, trace.cell.data() + before * hidden, common,
                          trace.cell.data() + begin * hidden, output + begin * output_row,
                          output_row});
    count_work(static_cast<std::uint64_t>(steps.rows(t)) * hidden * hidden / 8);
  });
}

void lstm_backward(const Kernels& kernels, const LstmWeights& weights, int hidden,
                   Direction direction, const Steps& steps, const float* input, int input_size,
                   const float* output, const float* d_output, int output_row, LstmTrace& trace,
                   float* d_input, const LstmGradient& gradient, LstmBuffers& buffers) {
  const int total = steps.total();
  const auto widest = static_cast<std::size_t>(steps.steps() == 0 ? 0 : steps.rows(0));
  buffers.d_carried.resize(widest * hidden);
  buffers.d_cell.resize(widest * hidden);
  buffers.previous.assign(static_cast<std::size_t>(total) * hidden, 0.0f);
  // From the last step of the direction to its first.
  const Direction reverse =
      direction == Direction::forward ? Direction::backward : Direction::forward;
  for_steps(steps, reverse, [&](int t, int, int carried) {
    const int previous = direction == Direction::forward ? t - 1 : t + 1;
    const bool has_previous = previous >= 0 && previous < steps.steps();
    const int common = has_previous ? std::min(steps.rows(t), steps.rows(previous)) : 0;
    const std::ptrdiff_t begin = steps.begins[t];
    const std::ptrdiff_t before = common > 0 ? steps.begins[previous] : 0;
    float* const gates = trace.gates.data() + begin * 4 * hidden;
    kernels.cell_backward({steps.rows(t), hidden, gates, trace.cell.data() + begin * hidden,
                           trace.cell.data() + before * hidden, common,
                           d_output + begin * output_row, output_row, buffers.d_carried.data(),
                           carried, buffers.d_cell.data()});
    if (common == 0) return;
    multiply(kernels, gates, common, weights.recurrent_transposed, buffers.d_carried.data(), false,
             4 * hidden, hidden);
    for (int b = 0; b < common; ++b)
      std::copy_n(output + (before + b) * output_row, hidden,
                  buffers.previous.data() + (begin + b) * hidden);
  });
  const float* const d_gates = trace.gates.data();
  if (d_input != nullptr)
    multiply(kernels, d_gates, total, weights.input_transposed, d_input, true, 4 * hidden,
             input_size);
  multiply_transposed(kernels, input, input_size, input_size, d_gates, 4 * hidden, 4 * hidden,
                      total, gradient.input, buffers.products);
  multiply_transposed(kernels, buffers.previous.data(), hidden, hidden, d_gates, 4 * hidden,
                      4 * hidden, total, gradient.recurrent, buffers.products);
  for (int row = 0; row < total; ++row)
    kernels.add_scaled(d_gates + static_cast<std::ptrdiff_t>(row) * 4 * hidden, 1.0f, gradient.bias,
                       4 * hidden);
}

}  // namespace turbotree::networks
