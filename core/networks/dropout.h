// Dropout: in training, some activations are zero, and the others grow to make up for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/random.h"
#include "networks/batch.h"

namespace turbotree::networks {

// One mask per sentence, the same for all its words (Gal & Ghahramani 2016), or one per word.
class DropoutMask {
 public:
  void draw(float share, bool shared, const Steps& steps, int columns, Random& random) {
    columns_ = columns;
    shared_ = shared;
    mask_.clear();
    if (share <= 0.0f) return;
    const std::size_t rows =
        shared ? steps.sentences.size() : static_cast<std::size_t>(steps.total());
    mask_.resize(rows * columns);
    const float kept = 1.0f / (1.0f - share);
    const auto threshold = static_cast<std::uint64_t>(share * 65536.0f);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < mask_.size(); ++i) {
      bits = i % 4 == 0 ? random.next() : bits >> 16;
      mask_[i] = (bits & 0xffffu) < threshold ? 0.0f : kept;
    }
  }

  // Multiplies the rows of a batch, forwards and backwards alike.
  void apply(const Steps& steps, float* values) const {
    if (mask_.empty()) return;
    for (int t = 0; t < steps.steps(); ++t) {
      const float* mask = mask_.data();
      if (!shared_) mask += static_cast<std::ptrdiff_t>(steps.begins[t]) * columns_;
      const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(steps.rows(t)) * columns_;
      for (std::ptrdiff_t i = 0; i < count; ++i) values[i] *= mask[i];
      values += count;
    }
  }

 private:
  std::vector<float> mask_;
  int columns_ = 0;
  bool shared_ = true;
};

}  // namespace turbotree::networks
