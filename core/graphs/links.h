// All links of a graph in one row, block after block, whatever the kind of their factors.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graphs/block.h"
#include "graphs/graph.h"

namespace turbotree::graphs {

struct Links {
  explicit Links(const Graph& graph);

  std::vector<std::int64_t> first_link, first_factor;  // of each block, and the ends
  std::vector<std::int32_t> variable;
  std::vector<std::uint8_t> negated;
  std::vector<std::int64_t> offsets;  // of the factors' links, factors + 1
  std::vector<std::int32_t> block;    // of a factor
  std::vector<std::int32_t> factor;   // of a link
  std::vector<std::int64_t> of_variable_offsets, of_variable;  // the links of each variable

  std::int64_t links() const { return static_cast<std::int64_t>(variable.size()); }
  std::int64_t factors() const { return static_cast<std::int64_t>(block.size()); }
  std::int64_t degree(std::int64_t v) const {
    return of_variable_offsets[v + 1] - of_variable_offsets[v];
  }
  std::span<const std::int64_t> links_of(std::int64_t v) const {
    return {of_variable.data() + of_variable_offsets[v], static_cast<std::size_t>(degree(v))};
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

// The factors' functions by the factors' numbers in the whole graph; arrays are over all links or
// over all factors.
class Factors {
 public:
  explicit Factors(const Graph& graph)
      : graph_(graph),
        links_(graph),
        blocks_(make_blocks(graph)),
        values_(links_.block.size()),
        sums_(links_.block.size()) {}

  const Graph& graph() const { return graph_; }
  const Links& links() const { return links_; }
  std::int64_t blocks() const { return static_cast<std::int64_t>(blocks_.size()); }
  Block& block(std::int64_t b) { return *blocks_[b]; }
  Kind kind(std::int64_t f) const { return graph_.blocks[links_.block[f]].kind; }

  double maximise(std::int64_t f, const double* scores, std::uint8_t* chosen) {
    const Place at = place(f);
    double* const values = values_.data() + links_.first_factor[at.block];
    blocks_[at.block]->maximise(at.factor, at.factor + 1, scores + at.link, chosen + at.link,
                                values);
    return values[at.factor];
  }
  double max_messages(std::int64_t f, const double* scores, double* messages) {
    const Place at = place(f);
    double* const values = values_.data() + links_.first_factor[at.block];
    blocks_[at.block]->max_messages(at.factor, at.factor + 1, scores + at.link,
                                    messages + at.link, values);
    return values[at.factor];
  }
  Sums sum_messages(std::int64_t f, const double* scores, double* messages) {
    const Place at = place(f);
    Sums* const sums = sums_.data() + links_.first_factor[at.block];
    blocks_[at.block]->sum_messages(at.factor, at.factor + 1, scores + at.link,
                                    messages + at.link, sums);
    return sums[at.factor];
  }
  // Messages of the factors first .. last - 1, all of one block.
  void messages(bool sums, std::int64_t b, std::int64_t first, std::int64_t last,
                const double* scores, double* messages) {
    const std::int64_t factor = links_.first_factor[b], link = links_.first_link[b];
    if (sums)
      blocks_[b]->sum_messages(first - factor, last - factor, scores + link, messages + link,
                               sums_.data() + factor);
    else
      blocks_[b]->max_messages(first - factor, last - factor, scores + link, messages + link,
                               values_.data() + factor);
  }

 private:
  struct Place {
    std::int64_t block, factor, link;  // the factor's number in its block, the block's first link
  };
  Place place(std::int64_t f) const {
    const std::int32_t b = links_.block[f];
    return {b, f - links_.first_factor[b], links_.first_link[b]};
  }

  const Graph& graph_;
  Links links_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<double> values_;
  std::vector<Sums> sums_;
};

}  // namespace turbotree::graphs
