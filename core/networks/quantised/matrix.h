// A matrix of weights in steps of 8 bits.
#pragma once

#include <cstddef>
#include <vector>

#include "networks/quantised/kernels.h"

namespace turbotree::networks::quantised {

class Matrix {
 public:
  // The matrix lies row by row. Weights that came from 8 bits give the same steps again.
  Matrix(const Kernels& kernels, const float* b, int rows, int columns);

  // C = A B, or C += A B.
  void multiply(const float* a, std::ptrdiff_t a_row, int a_rows, float* c, std::ptrdiff_t c_row,
                bool add, std::vector<std::byte>& scratch) const;

 private:
  const Kernels* kernels_;
  int rows_, columns_;
  std::vector<std::byte> panels_;
  std::vector<float> scales_;
};

}  // namespace turbotree::networks::quantised
