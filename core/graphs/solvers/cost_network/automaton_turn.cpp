#include "graphs/solvers/cost_network/automaton_turn.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "common/vectorize.h"

namespace turbotree::graphs {

namespace {

constexpr double kForbidden = std::numeric_limits<double>::infinity();

// Rows have a multiple of kRow columns.
TURBOTREE_CLONES
void go_back_one(std::int64_t columns, std::int64_t rows, std::int64_t width, const double* steps,
                 std::int64_t next_row, bool forced, const double* TURBOTREE_RESTRICT values,
                 const double* TURBOTREE_RESTRICT later, double* TURBOTREE_RESTRICT here,
                 double* TURBOTREE_RESTRICT chosen) {
  const double* with = later + rows * columns;
  for (std::int64_t g = 0; g < columns; ++g) chosen[g] = values[g] + with[g];
  for (std::int64_t i = 0; i < rows; ++i, steps += next_row, here += columns, later += columns) {
    if (width == 1) {
      const double step = steps[0];
      for (std::int64_t g = 0; g < columns; ++g) here[g] = step + chosen[g];
    } else {
      for (std::int64_t g = 0; g < columns; ++g) here[g] = steps[g] + chosen[g];
    }
    if (forced) continue;
    for (std::int64_t g = 0; g < columns; ++g) here[g] = later[g] < here[g] ? later[g] : here[g];
  }
}

// The best way to choose the next modifier after each of the rows; and the least of going on
// without it, in each of kRow lanes.
TURBOTREE_CLONES
void go_on_one(std::int64_t columns, std::int64_t rows, std::int64_t width, const double* steps,
               std::int64_t next_row, const double* TURBOTREE_RESTRICT values,
               const double* TURBOTREE_RESTRICT before, const double* TURBOTREE_RESTRICT beyond,
               double* TURBOTREE_RESTRICT chosen, double* TURBOTREE_RESTRICT least_in,
               double* TURBOTREE_RESTRICT least_out) {
  for (std::int64_t g = 0; g < columns; ++g) chosen[g] = kForbidden;
  double out[kRow], in[kRow];
  for (int lane = 0; lane < kRow; ++lane) out[lane] = in[lane] = kForbidden;
  const double* with = beyond + rows * columns;
  for (std::int64_t i = 0; i < rows; ++i, steps += next_row, before += columns, beyond += columns) {
    if (width == 1) {
      const double step = steps[0];
      for (std::int64_t g = 0; g < columns; ++g) {
        const double cost = before[g] + step;
        chosen[g] = cost < chosen[g] ? cost : chosen[g];
      }
    } else {
      for (std::int64_t g = 0; g < columns; ++g) {
        const double cost = before[g] + steps[g];
        chosen[g] = cost < chosen[g] ? cost : chosen[g];
      }
    }
    for (std::int64_t g = 0; g < columns; g += kRow)
      for (int lane = 0; lane < kRow; ++lane) {
        const double cost = before[g + lane] + beyond[g + lane];
        out[lane] = cost < out[lane] ? cost : out[lane];
      }
  }
  for (std::int64_t g = 0; g < columns; g += kRow)
    for (int lane = 0; lane < kRow; ++lane) {
      chosen[g + lane] += values[g + lane];
      const double cost = chosen[g + lane] + with[g + lane];
      in[lane] = cost < in[lane] ? cost : in[lane];
    }
  *least_in = std::min(std::min(in[0], in[1]), std::min(in[2], in[3]));
  *least_out = std::min(std::min(out[0], out[1]), std::min(out[2], out[3]));
}
static_assert(kRow == 4);

}  // namespace

void SideTurn::gather(const Automaton& automaton, const Automaton::Side& side,
                      const std::vector<std::int32_t>& heads, std::int64_t columns,
                      const std::vector<std::int32_t>& modifiers, const double* messages) {
  count_ = modifiers.size();
  columns_ = columns;
  width_ = side.steps_by_value ? columns : 1;
  const std::int64_t row = padded(automaton.values);
  const std::size_t all = side.modifiers.size() + 1;
  forced_.assign(count_, 0);
  values_.assign(count_ * columns, 0.0);
  for (std::size_t k = 0; k < count_; ++k) {
    const double* grand = side.grand.data() + modifiers[k] * row;
    double* values = values_.data() + k * columns;
    for (std::size_t g = 0; g < heads.size(); ++g) values[g] = grand[heads[g]];
    const double message = messages[modifiers[k]];
    for (std::size_t g = 0; g < heads.size(); ++g) values[g] += message;
  }
  steps_.assign((count_ + 1) * (count_ + 1) * width_, 0.0);
  for (std::size_t i = 0; i <= count_; ++i) {
    const std::size_t from = i == 0 ? 0 : static_cast<std::size_t>(modifiers[i - 1]) + 1;
    for (std::size_t j = i; j <= count_; ++j) {
      const std::size_t to = j == count_ ? all - 1 : static_cast<std::size_t>(modifiers[j]);
      double* target = steps_.data() + (i * (count_ + 1) + j) * width_;
      if (!side.steps_by_value) {
        *target = side.steps[from * all + to];
        continue;
      }
      const double* source = side.steps.data() + (from * all + to) * row;
      for (std::size_t g = 0; g < heads.size(); ++g) target[g] = source[heads[g]];
    }
  }
}

void SideTurn::go_back() {
  const std::size_t rows = count_ + 1, size = static_cast<std::size_t>(columns_);
  beyond_.resize(rows * rows * size);
  chosen_.resize(size);
  double* last = beyond_.data() + count_ * rows * size;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t g = 0; g < size; ++g)
      last[i * size + g] = step_from(i, count_)[width_ == 1 ? 0 : g];
  for (std::size_t k = count_; k-- > 0;)
    go_back_one(columns_, static_cast<std::int64_t>(k + 1), width_, step_from(0, k),
                static_cast<std::int64_t>(rows) * width_, forced_[k] != 0,
                values_.data() + k * size, beyond_.data() + (k + 1) * rows * size,
                beyond_.data() + k * rows * size, chosen_.data());
}

void SideTurn::begin(const double* base) {
  next_ = 0;
  before_.resize((count_ + 1) * static_cast<std::size_t>(columns_));
  std::copy(base, base + columns_, before_.begin());
}

SideTurn::Costs SideTurn::look() {
  const std::size_t rows = count_ + 1, size = static_cast<std::size_t>(columns_);
  Costs found{};
  go_on_one(columns_, static_cast<std::int64_t>(next_ + 1), width_, step_from(0, next_),
            static_cast<std::int64_t>(rows) * width_, values_.data() + next_ * size, before_.data(),
            beyond_.data() + (next_ + 1) * rows * size, before_.data() + (next_ + 1) * size,
            &found.in, &found.out);
  if (forced_[next_] != 0) found.out = kForbidden;
  return found;
}

void SideTurn::step(double from_in, double from_out) {
  const std::size_t size = static_cast<std::size_t>(columns_);
  double* chosen = before_.data() + (next_ + 1) * size;
  if (from_in == kForbidden)
    std::fill_n(chosen, size, kForbidden);
  else if (from_in != 0.0)
    for (std::size_t g = 0; g < size; ++g) chosen[g] -= from_in;
  if (from_out == kForbidden)
    std::fill(before_.data(), chosen, kForbidden);
  else if (from_out != 0.0)
    for (double* cost = before_.data(); cost != chosen; ++cost) *cost -= from_out;
  ++next_;
}

void SideTurn::end(double* costs) const {
  const std::size_t size = static_cast<std::size_t>(columns_);
  std::fill_n(costs, size, kForbidden);
  for (std::size_t i = 0; i <= count_; ++i) {
    const double* step = step_from(i, count_);
    for (std::size_t g = 0; g < size; ++g)
      costs[g] = std::min(costs[g], before_[i * size + g] + step[width_ == 1 ? 0 : g]);
  }
}

double least_cost(const Automaton& automaton, const double* messages) {
  std::vector<std::int32_t> heads(static_cast<std::size_t>(automaton.values)), modifiers;
  std::iota(heads.begin(), heads.end(), 0);
  std::vector<double> costs(messages, messages + automaton.values);
  messages += padded(automaton.values);
  SideTurn turn;
  for (const Automaton::Side& side : automaton.sides) {
    modifiers.resize(side.modifiers.size());
    std::iota(modifiers.begin(), modifiers.end(), 0);
    turn.gather(automaton, side, heads, padded(automaton.values), modifiers, messages);
    turn.go_back();
    for (std::size_t g = 0; g < heads.size(); ++g) costs[g] += turn.inside()[g];
    messages += modifiers.size();
  }
  const double least = *std::min_element(costs.begin(), costs.end());
  return least < kForbidden ? least : 0.0;
}

}  // namespace turbotree::graphs
