// The factors of a graph at work: their functions block by block, or by their numbers in the whole
// graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graphs/block.h"
#include "graphs/graph.h"
#include "graphs/links.h"

namespace turbotree::graphs {

class Factors {
 public:
  explicit Factors(const Graph& graph)
      : graph_(graph), links_(graph), blocks_(make_blocks(graph)) {}
  // Solvers keep references into it.
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;

  const Graph& graph() const { return graph_; }
  const Links& links() const { return links_; }
  // Made when first asked for: not every solver walks from factor to factor.
  const Incidence& incidence() {
    if (!incidence_) incidence_.emplace(graph_, links_);
    return *incidence_;
  }

  std::int64_t blocks() const { return static_cast<std::int64_t>(blocks_.size()); }
  Block& block(std::int64_t b) { return *blocks_[b]; }

  // The score of a whole assignment; -infinity if a factor or the evidence forbids it.
  double value(const std::vector<std::uint8_t>& values);

  // A push on the fixed links of each factor that outweighs what it has of its own, and sums of
  // other links' scores up to this. Functions of the user's may have more.
  double decisive_push(std::int64_t f, double others) {
    if (own_sizes_.empty()) find_own_sizes();
    return 1.0 + 2.0 * (own_sizes_[f] + others);
  }

  // By a factor's number; arrays are over all links.
  Kind kind(std::int64_t f) { return graph_.blocks[incidence().block[f]].kind; }
  double maximise(std::int64_t f, const double* scores, std::uint8_t* chosen) {
    const Place at = place(f);
    double* const values = values_of_block();
    blocks_[at.block]->maximise(at.factor, at.factor + 1, scores + at.link, chosen + at.link,
                                values);
    return values[at.factor];
  }
  double max_messages(std::int64_t f, const double* scores, double* messages) {
    const Place at = place(f);
    double* const values = values_of_block();
    blocks_[at.block]->max_messages(at.factor, at.factor + 1, scores + at.link, messages + at.link,
                                    values);
    return values[at.factor];
  }
  Sums sum_messages(std::int64_t f, const double* scores, double* messages) {
    const Place at = place(f);
    Sums* const sums = sums_of_block();
    blocks_[at.block]->sum_messages(at.factor, at.factor + 1, scores + at.link, messages + at.link,
                                    sums);
    return sums[at.factor];
  }
  // Messages of the factors first .. last - 1, all of one block.
  void messages(bool sums, std::int64_t b, std::int64_t first, std::int64_t last,
                const double* scores, double* messages) {
    const std::int64_t factor = links_.first_factor[b], link = links_.first_link[b];
    if (sums)
      blocks_[b]->sum_messages(first - factor, last - factor, scores + link, messages + link,
                               sums_of_block());
    else
      blocks_[b]->max_messages(first - factor, last - factor, scores + link, messages + link,
                               values_of_block());
  }

 private:
  struct Place {
    std::int64_t block, factor, link;  // the factor's number in its block, the block's first link
  };
  Place place(std::int64_t f) {
    const std::int32_t b = incidence().block[f];
    return {b, f - links_.first_factor[b], links_.first_link[b]};
  }
  // Room for the answers of all factors of a block.
  double* values_of_block() {
    if (values_.empty()) values_.resize(largest_block());
    return values_.data();
  }
  Sums* sums_of_block() {
    if (sums_.empty()) sums_.resize(largest_block());
    return sums_.data();
  }
  std::size_t largest_block() const;
  void find_own_sizes();

  const Graph& graph_;
  Links links_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::optional<Incidence> incidence_;
  std::vector<std::uint8_t> chosen_;
  std::vector<double> values_;
  std::vector<Sums> sums_;
  std::vector<double> own_sizes_;  // of a factor: its own score cannot be larger
};

}  // namespace turbotree::graphs
