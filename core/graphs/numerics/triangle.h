// The Cholesky factor L of a symmetric matrix that grows and shrinks by a row and column at a time.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

namespace turbotree::graphs {

class Triangle {
 public:
  std::size_t size() const { return size_; }
  void clear() { size_ = 0; }

  // values := L^-1 values, and values := L^-T values
  void solve(std::span<double> values) const;
  void solve_transposed(std::span<double> values) const;

  // Adds a last row: `row` left of the diagonal.
  void append(std::span<const double> row, double diagonal);

  // Takes a row and column out of the matrix. For each vector that is L^-1 b, takes the entry out
  // of b: the vector becomes what solving with the new L would give.
  void remove(std::size_t index, std::initializer_list<std::vector<double>*> solved);

 private:
  void grow();

  // Column after column, each from the diagonal down, and one column as scratch: all loops over
  // many numbers then run along memory.
  std::vector<double> columns_;
  std::size_t size_ = 0, capacity_ = 0;
};

// The sum of products, as ordered_sum adds it up.
double dot(std::span<const double> a, std::span<const double> b);

}  // namespace turbotree::graphs
