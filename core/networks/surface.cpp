#include "networks/surface.h"

#include <algorithm>
#include <cstddef>

namespace turbotree::networks {
namespace {

enum Kind : std::uint64_t { kShape = 1, kForm, kLower, kPrefix, kSuffix, kGram };

constexpr std::size_t kLongestPrefix = 3, kLongestSuffix = 4;
constexpr std::size_t kShortestGram = 3, kLongestGram = 5;
constexpr std::size_t kMostCharacters = 64;  // n-grams of longer words say no more

std::uint64_t hash(Kind kind, std::string_view text) {
  std::uint64_t state = 0xcbf29ce484222325ull ^ (kind * 0x9e3779b97f4a7c15ull);
  for (const char byte : text)
    state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001b3ull;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ull;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebull;
  return state ^ (state >> 31);
}

}  // namespace

void add_surface_features(std::string_view form, std::string_view lower, std::string_view shape,
                          std::int32_t buckets, std::vector<std::int32_t>& features) {
  const std::size_t begin = features.size();
  const auto add = [&](Kind kind, std::string_view text) {
    features.push_back(
        static_cast<std::int32_t>(hash(kind, text) % static_cast<std::uint64_t>(buckets)));
  };
  add(kShape, shape);
  add(kForm, form);
  add(kLower, lower);
  // Where characters begin.
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < lower.size(); ++i)
    if ((static_cast<unsigned char>(lower[i]) & 0xc0) != 0x80) starts.push_back(i);
  const std::size_t count = starts.size();
  starts.push_back(lower.size());
  const auto piece = [&](std::size_t from, std::size_t to) {
    return lower.substr(starts[from], starts[to] - starts[from]);
  };
  for (std::size_t length = 1; length <= std::min(kLongestPrefix, count); ++length)
    add(kPrefix, piece(0, length));
  for (std::size_t length = 1; length <= std::min(kLongestSuffix, count); ++length)
    add(kSuffix, piece(count - length, count));
  const std::size_t used = std::min(count, kMostCharacters);
  for (std::size_t length = kShortestGram; length <= kLongestGram; ++length)
    for (std::size_t i = 0; i + length <= used; ++i) add(kGram, piece(i, i + length));
  const auto own = features.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(own, features.end());
  features.erase(std::unique(own, features.end()), features.end());
}

}  // namespace turbotree::networks
