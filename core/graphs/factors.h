// The factors of a graph at work: their functions block by block, or by their numbers in the whole
// graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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

  // How often each of the factor scores of all blocks counts: under scores of the links, or after a
  // projection at the point that it found.
  std::vector<double> expectations(std::span<const double> scores);
  std::vector<double> expectations_at(std::span<const double> point);

  // A push on the fixed links of each factor that outweighs its factor scores, and sums of other
  // links' scores up to this. Functions of the user's may have more.
  double decisive_push(std::int64_t f, double others) {
    if (largest_scores_.empty()) find_largest_scores();
    return 1.0 + 2.0 * (largest_scores_[f] + others);
  }

  // By a factor's number; spans are over all links.
  Kind kind(std::int64_t f) { return graph_.blocks[incidence().block[f]].kind; }
  double maximise(std::int64_t f, std::span<const double> scores, std::span<std::uint8_t> chosen) {
    const Place at = place(f);
    block(at.block).maximise(at.factor, at.factor + 1, links_.links_of_block(at.block, scores),
                             links_.links_of_block(at.block, chosen), values_of_block());
    return values_[at.factor];
  }
  double max_messages(std::int64_t f, std::span<const double> scores, std::span<double> messages) {
    const Place at = place(f);
    block(at.block).max_messages(at.factor, at.factor + 1, links_.links_of_block(at.block, scores),
                                 links_.links_of_block(at.block, messages), values_of_block());
    return values_[at.factor];
  }
  Sums sum_messages(std::int64_t f, std::span<const double> scores, std::span<double> messages) {
    const Place at = place(f);
    block(at.block).sum_messages(at.factor, at.factor + 1, links_.links_of_block(at.block, scores),
                                 links_.links_of_block(at.block, messages), sums_of_block());
    return sums_[at.factor];
  }
  // Messages of the factors first .. last - 1, all of block b.
  void messages(bool sums, std::int64_t b, std::int64_t first, std::int64_t last,
                std::span<const double> scores, std::span<double> messages) {
    const std::int64_t factor = links_.first_factor[b];
    const auto own_scores = links_.links_of_block(b, scores);
    const auto own_messages = links_.links_of_block(b, messages);
    if (sums)
      block(b).sum_messages(first - factor, last - factor, own_scores, own_messages,
                            sums_of_block());
    else
      block(b).max_messages(first - factor, last - factor, own_scores, own_messages,
                            values_of_block());
  }

 private:
  struct Place {
    std::int64_t block, factor;  // the factor's number in its block
  };
  Place place(std::int64_t f) {
    const std::int32_t b = incidence().block[f];
    return {b, f - links_.first_factor[b]};
  }
  // Memory for the answers of all factors of a block.
  std::span<double> values_of_block() {
    if (values_.empty()) values_.resize(largest_block());
    return values_;
  }
  std::span<Sums> sums_of_block() {
    if (sums_.empty()) sums_.resize(largest_block());
    return sums_;
  }
  std::size_t largest_block() const;
  void find_largest_scores();

  const Graph& graph_;
  Links links_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::optional<Incidence> incidence_;
  std::vector<std::uint8_t> chosen_;
  std::vector<double> values_;
  std::vector<Sums> sums_;
  std::vector<double> largest_scores_;  // of a factor: its factor score cannot be larger
};

}  // namespace turbotree::graphs
