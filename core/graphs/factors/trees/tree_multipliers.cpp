#include "graphs/factors/trees/tree_multipliers.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "graphs/factors/simplex.h"

namespace turbotree::graphs {

namespace {

constexpr double kCutTolerance = 1e-11;
constexpr std::size_t kMostBinding = 512;  // cuts are bits in Newton's method, 64 to a group
constexpr double kLeastPivot = 1e-8;
constexpr double kShortestStep = 0.01;

template <class Function>
void for_each_bit(const std::uint64_t* bits, std::size_t groups, Function&& function) {
  for (std::size_t g = 0; g < groups; ++g)
    for (std::uint64_t left = bits[g]; left != 0; left &= left - 1)
      function(64 * g + static_cast<std::size_t>(std::countr_zero(left)));
}

}  // namespace

void TreeMultipliers::start(std::span<const double> target, TreeMemory& memory) {
  target_.clear();
  for (const std::int32_t arc : memory.arcs.arc_at) target_.push_back(target[arc]);
  shifted_ = target_;
  point_.resize(target_.size());
  for (std::size_t w = 1; w <= memory.arcs.words; ++w) project_word(w, memory);
}

void TreeMultipliers::project_word(std::size_t word, TreeMemory& memory) {
  const std::int32_t first = memory.arcs.start[word];
  const std::int32_t count = memory.arcs.start[word + 1] - first;
  project_on_simplex(std::span(shifted_).subspan(first, count),
                     std::span(point_).subspan(first, count), memory.thresholds[word]);
}

void TreeMultipliers::list_cut_words(const TreeMemory& memory) {
  in_cut_.assign(memory.arcs.words + 1, 0);
  cut_words_.clear();
  for (const TreeCut& cut : memory.cuts)
    for (const std::int32_t w : cut.words)
      if (in_cut_[w] == 0) in_cut_[w] = 1, cut_words_.push_back(w);
}

void TreeMultipliers::project_cut_words(TreeMemory& memory) {
  const std::vector<std::int32_t>& start = memory.arcs.start;
  for (const std::int32_t w : cut_words_)
    std::copy(target_.begin() + start[w], target_.begin() + start[w + 1],
              shifted_.begin() + start[w]);
  for (const TreeCut& cut : memory.cuts)
    if (cut.multiplier != 0.0)
      for (const std::int32_t place : cut.arcs) shifted_[place] -= cut.multiplier;
  for (const std::int32_t w : cut_words_) project_word(static_cast<std::size_t>(w), memory);
}

double TreeMultipliers::gap(const TreeCut& cut) const {
  double inside = 0.0;
  for (const std::int32_t place : cut.arcs) inside += point_[place];
  return inside - cut.allowed();
}

void TreeMultipliers::measure(const TreeMemory& memory) {
  gaps_.resize(memory.cuts.size());
  violation_ = 0.0;
  for (std::size_t c = 0; c < gaps_.size(); ++c) {
    gaps_[c] = gap(memory.cuts[c]);
    const bool tight = memory.cuts[c].is_tight();
    violation_ = std::max(violation_, tight ? std::abs(gaps_[c]) : gaps_[c]);
  }
}

// What the multipliers' problem maximises, up to a constant.
double TreeMultipliers::dual_value(const TreeMemory& memory) const {
  const std::vector<std::int32_t>& start = memory.arcs.start;
  double sum = 0.0;
  for (const std::int32_t w : cut_words_)
    for (std::int32_t i = start[w]; i < start[w + 1]; ++i)
      sum += point_[i] * (0.5 * point_[i] - shifted_[i]);
  for (const TreeCut& cut : memory.cuts) sum -= cut.multiplier * cut.allowed();
  return sum;
}

bool TreeMultipliers::list_binding_cuts(const TreeMemory& memory) {
  binding_.clear();
  for (std::size_t c = 0; c < gaps_.size(); ++c)
    if (memory.cuts[c].is_tight() || gaps_[c] > 0.0) binding_.push_back(c);
  return binding_.size() <= kMostBinding;
}

// How a unit of one multiplier moves the mass inside another cut: a word with k heads in use, j of
// them inside, shifts the mass evenly among the k.
void TreeMultipliers::fill_jacobian(const TreeMemory& memory) {
  const std::vector<std::int32_t>& start = memory.arcs.start;
  const std::size_t size = binding_.size(), groups = (size + 63) / 64;
  jacobian_.assign(size * size, 0.0);
  cuts_at_.assign(point_.size() * groups, 0);
  for (std::size_t s = 0; s < size; ++s)
    for (const std::int32_t place : memory.cuts[binding_[s]].arcs)
      cuts_at_[place * groups + s / 64] |= std::uint64_t{1} << s % 64;
  double counts[kMostBinding];
  std::uint64_t present[kMostBinding / 64];
  for (const std::int32_t w : cut_words_) {
    std::fill(present, present + groups, std::uint64_t{0});
    double used = 0.0;
    for (std::int32_t i = start[w]; i < start[w + 1]; ++i) {
      if (!(point_[i] > 0.0)) continue;
      used += 1.0;
      const std::uint64_t* const cuts = cuts_at_.data() + i * groups;
      for_each_bit(cuts, groups, [&](std::size_t s) {
        if ((present[s / 64] >> s % 64 & 1) == 0) counts[s] = 0.0;
        present[s / 64] |= std::uint64_t{1} << s % 64;
        counts[s] += 1.0;
        for_each_bit(cuts, groups, [&](std::size_t t) { jacobian_[s * size + t] += 1.0; });
      });
    }
    for_each_bit(present, groups, [&](std::size_t s) {
      for_each_bit(present, groups,
                   [&](std::size_t t) { jacobian_[s * size + t] -= counts[s] * counts[t] / used; });
    });
  }
}

// Gaussian elimination of a positive semidefinite matrix. A cut that the others imply, or whose
// multiplier moves nothing at present, stays where it is.
void TreeMultipliers::solve_for_step() {
  const std::size_t size = binding_.size();
  step_.resize(size);
  for (std::size_t s = 0; s < size; ++s) step_[s] = gaps_[binding_[s]];
  for (std::size_t k = 0; k < size; ++k) {
    double* const row = jacobian_.data() + k * size;
    const double pivot = row[k];
    if (!(pivot > kLeastPivot)) {
      std::fill(row, row + size, 0.0);
      row[k] = 1.0;
      step_[k] = 0.0;
      continue;
    }
    for (std::size_t r = k + 1; r < size; ++r) {
      const double share = jacobian_[r * size + k] / pivot;
      if (share == 0.0) continue;
      for (std::size_t c = k; c < size; ++c) jacobian_[r * size + c] -= share * row[c];
      step_[r] -= share * step_[k];
    }
  }
  for (std::size_t k = size; k-- > 0;) {
    const double* const row = jacobian_.data() + k * size;
    for (std::size_t c = k + 1; c < size; ++c) step_[k] -= row[c] * step_[c];
    step_[k] /= row[k];
  }
}

// Projected on the positive multipliers, and shortened until the dual rises or the conditions hold
// better.
bool TreeMultipliers::take_step(TreeMemory& memory) {
  const double worst = violation_, before = dual_value(memory);
  double expected = 0.0;
  old_multipliers_.clear();
  for (std::size_t s = 0; s < binding_.size(); ++s) {
    expected += step_[s] * gaps_[binding_[s]];
    old_multipliers_.push_back(memory.cuts[binding_[s]].multiplier);
  }
  for (double length = 1.0; length > kShortestStep; length *= 0.5) {
    for (std::size_t s = 0; s < binding_.size(); ++s) {
      TreeCut& cut = memory.cuts[binding_[s]];
      cut.multiplier = std::max(cut.least_multiplier(), old_multipliers_[s] + length * step_[s]);
    }
    project_cut_words(memory);
    measure(memory);
    if (violation_ < 0.9 * worst || dual_value(memory) > before + 1e-3 * length * expected)
      return true;
  }
  for (std::size_t s = 0; s < binding_.size(); ++s)
    memory.cuts[binding_[s]].multiplier = old_multipliers_[s];
  project_cut_words(memory);
  return false;
}

bool TreeMultipliers::newton_step(TreeMemory& memory) {
  if (!list_binding_cuts(memory)) return false;
  fill_jacobian(memory);
  solve_for_step();
  return take_step(memory);
}

// How fast the mass inside falls with the multiplier.
double TreeMultipliers::slope(const TreeCut& cut, const TreeMemory& memory) const {
  const std::vector<std::int32_t>& start = memory.arcs.start;
  double sum = 0.0;
  auto place = cut.arcs.begin();  // in the order of the words that they go to
  for (const std::int32_t w : cut.words) {
    double used = 0.0, inside = 0.0;
    for (std::int32_t i = start[w]; i < start[w + 1]; ++i) used += point_[i] > 0.0 ? 1.0 : 0.0;
    for (; place != cut.arcs.end() && memory.arcs.modifier[*place] == w; ++place)
      inside += point_[*place] > 0.0 ? 1.0 : 0.0;
    if (used > 0.0) sum += inside * (used - inside) / used;
  }
  return sum;
}

// The gap falls with the multiplier: Newton's method between bounds.
void TreeMultipliers::maximise_multiplier(TreeCut& cut, TreeMemory& memory) {
  const double least = cut.least_multiplier();
  double left = gap(cut), low = least, high = kInfinity;
  for (int step = 0; step < 100 && std::abs(left) > 0.1 * kCutTolerance; ++step) {
    (left > 0.0 ? low : high) = cut.multiplier;
    if (high <= least) break;
    const double fall = slope(cut, memory);
    double next = fall > 0.0 ? cut.multiplier + left / fall : kInfinity;
    if (!(next > low && next < high)) {
      if (low == -kInfinity)
        next = 2.0 * high - 1.0;
      else if (next <= least && low <= least)
        next = least;
      else
        next = high < kInfinity ? 0.5 * (low + high) : 2.0 * low + 1.0;
    }
    if (std::abs(next) > kPinnedTarget) break;
    for (const std::int32_t place : cut.arcs) shifted_[place] -= next - cut.multiplier;
    cut.multiplier = next;
    for (const std::int32_t w : cut.words) project_word(static_cast<std::size_t>(w), memory);
    left = gap(cut);
    if (cut.multiplier == least && left <= 0.0) break;
  }
}

bool TreeMultipliers::fit(int max_steps, TreeMemory& memory) {
  list_cut_words(memory);
  project_cut_words(memory);
  measure(memory);
  for (int step = 0; violation_ > kCutTolerance; ++step) {
    if (step == max_steps) return false;
    if (newton_step(memory)) continue;
    for (TreeCut& cut : memory.cuts) maximise_multiplier(cut, memory);
    measure(memory);
  }
  return true;
}

}  // namespace turbotree::graphs
