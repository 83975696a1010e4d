// The modifiers of one head on one side as a chain of consecutive siblings, for the automata.
//
// Any subset of the K modifiers may be chosen. Its score is the sum of their values and of
// matrix[i][j] over consecutive ones from start to stop: row 0 is the start and row i the i-th
// modifier, column j the (j + 1)-th modifier and column K the stop. Only j >= i means anything.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace turbotree::graphs {

class SiblingChain {
 public:
  // The matrix's part of a subset's score.
  static double score(std::span<const double> matrix, std::span<const std::uint8_t> chosen);

  // The best score; trace() then writes the subset that has it.
  double best(std::span<const double> matrix, std::span<const double> values);
  void trace(std::span<std::uint8_t> chosen) const;

  // The total (Maximum or LogSum) over all subsets. After it, with()[k] is the total over those
  // that hold the modifier, without its own value, and without()[k] over those that do not.
  template <class Total>
  double total(std::span<const double> matrix, std::span<const double> values);
  std::span<const double> with() const { return with_; }
  std::span<const double> without() const { return without_; }
  // After total<LogSum>: the expectation of the matrix's part of the score.
  double expected_score() const { return expected_; }
  // After it too: adds to each cell that is read the probability of its step, times the weight.
  void add_steps(double weight, std::span<double> matrix);

 private:
  // The total over subsets up to row i, and over those from column j to the stop.
  double path(std::int64_t row) const {
    return row == 0 ? 0.0 : before_[row - 1] + values_[row - 1];
  }
  double rest(std::int64_t column) const {
    return column == modifiers_ ? 0.0 : values_[column] + after_[column + 1];
  }
  template <class Total>
  void fill_without();
  void fill_steps_from(std::int64_t row);
  bool fill_without_from_probabilities();

  std::int64_t modifiers_ = 0;
  std::span<const double> matrix_, values_;
  double total_ = 0.0, expected_ = 0.0;
  // before_[j]: up to the (j + 1)-th modifier or the stop, without that modifier's value;
  // after_[i]: from row i on, without its value.
  std::vector<double> before_, after_;
  std::vector<double> with_, without_, terms_;
  std::vector<double> beyond_;  // [i][k]: from row i straight to any column beyond k
};

}  // namespace turbotree::graphs
