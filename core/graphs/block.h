// All factors of one kind: one tight loop per kind, no virtual call per factor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "common/interrupt.h"
#include "graphs/factor.h"
#include "graphs/graph.h"
#include "graphs/numerics/active_set.h"

namespace turbotree::graphs {

// Spans hold one number per link of the block, per factor of it, or per factor score of it.
class Block {
 public:
  explicit Block(const BlockArrays& arrays) : arrays_(arrays) {}
  virtual ~Block() = default;

  const BlockArrays& arrays() const { return arrays_; }

  // Each works on the factors first .. last - 1; see factor.h.
  virtual void values(std::int64_t first, std::int64_t last, std::span<const std::uint8_t> chosen,
                      std::span<double> values) = 0;
  virtual void maximise(std::int64_t first, std::int64_t last, std::span<const double> scores,
                        std::span<std::uint8_t> chosen, std::span<double> values) = 0;
  virtual void max_messages(std::int64_t first, std::int64_t last, std::span<const double> scores,
                            std::span<double> messages, std::span<double> values) = 0;
  virtual void sum_messages(std::int64_t first, std::int64_t last, std::span<const double> scores,
                            std::span<double> messages, std::span<Sums> sums) = 0;
  // These work on all factors; nothing is written for kinds without factor scores.
  virtual void expectations(std::span<const double> scores, std::span<double> expectations) = 0;
  virtual void project(std::span<const double> target, double scale, std::span<double> point,
                       std::span<double> factor_scores) = 0;
  // The same for the factors of a list.
  virtual void project(std::span<const std::int32_t> factors, std::span<const double> target,
                       double scale, std::span<double> point, std::span<double> factor_scores) = 0;
  // After a projection: how often the point that it found has each of the factor scores.
  virtual void expectations_at(std::span<const double> point, std::span<double> expectations) = 0;
  // Inexact projections may stop early; the next one goes on where the last one stopped.
  virtual void set_inexact(bool inexact) = 0;

 protected:
  const BlockArrays& arrays_;
};

template <FactorKind K>
class BlockOf final : public Block {
 public:
  explicit BlockOf(const BlockArrays& arrays)
      : Block(arrays), kind_(make_kind(arrays)), memories_(arrays.offsets.size() - 1) {}

  void values(std::int64_t first, std::int64_t last, std::span<const std::uint8_t> chosen,
              std::span<double> values) override {
    for (std::int64_t f = first; f < last; ++f) {
      select(f);
      values[f] = kind_.value(arrays_.factor(f), arrays_.links_of(f, chosen));
    }
  }

  void maximise(std::int64_t first, std::int64_t last, std::span<const double> scores,
                std::span<std::uint8_t> chosen, std::span<double> values) override {
    for_each(first, last, [&](std::int64_t f, const Factor& factor) {
      values[f] = kind_.maximise(factor, arrays_.links_of(f, scores), arrays_.links_of(f, chosen));
    });
  }

  void max_messages(std::int64_t first, std::int64_t last, std::span<const double> scores,
                    std::span<double> messages, std::span<double> values) override {
    for_each(first, last, [&](std::int64_t f, const Factor& factor) {
      values[f] =
          kind_.max_messages(factor, arrays_.links_of(f, scores), arrays_.links_of(f, messages));
    });
  }

  void sum_messages(std::int64_t first, std::int64_t last, std::span<const double> scores,
                    std::span<double> messages, std::span<Sums> sums) override {
    for_each(first, last, [&](std::int64_t f, const Factor& factor) {
      sums[f] =
          kind_.sum_messages(factor, arrays_.links_of(f, scores), arrays_.links_of(f, messages));
    });
  }

  void expectations(std::span<const double> scores, std::span<double> expectations) override {
    if constexpr (HasExpectations<K>) {
      if (arrays_.factor_scores.empty()) return;
      for (std::int64_t f = 0; f < arrays_.factors(); ++f)
        kind_.expectations(arrays_.factor(f), arrays_.links_of(f, scores),
                           arrays_.scores_of(f, expectations));
    }
  }

  void project(std::span<const double> target, double scale, std::span<double> point,
               std::span<double> factor_scores) override {
    if constexpr (HasBatchProjection<K>) {
      K::project_many(arrays_.factor_scores, target, scale, point, factor_scores);
    } else {
      for (std::int64_t f = 0; f < arrays_.factors(); ++f)
        project_one(f, target, scale, point, factor_scores);
    }
  }

  void project(std::span<const std::int32_t> factors, std::span<const double> target, double scale,
               std::span<double> point, std::span<double> factor_scores) override {
    for (const std::int32_t f : factors) project_one(f, target, scale, point, factor_scores);
  }

  void expectations_at(std::span<const double> point, std::span<double> expectations) override {
    if constexpr (HasExpectationAtPoint<K>) {
      for (std::int64_t f = 0; f < arrays_.factors(); ++f)
        expectations[f] = K::expectation_at(arrays_.factor_scores[f], arrays_.links_of(f, point));
    } else if constexpr (HasExpectations<K>) {
      std::fill(expectations.begin(), expectations.end(), 0.0);
      for (std::int64_t f = 0; f < arrays_.factors(); ++f)
        add_expectations_of_active_set(f, arrays_.scores_of(f, expectations));
    }
  }

  void set_inexact(bool inexact) override {
    if constexpr (requires { kind_.set_inexact(inexact); }) kind_.set_inexact(inexact);
    active_set_.max_steps = inexact ? ActiveSet::kInexactSteps : ActiveSet::kMostSteps;
  }

 private:
  static K make_kind(const BlockArrays& arrays) {
    if constexpr (std::is_constructible_v<K, const BlockArrays&>)
      return K(arrays);
    else
      return K();
  }

  template <class Visitor>
  void for_each(std::int64_t first, std::int64_t last, Visitor&& visit) {
    for (std::int64_t f = first; f < last; ++f) {
      select(f);
      visit(f, arrays_.factor(f));
      count_factor(f);
    }
  }

  // Solvers ask between rounds whether to go on; a large factor takes long by itself.
  void count_factor(std::int64_t f) const {
    const std::int64_t links = arrays_.offsets[f + 1] - arrays_.offsets[f];
    if (links >= kLarge) count_work(static_cast<std::uint64_t>(links) * links);
  }

  // Only factors that Python knows are told which of them is meant.
  void select(std::int64_t f) {
    if constexpr (requires { kind_.select(f); }) kind_.select(f);
  }

  // Each assignment of the active set, as what scores that leave no choice make a factor expect.
  void add_expectations_of_active_set(std::int64_t f, std::span<double> expectations) {
    const Factor factor = arrays_.factor(f);
    const ActiveSet::Memory& memory = memories_[f];
    certain_.resize(static_cast<std::size_t>(factor.links));
    expected_.resize(expectations.size());
    for (std::size_t i = 0; i < memory.active.size(); ++i) {
      std::fill(certain_.begin(), certain_.end(), -kCertain);
      for (const std::int32_t link : memory.active[i].on) certain_[link] = kCertain;
      kind_.expectations(factor, certain_, expected_);
      for (std::size_t e = 0; e < expected_.size(); ++e)
        expectations[e] += memory.weights[i] * expected_[e];
    }
  }

  void project_one(std::int64_t f, std::span<const double> all_targets, double scale,
                   std::span<double> all_points, std::span<double> factor_scores) {
    count_factor(f);
    const Factor factor = arrays_.factor(f);
    const auto target = arrays_.links_of(f, all_targets);
    const auto point = arrays_.links_of(f, all_points);
    if constexpr (HasBatchProjection<K>) {
      K::project_many(factor.scores, target, scale, point, factor_scores.subspan(f, 1));
    } else if constexpr (HasProjection<K>) {
      factor_scores[f] = kind_.project(factor, target, scale, point, memories_[f]);
    } else {
      select(f);
      factor_scores[f] = active_set_.project(kind_, factor, target, scale, point, memories_[f]);
    }
  }

  static constexpr auto memory_of_kind() {
    if constexpr (HasBatchProjection<K>)
      return NoMemory{};
    else if constexpr (HasProjection<K>)
      return typename K::Memory{};
    else
      return ActiveSet::Memory{};
  }

  static constexpr double kCertain = 1e9;
  static constexpr std::int64_t kLarge = 32;

  K kind_;
  std::vector<double> certain_, expected_;
  ActiveSet active_set_;
  std::vector<decltype(memory_of_kind())> memories_;
};

}  // namespace turbotree::graphs
