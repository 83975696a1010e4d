// All factors of one kind: one tight loop a kind, no virtual call a factor.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

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
    }
  }

  void max_messages(std::int64_t first, std::int64_t last, const double* scores, double* messages,
                    double* values) override {
    for (std::int64_t f = first; f < last; ++f) {
      const std::int64_t at = arrays_.offsets[f];
      select(f);
      values[f] = kind_.max_messages(arrays_.factor(f), scores + at, messages + at);
    }
  }

  void sum_messages(std::int64_t first, std::int64_t last, const double* scores, double* messages,
                    Sums* sums) override {
    for (std::int64_t f = first; f < last; ++f) {
      const std::int64_t at = arrays_.offsets[f];
      sums[f] = kind_.sum_messages(arrays_.factor(f), scores + at, messages + at);
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
      const double* extras =
          arrays_.extra_offsets.empty() ? nullptr : arrays_.extras.data() + arrays_.extra_offsets[first];
      KindOfFactor::project_many(last - first, extras, target + at, scale, point + at,
                                 own + first);
    } else {
      for (std::int64_t f = first; f < last; ++f) project_one(f, target, scale, point, own);
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

  // Only factors that Python knows are told which of them is meant.
  void select(std::int64_t f) {
    if constexpr (requires { kind_.select(f); }) kind_.select(f);
  }

  void project_one(std::int64_t f, const double* target, double scale, double* point,
                   double* own) {
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

  KindOfFactor kind_;
  ActiveSet active_set_;
  std::vector<typename MemoryOf<KindOfFactor>::type> memories_;
};

}  // namespace turbotree::graphs
