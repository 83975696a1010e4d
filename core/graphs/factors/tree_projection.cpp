#include "graphs/factors/tree_projection.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "graphs/factors/simplex.h"

namespace turbotree::graphs {

namespace {

constexpr double kFlowTolerance = 1e-9;  // a set starved by less than this is not cut off
constexpr double kCutTolerance = 1e-11;
constexpr int kMaxCutRounds = 60, kMaxNewtonSteps = 60;
constexpr int kHurriedRounds = 1, kHurriedSteps = 1, kHurriedFlows = 1;
constexpr int kCallsToKeepCut = 10;

template <class Function>
void for_each_bit(std::uint64_t bits, Function&& function) {
  for (; bits != 0; bits &= bits - 1) function(static_cast<std::size_t>(std::countr_zero(bits)));
}

}  // namespace

void TreeProjection::prepare(const Factor& f, Memory& memory) const {
  const auto words = static_cast<std::size_t>(f.shape[0]);
  const auto arcs = static_cast<std::size_t>(f.links);
  const auto sort_by = [&](std::size_t key, std::vector<std::int32_t>& start,
                           std::vector<std::int32_t>& sorted) {
    start.assign(words + 2, 0);
    for (std::size_t a = 0; a < arcs; ++a) ++start[f.shape[2 + 2 * a + key] + 1];
    for (std::size_t w = 1; w < start.size(); ++w) start[w] += start[w - 1];
    std::vector<std::int32_t> next(start.begin(), start.end() - 1);
    sorted.resize(arcs);
    for (std::size_t a = 0; a < arcs; ++a)
      sorted[next[f.shape[2 + 2 * a + key]]++] = static_cast<std::int32_t>(a);
  };
  sort_by(1, memory.start, memory.arc_at);
  sort_by(0, memory.head_start, memory.by_head);
  std::vector<std::int32_t> place_of(arcs);
  memory.head.resize(arcs);
  memory.modifier.resize(arcs);
  for (std::size_t i = 0; i < arcs; ++i) {
    place_of[memory.arc_at[i]] = static_cast<std::int32_t>(i);
    memory.head[i] = f.shape[2 + 2 * memory.arc_at[i]];
    memory.modifier[i] = f.shape[3 + 2 * memory.arc_at[i]];
  }
  for (std::int32_t& arc : memory.by_head) arc = place_of[arc];
  memory.thresholds.assign(words + 1, 0.0);
  if ((f.shape[1] & 2) != 0) memory.cuts.push_back(single_root_cut(words, memory));
}

// All words together get exactly one unit of head from outside, which is the root.
TreeProjection::Cut TreeProjection::single_root_cut(std::size_t words, const Memory& memory) {
  Cut cut;
  cut.always_tight = true;
  for (std::size_t w = 1; w <= words; ++w) cut.words.push_back(static_cast<std::int32_t>(w));
  for (std::size_t i = 0; i < memory.head.size(); ++i)
    if (memory.head[i] != 0) cut.arcs.push_back(static_cast<std::int32_t>(i));
  return cut;
}

void TreeProjection::project_word(std::size_t word, Memory& memory) {
  const std::int32_t first = memory.start[word];
  project_on_simplex(memory.start[word + 1] - first, shifted_.data() + first,
                     point_.data() + first, memory.thresholds[word]);
}

void TreeProjection::project_cut_words(Memory& memory) {
  for (const std::int32_t w : cut_words_)
    std::copy(target_.begin() + memory.start[w], target_.begin() + memory.start[w + 1],
              shifted_.begin() + memory.start[w]);
  for (const Cut& cut : memory.cuts)
    if (cut.multiplier != 0.0)
      for (const std::int32_t place : cut.arcs) shifted_[place] -= cut.multiplier;
  for (const std::int32_t w : cut_words_) project_word(static_cast<std::size_t>(w), memory);
}

double TreeProjection::inside(const Cut& cut) const {
  double sum = 0.0;
  for (const std::int32_t place : cut.arcs) sum += point_[place];
  return sum;
}

// Fills gaps_, and finds the largest break of the multipliers' optimality conditions.
void TreeProjection::measure(const Memory& memory) {
  gaps_.resize(memory.cuts.size());
  violation_ = 0.0;
  for (std::size_t c = 0; c < gaps_.size(); ++c) {
    const Cut& cut = memory.cuts[c];
    gaps_[c] = inside(cut) - (static_cast<double>(cut.words.size()) - 1.0);
    const bool tight = cut.always_tight || cut.multiplier > 0.0;
    violation_ = std::max(violation_, tight ? std::abs(gaps_[c]) : gaps_[c]);
  }
}

// One step of Newton's method on the multipliers of the cuts that bind.
bool TreeProjection::newton_step(Memory& memory) {
  std::vector<std::size_t>& binding = binding_;
  binding.clear();
  for (std::size_t c = 0; c < gaps_.size(); ++c)
    if (memory.cuts[c].always_tight || memory.cuts[c].multiplier > 0.0 || gaps_[c] > 0.0) binding.push_back(c);
  const std::size_t size = binding.size();
  if (size > 64) return false;
  jacobian_.assign(size * size, 0.0);
  step_.resize(size);
  // How a unit of one multiplier moves the mass inside another cut: a word with k heads in use, j
  // of them inside, shifts the mass evenly among the k.
  cuts_at_.assign(point_.size(), 0);
  for (std::size_t s = 0; s < size; ++s)
    for (const std::int32_t place : memory.cuts[binding[s]].arcs)
      cuts_at_[place] |= std::uint64_t{1} << s;
  double counts[64];
  for (const std::int32_t w : cut_words_) {
    std::uint64_t present = 0;
    double used = 0.0;
    for (std::int32_t i = memory.start[w]; i < memory.start[w + 1]; ++i) {
      if (!(point_[i] > 0.0)) continue;
      used += 1.0;
      for (std::uint64_t rest = cuts_at_[i] & ~present; rest != 0; rest &= rest - 1)
        counts[std::countr_zero(rest)] = 0.0;
      present |= cuts_at_[i];
      for_each_bit(cuts_at_[i], [&](std::size_t s) {
        counts[s] += 1.0;
        for_each_bit(cuts_at_[i], [&](std::size_t t) { jacobian_[s * size + t] += 1.0; });
      });
    }
    for_each_bit(present, [&](std::size_t s) {
      for_each_bit(present,
                   [&](std::size_t t) { jacobian_[s * size + t] -= counts[s] * counts[t] / used; });
    });
  }
  for (std::size_t s = 0; s < size; ++s) step_[s] = gaps_[binding[s]];
  // Gaussian elimination of a positive semidefinite matrix. A cut that the others imply, or whose
  // multiplier moves nothing at present, stays where it is.
  for (std::size_t k = 0; k < size; ++k) {
    const double pivot = jacobian_[k * size + k];
    if (!(pivot > 1e-8)) {
      for (std::size_t c = 0; c < size; ++c) jacobian_[k * size + c] = 0.0;
      jacobian_[k * size + k] = 1.0;
      step_[k] = 0.0;
      continue;
    }
    for (std::size_t r = k + 1; r < size; ++r) {
      const double factor = jacobian_[r * size + k] / pivot;
      if (factor == 0.0) continue;
      for (std::size_t c = k; c < size; ++c) jacobian_[r * size + c] -= factor * jacobian_[k * size + c];
      step_[r] -= factor * step_[k];
    }
  }
  for (std::size_t k = size; k-- > 0;) {
    for (std::size_t c = k + 1; c < size; ++c) step_[k] -= jacobian_[k * size + c] * step_[c];
    step_[k] /= jacobian_[k * size + k];
  }
  // Projected on the positive multipliers, and shortened until the dual rises or the conditions
  // hold better.
  const double worst = violation_, before = dual_value(memory);
  double expected = 0.0;
  for (std::size_t s = 0; s < size; ++s) expected += step_[s] * gaps_[binding[s]];
  old_multipliers_.clear();
  for (const std::size_t c : binding) old_multipliers_.push_back(memory.cuts[c].multiplier);
  for (double length = 1.0; length > 0.01; length *= 0.5) {
    for (std::size_t s = 0; s < size; ++s) {
      Cut& cut = memory.cuts[binding[s]];
      cut.multiplier = std::max(cut.least_multiplier(), old_multipliers_[s] + length * step_[s]);
    }
    project_cut_words(memory);
    measure(memory);
    if (violation_ < 0.9 * worst || dual_value(memory) > before + 1e-3 * length * expected)
      return true;
  }
  for (std::size_t s = 0; s < size; ++s) memory.cuts[binding[s]].multiplier = old_multipliers_[s];
  project_cut_words(memory);
  return false;
}

// What the multipliers' problem maximises, up to a constant.
double TreeProjection::dual_value(const Memory& memory) const {
  double sum = 0.0;
  for (const std::int32_t w : cut_words_)
    for (std::int32_t i = memory.start[w]; i < memory.start[w + 1]; ++i)
      sum += point_[i] * (0.5 * point_[i] - shifted_[i]);
  for (const Cut& cut : memory.cuts)
    sum -= cut.multiplier * (static_cast<double>(cut.words.size()) - 1.0);
  return sum;
}

// The best multiplier of one cut while the others stay: the mass inside falls with it.
void TreeProjection::maximise_multiplier(Cut& cut, Memory& memory) {
  const double allowed = static_cast<double>(cut.words.size()) - 1.0;
  const auto move_to = [&](double multiplier) {
    const double change = multiplier - cut.multiplier;
    for (const std::int32_t place : cut.arcs) shifted_[place] -= change;
    cut.multiplier = multiplier;
    for (const std::int32_t w : cut.words) project_word(static_cast<std::size_t>(w), memory);
    return inside(cut) - allowed;
  };
  const double least = cut.least_multiplier();
  double gap = inside(cut) - allowed, low = least, high = kInfinity;
  for (int step = 0; step < 100 && std::abs(gap) > 0.1 * kCutTolerance; ++step) {
    if (gap > 0.0) low = cut.multiplier; else high = cut.multiplier;
    if (high <= least) break;
    double slope = 0.0;
    for (const std::int32_t w : cut.words) {
      double used = 0.0, in = 0.0;
      for (std::int32_t i = memory.start[w]; i < memory.start[w + 1]; ++i)
        used += point_[i] > 0.0 ? 1.0 : 0.0;
      for (const std::int32_t place : cut.arcs)
        if (memory.modifier[place] == w && point_[place] > 0.0) in += 1.0;
      if (used > 0.0) slope += in * (used - in) / used;
    }
    double next = slope > 0.0 ? cut.multiplier + gap / slope : kInfinity;
    if (!(next > low && next < high)) {
      if (next <= least && low <= least && !cut.always_tight) next = least;
      else if (low == -kInfinity) next = 2.0 * high - 1.0;
      else next = high < kInfinity ? 0.5 * (low + high) : 2.0 * low + 1.0;
    }
    if (std::abs(next) > kPinnedTarget) break;
    gap = move_to(next);
    if (cut.multiplier == least && gap <= 0.0) break;
  }
}

bool TreeProjection::satisfy_cuts(Memory& memory) {
  in_cut_.assign(words_ + 1, 0);
  cut_words_.clear();
  for (const Cut& cut : memory.cuts)
    for (const std::int32_t w : cut.words)
      if (in_cut_[w] == 0) in_cut_[w] = 1, cut_words_.push_back(w);
  project_cut_words(memory);
  measure(memory);
  for (int step = 0; violation_ > kCutTolerance; ++step) {
    if (step == (hurry ? kHurriedSteps : kMaxNewtonSteps)) return false;
    if (newton_step(memory)) continue;
    for (Cut& cut : memory.cuts) maximise_multiplier(cut, memory);
    measure(memory);
  }
  return true;
}

// The word's mass counts as supply for those it heads.
void TreeProjection::reach(std::size_t word, const Memory& memory) {
  if (reached_[word] != 0) return;
  reached_[word] = 1;
  queue_.clear();
  queue_.push_back(static_cast<std::int32_t>(word));
  while (!queue_.empty()) {
    const std::int32_t w = queue_.back();
    queue_.pop_back();
    for (std::int32_t i = memory.head_start[w]; i < memory.head_start[w + 1]; ++i) {
      const std::int32_t place = memory.by_head[i];
      if (!(point_[place] > 0.0)) continue;
      const std::int32_t m = memory.modifier[place];
      inflow_[m] += point_[place];
      if (reached_[m] == 0 && inflow_[m] >= 1.0 - kFlowTolerance) {
        reached_[m] = 1;
        queue_.push_back(m);
      }
    }
  }
}

// Whether one step beyond the reached words is enough to bring a unit to the word.
bool TreeProjection::surely_reached(std::size_t word, const Memory& memory) const {
  double sum = inflow_[word];
  for (std::int32_t i = memory.start[word]; i < memory.start[word + 1]; ++i)
    if (const std::int32_t h = memory.head[i]; reached_[h] == 0)
      sum += std::min(point_[i], inflow_[h]);
  return sum >= 1.0 - kFlowTolerance;
}

// Maximum flow from the reached words; the starved set is the far side of a minimum cut.
std::vector<std::int32_t> TreeProjection::starved_set(std::size_t word, const Memory& memory) {
  queue_.clear();  // the unreached words, by local number
  local_.assign(words_ + 1, -1);
  for (std::size_t w = 1; w <= words_; ++w)
    if (reached_[w] == 0) {
      local_[w] = static_cast<std::int32_t>(queue_.size());
      queue_.push_back(static_cast<std::int32_t>(w));
    }
  const std::size_t size = queue_.size() + 1, source = queue_.size();
  const auto sink = static_cast<std::size_t>(local_[word]);
  capacity_.assign(size * size, 0.0);
  for (std::size_t q = 0; q < queue_.size(); ++q) {
    const std::int32_t m = queue_[q];
    capacity_[source * size + q] = inflow_[m];
    for (std::int32_t i = memory.start[m]; i < memory.start[m + 1]; ++i)
      if (const std::int32_t h = local_[memory.head[i]]; h >= 0) capacity_[h * size + q] = point_[i];
  }
  double flow = 0.0;
  std::vector<std::int32_t> frontier;
  for (;;) {
    from_.assign(size, -1);
    from_[source] = static_cast<std::int32_t>(source);
    frontier.assign(1, static_cast<std::int32_t>(source));
    for (std::size_t i = 0; i < frontier.size() && from_[sink] < 0; ++i)
      for (std::size_t q = 0; q < size; ++q)
        if (from_[q] < 0 && capacity_[frontier[i] * size + q] > 1e-12) {
          from_[q] = frontier[i];
          frontier.push_back(static_cast<std::int32_t>(q));
        }
    if (from_[sink] < 0) break;
    double amount = kInfinity;
    for (std::size_t q = sink; q != source; q = static_cast<std::size_t>(from_[q]))
      amount = std::min(amount, capacity_[from_[q] * size + q]);
    for (std::size_t q = sink; q != source; q = static_cast<std::size_t>(from_[q])) {
      capacity_[from_[q] * size + q] -= amount;
      capacity_[q * size + from_[q]] += amount;
    }
    flow += amount;
    if (flow >= 1.0 - kFlowTolerance) return {};
  }
  // Of all minimum cuts the one nearest to the word: the words that still could send it more.
  std::vector<std::int32_t> starved;
  from_.assign(size, -1);
  from_[sink] = static_cast<std::int32_t>(sink);
  frontier.assign(1, static_cast<std::int32_t>(sink));
  for (std::size_t i = 0; i < frontier.size(); ++i) {
    starved.push_back(queue_[frontier[i]]);
    for (std::size_t q = 0; q < queue_.size(); ++q)
      if (from_[q] < 0 && capacity_[q * size + frontier[i]] > 1e-12) {
        from_[q] = frontier[i];
        frontier.push_back(static_cast<std::int32_t>(q));
      }
  }
  return starved;
}

bool TreeProjection::add_violated_cuts(Memory& memory) {
  inflow_.assign(words_ + 1, 0.0);
  reached_.assign(words_ + 1, 0);
  reach(0, memory);
  bool added = false;
  for (int flows = 0;; ++flows) {
    std::size_t fullest = 0;
    bool progress = false;
    for (std::size_t w = 1; w <= words_; ++w) {
      if (reached_[w] != 0) continue;
      if (surely_reached(w, memory)) {
        reach(w, memory);
        progress = true;
      } else if (fullest == 0 || inflow_[w] > inflow_[fullest]) {
        fullest = w;
      }
    }
    if (progress) {
      --flows;
      continue;
    }
    if (fullest == 0 || (hurry && flows == kHurriedFlows)) return added;
    std::vector<std::int32_t> starved = starved_set(fullest, memory);
    if (starved.empty()) {
      reach(fullest, memory);
      continue;
    }
    Cut cut;
    in_cut_.assign(words_ + 1, 0);
    for (const std::int32_t w : starved) in_cut_[w] = 1;
    for (const std::int32_t w : starved)
      for (std::int32_t i = memory.start[w]; i < memory.start[w + 1]; ++i)
        if (in_cut_[memory.head[i]] != 0) cut.arcs.push_back(i);
    cut.words = std::move(starved);
    for (const std::int32_t w : cut.words) reach(static_cast<std::size_t>(w), memory);
    memory.cuts.push_back(std::move(cut));
    added = true;
  }
}

bool TreeProjection::project(const Factor& f, const double* target, double scale, double* point,
                             double* own, Memory& memory) {
  if (memory.start.empty()) prepare(f, memory);
  const auto arcs = static_cast<std::size_t>(f.links);
  words_ = static_cast<std::size_t>(f.shape[0]);
  if (scale != memory.scale) {  // the multipliers are scores: they grow with the scale
    for (Cut& cut : memory.cuts) cut.multiplier *= scale / memory.scale;
    memory.scale = scale;
  }
  target_.resize(arcs);
  point_.resize(arcs);
  for (std::size_t i = 0; i < arcs; ++i) target_[i] = target[memory.arc_at[i]];
  shifted_ = target_;
  for (std::size_t w = 1; w <= words_; ++w) {
    if (memory.start[w] == memory.start[w + 1]) return false;
    project_word(w, memory);
  }
  for (int round = 0;; ++round) {
    if (round == kMaxCutRounds) return false;
    if (!memory.cuts.empty() && !satisfy_cuts(memory) && !hurry) {
      memory = Memory();
      return false;
    }
    if (hurry && round == kHurriedRounds) break;
    if (!add_violated_cuts(memory)) break;
  }
  // The words' thresholds and the cuts' multipliers are a dual solution, which bounds the best
  // tree under the scores target - point whether or not it is exact.
  double bound = 0.0, reached = 0.0;
  for (std::size_t w = 1; w <= words_; ++w) bound += memory.thresholds[w];
  for (const Cut& cut : memory.cuts)
    bound += cut.multiplier * (static_cast<double>(cut.words.size()) - 1.0);
  for (std::size_t i = 0; i < arcs; ++i) {
    reached += (target_[i] - point_[i]) * point_[i];
    point[memory.arc_at[i]] = point_[i];
  }
  *own = (bound - reached) / scale;
  for (Cut& cut : memory.cuts)
    cut.calls_without_use = cut.always_tight || cut.multiplier > 0.0 ? 0 : cut.calls_without_use + 1;
  std::erase_if(memory.cuts, [](const Cut& c) { return c.calls_without_use > kCallsToKeepCut; });
  return true;
}

}  // namespace turbotree::graphs
