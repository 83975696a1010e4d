// What training makes small: the negative log-likelihood of the known heads and of their labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "networks/kernels/kernels.h"
#include "trees/nonprojective/matrix_tree.h"

namespace turbotree::networks {

enum class ArcLoss : int {
  heads = 0,  // each word chooses its head by itself
  trees = 1,  // a distribution over whole trees, by the matrix-tree theorem
};

struct LossBuffers {
  std::vector<double> scores, marginals, known_marginals;
  trees::MatrixTreeWorkspace trees;
};

// Turns scores, words x (words + 1) as arc_scores gives them, into derivatives of the loss, each
// multiplied by `scale`; returns the loss. Heads that are not known are negative.
double arc_loss(const Kernels& kernels, ArcLoss kind, std::span<const std::int32_t> heads,
                float scale, float* scores, LossBuffers& buffers);

// The same for the scores of one word's labels.
double label_loss(const Kernels& kernels, int labels, int gold, float scale, float* scores);

}  // namespace turbotree::networks
