#include "graphs/solvers/admm/extrapolation.h"

#include <cmath>
#include <cstdint>

#include "common/ordered_sum.h"
#include "common/vectorize.h"

namespace turbotree::graphs {

namespace {

// In steps. Steps that hardly differ would make for an extrapolation without end.
constexpr double kLongestStep = 1e4;

TURBOTREE_CLONES
double dot(std::int64_t size, const double* TURBOTREE_RESTRICT a,
           const double* TURBOTREE_RESTRICT b) {
  return ordered_dot(static_cast<std::size_t>(size), a, b);
}

TURBOTREE_CLONES
void subtract(std::int64_t size, double factor, const double* TURBOTREE_RESTRICT b,
              double* TURBOTREE_RESTRICT a) {
  for (std::int64_t i = 0; i < size; ++i) a[i] -= factor * b[i];
}

}  // namespace

std::span<double> Extrapolation::next(std::size_t size) {
  if (size != size_) count_ = 0;
  size_ = size;
  if (states_.size() <= count_) states_.emplace_back();
  std::vector<double>& state = states_[count_++];
  if (state.size() < size) state.resize(size);
  return {state.data(), size};
}

double Extrapolation::last_step() const {
  double sum = 0.0;
  const double* a = states_[count_ - 1].data();
  const double* b = states_[count_ - 2].data();
  for (std::size_t i = 0; i < size_; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

// Minimises |r_last - sum_j g_j (r_{j+1} - r_j)| over g, where r_j is the j-th step, by
// orthogonalising the differences from the newest to the oldest; those that add nothing are
// omitted. The answer is the last state moved by the same g.
bool Extrapolation::extrapolate(std::vector<double>& state) {
  if (count_ < 3) return false;
  const std::size_t differences = count_ - 2;
  const auto size = static_cast<std::int64_t>(size_);
  basis_.resize(differences);
  std::vector<std::size_t> used;
  std::vector<std::vector<double>> triangle;  // column k: difference k in terms of the basis
  std::vector<double> coordinates;            // of the last step
  std::vector<double> rest(size_);
  const double* last = states_[count_ - 1].data();
  const double* previous = states_[count_ - 2].data();
  for (std::size_t i = 0; i < size_; ++i) rest[i] = last[i] - previous[i];
  for (std::size_t back = 0; back < differences; ++back) {
    const std::size_t j = differences - 1 - back;
    const double *x = states_[j].data(), *y = states_[j + 1].data(), *z = states_[j + 2].data();
    std::vector<double>& column = basis_[used.size()];
    column.resize(size_);
    for (std::size_t i = 0; i < size_; ++i) column[i] = (z[i] - y[i]) - (y[i] - x[i]);
    const double before = std::sqrt(dot(size, column.data(), column.data()));
    std::vector<double> entries;
    for (std::size_t k = 0; k < used.size(); ++k) {
      const double c = dot(size, column.data(), basis_[k].data());
      subtract(size, c, basis_[k].data(), column.data());
      entries.push_back(c);
    }
    const double length = std::sqrt(dot(size, column.data(), column.data()));
    if (!(length > 1e-7 * before)) continue;
    for (double& value : column) value /= length;
    entries.push_back(length);
    triangle.push_back(std::move(entries));
    const double c = dot(size, rest.data(), column.data());
    subtract(size, c, column.data(), rest.data());
    coordinates.push_back(c);
    used.push_back(j);
  }
  if (used.empty()) return false;
  for (std::size_t k = used.size(); k-- > 0;) {
    coordinates[k] /= triangle[k][k];
    for (std::size_t i = 0; i < k; ++i) coordinates[i] -= triangle[k][i] * coordinates[k];
  }
  state.assign(last, last + size_);
  for (std::size_t k = 0; k < used.size(); ++k) {
    const double* y = states_[used[k] + 1].data();
    const double* z = states_[used[k] + 2].data();
    for (std::size_t i = 0; i < size_; ++i) state[i] -= coordinates[k] * (z[i] - y[i]);
  }
  double moved = 0.0;
  for (std::size_t i = 0; i < size_; ++i) moved += (state[i] - last[i]) * (state[i] - last[i]);
  return std::sqrt(moved) < kLongestStep * last_step();  // not if it is infinite or no number
}

}  // namespace turbotree::graphs
