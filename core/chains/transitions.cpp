#include "chains/transitions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chains/log_sum.h"
#include "common/exponential.h"
#include "common/interrupt.h"
#include "common/vectorize.h"

namespace turbotree::chains {
namespace {

// Below this a sum of scaled numbers may have lost some to underflow.
constexpr double smallest_sum = 1e-250;

// out[i] = e^(scores[i] - highest); returns the highest.
TURBOTREE_CLONES double exponentials(const double* TURBOTREE_RESTRICT scores, std::size_t count,
                                     double* TURBOTREE_RESTRICT out) {
  double highest = minus_infinity;
  for (std::size_t i = 0; i < count; ++i) highest = scores[i] > highest ? scores[i] : highest;
  if (highest == minus_infinity) {
    std::fill(out, out + count, 0.0);
    return highest;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double below = scores[i] - highest;
    out[i] = below > kSmallestExponent ? below : kSmallestExponent;
  }
  for (std::size_t i = 0; i < count; ++i) out[i] = exponential(out[i]);
  return highest;
}

}  // namespace

Transitions::Transitions(std::vector<std::int32_t> from, std::vector<std::int32_t> to,
                         std::vector<std::uint8_t> starts, std::vector<std::uint8_t> ends)
    : from_(std::move(from)),
      to_(std::move(to)),
      offsets_(starts.size() + 1, 0),
      starts_(std::move(starts)),
      ends_(std::move(ends)) {
  for (const std::int32_t t : to_) ++offsets_[t + 1];
  for (std::size_t t = 0; t < labels(); ++t) offsets_[t + 1] += offsets_[t];
}

bool Transitions::valid(std::span<const std::int32_t> from, std::span<const std::int32_t> to,
                        std::size_t labels) {
  if (from.size() != to.size() || labels == 0) return false;
  const auto count = static_cast<std::int32_t>(labels);
  for (std::size_t e = 0; e < from.size(); ++e) {
    if (from[e] < 0 || from[e] >= count || to[e] < 0 || to[e] >= count) return false;
    if (e > 0 && std::pair(to[e - 1], from[e - 1]) >= std::pair(to[e], from[e])) return false;
  }
  return true;
}

double Transitions::viterbi(const Scores& scores, std::int32_t* best) const {
  const std::size_t count = labels(), words = scores.words;
  if (words == 0) return 0.0;
  std::vector<double> value(count), next(count);
  std::vector<std::int32_t> back(words * count, 0);
  for (std::size_t s = 0; s < count; ++s) value[s] = starts_[s] ? scores.nodes[s] : minus_infinity;
  for (std::size_t i = 1; i < words; ++i) {
    count_work(2 * pairs());
    const double* const edges = scores.edges + (i - 1) * pairs();
    const double* const nodes = scores.nodes + i * count;
    for (std::size_t t = 0; t < count; ++t) {
      double highest = minus_infinity;
      std::int32_t from = 0;
      for (std::int32_t e = offsets_[t]; e < offsets_[t + 1]; ++e) {
        const double candidate = value[from_[e]] + edges[e];
        if (candidate > highest) highest = candidate, from = from_[e];
      }
      next[t] = highest + nodes[t];
      back[i * count + t] = from;
    }
    value.swap(next);
  }
  for (std::size_t s = 0; s < count; ++s)
    if (!ends_[s]) value[s] = minus_infinity;
  const auto highest = std::max_element(value.begin(), value.end());
  auto label = static_cast<std::int32_t>(highest - value.begin());
  for (std::size_t i = words; i-- > 0;) {
    best[i] = label;
    label = back[i * count + label];
  }
  return *highest;
}

double Transitions::forward_backward(const Scores& scores, double* nodes, double* edges) const {
  if (scores.words == 0) return 0.0;
  double log_partition = 0.0;
  return scaled(scores, nodes, edges, log_partition) ? log_partition
                                                     : logarithmic(scores, nodes, edges);
}

// Sums of numbers, scaled again at each word: one exponential per score. Gives up, and returns
// false, where the numbers lie so far apart that some may be lost.
bool Transitions::scaled(const Scores& scores, double* nodes, double* edges,
                         double& log_partition) const {
  const std::size_t count = labels(), words = scores.words;
  std::vector<double> alpha(words * count), sums(words);
  // What is written over in the end holds the exponentials until then.
  log_partition = 0.0;
  for (std::size_t i = 0; i < words; ++i) {
    count_work(6 * pairs());
    double* const factors = nodes + i * count;
    double* const own = alpha.data() + i * count;
    double highest = exponentials(scores.nodes + i * count, count, factors);
    if (i == 0) {
      for (std::size_t s = 0; s < count; ++s) own[s] = starts_[s] ? factors[s] : 0.0;
    } else {
      const double* const before = own - count;
      double* const steps = edges + (i - 1) * pairs();
      highest += exponentials(scores.edges + (i - 1) * pairs(), pairs(), steps);
      for (std::size_t t = 0; t < count; ++t) {
        double sum = 0.0;
        for (std::int32_t e = offsets_[t]; e < offsets_[t + 1]; ++e)
          sum += before[from_[e]] * steps[e];
        own[t] = sum * factors[t];
      }
    }
    if (i + 1 == words)
      for (std::size_t s = 0; s < count; ++s) own[s] = ends_[s] ? own[s] : 0.0;
    double sum = 0.0;
    for (std::size_t s = 0; s < count; ++s) sum += own[s];
    if (!(sum > smallest_sum)) return false;
    for (std::size_t s = 0; s < count; ++s) own[s] /= sum;
    sums[i] = sum;
    log_partition += highest + std::log(sum);
  }

  std::vector<double> beta(count), earlier(count), pulled(count);
  for (std::size_t s = 0; s < count; ++s) beta[s] = ends_[s] ? 1.0 : 0.0;
  for (std::size_t i = words; i-- > 0;) {
    count_work(4 * pairs());
    const double* const own = alpha.data() + i * count;
    double* const out = nodes + i * count;
    for (std::size_t t = 0; t < count; ++t) {
      if (!std::isfinite(beta[t])) return false;
      pulled[t] = out[t] * beta[t] / sums[i];
      out[t] = std::min(1.0, own[t] * beta[t]);
    }
    if (i == 0) break;
    const double* const before = own - count;
    double* const steps = edges + (i - 1) * pairs();
    std::fill(earlier.begin(), earlier.end(), 0.0);
    for (std::size_t t = 0; t < count; ++t)
      for (std::int32_t e = offsets_[t]; e < offsets_[t + 1]; ++e) {
        const double way = steps[e] * pulled[t];
        earlier[from_[e]] += way;
        steps[e] = std::min(1.0, before[from_[e]] * way);
      }
    beta.swap(earlier);
  }
  return true;
}

double Transitions::logarithmic(const Scores& scores, double* nodes, double* edges) const {
  const std::size_t count = labels(), words = scores.words;
  std::vector<double> alpha(words * count), beta(words * count, minus_infinity);
  for (std::size_t i = 0; i < words; ++i)
    for (std::size_t t = 0; t < count; ++t) {
      count_work(10 * count);
      double reached = starts_[t] ? 0.0 : minus_infinity;
      if (i > 0) {
        const double* const before = alpha.data() + (i - 1) * count;
        const double* const steps = scores.edges + (i - 1) * pairs();
        const std::int32_t first = offsets_[t];
        reached = log_sum(offsets_[t + 1] - first,
                          [=, this](int e) { return before[from_[first + e]] + steps[first + e]; });
      }
      alpha[i * count + t] = reached + scores.nodes[i * count + t];
    }
  const double* const last = alpha.data() + (words - 1) * count;
  for (std::size_t s = 0; s < count; ++s)
    if (ends_[s]) beta[(words - 1) * count + s] = 0.0;
  const double total = log_sum(static_cast<int>(count),
                               [=, this](int s) { return ends_[s] ? last[s] : minus_infinity; });
  if (total == minus_infinity) return total;
  std::vector<std::vector<double>> ways(count);
  for (std::size_t i = words; i-- > 0;) {
    for (std::size_t s = 0; s < count; ++s)
      nodes[i * count + s] = probability(alpha[i * count + s] + beta[i * count + s] - total);
    if (i == 0) break;
    count_work(20 * pairs());
    for (auto& list : ways) list.clear();
    for (std::size_t t = 0; t < count; ++t)
      for (std::int32_t e = offsets_[t]; e < offsets_[t + 1]; ++e) {
        const double way =
            scores.edges[(i - 1) * pairs() + e] + scores.nodes[i * count + t] + beta[i * count + t];
        ways[from_[e]].push_back(way);
        edges[(i - 1) * pairs() + e] = probability(alpha[(i - 1) * count + from_[e]] + way - total);
      }
    for (std::size_t s = 0; s < count; ++s)
      beta[(i - 1) * count + s] =
          log_sum(static_cast<int>(ways[s].size()), [&](int e) { return ways[s][e]; });
  }
  return total;
}

std::vector<Transitions::Labelling> Transitions::k_best(const Scores& scores,
                                                        std::size_t count) const {
  struct Candidate {
    double score;
    std::int32_t label, rank;  // which of the best ways to which label goes on here
  };
  const auto better = [](const Candidate& a, const Candidate& b) {
    if (a.score != b.score) return a.score > b.score;
    return std::pair(a.label, a.rank) < std::pair(b.label, b.rank);
  };
  const auto keep_best = [&](std::vector<Candidate>& list) {
    const std::size_t kept = std::min(count, list.size());
    std::partial_sort(list.begin(), list.begin() + kept, list.end(), better);
    list.resize(kept);
  };
  if (count == 0) return {};
  if (scores.words == 0) return {{0.0, {}}};
  std::vector<std::vector<Candidate>> ways(scores.words * labels());
  for (std::size_t i = 0; i < scores.words; ++i)
    for (std::size_t t = 0; t < labels(); ++t) {
      const double own = scores.nodes[i * labels() + t];
      auto& list = ways[i * labels() + t];
      if (own == minus_infinity) continue;
      if (i == 0) {
        if (starts_[t]) list.push_back({own, 0, 0});
        continue;
      }
      for (std::int32_t e = offsets_[t]; e < offsets_[t + 1]; ++e) {
        const double step = scores.edges[(i - 1) * pairs() + e];
        if (step == minus_infinity) continue;
        const auto& before = ways[(i - 1) * labels() + from_[e]];
        for (std::size_t r = 0; r < before.size(); ++r)
          list.push_back({before[r].score + step + own, from_[e], static_cast<std::int32_t>(r)});
      }
      count_work(20 * list.size());
      keep_best(list);
    }
  std::vector<Candidate> finals;
  for (std::size_t s = 0; s < labels(); ++s) {
    const auto& list = ways[(scores.words - 1) * labels() + s];
    if (!ends_[s]) continue;
    for (std::size_t r = 0; r < list.size(); ++r)
      finals.push_back({list[r].score, static_cast<std::int32_t>(s), static_cast<std::int32_t>(r)});
  }
  keep_best(finals);
  std::vector<Labelling> found;
  for (Candidate at : finals) {
    Labelling one{at.score, std::vector<std::int32_t>(scores.words)};
    for (std::size_t i = scores.words; i-- > 0;) {
      one.labels[i] = at.label;
      at = ways[i * labels() + at.label][at.rank];
    }
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace turbotree::chains
