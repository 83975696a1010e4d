// Hashed features of a word's form: its look, its beginning and end, and the n-grams of its
// characters. Unseen words share most of theirs with words that were seen.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace turbotree::networks {

// A form in UTF-8, in lower case, and its shape; adds the buckets of its features, each once, in
// ascending order.
void add_surface_features(std::string_view form, std::string_view lower, std::string_view shape,
                          std::int32_t buckets, std::vector<std::int32_t>& features);

}  // namespace turbotree::networks
