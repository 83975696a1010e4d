// Scores of arcs and of their labels from two vectors each (Dozat & Manning 2017).
//
// An arc's score is modifier^T U head + u^T head + a bias by distance; a label's is
// modifier^T V_l head + a linear function of both. The root has vectors of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "networks/batch.h"
#include "networks/encoder.h"

namespace turbotree::networks {

// What arcs, labels and columns of some sentences are scored by, sentence after sentence. Heads
// have a row for the root before those of each sentence's words.
struct Encodings {
  std::vector<std::int32_t> starts{0};          // of the sentences' words, and the end
  std::vector<float> arc_heads, arc_modifiers;  // modifiers: already multiplied by U, plus u
  std::vector<float> label_heads, label_modifiers;
  std::vector<float> columns;  // what words' labels are scored by

  int sentences() const { return static_cast<int>(starts.size()) - 1; }
  int words() const { return starts.back(); }
  int length(int sentence) const { return starts[sentence + 1] - starts[sentence]; }
  std::ptrdiff_t head_row(int sentence) const { return starts[sentence] + sentence; }
};

// Adds the sentences of a batch in the batch's order, or puts them where `places` says (the
// number of each in the encodings, which have room for them).
void gather(const PackedWeights& packed, const Steps& steps, const std::vector<float>& perceptrons,
            std::span<const std::int32_t> places, Encodings& encodings);

// Those of some sentences, any of them several times.
Encodings repeated(const Layout& layout, const Encodings& encodings,
                   std::span<const std::int32_t> sentences);

// Makes room for sentences of these lengths.
Encodings room_for(const Layout& layout, std::span<const std::int32_t> lengths);

struct ArcBuffers {
  Packed heads;
  ProductBuffers products;
};

// Scores of the arcs to the words begin, ..., end - 1 of a sentence (from 0) from all heads, the
// root being the first: (end - begin) x (length + 1). A word is no head of itself: -infinity.
void arc_scores(const PackedWeights& packed, const Encodings& encodings, int sentence, int begin,
                int end, float* scores, ArcBuffers& buffers);

// From the derivatives of a whole sentence's scores. What it gives is added to the gradients.
void arc_scores_backward(const PackedWeights& packed, const Encodings& encodings, int sentence,
                         const float* d_scores, Encodings& d_encodings, float* gradient,
                         ArcBuffers& buffers);

struct LabelBuffers {
  std::vector<float> products;  // modifier^T V_l for all labels of a few words
  std::vector<float> modifiers, heads, scores;
  std::vector<float> d_modifiers, d_heads;
  ProductBuffers transposed;
};

// An arc by rows of the encodings' label_modifiers and label_heads.
struct LabelledArc {
  std::int32_t modifier;
  std::int32_t head;
};

// How many arcs are worked at together.
inline constexpr int kArcsAtOnce = 64;

// Scores of all labels for at most kArcsAtOnce arcs, left in buffers.scores.
void label_scores(const PackedWeights& packed, const Encodings& encodings,
                  std::span<const LabelledArc> arcs, LabelBuffers& buffers);

// For the same arcs; buffers.scores holds the derivatives.
void label_scores_backward(const PackedWeights& packed, std::span<const LabelledArc> arcs,
                           Encodings& d_encodings, float* gradient, LabelBuffers& buffers);

// The derivatives of the perceptrons' values, and of U, u and the root's vectors.
void scatter_backward(const PackedWeights& packed, const Steps& steps,
                      const std::vector<float>& perceptrons, const Encodings& d_encodings,
                      std::vector<float>& d_perceptrons, float* gradient, ArcBuffers& buffers);

}  // namespace turbotree::networks
