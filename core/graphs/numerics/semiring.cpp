#include "graphs/numerics/semiring.h"

#include "common/exponential.h"

namespace turbotree::graphs {

TURBOTREE_CLONES
double exponentials(std::span<double> values) {
  for (double& value : values) value = value > kSmallestExponent ? value : kSmallestExponent;
  for (double& value : values) value = exponential(value);
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum;
}

double Maximum::of_others(std::span<double> values, std::span<double> others) {
  const std::int64_t where = std::max_element(values.begin(), values.end()) - values.begin();
  const double best = values[where];
  std::fill(others.begin(), others.end(), best);
  values[where] = -kInfinity;
  others[where] = of(values);
  return best;
}

double LogSum::of_others(std::span<double> values, std::span<double> others) {
  const std::int64_t where = std::max_element(values.begin(), values.end()) - values.begin();
  const double top = values[where];
  if (top == -kInfinity) {
    std::fill(others.begin(), others.end(), -kInfinity);
    return top;
  }
  // What is left beside the largest may be too small to be seen beside it.
  values[where] = -kInfinity;
  std::copy(values.begin(), values.end(), others.begin());
  const double left = of(others);
  values[where] = top;
  for (double& value : values) value -= top;
  const double sum = exponentials(values);
  double after = 0.0, before = 0.0;
  for (std::size_t i = values.size(); i-- > 0; after += values[i]) others[i] = after;
  for (std::size_t i = 0; i < values.size(); before += values[i++])
    others[i] = top + std::log(before + others[i]);
  others[where] = left;
  return top + std::log(sum);
}

}  // namespace turbotree::graphs
