#include "graphs/factors/tree_cuts.h"

#include <algorithm>
#include <utility>

namespace turbotree::graphs {

namespace {

constexpr double kStarvation = 1e-9;  // a set starved by less than this is not cut off
constexpr double kLeastCapacity = 1e-12;

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

void ViolatedTreeCuts::fill_capacities(const TreeArcs& arcs, const std::vector<double>& point) {
  unreached_.clear();
  number_of_.assign(arcs.words + 1, -1);
  for (std::size_t w = 1; w <= arcs.words; ++w)
    if (reached_[w] == 0) {
      number_of_[w] = static_cast<std::int32_t>(unreached_.size());
      unreached_.push_back(static_cast<std::int32_t>(w));
    }
  const std::size_t source = unreached_.size(), size = source + 1;
  capacity_.assign(size * size, 0.0);
  for (std::size_t q = 0; q < source; ++q) {
    const std::int32_t m = unreached_[q];
    capacity_[source * size + q] = inflow_[m];
    for (std::int32_t i = arcs.start[m]; i < arcs.start[m + 1]; ++i)
      if (const std::int32_t h = number_of_[arcs.head[i]]; h >= 0)
        capacity_[h * size + q] = point[i];
  }
}

// By shortest augmenting paths.
bool ViolatedTreeCuts::send_a_unit(std::size_t sink) {
  const std::size_t source = unreached_.size(), size = source + 1;
  for (double flow = 0.0; flow < 1.0 - kStarvation;) {
    from_.assign(size, -1);
    from_[source] = static_cast<std::int32_t>(source);
    frontier_.assign(1, static_cast<std::int32_t>(source));
    for (std::size_t i = 0; i < frontier_.size() && from_[sink] < 0; ++i)
      for (std::size_t q = 0; q < size; ++q)
        if (from_[q] < 0 && capacity_[frontier_[i] * size + q] > kLeastCapacity) {
          from_[q] = frontier_[i];
          frontier_.push_back(static_cast<std::int32_t>(q));
        }
    if (from_[sink] < 0) return false;
    double amount = kInfinity;
    for (std::size_t q = sink; q != source; q = static_cast<std::size_t>(from_[q]))
      amount = std::min(amount, capacity_[from_[q] * size + q]);
    for (std::size_t q = sink; q != source; q = static_cast<std::size_t>(from_[q])) {
      capacity_[from_[q] * size + q] -= amount;
      capacity_[q * size + from_[q]] += amount;
    }
    flow += amount;
  }
  return true;
}

std::vector<std::int32_t> ViolatedTreeCuts::starved_set(std::size_t word, const TreeArcs& arcs,
                                                        const std::vector<double>& point) {
  fill_capacities(arcs, point);
  const auto sink = static_cast<std::size_t>(number_of_[word]);
  if (send_a_unit(sink)) return {};
  // Of all minimum cuts the one nearest to the word: the words that still could send it more.
  const std::size_t size = unreached_.size() + 1;
  std::vector<std::int32_t> starved;
  from_.assign(size, -1);
  from_[sink] = static_cast<std::int32_t>(sink);
  frontier_.assign(1, static_cast<std::int32_t>(sink));
  for (std::size_t i = 0; i < frontier_.size(); ++i) {
    starved.push_back(unreached_[frontier_[i]]);
    for (std::size_t q = 0; q < unreached_.size(); ++q)
      if (from_[q] < 0 && capacity_[q * size + frontier_[i]] > kLeastCapacity) {
        from_[q] = frontier_[i];
        frontier_.push_back(static_cast<std::int32_t>(q));
      }
  }
  return starved;
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
    for (const std::int32_t w : cuts.back().words)
      reach(static_cast<std::size_t>(w), arcs, point);
  }
}

}  // namespace turbotree::graphs
