#include "graphs/active_set.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace turbotree::graphs {

namespace {

constexpr double kSmallestPivot = 1e-9;    // overlaps are whole numbers: real pivots are far larger
constexpr int kUpdatesBeforeRefactor = 50; // keeps rounding errors from adding up

double overlap(const ActiveSet::Assignment& a, const ActiveSet::Assignment& b) {
  int common = 0;
  for (std::size_t i = 0; i < a.bits.size(); ++i) common += std::popcount(a.bits[i] & b.bits[i]);
  return common;
}

}  // namespace

void ActiveSet::prepare(const Factor& factor, const double* target, Memory& memory) {
  const auto links = static_cast<std::size_t>(factor.links);
  target_.assign(target, target + links);
  scores_.resize(links);
  chosen_.resize(links);
  for (std::size_t i = 0; i < links; ++i) {
    if (std::abs(target[i]) < 0.5 * kPinnedTarget) continue;
    const bool on = target[i] > 0.0;
    target_[i] = on ? 1.0 : 0.0;
    // Assignments from before the link was fixed may break it.
    for (std::size_t k = memory.active.size(); k-- > 0;)
      if ((memory.active[k].bits[i / 64] >> (i % 64) & 1) != (on ? 1u : 0u)) remove(k, memory);
  }
  double total = 0.0;
  for (const Assignment& a : memory.active) total += a.weight;
  if (!(total > 1e-6)) {
    while (!memory.active.empty()) remove(memory.active.size() - 1, memory);
  } else {
    for (Assignment& a : memory.active) a.weight /= total;
  }
}

double ActiveSet::right_hand_side(const Assignment& assignment, double scale) const {
  double sum = scale * assignment.own;
  for (const std::int32_t i : assignment.on) sum += target_[i];
  return sum;
}

// values := (L L^T)^-1 values
void ActiveSet::solve_triangle(const Memory& memory, std::vector<double>& values) const {
  const std::size_t size = values.size();
  for (std::size_t i = 0; i < size; ++i) {
    double sum = values[i];
    const double* row = memory.triangle[i].data();
    for (std::size_t j = 0; j < i; ++j) sum -= row[j] * values[j];
    values[i] = sum / row[i];
  }
  for (std::size_t i = size; i-- > 0;) {
    const double* row = memory.triangle[i].data();
    values[i] /= row[i];
    for (std::size_t j = 0; j < i; ++j) values[j] -= row[j] * values[i];
  }
}

void ActiveSet::minimise(const Factor& factor, double scale, double* point, Memory& memory) {
  std::vector<Assignment>& active = memory.active;
  while (active.size() > 1) {
    // Stationary point of the weights that sum to one: overlaps * w + t = right-hand side. Adding
    // one to all overlaps changes nothing on that plane and makes the matrix definite.
    const std::size_t size = active.size();
    solution_.resize(size);
    ones_.assign(size, 1.0);
    for (std::size_t k = 0; k < size; ++k) solution_[k] = right_hand_side(active[k], scale);
    solve_triangle(memory, solution_);
    solve_triangle(memory, ones_);
    double sum = 0.0, sum_of_ones = 0.0;
    for (std::size_t k = 0; k < size; ++k) sum += solution_[k], sum_of_ones += ones_[k];
    const double shift = (1.0 - sum) / sum_of_ones;
    double step = 1.0;
    std::size_t blocking = size;
    for (std::size_t k = 0; k < size; ++k) {
      solution_[k] += shift * ones_[k];
      if (solution_[k] >= 0.0) continue;
      const double reach = active[k].weight / (active[k].weight - solution_[k]);
      if (reach < step || blocking == size) step = std::min(step, reach), blocking = k;
    }
    for (std::size_t k = 0; k < size; ++k)
      active[k].weight += step * (solution_[k] - active[k].weight);
    if (blocking == size) break;
    remove(blocking, memory);
  }
  if (active.size() == 1) active[0].weight = 1.0;
  std::fill(point, point + factor.links, 0.0);
  for (const Assignment& a : active)
    for (const std::int32_t i : a.on) point[i] += a.weight;
}

bool ActiveSet::append_row(const Assignment& assignment, Memory& memory,
                           std::vector<double>& row) const {
  const std::size_t size = memory.triangle.size();
  row.resize(size + 1);
  double pivot = static_cast<double>(assignment.on.size()) + 1.0;
  for (std::size_t i = 0; i < size; ++i) {
    double sum = overlap(assignment, memory.active[i]) + 1.0;
    const double* other = memory.triangle[i].data();
    for (std::size_t j = 0; j < i; ++j) sum -= other[j] * row[j];
    row[i] = sum / other[i];
    pivot -= row[i] * row[i];
  }
  if (pivot < kSmallestPivot) return false;
  row[size] = std::sqrt(pivot);
  memory.triangle.push_back(row);
  return true;
}

bool ActiveSet::add(const Factor& factor, double own, Memory& memory) {
  Assignment fresh;
  if (!memory.spare.empty()) {
    fresh = std::move(memory.spare.back());
    memory.spare.pop_back();
  }
  const auto links = static_cast<std::size_t>(factor.links);
  fresh.bits.assign((links + 63) / 64, 0);
  fresh.on.clear();
  fresh.own = own;
  fresh.weight = 0.0;
  for (std::size_t i = 0; i < links; ++i) {
    if (chosen_[i] == 0) continue;
    fresh.bits[i / 64] |= std::uint64_t{1} << (i % 64);
    fresh.on.push_back(static_cast<std::int32_t>(i));
  }
  for (const Assignment& a : memory.active) {
    if (a.bits == fresh.bits) {
      memory.spare.push_back(std::move(fresh));
      return false;
    }
  }
  while (!append_row(fresh, memory, row_)) {
    // The new assignment is an affine combination of the active ones, with a better own score.
    // Exchange weight along that combination, which leaves the point where it is, until one of
    // them is used up.
    const std::size_t size = memory.active.size();
    solution_.resize(size);
    for (std::size_t k = 0; k < size; ++k) solution_[k] = overlap(fresh, memory.active[k]) + 1.0;
    solve_triangle(memory, solution_);
    double step = kInfinity;
    std::size_t blocking = size;
    for (std::size_t k = 0; k < size; ++k) {
      if (solution_[k] <= 1e-9) continue;
      const double reach = memory.active[k].weight / solution_[k];
      if (reach < step) step = reach, blocking = k;
    }
    if (blocking == size) {
      memory.spare.push_back(std::move(fresh));
      return false;
    }
    for (std::size_t k = 0; k < size; ++k) memory.active[k].weight -= step * solution_[k];
    fresh.weight += step;
    remove(blocking, memory);
  }
  memory.active.push_back(std::move(fresh));
  if (++memory.updates > kUpdatesBeforeRefactor) refactor(memory);
  return true;
}

// Deletes a row; rotations restore the triangle below it.
void ActiveSet::remove(std::size_t index, Memory& memory) {
  auto& triangle = memory.triangle;
  for (std::size_t i = index + 1; i < triangle.size(); ++i) {
    // Rows below have one column too many: rotate columns (i - 1, i) of row i and all below.
    double* row = triangle[i].data();
    const double a = row[i - 1], b = row[i];
    const double length = std::hypot(a, b);
    const double c = a / length, s = b / length;
    for (std::size_t k = i; k < triangle.size(); ++k) {
      double* other = triangle[k].data();
      const double x = other[i - 1], y = other[i];
      other[i - 1] = c * x + s * y;
      other[i] = c * y - s * x;
    }
  }
  for (std::size_t i = index + 1; i < triangle.size(); ++i) {
    triangle[i].pop_back();
    std::swap(triangle[i - 1], triangle[i]);
  }
  triangle.pop_back();
  memory.spare.push_back(std::move(memory.active[index]));
  memory.active.erase(memory.active.begin() + static_cast<std::ptrdiff_t>(index));
  ++memory.updates;
}

void ActiveSet::refactor(Memory& memory) {
  std::vector<Assignment> active = std::move(memory.active);
  memory.active.clear();
  memory.triangle.clear();
  for (Assignment& a : active) {
    if (append_row(a, memory, row_))
      memory.active.push_back(std::move(a));
    else
      memory.spare.push_back(std::move(a));
  }
  double total = 0.0;
  for (const Assignment& a : memory.active) total += a.weight;
  for (Assignment& a : memory.active) a.weight /= total;
  memory.updates = 0;
}

}  // namespace turbotree::graphs
