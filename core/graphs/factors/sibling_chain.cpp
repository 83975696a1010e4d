#include "graphs/factors/sibling_chain.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "common/vectorize.h"
#include "graphs/numerics/semiring.h"

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

double SiblingChain::score(std::span<const double> matrix, std::span<const std::uint8_t> chosen) {
  const std::size_t modifiers = chosen.size();
  const double* row = matrix.data();
  double sum = 0.0;
  for (std::size_t k = 0; k < modifiers; ++k) {
    if (chosen[k] == 0) continue;
    sum += row[k];
    row = matrix.data() + (k + 1) * (modifiers + 1);
  }
  return sum + row[modifiers];
}

double SiblingChain::best(std::span<const double> matrix, std::span<const double> values) {
  modifiers_ = static_cast<std::int64_t>(values.size()), matrix_ = matrix, values_ = values;
  before_.resize(values.size() + 1);
  total_ = best_forward(modifiers_, matrix.data(), values.data(), before_.data());
  return total_;
}

void SiblingChain::trace(std::span<std::uint8_t> chosen) const {
  std::fill(chosen.begin(), chosen.end(), std::uint8_t{0});
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
double SiblingChain::total(std::span<const double> matrix, std::span<const double> values) {
  modifiers_ = static_cast<std::int64_t>(values.size()), matrix_ = matrix, values_ = values;
  const std::int64_t width = modifiers_ + 1;
  const auto size = static_cast<std::size_t>(width);
  before_.resize(size);
  after_.resize(size);
  with_.resize(size - 1);
  without_.resize(size - 1);
  terms_.resize(size);
  for (std::int64_t j = 0; j < width; ++j) {
    for (std::int64_t i = 0; i <= j; ++i) terms_[i] = path(i) + matrix[i * width + j];
    before_[j] = Total::of(std::span(terms_).first(j + 1));
  }
  for (std::int64_t i = modifiers_; i >= 0; --i) {
    for (std::int64_t j = i; j < width; ++j) terms_[j] = matrix[i * width + j] + rest(j);
    after_[i] = Total::of(std::span(terms_).subspan(i));
  }
  for (std::int64_t k = 0; k < modifiers_; ++k) with_[k] = before_[k] + after_[k + 1];
  total_ = before_[modifiers_];
  if (!std::is_same_v<Total, LogSum> || !fill_without_from_probabilities()) fill_without<Total>();
  return total_;
}

template double SiblingChain::total<Maximum>(std::span<const double>, std::span<const double>);
template double SiblingChain::total<LogSum>(std::span<const double>, std::span<const double>);

// A subset without a modifier goes past it, from one of the rows up to it.
template <class Total>
void SiblingChain::fill_without() {
  const std::int64_t width = modifiers_ + 1;
  beyond_.resize(static_cast<std::size_t>(width * width));
  for (std::int64_t i = 0; i < width; ++i) {
    Total steps;
    for (std::int64_t j = modifiers_; j >= i; --j) {
      beyond_[i * width + j] = steps.total();
      steps.add(matrix_[i * width + j] + rest(j));
    }
  }
  for (std::int64_t k = 0; k < modifiers_; ++k) {
    for (std::int64_t i = 0; i <= k; ++i) terms_[i] = path(i) + beyond_[i * width + k];
    without_[k] = Total::of(std::span(terms_).first(k + 1));
  }
}

// The probabilities of the steps from a row, in terms_.
void SiblingChain::fill_steps_from(std::int64_t i) {
  const std::int64_t width = modifiers_ + 1;
  const double* row = matrix_.data() + i * width;
  const double start = path(i) - total_;
  for (std::int64_t j = i; j < width; ++j) terms_[j] = start + row[j] + rest(j);
  exponentials(std::span(terms_).subspan(i));
}

void SiblingChain::add_steps(double weight, std::span<double> matrix) {
  if (total_ == -kInfinity) return;
  const std::int64_t width = modifiers_ + 1;
  for (std::int64_t i = 0; i < width; ++i) {
    fill_steps_from(i);
    for (std::int64_t j = i; j < width; ++j) matrix[i * width + j] += weight * terms_[j];
  }
}

// The same for sums by the probabilities of all steps, without a logarithm for each; also the
// expected score. False if a modifier is so certain that doing without it is lost in rounding.
bool SiblingChain::fill_without_from_probabilities() {
  const std::int64_t width = modifiers_ + 1;
  expected_ = 0.0;
  if (total_ == -kInfinity) return false;
  std::fill(without_.begin(), without_.end(), 0.0);
  for (std::int64_t i = 0; i < width; ++i) {
    const double* row = matrix_.data() + i * width;
    fill_steps_from(i);
    double beyond = 0.0;
    for (std::int64_t j = modifiers_; j >= i; --j) {
      if (j < modifiers_) without_[j] += beyond;
      beyond += terms_[j];
      if (terms_[j] > 0.0) expected_ += terms_[j] * row[j];
    }
  }
  constexpr double kSmallest = 1e-250;
  for (const double probability : without_)
    if (probability < kSmallest) return false;
  for (double& probability : without_) probability = total_ + std::log(probability);
  return true;
}

}  // namespace turbotree::graphs
