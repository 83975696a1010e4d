#include "networks/training/losses.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace turbotree::networks {
namespace {

double heads_loss(const Kernels& kernels, std::span<const std::int32_t> heads, float scale,
                  float* scores) {
  const auto width = static_cast<int>(heads.size()) + 1;
  double loss = 0.0;
  for (std::size_t word = 0; word < heads.size(); ++word, scores += width) {
    if (heads[word] < 0)
      std::fill_n(scores, width, 0.0f);
    else
      loss += label_loss(kernels, width, heads[word], scale, scores);
  }
  return loss;
}

double trees_loss(std::span<const std::int32_t> heads, float scale, float* scores,
                  LossBuffers& buffers) {
  const auto words = static_cast<int>(heads.size());
  const int side = words + 1;
  const auto size = static_cast<std::size_t>(side) * side;
  buffers.scores.assign(size, trees::kNegativeInfinity);
  buffers.marginals.resize(size);
  buffers.known_marginals.resize(size);
  for (int m = 1; m <= words; ++m)
    for (int h = 0; h <= words; ++h)
      if (h != m)
        buffers.scores[static_cast<std::size_t>(h) * side + m] =
            scores[static_cast<std::size_t>(m - 1) * side + h];
  const trees::ScoreMatrix matrix{buffers.scores.data(), side, words};
  trees::TreeSums all, known;
  const bool single_root =
      std::count(heads.begin(), heads.end(), 0) <= 1;  // some treebanks have several
  bool summed = trees::matrix_tree_marginals(matrix, single_root, buffers.marginals.data(), &all,
                                             buffers.trees) == trees::Status::ok;
  for (int m = 1; m <= words; ++m)
    if (heads[m - 1] >= 0)
      for (int h = 0; h <= words; ++h)
        if (h != heads[m - 1])
          buffers.scores[static_cast<std::size_t>(h) * side + m] = trees::kNegativeInfinity;
  summed =
      summed && trees::matrix_tree_marginals(matrix, single_root, buffers.known_marginals.data(),
                                             &known, buffers.trees) == trees::Status::ok;
  if (!summed) {  // the known heads are no part of a tree, or the scores have left all bounds
    std::fill_n(scores, static_cast<std::size_t>(words) * side, 0.0f);
    return 0.0;
  }
  for (int m = 1; m <= words; ++m)
    for (int h = 0; h <= words; ++h) {
      const std::size_t arc = static_cast<std::size_t>(h) * side + m;
      scores[static_cast<std::size_t>(m - 1) * side + h] =
          h == m
              ? 0.0f
              : scale * static_cast<float>(buffers.marginals[arc] - buffers.known_marginals[arc]);
    }
  return all.log_partition - known.log_partition;
}

}  // namespace

double label_loss(const Kernels& kernels, int labels, int gold, float scale, float* scores) {
  kernels.log_softmax(scores, labels);
  const double loss = -static_cast<double>(scores[gold]);
  kernels.exponentials(scores, labels);
  scores[gold] -= 1.0f;
  for (int label = 0; label < labels; ++label) scores[label] *= scale;
  return loss;
}

double arc_loss(const Kernels& kernels, ArcLoss kind, std::span<const std::int32_t> heads,
                float scale, float* scores, LossBuffers& buffers) {
  return kind == ArcLoss::heads ? heads_loss(kernels, heads, scale, scores)
                                : trees_loss(heads, scale, scores, buffers);
}

}  // namespace turbotree::networks
