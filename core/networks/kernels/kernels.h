// The loops that take the time, once per set of vector instructions; which one runs is chosen when
// the program runs.
//
// All sets compute the same numbers but for rounding. Each gives the same bits for the same
// operands, wherever they lie in memory and whichever thread asks.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace turbotree::networks {

// C = A B, or C += A B. A[i][p] lies at a[i * a_row + p * a_step]; B is packed (matrix.h).
struct Product {
  int rows = 0, columns = 0, depth = 0;
  const float* a = nullptr;
  std::ptrdiff_t a_row = 0, a_step = 1;
  const float* panels = nullptr;
  float* c = nullptr;
  std::ptrdiff_t c_row = 0;
  bool add = false;
};

// One step of an LSTM for some rows. Gates are in the order input, forget, candidate, output.
struct CellForward {
  int rows, size;
  float* gates;                // rows x 4 size: sums of the inputs in, values of the gates out
  const float* previous_cell;  // for the first `previous_rows` rows; zero for the others
  int previous_rows;
  float* cell;  // rows x size
  float* hidden;
  std::ptrdiff_t hidden_row;
};

struct CellBackward {
  int rows, size;
  float* gates;  // values of the gates in, derivatives of their input sums out
  const float* cell;
  const float* previous_cell;
  int previous_rows;
  const float* d_hidden;  // what the layers above ask for
  std::ptrdiff_t d_hidden_row;
  const float* d_carried;  // what the next step asks for: rows x size, for `carried_rows`
  int carried_rows;
  float* d_cell;  // rows x size; carried from step to step
};

struct AdamStep {
  float rate;  // with the correction of the first steps' bias
  float mean_decay, square_decay;
  float epsilon;
  float gradient_scale;  // below 1 where the gradient is clipped
  float average_decay;   // of the averaged weights
};

struct Kernels {
  const char* name;
  int panel_columns;  // of packed matrices
  int block_rows;     // what one pass over a panel takes at most
  void (*multiply)(const Product&);
  void (*cell_forward)(const CellForward&);
  void (*cell_backward)(const CellBackward&);
  // In place; returns the logarithm of the sum of the exponentials. -infinity has no share.
  float (*log_softmax)(float* scores, int count);
  void (*exponentials)(float* values, int count);  // in place
  void (*add_scaled)(const float* from, float scale, float* to, int count);
  float (*dot)(const float* a, const float* b, int count);
  // x = x + bias, then a tenth of it where it is negative.
  void (*leaky_forward)(float* values, const float* bias, int rows, int columns);
  // d is multiplied by the slope at the values that came out.
  void (*leaky_backward)(const float* values, float* d, int count);
  // `average` may be null. The gradient is left as zeros.
  void (*adam)(const AdamStep&, float* weights, float* mean, float* square, float* gradient,
               float* average, std::size_t count);
  double (*sum_of_squares)(const float* values, std::size_t count);
};

// The sets that this processor has, the fastest first; the last one runs everywhere.
std::span<const Kernels* const> available_kernels();

// The one of this name, or null.
const Kernels* find_kernels(std::string_view name);

}  // namespace turbotree::networks
