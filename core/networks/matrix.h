// Products of matrices, as layers need them.
#pragma once

#include <cstddef>
#include <vector>

#include "networks/kernels/kernels.h"

namespace turbotree::networks {

// A matrix in the order in which a product reads it: panels of a few columns, each with all its
// rows one after the other, and the last one filled up with zeros.
class Packed {
 public:
  // B[p][j] lies at b[p * row + j * column].
  void pack(const Kernels& kernels, const float* b, int rows, int columns, std::ptrdiff_t row,
            std::ptrdiff_t column);

  const float* panels() const { return panels_.data(); }
  int rows() const { return rows_; }
  int columns() const { return columns_; }

 private:
  std::vector<float> panels_;
  int rows_ = 0, columns_ = 0;
};

// C = A B, or C += A B, with all rows of A and C one after the other.
inline void multiply(const Kernels& kernels, const float* a, int rows, const Packed& b, float* c,
                     bool add, std::ptrdiff_t a_row, std::ptrdiff_t c_row) {
  kernels.multiply({rows, b.columns(), b.rows(), a, a_row, 1, b.panels(), c, c_row, add});
}

// What products of activations need for packing.
struct ProductBuffers {
  Packed panels;
  std::vector<float> a;
};

// C += A^T B: A is depth x rows, B is depth x columns. How weights get their gradients.
void multiply_transposed(const Kernels& kernels, const float* a, std::ptrdiff_t a_row, int rows,
                         const float* b, std::ptrdiff_t b_row, int columns, int depth, float* c,
                         ProductBuffers& buffers);

}  // namespace turbotree::networks
