#include "graphs/factors/trees/tree_cuts.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace turbotree::graphs {

namespace {

constexpr double kStarvation = 1e-9;  // a set starved by less than this is not cut off
constexpr double kLeastCapacity = 1e-12;
constexpr std::int32_t kNotSeen = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kEnd = std::numeric_limits<std::int32_t>::max();

}  // namespace

void ViolatedTreeCuts::reach(std::size_t word, const TreeArcs& arcs,
                             const std::vector<double>& point) {
  if (reached_[word] != 0) return;
  reached_[word] = 1;
  queue_.assign(1, static_cast<std::int32_t>(word));
  while (!queue_.empty()) {
    const std::int32_t w = queue_.back();
    queue_.pop_back();
    for (std::int32_t i = arcs.head_start[w]; i < arcs.head_start[w + 1]; ++i) {
      const std::int32_t place = arcs.by_head[i];
      if (!(point[place] > 0.0)) continue;
      const std::int32_t m = arcs.modifier[place];
      inflow_[m] += point[place];
      if (reached_[m] == 0 && inflow_[m] >= 1.0 - kStarvation) {
        reached_[m] = 1;
        queue_.push_back(m);
      }
    }
  }
}

// Whether one step beyond the reached words is enough to bring a unit to the word.
bool ViolatedTreeCuts::surely_reached(std::size_t word, const TreeArcs& arcs,
                                      const std::vector<double>& point) const {
  double sum = inflow_[word];
  for (std::int32_t i = arcs.start[word]; i < arcs.start[word + 1]; ++i)
    if (const std::int32_t h = arcs.head[i]; reached_[h] == 0)
      sum += std::min(point[i], inflow_[h]);
  return sum >= 1.0 - kStarvation;
}

std::size_t ViolatedTreeCuts::reach_what_is_sure(const TreeArcs& arcs,
                                                 const std::vector<double>& point) {
  for (;;) {
    std::size_t fullest = 0;
    bool progress = false;
    for (std::size_t w = 1; w <= arcs.words; ++w) {
      if (reached_[w] != 0) continue;
      if (surely_reached(w, arcs, point)) {
        reach(w, arcs, point);
        progress = true;
      } else if (fullest == 0 || inflow_[w] > inflow_[fullest]) {
        fullest = w;
      }
    }
    if (!progress) return fullest;
  }
}

// By shortest augmenting paths among the words that are not reached, which the reached ones feed.
// They are looked for from the word backwards: what lies far from it is not touched.
std::vector<std::int32_t> ViolatedTreeCuts::starved_set(std::size_t word, const TreeArcs& arcs,
                                                        const std::vector<double>& point) {
  flow_.assign(point.size(), 0.0);
  supply_ = inflow_;
  for (double sent = 0.0; sent < 1.0 - kStarvation;) {
    const std::int32_t giver = find_giver(word, arcs, point);
    // Of all minimum cuts the one nearest to the word: the words that still could send it more.
    if (giver < 0) return frontier_;
    const auto next = [&](std::int32_t w) {
      return step_[w] >= 0 ? arcs.modifier[step_[w]] : arcs.head[~step_[w]];
    };
    double amount = supply_[giver];
    for (std::int32_t w = giver; step_[w] != kEnd; w = next(w))
      amount =
          std::min(amount, step_[w] >= 0 ? point[step_[w]] - flow_[step_[w]] : flow_[~step_[w]]);
    supply_[giver] -= amount;
    for (std::int32_t w = giver; step_[w] != kEnd; w = next(w)) {
      if (step_[w] >= 0)
        flow_[step_[w]] += amount;
      else
        flow_[~step_[w]] -= amount;
    }
    sent += amount;
  }
  return {};
}

// The nearest word that has something to give and can send it to `sink`, -1 if there is none.
// A step uses an arc, or takes back what another path sent through one.
std::int32_t ViolatedTreeCuts::find_giver(std::size_t sink, const TreeArcs& arcs,
                                          const std::vector<double>& point) {
  step_.assign(arcs.words + 1, kNotSeen);
  step_[sink] = kEnd;
  frontier_.assign(1, static_cast<std::int32_t>(sink));
  const auto see = [&](std::int32_t w, std::int32_t step, double capacity) {
    if (reached_[w] != 0 || step_[w] != kNotSeen || !(capacity > kLeastCapacity)) return;
    step_[w] = step;
    frontier_.push_back(w);
  };
  for (std::size_t i = 0; i < frontier_.size(); ++i) {
    const std::int32_t w = frontier_[i];
    if (supply_[w] > kLeastCapacity) return w;
    const auto before = static_cast<std::ptrdiff_t>(frontier_.size());
    for (std::int32_t place = arcs.start[w]; place < arcs.start[w + 1]; ++place)
      see(arcs.head[place], place, point[place] - flow_[place]);
    for (std::int32_t k = arcs.head_start[w]; k < arcs.head_start[w + 1]; ++k)
      see(arcs.modifier[arcs.by_head[k]], ~arcs.by_head[k], flow_[arcs.by_head[k]]);
    std::sort(frontier_.begin() + before, frontier_.end());
  }
  return -1;
}

TreeCut ViolatedTreeCuts::cut_around(std::vector<std::int32_t> words, const TreeArcs& arcs) {
  TreeCut cut;
  in_cut_.assign(arcs.words + 1, 0);
  for (const std::int32_t w : words) in_cut_[w] = 1;
  for (const std::int32_t w : words)
    for (std::int32_t i = arcs.start[w]; i < arcs.start[w + 1]; ++i)
      if (in_cut_[arcs.head[i]] != 0) cut.arcs.push_back(i);
  cut.words = std::move(words);
  return cut;
}

bool ViolatedTreeCuts::add(const TreeArcs& arcs, const std::vector<double>& point, int max_flows,
                           std::vector<TreeCut>& cuts) {
  inflow_.assign(arcs.words + 1, 0.0);
  reached_.assign(arcs.words + 1, 0);
  reach(0, arcs, point);
  bool added = false;
  for (int flows = 0;; ++flows) {
    const std::size_t fullest = reach_what_is_sure(arcs, point);
    if (fullest == 0 || flows == max_flows) return added;
    std::vector<std::int32_t> starved = starved_set(fullest, arcs, point);
    if (starved.empty()) {
      reach(fullest, arcs, point);
      continue;
    }
    cuts.push_back(cut_around(std::move(starved), arcs));
    added = true;
    // As if the cut were satisfied: what it lets through may show other broken cuts.
    for (const std::int32_t w : cuts.back().words) reach(static_cast<std::size_t>(w), arcs, point);
  }
}

}  // namespace turbotree::graphs
