#include "graphs/factors/sibling_chain.h"

#include <algorithm>
#include <cmath>

#include "common/vectorize.h"
#include "graphs/semiring.h"

namespace turbotree::graphs {

namespace {

// Row by row, so that the inner loop runs along memory and has no result to wait for.
TURBOTREE_CLONES
double best_forward(std::int64_t modifiers, const double* matrix, const double* values,
                    double* TURBOTREE_RESTRICT before) {
  const std::int64_t width = modifiers + 1;
  std::copy(matrix, matrix + width, before);
  for (std::int64_t i = 1; i < width; ++i) {
    const double path = before[i - 1] + values[i - 1];
    const double* TURBOTREE_RESTRICT row = matrix + i * width;
    for (std::int64_t j = i; j < width; ++j) {
      const double longer = path + row[j];
      before[j] = longer > before[j] ? longer : before[j];
    }
  }
  return before[modifiers];
}

}  // namespace

double SiblingChain::score(std::int64_t modifiers, const double* matrix,
                           const std::uint8_t* chosen) {
  const double* row = matrix;
  double sum = 0.0;
  for (std::int64_t k = 0; k < modifiers; ++k) {
    if (chosen[k] == 0) continue;
    sum += row[k];
    row = matrix + (k + 1) * (modifiers + 1);
  }
  return sum + row[modifiers];
}

double SiblingChain::best(std::int64_t modifiers, const double* matrix, const double* values) {
  modifiers_ = modifiers, matrix_ = matrix, values_ = values;
  before_.resize(static_cast<std::size_t>(modifiers) + 1);
  total_ = best_forward(modifiers, matrix, values, before_.data());
  return total_;
}

void SiblingChain::trace(std::uint8_t* chosen) const {
  std::fill(chosen, chosen + modifiers_, std::uint8_t{0});
  if (total_ == -kInfinity) return;
  // Back from the stop: the row that gives the very number found on the way there.
  const std::int64_t width = modifiers_ + 1;
  for (std::int64_t j = modifiers_, i = j; i > 0; --i) {
    if (before_[i - 1] + values_[i - 1] + matrix_[i * width + j] != before_[j]) continue;
    chosen[i - 1] = 1;
    j = i - 1;
  }
}

template <class Total>
double SiblingChain::total(std::int64_t modifiers, const double* matrix, const double* values) {
  modifiers_ = modifiers, matrix_ = matrix, values_ = values;
  const std::int64_t width = modifiers + 1;
  const auto size = static_cast<std::size_t>(width);
  before_.resize(size);
  after_.resize(size);
  beyond_.resize(size * size);
  with_.resize(size - 1);
  without_.resize(size - 1);
  for (std::int64_t j = 0; j < width; ++j) {
    Total paths;
    paths.add(matrix[j]);
    for (std::int64_t i = 1; i <= j; ++i)
      paths.add(before_[i - 1] + values[i - 1] + matrix[i * width + j]);
    before_[j] = paths.total();
  }
  for (std::int64_t i = modifiers; i >= 0; --i) {
    Total paths;
    for (std::int64_t j = modifiers; j >= i; --j) {
      beyond_[i * width + j] = paths.total();
      const double rest = j == modifiers ? 0.0 : values[j] + after_[j + 1];
      paths.add(matrix[i * width + j] + rest);
    }
    after_[i] = paths.total();
  }
  for (std::int64_t k = 0; k < modifiers; ++k) {
    with_[k] = before_[k] + after_[k + 1];
    // A subset without the modifier goes past it from one of the rows up to it.
    Total past;
    past.add(beyond_[k]);
    for (std::int64_t i = 1; i <= k; ++i)
      past.add(before_[i - 1] + values[i - 1] + beyond_[i * width + k]);
    without_[k] = past.total();
  }
  total_ = before_[modifiers];
  return total_;
}

template double SiblingChain::total<Maximum>(std::int64_t, const double*, const double*);
template double SiblingChain::total<LogSum>(std::int64_t, const double*, const double*);

double SiblingChain::expected_score() const {
  if (total_ == -kInfinity) return 0.0;
  const std::int64_t width = modifiers_ + 1;
  double sum = 0.0;
  for (std::int64_t i = 0; i < width; ++i) {
    const double path = (i == 0 ? 0.0 : before_[i - 1] + values_[i - 1]) - total_;
    for (std::int64_t j = i; j < width; ++j) {
      const double score = matrix_[i * width + j];
      const double rest = j == modifiers_ ? 0.0 : values_[j] + after_[j + 1];
      if (score > -kInfinity) sum += score * std::exp(path + score + rest);
    }
  }
  return sum;
}

}  // namespace turbotree::graphs
