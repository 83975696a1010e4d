#include "networks/matrix.h"

#include <algorithm>

namespace turbotree::networks {

void Packed::pack(const Kernels& kernels, const float* b, int rows, int columns, std::ptrdiff_t row,
                  std::ptrdiff_t column) {
  const int width = kernels.panel_columns;
  const int count = (columns + width - 1) / width;
  rows_ = rows;
  columns_ = columns;
  panels_.resize(static_cast<std::size_t>(count) * rows * width);
  float* to = panels_.data();
  for (int first = 0; first < columns; first += width) {
    const int own = std::min(width, columns - first);
    const float* from = b + first * column;
    if (column == 1) {
      for (int p = 0; p < rows; ++p, from += row, to += width) {
        std::copy_n(from, own, to);
        std::fill(to + own, to + width, 0.0f);
      }
    } else {
      if (own < width) std::fill_n(to, static_cast<std::size_t>(rows) * width, 0.0f);
      // A few rows at a time: what is read lies in few cache lines then.
      constexpr int kAtOnce = 16;
      for (int p = 0; p < rows; p += kAtOnce) {
        const int end = std::min(p + kAtOnce, rows);
        for (int j = 0; j < own; ++j)
          for (int q = p; q < end; ++q) to[q * width + j] = from[j * column + q * row];
      }
      to += static_cast<std::size_t>(rows) * width;
    }
  }
}

void multiply_transposed(const Kernels& kernels, const float* a, std::ptrdiff_t a_row, int rows,
                         const float* b, std::ptrdiff_t b_row, int columns, int depth, float* c,
                         ProductBuffers& buffers) {
  buffers.panels.pack(kernels, b, depth, columns, b_row, 1);
  // A block of A's columns at a time, so that each step reads what the last one left off at.
  const int height = kernels.block_rows * 4;
  buffers.a.resize(static_cast<std::size_t>(height) * depth);
  for (int first = 0; first < rows; first += height) {
    const int own = std::min(height, rows - first);
    for (int p = 0; p < depth; ++p)
      std::copy_n(a + p * a_row + first, own,
                  buffers.a.data() + static_cast<std::ptrdiff_t>(p) * own);
    kernels.multiply({own, columns, depth, buffers.a.data(), 1, own, buffers.panels.panels(),
                      c + static_cast<std::ptrdiff_t>(first) * columns, columns, true});
  }
}

}  // namespace turbotree::networks
