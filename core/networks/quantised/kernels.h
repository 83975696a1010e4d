// The loops of networks whose weights have 8 bits, once per set of vector instructions: products in
// whole numbers, and what lies between them.
//
// All sets compute the same bits: sums of whole numbers have no rounding, and the rest is compiled
// without fused multiply-adds. So a network gives the same encodings on every processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "networks/kernels/kernels.h"

namespace turbotree::networks::quantised {

// C = A B, or C += A B. A row of A is rounded to steps first, 127 of which are its largest value;
// B is given in steps, one scale per column.
struct Product {
  int rows = 0, columns = 0, depth = 0;
  const float* a = nullptr;
  std::ptrdiff_t a_row = 0;
  const std::byte* panels = nullptr;  // what pack() made of B
  const float* scales = nullptr;      // of the columns of B
  float* c = nullptr;
  std::ptrdiff_t c_row = 0;
  bool add = false;
  std::byte* scratch = nullptr;  // scratch_size(rows, depth) bytes
};

struct Kernels {
  const char* name;
  std::size_t (*packed_size)(int rows, int columns);
  // B[p][j] lies at steps[p * columns + j], from -127 to 127.
  void (*pack)(const std::int8_t* steps, int rows, int columns, std::byte* panels);
  std::size_t (*scratch_size)(int rows, int depth);
  void (*multiply)(const Product&);
  void (*cell_forward)(const CellForward&);
  void (*add_scaled)(const float* from, float scale, float* to, int count);
  void (*leaky_forward)(float* values, const float* bias, int rows, int columns);
};

// The ones that this processor has, the fastest first; the last one runs everywhere.
std::span<const Kernels* const> available_kernels();

// The fastest ones for processors that have the instructions of a set.
const Kernels& kernels_of(const networks::Kernels& set);

}  // namespace turbotree::networks::quantised
