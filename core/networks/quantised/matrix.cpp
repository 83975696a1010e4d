#include "networks/quantised/matrix.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace turbotree::networks::quantised {

Matrix::Matrix(const Kernels& kernels, const float* b, int rows, int columns)
    : kernels_(&kernels),
      rows_(rows),
      columns_(columns),
      panels_(kernels.packed_size(rows, columns)),
      scales_(columns) {
  constexpr float kSteps = 127.0f, kSmallest = 1e-30f;
  for (int p = 0; p < rows; ++p)
    for (int j = 0; j < columns; ++j)
      scales_[j] = std::max(scales_[j], std::abs(b[static_cast<std::ptrdiff_t>(p) * columns + j]));
  for (float& scale : scales_) scale = scale > kSmallest ? scale / kSteps : 1.0f;
  std::vector<std::int8_t> steps(static_cast<std::size_t>(rows) * columns);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const float step = std::nearbyint(b[i] / scales_[i % columns]);
    steps[i] = static_cast<std::int8_t>(std::clamp(step, -kSteps, kSteps));
  }
  kernels.pack(steps.data(), rows, columns, panels_.data());
}

void Matrix::multiply(const float* a, std::ptrdiff_t a_row, int a_rows, float* c,
                      std::ptrdiff_t c_row, bool add, std::vector<std::byte>& scratch) const {
  scratch.resize(std::max(scratch.size(), kernels_->scratch_size(a_rows, rows_)));
  kernels_->multiply({a_rows, columns_, rows_, a, a_row, panels_.data(), scales_.data(), c, c_row,
                      add, scratch.data()});
}

}  // namespace turbotree::networks::quantised
