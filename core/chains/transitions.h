// Rows of words that all choose from the same labels, with only some labels after others.
//
// This is the chain of a sequence labeller: no blocks of edges with holes in them as in chains.h,
// but one score for each pair of labels that may follow one another, and for no other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace turbotree::chains {

class Transitions {
 public:
  // The pairs (from[e], to[e]) that are allowed, in ascending order of (to, from); and for each
  // label whether it may stand first and last.
  Transitions(std::vector<std::int32_t> from, std::vector<std::int32_t> to,
              std::vector<std::uint8_t> starts, std::vector<std::uint8_t> ends);

  static bool valid(std::span<const std::int32_t> from, std::span<const std::int32_t> to,
                    std::size_t labels);

  std::size_t labels() const { return starts_.size(); }
  std::size_t pairs() const { return from_.size(); }

  // Scores of one row of words: words x labels, and (words - 1) x pairs. They may be -infinity.
  struct Scores {
    std::size_t words;
    const double *nodes, *edges;
  };

  // Writes the best labels and returns their score; -infinity if there are none. Of equal scores
  // the lower label wins, from the last word to the first.
  double viterbi(const Scores& scores, std::int32_t* best) const;

  // Writes the probability of each label and of each pair; returns the log-partition, -infinity if
  // no labels are possible.
  double forward_backward(const Scores& scores, double* nodes, double* edges) const;

  struct Labelling {
    double score;
    std::vector<std::int32_t> labels;
  };
  // The best labellings, best first; fewer than `count` if there are no more.
  std::vector<Labelling> k_best(const Scores& scores, std::size_t count) const;

 private:
  bool scaled(const Scores& scores, double* nodes, double* edges, double& log_partition) const;
  double logarithmic(const Scores& scores, double* nodes, double* edges) const;

  std::vector<std::int32_t> from_, to_;
  // Label t is reached by the pairs offsets[t] .. offsets[t + 1].
  std::vector<std::int32_t> offsets_;
  std::vector<std::uint8_t> starts_, ends_;
};

}  // namespace turbotree::chains
