#include "graphs/numerics/active_set.h"

#include <bit>
#include <utility>

#include "common/vectorize.h"

namespace turbotree::graphs {

namespace {

constexpr double kSmallestPivot = 1e-9;  // overlaps are whole numbers: real pivots are far larger
constexpr int kUpdatesBeforeRefactor = 200;  // keeps rounding errors from adding up

// Compiled for newer processors too, which count bits in one instruction.
TURBOTREE_CLONES
int common_bits(std::size_t size, const std::uint64_t* a, const std::uint64_t* b) {
  int common = 0;
  for (std::size_t i = 0; i < size; ++i) common += std::popcount(a[i] & b[i]);
  return common;
}

double overlap(const ActiveSet::Assignment& a, const ActiveSet::Assignment& b) {
  return common_bits(a.bits.size(), a.bits.data(), b.bits.data());
}

TURBOTREE_INLINE bool is_fixed(double target) { return std::abs(target) >= 0.5 * kPinnedTarget; }

// Without a branch per link, as mostly none is.
TURBOTREE_CLONES
bool some_are_fixed(std::span<const double> targets) {
  std::int64_t count = 0;
  for (const double target : targets) count += is_fixed(target) ? 1 : 0;
  return count > 0;
}

TURBOTREE_CLONES
void subtract_and_scale(std::size_t size, const double* TURBOTREE_RESTRICT a,
                        const double* TURBOTREE_RESTRICT b, double factor,
                        double* TURBOTREE_RESTRICT result) {
  for (std::size_t i = 0; i < size; ++i) result[i] = (a[i] - b[i]) * factor;
}

}  // namespace

void ActiveSet::prepare(std::span<const double> target, double scale, Memory& memory) {
  const std::size_t links = target.size();
  scale_ = scale;
  target_.assign(target.begin(), target.end());
  scores_.resize(links);
  chosen_.resize(links);
  fixed_.clear();
  if (some_are_fixed(target)) {
    for (std::size_t i = 0; i < links; ++i)
      if (is_fixed(target[i])) fixed_.push_back(static_cast<std::int32_t>(i));
    drop_what_breaks_fixed_links(memory);
  }
  solve_pulls(memory);
}

// Assignments from before a link was fixed may break it.
void ActiveSet::drop_what_breaks_fixed_links(Memory& memory) {
  for (const std::int32_t i : fixed_) target_[i] = target_[i] > 0.0 ? 1.0 : 0.0;
  solved_.resize(memory.active.size());  // remove() wants to bring it up to date
  for (std::size_t k = memory.active.size(); k-- > 0;) {
    const Assignment& a = memory.active[k];
    const bool breaks = std::any_of(fixed_.begin(), fixed_.end(), [&](std::int32_t i) {
      return (a.bits[i / 64] >> (i % 64) & 1) != (target_[i] > 0.0 ? 1u : 0u);
    });
    if (breaks) remove(k, memory);
  }
  double total = 0.0;
  for (const double w : memory.weights) total += w;
  if (total > 1e-6) {
    for (double& w : memory.weights) w /= total;
  } else {
    while (!memory.active.empty()) remove(memory.active.size() - 1, memory);
  }
}

bool ActiveSet::chosen_breaks_fixed_links() const {
  return std::any_of(fixed_.begin(), fixed_.end(),
                     [&](std::int32_t i) { return (chosen_[i] != 0) != (target_[i] > 0.0); });
}

double ActiveSet::chosen_score_of_free_links() {
  for (const std::int32_t i : fixed_) scores_[i] = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < chosen_.size(); ++i) sum += chosen_[i] != 0 ? scores_[i] : 0.0;
  return sum;
}

double ActiveSet::factor_score(const Memory& memory) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < memory.active.size(); ++k)
    sum += memory.weights[k] * memory.active[k].own;
  return sum;
}

double ActiveSet::aim(const Factor& factor, std::span<const double> point) {
  subtract_and_scale(target_.size(), target_.data(), point.data(), 1.0 / scale_, scores_.data());
  const double reached = dot(scores_, point);
  if (fixed_.empty()) return reached;
  // Enough to outweigh everything else, and no more: what is added to it loses digits.
  double most = kPinnedScore;
  for (const double s : scores_) most += std::abs(s);
  for (const double s : factor.scores) most += s > -kInfinity ? std::abs(s) : 0.0;
  for (const std::int32_t i : fixed_) scores_[i] = target_[i] > 0.0 ? most : -most;
  return reached;
}

// How far an assignment is in the direction of the target: the linear part of the subproblem.
double ActiveSet::pull(const Assignment& assignment) const {
  // Two sums side by side, as each addition waits for the one before it.
  double sums[2] = {scale_ * assignment.own, 0.0};
  const std::size_t size = assignment.on.size();
  for (std::size_t i = 0; i + 1 < size; i += 2) {
    sums[0] += target_[assignment.on[i]];
    sums[1] += target_[assignment.on[i + 1]];
  }
  if (size % 2 == 1) sums[1] += target_[assignment.on.back()];
  return sums[0] + sums[1];
}

void ActiveSet::solve_pulls(Memory& memory) {
  solved_.resize(memory.active.size());
  for (std::size_t k = 0; k < memory.active.size(); ++k) solved_[k] = pull(memory.active[k]);
  memory.triangle.solve(solved_);
}

bool ActiveSet::minimise(std::span<double> point, Memory& memory, bool last_is_new) {
  std::vector<double>& weights = memory.weights;
  bool moved = true;
  while (weights.size() > 1) {
    // Stationary point of the weights that sum to one: overlaps * w + t = pulls. Adding one to all
    // overlaps changes nothing on that plane and makes the matrix definite.
    const std::size_t size = weights.size();
    const std::vector<double>& ones = memory.ones;
    const double shift = (1.0 - dot(ones, solved_)) / dot(ones, ones);
    solution_.resize(size);
    for (std::size_t k = 0; k < size; ++k) solution_[k] = solved_[k] + shift * ones[k];
    memory.triangle.solve_transposed(solution_);
    double step = 1.0;
    std::size_t blocking = size;
    for (std::size_t k = 0; k < size; ++k) {
      if (solution_[k] >= 0.0) continue;
      const double reach = weights[k] / (weights[k] - solution_[k]);
      if (reach < step || blocking == size) step = std::min(step, reach), blocking = k;
    }
    if (blocking == size) {
      weights.swap(solution_);
      break;
    }
    if (last_is_new && blocking + 1 == size) {
      moved = weights[blocking] > 0.0;
      last_is_new = false;
    }
    for (std::size_t k = 0; k < size; ++k)
      weights[k] = std::max(0.0, weights[k] + step * (solution_[k] - weights[k]));
    remove(blocking, memory);
  }
  if (weights.size() == 1) weights[0] = 1.0;
  std::fill(point.begin(), point.end(), 0.0);
  for (std::size_t k = 0; k < weights.size(); ++k)
    for (const std::int32_t i : memory.active[k].on) point[i] += weights[k];
  for (const std::int32_t i : fixed_) point[i] = target_[i];
  return moved;
}

// Appends the assignment's row to the triangle and what is solved with it, unless the assignment
// is an affine combination of the active ones. Leaves the row in row_.
bool ActiveSet::append(const Assignment& assignment, Memory& memory) {
  const std::size_t size = memory.triangle.size();
  row_.resize(size);
  for (std::size_t k = 0; k < size; ++k) row_[k] = overlap(assignment, memory.active[k]) + 1.0;
  memory.triangle.solve(row_);
  const double pivot = static_cast<double>(assignment.on.size()) + 1.0 - dot(row_, row_);
  if (pivot < kSmallestPivot) return false;
  const double diagonal = std::sqrt(pivot);
  solved_.push_back((pull(assignment) - dot(row_, solved_)) / diagonal);
  memory.ones.push_back((1.0 - dot(row_, memory.ones)) / diagonal);
  memory.triangle.append(row_, diagonal);
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
  double weight = 0.0;
  while (!append(fresh, memory)) {
    // The new assignment is an affine combination of the active ones, with a better factor score.
    // Exchange weight along that combination, which leaves the point where it is, until one of
    // them is used up.
    memory.triangle.solve_transposed(row_);
    double step = kInfinity;
    std::size_t blocking = row_.size();
    for (std::size_t k = 0; k < row_.size(); ++k) {
      if (row_[k] <= 1e-9) continue;
      const double reach = memory.weights[k] / row_[k];
      if (reach < step) step = reach, blocking = k;
    }
    if (blocking == row_.size()) {
      memory.spare.push_back(std::move(fresh));
      return false;
    }
    for (std::size_t k = 0; k < row_.size(); ++k)
      memory.weights[k] = std::max(0.0, memory.weights[k] - step * row_[k]);
    weight += step;
    remove(blocking, memory);
  }
  memory.active.push_back(std::move(fresh));
  memory.weights.push_back(weight);
  if (++memory.updates > kUpdatesBeforeRefactor) refactor(memory);
  return true;
}

void ActiveSet::remove(std::size_t index, Memory& memory) {
  const auto at = static_cast<std::ptrdiff_t>(index);
  memory.triangle.remove(index, {&solved_, &memory.ones});
  memory.spare.push_back(std::move(memory.active[index]));
  memory.active.erase(memory.active.begin() + at);
  memory.weights.erase(memory.weights.begin() + at);
  ++memory.updates;
}

void ActiveSet::refactor(Memory& memory) {
  memory.triangle.clear();
  memory.ones.clear();
  solved_.clear();
  std::size_t kept = 0;
  double total = 0.0;
  for (std::size_t k = 0; k < memory.active.size(); ++k) {
    if (!append(memory.active[k], memory)) continue;
    std::swap(memory.active[kept], memory.active[k]);
    memory.weights[kept] = memory.weights[k];
    total += memory.weights[kept++];
  }
  for (; memory.active.size() > kept; memory.active.pop_back())
    memory.spare.push_back(std::move(memory.active.back()));
  memory.weights.resize(kept);
  for (double& w : memory.weights) w /= total;
  memory.updates = 0;
}

}  // namespace turbotree::graphs
