// Updates of a network's weights from batches of sentences: gradients, and Adam.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "networks/batch.h"
#include "networks/biaffine.h"
#include "networks/columns.h"
#include "networks/embedding.h"
#include "networks/encoder.h"
#include "networks/kernels/kernels.h"
#include "networks/layout.h"
#include "networks/training/losses.h"

namespace turbotree::networks {

struct TrainingOptions {
  DropoutShares dropout;
  ArcLoss arc_loss = ArcLoss::heads;
  float mean_decay = 0.9f, square_decay = 0.95f, epsilon = 1e-8f;  // of Adam
  float largest_norm = 5.0f;   // longer gradients are cut to this
  float average_decay = 0.0f;  // of averaged weights; 0: none are kept
  int shards = 2;              // pieces of a batch, for as many threads
  std::uint64_t seed = 0;
};

// The trees of the inputs' words and their labels in columns; negative where they are not known.
struct Targets {
  std::span<const std::int32_t> heads;  // 0: the root
  std::span<const std::int32_t> labels;
  std::span<const std::int32_t> columns;  // one row per word

  bool known(std::int32_t word, std::size_t width) const {
    const auto own = columns.subspan(width * word, width);
    return heads[word] >= 0 ||
           std::any_of(own.begin(), own.end(), [](std::int32_t label) { return label >= 0; });
  }
};

struct BatchLoss {
  double arcs = 0.0, labels = 0.0;  // sums over the words; labels of arcs and those in columns
  int words = 0;                    // of which anything is known
};

// Everything that changes from update to update.
struct TrainingState {
  std::vector<float> weights, mean, square, average;
  std::int64_t updates = 0;
};

class Trainer {
 public:
  Trainer(const Kernels& kernels, const Layout& layout, const TrainingOptions& options);

  // Weights at random, all else zero.
  void initialise();

  // Loss and gradient of some sentences; the gradient is added up in gradient(). What is dropped
  // depends on the seed and the number of updates only.
  BatchLoss accumulate(const Inputs& inputs, const Targets& targets, const float* vectors,
                       std::span<const std::int32_t> sentences, bool dropout, int threads);

  // One update by the gradient, which is zero afterwards.
  void update(double rate, int threads);

  const Layout& layout() const { return layout_; }
  const TrainingOptions& options() const { return options_; }
  TrainingState& state() { return state_; }
  const TrainingState& state() const { return state_; }
  std::vector<float>& gradient() { return shards_.front().gradient; }

 private:
  struct Shard {
    explicit Shard(const Layout& layout) : gradient(layout.total), touched(layout.sizes.input) {}

    std::vector<float> gradient;
    TouchedRows touched;
    Activations activations;
    EncoderBuffers encoder;
    ArcBuffers arcs;
    LabelBuffers labels;
    ColumnBuffers columns;
    LossBuffers losses;
    BatchLoss loss;
  };

  void run_shard(Shard& shard, int number, const Inputs& inputs, const Targets& targets,
                 std::span<const std::int32_t> sentences, float scale, bool dropout);
  void run_trees(Shard& shard, const Inputs& inputs, const Targets& targets, const Steps& steps,
                 float scale, const Encodings& encodings, Encodings& d_encodings);
  void run_columns(Shard& shard, const Inputs& inputs, const Targets& targets, const Steps& steps,
                   float scale, const Encodings& encodings, Encodings& d_encodings);
  void add_to_first(Shard& shard);

  const Kernels* kernels_;
  Layout layout_;
  TrainingOptions options_;
  TrainingState state_;
  PackedWeights packed_;
  std::vector<Shard> shards_;
  bool broken_off_ = false;  // by an exception: gradients hold something
};

}  // namespace turbotree::networks
