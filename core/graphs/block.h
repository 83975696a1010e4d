// All factors of one kind: one tight loop a kind, no virtual call a factor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "common/interrupt.h"
#include "graphs/active_set.h"
#include "graphs/factor.h"
#include "graphs/graph.h"

namespace turbotree::graphs {

// Arrays over links start at the block's first link, arrays over factors at its first factor.
class Block {
 public:
  explicit Block(const BlockArrays& arrays) : arrays_(arrays) {}
  virtual ~Block() = default;

  const BlockArrays& arrays() const { return arrays_; }

  // Each works on the factors first .. last - 1; see factor.h.
  virtual void values(std::int64_t first, std::int64_t last, const std::uint8_t* chosen,
                      double* values) = 0;
  virtual void maximise(std::int64_t first, std::int64_t last, const double* scores,
                        std::uint8_t* chosen, double* values) = 0;
  virtual void max_messages(std::int64_t first, std::int64_t last, const double* scores,
                            double* messages, double* values) = 0;
  virtual void sum_messages(std::int64_t first, std::int64_t last, const double* scores,
                            double* messages, Sums* sums) = 0;
  // One number for each of the block's extras; nothing for kinds without.
  virtual void expectations(std::int64_t first, std::int64_t last, const double* scores,
                            double* expectations) = 0;
  virtual void project(std::int64_t first, std::int64_t last, const double* target, double scale,
                       double* point, double* own) = 0;
  // The same for the factors of a list.
  virtual void project(std::span<const std::int32_t> factors, const double* target, double scale,
                       double* point, double* own) = 0;
  // After a projection: how often the point that it found has each of the block's extras.
  virtual void extras_of_points(const double* point, double* extras) = 0;
  // In a hurry, projections may stop early; the next one goes on where the last one stopped.
  virtual void set_hurry(bool hurry) = 0;

 protected:
  const BlockArrays& arrays_;
};

template <class KindOfFactor>
constexpr bool kProjectsItself = requires { typename KindOfFactor::Memory; };

template <class KindOfFactor>
class BlockOf final : public Block {
 public:
  explicit BlockOf(const BlockArrays& arrays)
      : Block(arrays), kind_(make_kind(arrays)), memories_(arrays.offsets.size() - 1) {}

  void values(std::int64_t first, std::int64_t last, const std::uint8_t* chosen,
              double* values) override {
    for (std::int64_t f = first; f < last; ++f) {
      select(f);
      values[f] = kind_.value(arrays_.factor(f), chosen + arrays_.offsets[f]);
    }
  }

  void maximise(std::int64_t first, std::int64_t last, const double* scores, std::uint8_t* chosen,
                double* values) override {
    for (std::int64_t f = first; f < last; ++f) {
      const std::int64_t at = arrays_.offsets[f];
      select(f);
      values[f] = kind_.maximise(arrays_.factor(f), scores + at, chosen + at);
      count_factor(f);
    }
  }

  void max_messages(std::int64_t first, std::int64_t last, const double* scores, double* messages,
                    double* values) override {
    for (std::int64_t f = first; f < last; ++f) {
      const std::int64_t at = arrays_.offsets[f];
      select(f);
      values[f] = kind_.max_messages(arrays_.factor(f), scores + at, messages + at);
      count_factor(f);
    }
  }

  void sum_messages(std::int64_t first, std::int64_t last, const double* scores, double* messages,
                    Sums* sums) override {
    for (std::int64_t f = first; f < last; ++f) {
      const std::int64_t at = arrays_.offsets[f];
      sums[f] = kind_.sum_messages(arrays_.factor(f), scores + at, messages + at);
      count_factor(f);
    }
  }

  void expectations(std::int64_t first, std::int64_t last, const double* scores,
                    double* expectations) override {
    if constexpr (requires { &KindOfFactor::expectations; }) {
      if (arrays_.extras.empty()) return;
      for (std::int64_t f = first; f < last; ++f)
        kind_.expectations(arrays_.factor(f), scores + arrays_.offsets[f],
                           expectations + arrays_.extra_offsets[f]);
    }
  }

  void project(std::int64_t first, std::int64_t last, const double* target, double scale,
               double* point, double* own) override {
    if constexpr (requires { &KindOfFactor::project_many; }) {
      const std::int64_t at = arrays_.offsets[first];
      const double* extras = arrays_.extra_offsets.empty()
                                 ? nullptr
                                 : arrays_.extras.data() + arrays_.extra_offsets[first];
      KindOfFactor::project_many(last - first, extras, target + at, scale, point + at, own + first);
    } else {
      for (std::int64_t f = first; f < last; ++f) project_one(f, target, scale, point, own);
    }
  }

  void extras_of_points(const double* point, double* extras) override {
    if constexpr (requires { &KindOfFactor::extra_of_point; }) {
      for (std::int64_t f = 0; f < arrays_.factors(); ++f)
        extras[f] = KindOfFactor::extra_of_point(arrays_.extras[f], point + arrays_.offsets[f]);
    } else if constexpr (requires { &KindOfFactor::expectations; }) {
      std::fill_n(extras, arrays_.extras.size(), 0.0);
      for (std::int64_t f = 0; f < arrays_.factors(); ++f)
        add_extras_of_assignments(f, extras + arrays_.extra_offsets[f]);
    }
  }

  void set_hurry(bool hurry) override {
    if constexpr (requires { kind_.set_hurry(hurry); }) kind_.set_hurry(hurry);
    active_set_.max_steps = hurry ? ActiveSet::kHurriedSteps : ActiveSet::kMostSteps;
  }

  void project(std::span<const std::int32_t> factors, const double* target, double scale,
               double* point, double* own) override {
    for (const std::int32_t f : factors) project_one(f, target, scale, point, own);
  }

 private:
  static KindOfFactor make_kind(const BlockArrays& arrays) {
    if constexpr (std::is_constructible_v<KindOfFactor, const BlockArrays&>)
      return KindOfFactor(arrays);
    else
      return KindOfFactor();
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
  void add_extras_of_assignments(std::int64_t f, double* extras) {
    const Factor factor = arrays_.factor(f);
    const ActiveSet::Memory& memory = memories_[f];
    certain_.resize(static_cast<std::size_t>(factor.links));
    expected_.resize(factor.extras.size());
    for (std::size_t i = 0; i < memory.active.size(); ++i) {
      std::fill(certain_.begin(), certain_.end(), -kCertain);
      for (const std::int32_t link : memory.active[i].on) certain_[link] = kCertain;
      kind_.expectations(factor, certain_.data(), expected_.data());
      for (std::size_t e = 0; e < expected_.size(); ++e)
        extras[e] += memory.weights[i] * expected_[e];
    }
  }

  void project_one(std::int64_t f, const double* target, double scale, double* point, double* own) {
    count_factor(f);
    const std::int64_t at = arrays_.offsets[f];
    if constexpr (kProjectsItself<KindOfFactor>) {
      own[f] = kind_.project(arrays_.factor(f), target + at, scale, point + at, memories_[f]);
    } else {
      select(f);
      own[f] = active_set_.project(kind_, arrays_.factor(f), target + at, scale, point + at,
                                   memories_[f]);
    }
  }

  template <class K, bool = kProjectsItself<K>>
  struct MemoryOf {
    using type = ActiveSet::Memory;
  };
  template <class K>
  struct MemoryOf<K, true> {
    using type = typename K::Memory;
  };

  static constexpr double kCertain = 1e9;
  static constexpr std::int64_t kLarge = 32;

  KindOfFactor kind_;
  std::vector<double> certain_, expected_;
  ActiveSet active_set_;
  std::vector<typename MemoryOf<KindOfFactor>::type> memories_;
};

}  // namespace turbotree::graphs
