#include "graphs/semiring.h"

#include "common/exponential.h"

namespace turbotree::graphs {

TURBOTREE_CLONES
double exponentials(std::int64_t size, double* values) {
  for (std::int64_t i = 0; i < size; ++i)
    values[i] = values[i] > kSmallestExponent ? values[i] : kSmallestExponent;
  for (std::int64_t i = 0; i < size; ++i) values[i] = exponential(values[i]);
  double sum = 0.0;
  for (std::int64_t i = 0; i < size; ++i) sum += values[i];
  return sum;
}

double Maximum::of_others(std::int64_t size, double* values, double* others) {
  const std::int64_t where = std::max_element(values, values + size) - values;
  const double best = values[where];
  std::fill(others, others + size, best);
  values[where] = -kInfinity;
  others[where] = of(size, values);
  return best;
}

double LogSum::of_others(std::int64_t size, double* values, double* others) {
  const std::int64_t where = std::max_element(values, values + size) - values;
  const double top = values[where];
  if (top == -kInfinity) {
    std::fill(others, others + size, -kInfinity);
    return top;
  }
  // What is left beside the largest may be too small to be seen beside it.
  values[where] = -kInfinity;
  std::copy(values, values + size, others);
  const double left = of(size, others);
  values[where] = top;
  for (std::int64_t i = 0; i < size; ++i) values[i] -= top;
  const double sum = exponentials(size, values);
  double after = 0.0, before = 0.0;
  for (std::int64_t i = size; i-- > 0; after += values[i]) others[i] = after;
  for (std::int64_t i = 0; i < size; before += values[i++])
    others[i] = top + std::log(before + others[i]);
  others[where] = left;
  return top + std::log(sum);
}

}  // namespace turbotree::graphs
