// Scores of parts, and gradients with respect to the weights, for batches of sentences.
//
// A part may carry labels: `label_offsets`/`labels` list the labels of each part (CSR), and there
// is one score per (part, label). Without them there is one score per part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/keys.h"
#include "features/program.h"

namespace turbotree::features {

using Batch = std::vector<Prepared>;

class WeightTable;

struct Parts {
  const std::int32_t* rows = nullptr;  // count x Program::row_width()
  std::size_t count = 0;
  std::span<const std::int32_t> offsets;  // sentence i has the parts offsets[i] .. offsets[i + 1]
  std::span<const std::int32_t> label_offsets, labels;  // both empty for unlabelled parts

  bool labelled() const { return !label_offsets.empty(); }
  std::size_t scores() const { return labelled() ? labels.size() : count; }
};

// Whether every offset, row and label is in range.
bool valid(const Program& program, const Batch& batch, const Parts& parts);

// One score per part, for unlabelled parts.
template <class Table>
void score(const Program& program, const Batch& batch, const Parts& parts, const Table& table,
           double* scores);

// One score per (part, label), for labelled parts.
template <class Table>
void score_labels(const Program& program, const Batch& batch, const Parts& parts,
                  const Table& table, double* scores);

// What each template adds to each score: a row per part, or (part, label), and a column per
// template. `sums` starts out as zero.
void contributions(const Program& program, const Batch& batch, const Parts& parts,
                   const WeightTable& table, double* sums);

struct Gradient {
  std::vector<Key> keys;  // distinct
  std::vector<double> values;
};

// The sum over the parts of coefficient * features, entries that cancel omitted.
Gradient gradient(const Program& program, const Batch& batch, const Parts& parts,
                  std::span<const double> coefficients);

}  // namespace turbotree::features
