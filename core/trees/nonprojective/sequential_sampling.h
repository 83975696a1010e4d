// One exact sample, word by word, for weights on which random walks would wander for too long.
#pragma once

#include <cstddef>
#include <vector>

#include "trees/choose.h"
#include "trees/nonprojective/elimination.h"
#include "trees/types.h"

namespace turbotree::trees {

// The words that already have heads hang together in components, each known by the one word of
// it that has none yet. Drawing a head for such a word, by its exact probability given all the
// heads drawn before, merges its component into another one: O(n^3) per word. `words` and `root`
// are weights as fill_weights makes them. False when a pivot is unsafe.
template <class Number>
class SequentialSampler {
 public:
  SequentialSampler(const Number* words, const Number* root, int size)
      : words_(words), root_(root), size_(size) {}

  bool draw(Random& random, Head* heads) {
    const std::size_t n = static_cast<std::size_t>(size_);
    merged_.assign(words_, words_ + n * n);
    merged_root_.assign(root_, root_ + n);
    under_root_.clear();
    members_.assign(n, {});
    tops_.clear();
    for (int v = size_ - 1; v >= 0; --v) {
      members_[v].push_back(v);
      tops_.push_back(v);
    }
    while (!tops_.empty()) {
      const int word = tops_.back();
      int component = 0;
      if (!draw_component(random, &component)) return false;
      heads[word] = draw_member(random, word, component);
      tops_.pop_back();
      attach(word, component);
    }
    return true;
  }

 private:
  static constexpr int kRoot = -1;

  std::ptrdiff_t at(int head, int modifier) const {
    return static_cast<std::ptrdiff_t>(head) * size_ + modifier;
  }

  // The component that the last of `tops_` attaches to. Position 0 is that word, the other
  // components follow; they are eliminated, and `escape_` is as in matrix_tree.cpp.
  bool draw_component(Random& random, int* component) {
    const int count = static_cast<int>(tops_.size());
    const std::size_t square = static_cast<std::size_t>(count) * static_cast<std::size_t>(count);
    local_.resize(square);
    steps_.resize(square);
    local_root_.resize(static_cast<std::size_t>(count));
    step_root_.resize(static_cast<std::size_t>(count));
    escape_.resize(static_cast<std::size_t>(count));
    const auto top = [&](int position) { return tops_[count - 1 - position]; };
    for (int h = 0; h < count; ++h) {
      local_root_[h] = merged_root_[top(h)];
      for (int m = 0; m < count; ++m) {
        local_[static_cast<std::ptrdiff_t>(h) * count + m] = merged_[at(top(h), top(m))];
      }
    }
    const WeightView<Number> view{local_.data(), local_root_.data(), count, count};
    const StepView<Number> steps{steps_.data(), step_root_.data(), count};
    if (!eliminate_upper(view, steps, 1, false, [](const Number&) {})) return false;
    if (!pivot_is_safe(local_root_[0])) return false;
    const int word = top(0);
    Number total = merged_root_[word];
    for (int k = 1; k < count; ++k) {
      Number sum = step_root_[k];
      for (int g = 1; g < k; ++g) {
        sum += steps_[static_cast<std::ptrdiff_t>(k) * count + g] * escape_[g];
      }
      escape_[k] = sum;
      total += merged_[at(top(k), word)] * sum;
    }
    const int chosen = choose(random, 0, count, total, [&](int k) {
      return k == 0 ? merged_root_[word] : merged_[at(top(k), word)] * escape_[k];
    });
    *component = chosen == 0 ? kRoot : top(chosen);
    return true;
  }

  Head draw_member(Random& random, int word, int component) const {
    const std::vector<int>& members = component == kRoot ? under_root_ : members_[component];
    const int count = static_cast<int>(members.size());
    const auto weight = [&](int i) {  // index `count` stands for the root itself
      if (i < count) return words_[at(members[i], word)];
      return component == kRoot ? root_[word] : Number(0.0);
    };
    Number total = Number(0.0);
    for (int i = 0; i <= count; ++i) total += weight(i);
    const int chosen = choose(random, 0, count + 1, total, weight);
    return chosen == count ? 0 : members[chosen] + 1;
  }

  void attach(int word, int component) {
    std::vector<int>& members = component == kRoot ? under_root_ : members_[component];
    members.insert(members.end(), members_[word].begin(), members_[word].end());
    for (int other : tops_) {
      if (component == kRoot) {
        merged_root_[other] += merged_[at(word, other)];
      } else if (other != component) {
        merged_[at(component, other)] += merged_[at(word, other)];
      }
    }
  }

  const Number* words_;
  const Number* root_;
  int size_;
  std::vector<Number> merged_, merged_root_, local_, local_root_, steps_, step_root_, escape_;
  std::vector<int> tops_, under_root_;
  std::vector<std::vector<int>> members_;
};

}  // namespace turbotree::trees
