#include "graphs/presolve/magnitudes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace turbotree::graphs {

namespace {

constexpr double kOutweighs = 4.0;     // times the sum of all smaller numbers
constexpr double kFarLarger = 100.0;   // than the next smaller number
constexpr std::size_t kSample = 1000;  // so many numbers tell what is usual

double size(const double* number) { return std::abs(*number); }

// How many numbers there have to be below a gap, so that it does not just lie between the smallest
// of many ordinary ones.
std::size_t least_below(std::size_t count) { return 1 + count / 20; }

// Whether there can be a gap at all, by the numbers' exponents: most graphs have none.
bool may_have_gap(std::span<double* const> numbers) {
  constexpr int kExponents = 2048, kBinsOfGap = 6;  // 2^6 < kFarLarger
  std::array<std::uint32_t, kExponents> count{};
  int highest = 0;
  for (const double* number : numbers) {
    const auto exponent =
        static_cast<int>(std::bit_cast<std::uint64_t>(*number) >> 52 & (kExponents - 1));
    ++count[exponent];
    highest = std::max(highest, exponent);
  }
  std::size_t below = 0;
  int last = -1;
  for (int e = 0; e <= highest; ++e) {
    if (count[e] == 0) continue;
    if (last >= 0 && e - last >= kBinsOfGap && below >= least_below(numbers.size())) return true;
    below += count[e];
    last = e;
  }
  return false;
}

bool is_gap(std::span<double* const> sorted, std::size_t i, double below) {
  return i >= least_below(sorted.size()) && size(sorted[i]) > kFarLarger * size(sorted[i - 1]) &&
         size(sorted[i]) > kOutweighs * below;
}

// The size of the first number above a gap, infinite if there is none.
double first_gap(std::span<double* const> sorted) {
  double below = 0.0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (is_gap(sorted, i, below)) return size(sorted[i]);
    below += size(sorted[i]);
  }
  return std::numeric_limits<double>::infinity();
}

Taming flatten(std::span<double* const> sorted) {
  std::size_t first = sorted.size();  // of the largest numbers, which are all negative
  while (first > 0 && *sorted[first - 1] < 0.0) --first;
  double below = 0.0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i < first || !is_gap(sorted, i, below)) {
      below += size(sorted[i]);
      continue;
    }
    Taming taming{.changed = true, .least = -2.0 * below};
    taming.ordered = size(sorted[i]) == size(sorted.back());
    taming.from = kOutweighs * below;
    taming.margin = below;
    taming.lightest = size(sorted[i]);
    for (; i < sorted.size(); ++i) *sorted[i] = -taming.from;
    return taming;
  }
  return {};
}

// No sum of at least `floor` has a negative number of this size.
double hopeless_size(std::span<double* const> numbers, double floor) {
  double positive = 0.0;
  for (const double* number : numbers) positive += std::max(0.0, *number);
  return 2.0 * (positive + std::abs(floor));
}

// If all numbers above a gap are multiples of the least of them, the base, up to remainders that it
// outweighs too, then sums are ordered by how often they have the base before anything else, and a
// smaller base does as well. What is hopeless need only stay so.
Taming level(std::span<double* const> sorted, double hopeless) {
  const auto is_hopeless = [&](const double* number) { return *number <= -hopeless; };
  double below = 0.0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double base = size(sorted[i]);
    if (is_hopeless(sorted[i])) break;
    if (is_gap(sorted, i, below)) {
      double rest = 0.0;
      for (const double* number : sorted.subspan(i))
        if (!is_hopeless(number))
          rest += std::abs(size(number) - base * std::round(size(number) / base));
      const double smaller = kOutweighs * (below + rest);
      if (smaller < base) {
        Taming taming{.changed = true};
        taming.from = smaller;
        taming.margin = below + rest;
        for (double* number : sorted.subspan(i)) {
          if (is_hopeless(number)) {
            *number = -smaller * (1.0 + std::ceil(hopeless / base));
            continue;
          }
          const double times = std::round(size(number) / base);
          const double tamed = times * smaller + (size(number) - times * base);
          if (*number > 0.0) taming.most_lost += *number - tamed;
          *number = std::copysign(tamed, *number);
        }
        return taming;
      }
    }
    below += base;
  }
  Taming taming;
  for (double* number : sorted)
    if (is_hopeless(number) && *number < -hopeless) {
      taming.changed = true;
      taming.margin = 0.0;
      *number = -hopeless;
    }
  return taming;
}

}  // namespace

Taming tame(std::span<double* const> numbers, Tame how, double floor) {
  if (!may_have_gap(numbers)) return {};
  std::vector<double*> sorted(numbers.begin(), numbers.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const double* a, const double* b) { return size(a) < size(b); });
  Taming taming;
  if (how == Tame::kFlatten) taming = flatten(sorted);
  if (!taming.changed) {
    taming = level(sorted, hopeless_size(numbers, floor));
    if (!std::isfinite(taming.from)) taming.from = first_gap(sorted);
  }
  return taming;
}

double typical_size(std::span<const double> numbers, double up_to) {
  std::vector<double> sizes;
  const auto take = [&](double number) {
    const double size = std::abs(number);
    if (size > 0.0 && size < up_to) sizes.push_back(size);
  };
  const std::size_t stride = 1 + numbers.size() / kSample;
  for (std::size_t i = 0; i < numbers.size(); i += stride) take(numbers[i]);
  if (sizes.empty() && stride > 1)
    for (const double number : numbers) take(number);
  if (sizes.empty()) return 0.0;
  const auto quartile = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 4);
  std::nth_element(sizes.begin(), quartile, sizes.end());
  return *quartile;
}

}  // namespace turbotree::graphs
