#include "networks/columns.h"

#include <algorithm>
#include <cstddef>

namespace turbotree::networks {

void column_scores(const PackedWeights& packed, const Encodings& encodings, int begin, int end,
                   ColumnBuffers& buffers) {
  const Layout& layout = *packed.layout;
  const int size = layout.sizes.column_size, labels = layout.sizes.column_labels();
  buffers.scores.resize(static_cast<std::size_t>(end - begin) * labels);
  for (int i = 0; i < end - begin; ++i)
    std::copy_n(packed.weights + layout.column_bias.offset, labels,
                buffers.scores.data() + static_cast<std::ptrdiff_t>(i) * labels);
  multiply(*packed.kernels, encodings.columns.data() + static_cast<std::ptrdiff_t>(begin) * size,
           end - begin, packed.column, buffers.scores.data(), true, size, labels);
}

void column_scores_backward(const PackedWeights& packed, const Encodings& encodings, int begin,
                            int end, Encodings& d_encodings, float* gradient,
                            ColumnBuffers& buffers) {
  const Layout& layout = *packed.layout;
  const Kernels& kernels = *packed.kernels;
  const int size = layout.sizes.column_size, labels = layout.sizes.column_labels();
  const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(begin) * size;
  const float* const d_scores = buffers.scores.data();
  multiply(kernels, d_scores, end - begin, packed.column_transposed,
           d_encodings.columns.data() + first, false, labels, size);
  multiply_transposed(kernels, encodings.columns.data() + first, size, size, d_scores, labels,
                      labels, end - begin, gradient + layout.column.offset, buffers.products);
  for (int i = 0; i < end - begin; ++i)
    kernels.add_scaled(d_scores + static_cast<std::ptrdiff_t>(i) * labels, 1.0f,
                       gradient + layout.column_bias.offset, labels);
}

}  // namespace turbotree::networks
