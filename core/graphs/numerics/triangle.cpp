#include "graphs/numerics/triangle.h"

#include <algorithm>
#include <cmath>

#include "common/ordered_sum.h"
#include "common/vectorize.h"

namespace turbotree::graphs {

namespace {

TURBOTREE_CLONES
void solve_columns(std::size_t size, std::size_t stride, const double* columns,
                   double* TURBOTREE_RESTRICT values) {
  for (std::size_t j = 0; j < size; ++j) {
    const double* TURBOTREE_RESTRICT column = columns + j * stride;
    const double value = values[j] /= column[j];
    for (std::size_t i = j + 1; i < size; ++i) values[i] -= column[i] * value;
  }
}

TURBOTREE_CLONES
void solve_rows(std::size_t size, std::size_t stride, const double* columns, double* values) {
  for (std::size_t i = size; i-- > 0;) {
    const double* column = columns + i * stride;
    values[i] -= ordered_dot(size - i - 1, column + i + 1, values + i + 1);
    values[i] /= column[i];
  }
}

// (out, left) := (c * left + s * right, c * right - s * left)
TURBOTREE_CLONES
void rotate(std::size_t size, double c, double s, double* TURBOTREE_RESTRICT left,
            const double* TURBOTREE_RESTRICT right, double* TURBOTREE_RESTRICT out) {
  for (std::size_t i = 0; i < size; ++i) {
    const double x = left[i], y = right[i];
    out[i] = c * x + s * y;
    left[i] = c * y - s * x;
  }
}

}  // namespace

TURBOTREE_CLONES
double dot(std::span<const double> a, std::span<const double> b) {
  return ordered_dot(a.size(), a.data(), b.data());
}

void Triangle::solve(std::span<double> values) const {
  solve_columns(size_, capacity_, columns_.data(), values.data());
}

void Triangle::solve_transposed(std::span<double> values) const {
  solve_rows(size_, capacity_, columns_.data(), values.data());
}

void Triangle::grow() {
  const std::size_t capacity = std::max<std::size_t>(4, 2 * capacity_);
  std::vector<double> columns(capacity * (capacity + 1));
  for (std::size_t j = 0; j < size_; ++j)
    std::copy_n(columns_.data() + j * capacity_, size_, columns.data() + j * capacity);
  columns_ = std::move(columns);
  capacity_ = capacity;
}

void Triangle::append(std::span<const double> row, double diagonal) {
  if (size_ == capacity_) grow();
  for (std::size_t j = 0; j < size_; ++j) columns_[j * capacity_ + size_] = row[j];
  columns_[size_ * capacity_ + size_] = diagonal;
  ++size_;
}

// Without its row, the column `index` sticks out below the diagonal. A rotation with the next
// column takes its first entry away, and so on to the last.
void Triangle::remove(std::size_t index, std::initializer_list<std::vector<double>*> solved) {
  double* const columns = columns_.data();
  double* const out_of_place = columns + capacity_ * capacity_;
  for (std::size_t j = 0; j < index; ++j) {
    double* column = columns + j * capacity_;
    std::copy(column + index + 1, column + size_, column + index);
  }
  std::copy(columns + index * capacity_ + index + 1, columns + index * capacity_ + size_,
            out_of_place + index + 1);
  for (std::size_t j = index + 1; j < size_; ++j) {
    double* column = columns + j * capacity_;
    const double a = out_of_place[j], b = column[j];
    const double length = std::sqrt(a * a + b * b);
    const double c = a / length, s = b / length;
    rotate(size_ - j, c, s, out_of_place + j, column + j, column - capacity_ + j - 1);
    for (std::vector<double>* vector : solved) {
      // The entry of the column that is out of place moves along.
      double* values = vector->data();
      const double x = values[j - 1], y = values[j];
      values[j - 1] = c * x + s * y;
      values[j] = c * y - s * x;
    }
  }
  for (std::vector<double>* vector : solved) vector->pop_back();
  --size_;
}

}  // namespace turbotree::graphs
