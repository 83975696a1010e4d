// All links of a graph in one row, block after block, whatever the kind of their factors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graphs/graph.h"

namespace turbotree::graphs {

struct Links {
  explicit Links(const Graph& graph);

  std::vector<std::int64_t> first_link, first_factor;  // of each block, and the ends
  std::vector<std::int32_t> variable;                  // of a link
  std::vector<std::uint8_t> negated;                   // of a link
  std::vector<std::int32_t> degree;                    // of a variable: its links

  std::int64_t links() const { return first_link.back(); }
  std::int64_t factors() const { return first_factor.back(); }
  // What belongs to a block of an array over all links, or over all factors.
  auto links_of_block(std::int64_t b, auto& all) const {
    return std::span(all).subspan(first_link[b], first_link[b + 1] - first_link[b]);
  }
  auto factors_of_block(std::int64_t b, auto& all) const {
    return std::span(all).subspan(first_factor[b], first_factor[b + 1] - first_factor[b]);
  }
  // A number that speaks for the link's variable, seen by the factor, and the other way round.
  double turned(std::int64_t link, double number) const {
    return negated[link] != 0 ? -number : number;
  }
  // The literal of a link has the value 1 where its variable has this value.
  std::uint8_t literal(std::int64_t link, std::uint8_t value) const {
    return value ^ negated[link];
  }
};

// Which links a factor and a variable have: for walks from factor to factor. Factors are numbered
// through all blocks.
struct Incidence {
  Incidence(const Graph& graph, const Links& links);

  std::vector<std::int64_t> offsets;                           // of the factors' links, factors + 1
  std::vector<std::int32_t> block;                             // of a factor
  std::vector<std::int32_t> factor;                            // of a link
  std::vector<std::int64_t> of_variable_offsets, of_variable;  // the links of each variable

  std::int64_t size(std::int64_t f) const { return offsets[f + 1] - offsets[f]; }
  std::span<const std::int64_t> links_of(std::int64_t v) const {
    return {of_variable.data() + of_variable_offsets[v],
            of_variable.data() + of_variable_offsets[v + 1]};
  }
};

}  // namespace turbotree::graphs
