// The package's algorithms on many matrices of one padded array, spread over threads.
#pragma once

#include <cstdint>
#include <vector>

#include "trees/check.h"
#include "trees/k_best.h"
#include "trees/types.h"

namespace turbotree::trees {

// `count` matrices of side x side doubles, one after another. Matrix i has lengths[i] words, or
// side - 1 when lengths is null.
struct Batch {
  const double* scores;
  std::int64_t count;
  int side;
  const std::int64_t* lengths;

  ScoreMatrix matrix(std::int64_t item) const;
};

struct TreeOptions {
  bool single_root = false;
  bool projective = false;
  int threads = 1;
};

// The first item that failed, if any; `arc` is the offending score when status is bad_score.
struct Failure {
  Status status = Status::ok;
  std::int64_t item = 0;
  Arc arc{0, 0};
};

// heads: count x (side - 1), of which each item's first words are written.
Failure maximum_trees(const Batch& batch, const TreeOptions& options, Head* heads);

// log_partition: count.
Failure log_partitions(const Batch& batch, const TreeOptions& options, double* log_partition);

// marginals: count x side x side, zeros beyond each item's words; log_partition, entropy: count.
Failure tree_marginals(const Batch& batch, const TreeOptions& options, double* marginals,
                       double* log_partition, double* entropy);

// Both have the layout of the batch.
Failure marginal_derivatives(const Batch& batch, const TreeOptions& options,
                             const double* direction, double* derivative);

Failure k_best(const Batch& batch, const TreeOptions& options, std::int64_t k,
               std::vector<std::vector<ScoredHeads>>& trees);

// heads: count x draws x (side - 1). Item i uses the seed's i-th stream.
Failure sample(const Batch& batch, const TreeOptions& options, std::int64_t draws,
               std::uint64_t seed, Head* heads);

}  // namespace turbotree::trees
