// The loops of quantised/kernels.h, compiled once per instruction set with that set's flags.
//
// A file that includes this defines KERNEL_NAME, KERNEL_ROWS (rows of the block of C that stays in
// registers), and what instructions.h asks for.
//
// Nothing here may call a function of a header that is not inlined for certain: the linker keeps
// one copy of it, and that copy might have instructions that the processor lacks.
#include <string.h>

#include "common/vectorize.h"
#include "networks/kernels/cells_body.h"
#include "networks/quantised/instructions.h"
#include "networks/quantised/kernels.h"

namespace turbotree::networks::quantised {
namespace {

constexpr int kVectors = 2;
constexpr int kRows = KERNEL_ROWS;
constexpr int kLanes = sizeof(Sums) / sizeof(std::int32_t);
constexpr int kColumns = kLanes * kVectors;
constexpr float kSteps = 127.0f;

// A panel: `kColumns` columns of B, kGroup rows of each column side by side.
struct Shape {
  int rows, columns;

  int groups() const { return (rows + kGroup - 1) / kGroup; }
  std::ptrdiff_t panel_steps() const {
    return static_cast<std::ptrdiff_t>(groups()) * kColumns * kGroup;
  }
};

std::size_t packed_size(int rows, int columns) {
  const std::size_t panels = (columns + kColumns - 1) / kColumns;
  return panels * Shape{rows, columns}.panel_steps() * sizeof(PackedStep);
}

void pack(const std::int8_t* steps, int rows, int columns, std::byte* panels) {
  const Shape shape{rows, columns};
  PackedStep* to = reinterpret_cast<PackedStep*>(panels);
  for (int first = 0; first < columns; first += kColumns)
    for (int group = 0; group < shape.groups(); ++group)
      for (int j = first; j < first + kColumns; ++j)
        for (int p = group * kGroup; p < (group + 1) * kGroup; ++p) {
          const bool inside = p < rows && j < columns;
          const int step = inside ? steps[static_cast<std::ptrdiff_t>(p) * columns + j] : 0;
          *to++ = static_cast<PackedStep>(step + kOffset);
        }
}

// What a row of A is turned into: its scale, and what the offset of B's steps adds to its sums.
struct RowHeader {
  float scale;
  std::int32_t excess;
};

struct QuantisedRows {
  RowHeader* headers;
  Step* steps;
  std::ptrdiff_t row;  // from one row of steps to the next
};

TURBOTREE_INLINE QuantisedRows laid_out(std::byte* scratch, int rows, int depth) {
  const int groups = (depth + kGroup - 1) / kGroup;
  return {reinterpret_cast<RowHeader*>(scratch),
          reinterpret_cast<Step*>(scratch + rows * sizeof(RowHeader)),
          static_cast<std::ptrdiff_t>(groups) * kGroup};
}

std::size_t scratch_size(int rows, int depth) {
  const std::size_t groups = (depth + kGroup - 1) / kGroup;
  return rows * (sizeof(RowHeader) + groups * kGroup * sizeof(Step));
}

// What is no number counts as nothing.
TURBOTREE_INLINE float greater_size(float value, float largest) {
  const float size = value < 0.0f ? -value : value;
  return size > largest ? size : largest;
}

void quantise(const float* TURBOTREE_RESTRICT values, int depth, std::ptrdiff_t padded,
              RowHeader& header, Step* TURBOTREE_RESTRICT steps) {
  constexpr int kAtOnce = 16;  // so that the loop vectorises; a maximum is the same in any order
  float partial[kAtOnce] = {};
  int p = 0;
  for (; p + kAtOnce <= depth; p += kAtOnce)
    for (int lane = 0; lane < kAtOnce; ++lane)
      partial[lane] = greater_size(values[p + lane], partial[lane]);
  for (int lane = 0; p < depth; ++p, ++lane) partial[lane] = greater_size(values[p], partial[lane]);
  float largest = 0.0f;
  for (const float size : partial) largest = greater_size(size, largest);
  constexpr float kSmallest = 1e-30f, kLargest = 1e30f;  // inverses have to be finite, too
  largest = largest < kLargest ? largest : kLargest;
  const float per_value = largest > kSmallest ? kSteps / largest : 0.0f;
  std::int32_t sum = 0;
  for (p = 0; p < depth; ++p) {
    constexpr float kShifter = 12582912.0f;  // adding it leaves the nearest integer
    float step = values[p] * per_value;
    step = step < kSteps ? step : kSteps;  // what is no number, too
    step = step > -kSteps ? step : -kSteps;
    const auto whole = static_cast<std::int32_t>((step + kShifter) - kShifter);
    steps[p] = static_cast<Step>(whole);
    sum += whole;
  }
  for (; p < padded; ++p) steps[p] = 0;
  header = {largest / kSteps, kOffset * sum};
}

// Rows x kColumns of C.
template <int Rows>
void multiply_block(const Product& product, const QuantisedRows& rows, int first,
                    const PackedStep* panel, int groups, int column, int columns) {
  Sums sums[Rows][kVectors] = {};
  const Step* const a = rows.steps + first * rows.row;
  for (int group = 0; group < groups; ++group) {
    Lanes b[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      memcpy(&b[v], panel, sizeof(Lanes));
      panel += kLanes * kGroup;
    }
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      std::int32_t together;
      memcpy(&together, a + i * rows.row + group * kGroup, sizeof together);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sums[i][v] = accumulated(sums[i][v], b[v], together);
    }
  }
  // Unrolled, so that the sums are in registers until here.
  std::int32_t totals[Rows][kColumns];
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      const Sums own = sums[i][v];
      memcpy(totals[i] + v * kLanes, &own, sizeof own);
    }
  for (int i = 0; i < Rows; ++i) {
    const RowHeader header = rows.headers[first + i];
    float* const TURBOTREE_RESTRICT c =
        product.c + static_cast<std::ptrdiff_t>(first + i) * product.c_row + column;
    const float* const TURBOTREE_RESTRICT scales = product.scales + column;
    if (product.add)
      for (int j = 0; j < columns; ++j)
        c[j] += static_cast<float>(totals[i][j] - header.excess) * (header.scale * scales[j]);
    else
      for (int j = 0; j < columns; ++j)
        c[j] = static_cast<float>(totals[i][j] - header.excess) * (header.scale * scales[j]);
  }
}

template <int Rows>
TURBOTREE_INLINE void multiply_rows(int count, const Product& product, const QuantisedRows& rows,
                                    int first, const PackedStep* panel, int groups, int column,
                                    int columns) {
  if constexpr (Rows > 0) {
    if (count == Rows)
      multiply_block<Rows>(product, rows, first, panel, groups, column, columns);
    else
      multiply_rows<Rows - 1>(count, product, rows, first, panel, groups, column, columns);
  }
}

void multiply(const Product& product) {
  const QuantisedRows rows = laid_out(product.scratch, product.rows, product.depth);
  for (int i = 0; i < product.rows; ++i)
    quantise(product.a + i * product.a_row, product.depth, rows.row, rows.headers[i],
             rows.steps + i * rows.row);
  const Shape shape{product.depth, product.columns};
  constexpr int kRowsAtOnce = 10 * kRows;
  for (int first = 0; first < product.rows; first += kRowsAtOnce) {
    const int own = product.rows - first < kRowsAtOnce ? product.rows - first : kRowsAtOnce;
    // Blocks of about the same height: a last one of a single row would waste the registers.
    const int blocks = (own + kRows - 1) / kRows;
    const PackedStep* panel = reinterpret_cast<const PackedStep*>(product.panels);
    for (int j = 0; j < product.columns; j += kColumns, panel += shape.panel_steps()) {
      const int columns = product.columns - j < kColumns ? product.columns - j : kColumns;
      for (int block = 0; block < blocks; ++block) {
        const int begin = own * block / blocks, end = own * (block + 1) / blocks;
        multiply_rows<kRows>(end - begin, product, rows, first + begin, panel, shape.groups(), j,
                             columns);
      }
    }
  }
}

constexpr Kernels kKernels{
    KERNEL_NAME, packed_size, pack, scratch_size, multiply, cell_forward, add_scaled, leaky_forward,
};

}  // namespace
}  // namespace turbotree::networks::quantised
