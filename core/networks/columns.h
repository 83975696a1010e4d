// Scores of words' labels: parts of speech, chunks, entities. A column is one kind of them; all
// columns read one perceptron, and each is a linear function of it.
#pragma once

#include <vector>

#include "networks/biaffine.h"
#include "networks/encoder.h"
#include "networks/matrix.h"

namespace turbotree::networks {

struct ColumnBuffers {
  std::vector<float> scores;  // words x labels of all columns
  ProductBuffers products;
};

// How many words are worked at together.
inline constexpr int kWordsAtOnce = 128;

// Scores of all labels for the words begin, ..., end - 1 of the encodings, left in buffers.scores.
void column_scores(const PackedWeights& packed, const Encodings& encodings, int begin, int end,
                   ColumnBuffers& buffers);

// For the same words; buffers.scores holds the derivatives.
void column_scores_backward(const PackedWeights& packed, const Encodings& encodings, int begin,
                            int end, Encodings& d_encodings, float* gradient,
                            ColumnBuffers& buffers);

}  // namespace turbotree::networks
