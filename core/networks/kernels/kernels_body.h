// The loops of kernels.h, compiled once per instruction set with that set's flags.
//
// A file that includes this defines KERNEL_NAME, KERNEL_LANES (floats per vector), KERNEL_ROWS and
// KERNEL_VECTORS (rows and vectors of the block of C that stays in registers).
//
// Nothing here may call a function of a header that is not inlined for certain: the linker keeps
// one copy of it, and that copy might have instructions that the processor lacks.
#include <math.h>

#include "common/vectorize.h"
#include "networks/kernels/cells_body.h"
#include "networks/kernels/kernels.h"

namespace turbotree::networks {
namespace {

constexpr int kLanes = KERNEL_LANES;
constexpr int kVectors = KERNEL_VECTORS;
constexpr int kRows = KERNEL_ROWS;
constexpr int kColumns = kLanes * kVectors;

#if defined(__GNUC__)
typedef float Vector __attribute__((vector_size(kLanes * sizeof(float)), aligned(4), may_alias));

TURBOTREE_INLINE Vector load(const float* from) { return *reinterpret_cast<const Vector*>(from); }
TURBOTREE_INLINE void store(float* to, const Vector& value) {
  *reinterpret_cast<Vector*>(to) = value;
}
TURBOTREE_INLINE void multiply_add(float a, const Vector& b, Vector& sum) { sum += a * b; }
#else
struct Vector {
  float lane[kLanes];
};

TURBOTREE_INLINE Vector load(const float* from) {
  Vector value;
  for (int i = 0; i < kLanes; ++i) value.lane[i] = from[i];
  return value;
}
TURBOTREE_INLINE void store(float* to, const Vector& value) {
  for (int i = 0; i < kLanes; ++i) to[i] = value.lane[i];
}
TURBOTREE_INLINE void multiply_add(float a, const Vector& b, Vector& sum) {
  for (int i = 0; i < kLanes; ++i) sum.lane[i] += a * b.lane[i];
}
#endif

// Rows x kColumns of C, in registers while it runs over the depth.
template <int Rows>
void multiply_block(const Product& product, const float* a, const float* panel, int depth, float* c,
                    int columns, bool add) {
  Vector sums[Rows][kVectors];
  const bool whole = columns == kColumns;
  float edge[Rows][kColumns];
  if (add && !whole)
    for (int i = 0; i < Rows; ++i)
      for (int j = 0; j < columns; ++j) edge[i][j] = c[i * product.c_row + j];
  for (int i = 0; i < Rows; ++i)
    for (int v = 0; v < kVectors; ++v)
      sums[i][v] = !add    ? Vector{}
                   : whole ? load(c + i * product.c_row + v * kLanes)
                           : load(edge[i] + v * kLanes);
  for (int p = 0; p < depth; ++p) {
    Vector b[kVectors];
    for (int v = 0; v < kVectors; ++v) b[v] = load(panel + v * kLanes);
    panel += kColumns;
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      const float value = a[i * product.a_row];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) multiply_add(value, b[v], sums[i][v]);
    }
    a += product.a_step;
  }
  for (int i = 0; i < Rows; ++i)
    for (int v = 0; v < kVectors; ++v)
      store(whole ? c + i * product.c_row + v * kLanes : edge[i] + v * kLanes, sums[i][v]);
  if (!whole)
    for (int i = 0; i < Rows; ++i)
      for (int j = 0; j < columns; ++j) c[i * product.c_row + j] = edge[i][j];
}

template <int Rows>
TURBOTREE_INLINE void multiply_rows(int rows, const Product& product, const float* a,
                                    const float* panel, int depth, float* c, int columns,
                                    bool add) {
  if constexpr (Rows > 0) {
    if (rows == Rows)
      multiply_block<Rows>(product, a, panel, depth, c, columns, add);
    else
      multiply_rows<Rows - 1>(rows, product, a, panel, depth, c, columns, add);
  }
}

constexpr int kDepthAtOnce = 512;  // of a panel: its part stays in the second-level cache
constexpr int kRowsAtOnce = 10 * kRows;

void multiply(const Product& product) {
  if (product.depth == 0 && !product.add)
    for (int i = 0; i < product.rows; ++i)
      for (int j = 0; j < product.columns; ++j) product.c[i * product.c_row + j] = 0.0f;
  for (int p = 0; p < product.depth; p += kDepthAtOnce) {
    const int depth = product.depth - p < kDepthAtOnce ? product.depth - p : kDepthAtOnce;
    const bool add = product.add || p > 0;
    for (int first = 0; first < product.rows; first += kRowsAtOnce) {
      const int rows = product.rows - first < kRowsAtOnce ? product.rows - first : kRowsAtOnce;
      const int blocks = (rows + kRows - 1) / kRows;
      for (int j = 0; j < product.columns; j += kColumns) {
        const int columns = product.columns - j < kColumns ? product.columns - j : kColumns;
        const float* const panel =
            product.panels + static_cast<std::ptrdiff_t>(j) * product.depth + p * kColumns;
        // Blocks of about the same height: a last one of a single row would waste the registers.
        for (int block = 0; block < blocks; ++block) {
          const int begin = first + rows * block / blocks;
          const int end = first + rows * (block + 1) / blocks;
          multiply_rows<kRows>(end - begin, product,
                               product.a + begin * product.a_row + p * product.a_step, panel, depth,
                               product.c + begin * product.c_row + j, columns, add);
        }
      }
    }
  }
}

void cell_backward(const CellBackward& step) {
  const int size = step.size;
  for (int i = 0; i < step.rows; ++i) {
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(i) * size;
    float* const TURBOTREE_RESTRICT gates = step.gates + 4 * row;
    const float* const TURBOTREE_RESTRICT cell = step.cell + row;
    const float* const TURBOTREE_RESTRICT above = step.d_hidden + i * step.d_hidden_row;
    float* const TURBOTREE_RESTRICT d_cell = step.d_cell + row;
    const bool carried = i < step.carried_rows;
    const bool later = i < step.previous_rows;
    for (int j = 0; j < size; ++j) {
      const float in = gates[j], forget = gates[size + j];
      const float candidate = gates[2 * size + j], out = gates[3 * size + j];
      const float squashed = hyperbolic_tangent(cell[j]);
      const float d_hidden = carried ? above[j] + step.d_carried[row + j] : above[j];
      const float d = (carried ? d_cell[j] : 0.0f) + d_hidden * out * (1.0f - squashed * squashed);
      const float before = later ? step.previous_cell[row + j] : 0.0f;
      gates[j] = d * candidate * in * (1.0f - in);
      gates[size + j] = d * before * forget * (1.0f - forget);
      gates[2 * size + j] = d * in * (1.0f - candidate * candidate);
      gates[3 * size + j] = d_hidden * squashed * out * (1.0f - out);
      d_cell[j] = d * forget;
    }
  }
}

// Sums in kLanes partial sums, added up in order: vectorises, and is the same every time.
TURBOTREE_INLINE float total(const float (&partial)[kLanes]) {
  float sum = 0.0f;
  for (int lane = 0; lane < kLanes; ++lane) sum += partial[lane];
  return sum;
}

void exponentials(float* values, int count) {
  for (int i = 0; i < count; ++i) values[i] = exponential(values[i]);
}

float log_softmax(float* scores, int count) {
  float most = -HUGE_VALF;
  for (int i = 0; i < count; ++i) most = scores[i] > most ? scores[i] : most;
  if (!(most > -HUGE_VALF)) return most;
  float partial[kLanes] = {};
  int i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int lane = 0; lane < kLanes; ++lane) partial[lane] += exponential(scores[i + lane] - most);
  for (int lane = 0; i < count; ++i, ++lane) partial[lane] += exponential(scores[i] - most);
  const float log_sum = most + logf(total(partial));
  for (int j = 0; j < count; ++j) scores[j] -= log_sum;
  return log_sum;
}

float dot(const float* a, const float* b, int count) {
  float partial[kLanes] = {};
  int i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int lane = 0; lane < kLanes; ++lane) partial[lane] += a[i + lane] * b[i + lane];
  for (int lane = 0; i < count; ++i, ++lane) partial[lane] += a[i] * b[i];
  return total(partial);
}

void leaky_backward(const float* TURBOTREE_RESTRICT values, float* TURBOTREE_RESTRICT d,
                    int count) {
  for (int i = 0; i < count; ++i) d[i] *= values[i] < 0.0f ? kSlope : 1.0f;
}

void adam(const AdamStep& step, float* TURBOTREE_RESTRICT weights, float* TURBOTREE_RESTRICT mean,
          float* TURBOTREE_RESTRICT square, float* TURBOTREE_RESTRICT gradient,
          float* TURBOTREE_RESTRICT average, std::size_t count) {
  const float mean_share = 1.0f - step.mean_decay, square_share = 1.0f - step.square_decay;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient[i] * step.gradient_scale;
    gradient[i] = 0.0f;
    mean[i] = step.mean_decay * mean[i] + mean_share * g;
    square[i] = step.square_decay * square[i] + square_share * g * g;
    weights[i] -= step.rate * mean[i] / (sqrtf(square[i]) + step.epsilon);
  }
  if (average == nullptr) return;
  const float share = 1.0f - step.average_decay;
  for (std::size_t i = 0; i < count; ++i) average[i] += share * (weights[i] - average[i]);
}

double sum_of_squares(const float* values, std::size_t count) {
  double partial[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int lane = 0; lane < kLanes; ++lane) {
      const double value = values[i + lane];
      partial[lane] += value * value;
    }
  for (int lane = 0; i < count; ++i, ++lane) {
    const double value = values[i];
    partial[lane] += value * value;
  }
  double sum = 0.0;
  for (int lane = 0; lane < kLanes; ++lane) sum += partial[lane];
  return sum;
}

constexpr Kernels kKernels{
    KERNEL_NAME,  kColumns,   kRows, multiply,      cell_forward,   cell_backward, log_softmax,
    exponentials, add_scaled, dot,   leaky_forward, leaky_backward, adam,          sum_of_squares,
};

}  // namespace
}  // namespace turbotree::networks
