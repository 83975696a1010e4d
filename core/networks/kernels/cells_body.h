// Loops over single values, compiled once per instruction set with that set's flags, like what
// includes this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/vectorize.h"
#include "networks/kernels/kernels.h"

namespace turbotree::networks {
namespace {

// e^x to a few units in the last place; 0 below -87, and e^-87 of what is no number. Plain
// arithmetic, so that loops vectorise.
TURBOTREE_INLINE float exponential(float x) {
  const float least = x > -87.0f ? x : -87.0f;
  const float bounded = least < 88.0f ? least : 88.0f;
  constexpr float kShifter = 12582912.0f;  // adding it leaves the nearest integer in the low bits
  const float shifted = bounded * 1.44269504f + kShifter;
  const float k = shifted - kShifter;
  const float r = (bounded - k * 0.693359375f) + k * 2.12194440e-4f;
  float p = 1.0f / 5040.0f;
  p = p * r + 1.0f / 720.0f;
  p = p * r + 1.0f / 120.0f;
  p = p * r + 1.0f / 24.0f;
  p = p * r + 1.0f / 6.0f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const std::int32_t power = (static_cast<std::int32_t>(k) + 127) << 23;
  const float scale = __builtin_bit_cast(float, power);
  return x < -87.0f ? 0.0f : p * scale;
}

TURBOTREE_INLINE float sigmoid(float x) { return 1.0f / (1.0f + exponential(-x)); }
TURBOTREE_INLINE float hyperbolic_tangent(float x) {
  return 1.0f - 2.0f / (1.0f + exponential(2.0f * x));
}

void cell_forward(const CellForward& step) {
  const int size = step.size;
  for (int i = 0; i < step.rows; ++i) {
    float* const TURBOTREE_RESTRICT gates = step.gates + static_cast<std::ptrdiff_t>(i) * 4 * size;
    float* const TURBOTREE_RESTRICT cell = step.cell + static_cast<std::ptrdiff_t>(i) * size;
    float* const TURBOTREE_RESTRICT hidden = step.hidden + i * step.hidden_row;
    for (int j = 0; j < 2 * size; ++j) gates[j] = sigmoid(gates[j]);
    for (int j = 2 * size; j < 3 * size; ++j) gates[j] = hyperbolic_tangent(gates[j]);
    for (int j = 3 * size; j < 4 * size; ++j) gates[j] = sigmoid(gates[j]);
    if (i < step.previous_rows) {
      const float* const TURBOTREE_RESTRICT previous =
          step.previous_cell + static_cast<std::ptrdiff_t>(i) * size;
      for (int j = 0; j < size; ++j)
        cell[j] = gates[j] * gates[2 * size + j] + gates[size + j] * previous[j];
    } else {
      for (int j = 0; j < size; ++j) cell[j] = gates[j] * gates[2 * size + j];
    }
    for (int j = 0; j < size; ++j) hidden[j] = gates[3 * size + j] * hyperbolic_tangent(cell[j]);
  }
}

void add_scaled(const float* TURBOTREE_RESTRICT from, float scale, float* TURBOTREE_RESTRICT to,
                int count) {
  for (int i = 0; i < count; ++i) to[i] += scale * from[i];
}

constexpr float kSlope = 0.1f;

void leaky_forward(float* TURBOTREE_RESTRICT values, const float* TURBOTREE_RESTRICT bias, int rows,
                   int columns) {
  for (int i = 0; i < rows; ++i, values += columns)
    for (int j = 0; j < columns; ++j) {
      const float x = values[j] + bias[j];
      values[j] = x < 0.0f ? kSlope * x : x;
    }
}

}  // namespace
}  // namespace turbotree::networks
