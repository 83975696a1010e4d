// Reduced-rank extrapolation: the limit of a sequence that is about to converge linearly.
//
// Near its solution ADMM's round is an affine map with a few slow, rotating modes. From a handful
// of consecutive states, the combination whose step is smallest cancels those modes (Mesina 1977;
// Anderson acceleration with restarts).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace turbotree::graphs {

class Extrapolation {
 public:
  explicit Extrapolation(std::size_t states) : capacity_(states) {}

  void clear() { count_ = 0; }
  // Room for the next state, `size` numbers.
  std::span<double> next(std::size_t size);
  bool full() const { return count_ == capacity_; }
  std::size_t count() const { return count_; }

  std::span<const double> last() const { return {states_[count_ - 1].data(), size_}; }
  // The length of the last step.
  double last_step() const;

  // Writes the extrapolated state; false if the states tell nothing.
  bool extrapolate(std::vector<double>& state);

 private:
  std::size_t capacity_, count_ = 0, size_ = 0;
  std::vector<std::vector<double>> states_, basis_;
};

}  // namespace turbotree::graphs
