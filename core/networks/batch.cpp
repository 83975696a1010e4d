#include "networks/batch.h"

#include <algorithm>
#include <cstddef>

namespace turbotree::networks {

Steps::Steps(const Inputs& inputs, std::span<const std::int32_t> chosen)
    : sentences(chosen.begin(), chosen.end()) {
  std::stable_sort(sentences.begin(), sentences.end(), [&](std::int32_t a, std::int32_t b) {
    return inputs.length(a) > inputs.length(b);
  });
  for (const std::int32_t sentence : sentences) lengths.push_back(inputs.length(sentence));
  const int longest = lengths.empty() ? 0 : lengths.front();
  begins.assign(1, 0);
  std::size_t alive = lengths.size();
  for (int position = 0; position < longest; ++position) {
    while (alive > 0 && lengths[alive - 1] <= position) --alive;
    for (std::size_t b = 0; b < alive; ++b)
      tokens.push_back(inputs.starts[sentences[b]] + position);
    begins.push_back(static_cast<std::int32_t>(tokens.size()));
  }
}

}  // namespace turbotree::networks
