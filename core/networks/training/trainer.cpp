#include "networks/training/trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/random.h"
#include "networks/workers.h"

namespace turbotree::networks {

Trainer::Trainer(const Kernels& kernels, const Layout& layout, const TrainingOptions& options)
    : kernels_(&kernels),
      layout_(layout),
      options_(options),
      packed_(kernels, layout_),
      shards_(static_cast<std::size_t>(options.shards), Shard(layout_)) {
  state_.weights.resize(layout_.total);
  state_.mean.resize(layout_.total);
  state_.square.resize(layout_.total);
  if (options_.average_decay > 0.0f) state_.average.resize(layout_.total);
}

void Trainer::initialise() {
  Random random(options_.seed, ~std::uint64_t{0});
  std::fill(state_.weights.begin(), state_.weights.end(), 0.0f);
  for (const Block* block : layout_.blocks())
    if (block->spread > 0.0f)
      for (std::size_t i = 0; i < block->size(); ++i)
        state_.weights[block->offset + i] =
            static_cast<float>(2.0 * random.uniform() - 1.0) * block->spread;
  // A cell that keeps what it has, until it learns to forget.
  for (const LstmBlocks& blocks : layout_.lstm)
    std::fill_n(state_.weights.data() + blocks.bias.offset + layout_.sizes.hidden,
                layout_.sizes.hidden, 1.0f);
  std::fill(state_.mean.begin(), state_.mean.end(), 0.0f);
  std::fill(state_.square.begin(), state_.square.end(), 0.0f);
  if (!state_.average.empty()) state_.average = state_.weights;
  state_.updates = 0;
}

BatchLoss Trainer::accumulate(const Inputs& inputs, const Targets& targets, const float* vectors,
                              std::span<const std::int32_t> sentences, bool dropout, int threads) {
  if (std::exchange(broken_off_, true))
    for (Shard& shard : shards_) {
      std::fill(shard.gradient.begin(), shard.gradient.end(), 0.0f);
      shard.touched = TouchedRows(layout_.sizes.input);
    }
  packed_.vectors = vectors;
  packed_.pack(state_.weights.data(), Packing::training);

  // Shards of about the same length: the sentences are dealt out from the longest to the shortest.
  const Steps all(inputs, sentences);
  std::vector<std::vector<std::int32_t>> dealt(shards_.size());
  for (std::size_t i = 0; i < all.sentences.size(); ++i)
    dealt[i % dealt.size()].push_back(all.sentences[i]);
  int words = 0;
  const std::size_t columns = layout_.sizes.columns.size();
  for (const std::int32_t token : all.tokens) words += targets.known(token, columns);
  const float scale = 1.0f / static_cast<float>(std::max(words, 1));

  const int used = std::clamp(threads, 1, static_cast<int>(shards_.size()));
  run_on_threads(used, [&](int thread) {
    for (std::size_t i = thread; i < shards_.size(); i += used)
      run_shard(shards_[i], static_cast<int>(i), inputs, targets, dealt[i], scale, dropout);
  });
  BatchLoss loss;
  for (Shard& shard : shards_) {
    loss.arcs += shard.loss.arcs;
    loss.labels += shard.loss.labels;
    if (&shard != &shards_.front()) add_to_first(shard);
  }
  loss.words = words;
  broken_off_ = false;
  return loss;
}

void Trainer::run_shard(Shard& shard, int number, const Inputs& inputs, const Targets& targets,
                        std::span<const std::int32_t> sentences, float scale, bool dropout) {
  shard.loss = {};
  if (sentences.empty()) return;
  Random random(options_.seed,
                static_cast<std::uint64_t>(state_.updates) * shards_.size() + number);
  const Steps steps(inputs, sentences);
  Activations& activations = shard.activations;
  encode(packed_, inputs, steps, dropout ? &options_.dropout : nullptr, random, activations);
  Encodings encodings = room_for(layout_, steps.lengths);
  Encodings d_encodings = room_for(layout_, steps.lengths);
  gather(packed_, steps, activations.perceptrons, {}, encodings);

  if (layout_.sizes.arcs > 0)
    run_trees(shard, inputs, targets, steps, scale, encodings, d_encodings);
  if (!layout_.sizes.columns.empty())
    run_columns(shard, inputs, targets, steps, scale, encodings, d_encodings);
  std::vector<float> d_perceptrons(activations.perceptrons.size());
  float* const gradient = shard.gradient.data();
  scatter_backward(packed_, steps, activations.perceptrons, d_encodings, d_perceptrons, gradient,
                   shard.arcs);
  encode_backward(packed_, inputs, steps, activations, d_perceptrons, gradient, shard.touched,
                  shard.encoder);
}

void Trainer::run_trees(Shard& shard, const Inputs& inputs, const Targets& targets,
                        const Steps& steps, float scale, const Encodings& encodings,
                        Encodings& d_encodings) {
  float* const gradient = shard.gradient.data();
  std::vector<float> scores;
  std::vector<LabelledArc> arcs;
  std::vector<std::int32_t> golds;
  for (int b = 0; b < encodings.sentences(); ++b) {
    const int length = encodings.length(b);
    const auto heads = targets.heads.subspan(inputs.starts[steps.sentences[b]], length);
    const auto labels = targets.labels.subspan(inputs.starts[steps.sentences[b]], length);
    if (std::all_of(heads.begin(), heads.end(), [](std::int32_t head) { return head < 0; }))
      continue;
    scores.resize(static_cast<std::size_t>(length) * (length + 1));
    arc_scores(packed_, encodings, b, 0, length, scores.data(), shard.arcs);
    shard.loss.arcs +=
        arc_loss(*kernels_, options_.arc_loss, heads, scale, scores.data(), shard.losses);
    arc_scores_backward(packed_, encodings, b, scores.data(), d_encodings, gradient, shard.arcs);
    for (int i = 0; i < length; ++i)
      if (heads[i] >= 0 && labels[i] >= 0) {
        arcs.push_back(
            {encodings.starts[b] + i, static_cast<std::int32_t>(encodings.head_row(b) + heads[i])});
        golds.push_back(labels[i]);
      }
  }
  const int labels = layout_.sizes.labels;
  for (std::size_t first = 0; first < arcs.size(); first += kArcsAtOnce) {
    const std::size_t count = std::min<std::size_t>(kArcsAtOnce, arcs.size() - first);
    const std::span<const LabelledArc> some(arcs.data() + first, count);
    label_scores(packed_, encodings, some, shard.labels);
    for (std::size_t i = 0; i < count; ++i)
      shard.loss.labels += label_loss(*kernels_, labels, golds[first + i], scale,
                                      shard.labels.scores.data() + i * labels);
    label_scores_backward(packed_, some, d_encodings, gradient, shard.labels);
  }
}

void Trainer::run_columns(Shard& shard, const Inputs& inputs, const Targets& targets,
                          const Steps& steps, float scale, const Encodings& encodings,
                          Encodings& d_encodings) {
  const std::vector<int>& columns = layout_.sizes.columns;
  std::vector<std::int32_t> tokens;  // which word of the inputs each word of the encodings is
  for (std::size_t b = 0; b < steps.sentences.size(); ++b)
    for (int i = 0; i < steps.lengths[b]; ++i)
      tokens.push_back(inputs.starts[steps.sentences[b]] + i);
  for (int begin = 0; begin < encodings.words(); begin += kWordsAtOnce) {
    const int end = std::min(encodings.words(), begin + kWordsAtOnce);
    column_scores(packed_, encodings, begin, end, shard.columns);
    float* scores = shard.columns.scores.data();
    for (int word = begin; word < end; ++word) {
      const std::int32_t* const golds = targets.columns.data() + columns.size() * tokens[word];
      for (std::size_t c = 0; c < columns.size(); scores += columns[c++])
        if (golds[c] >= 0)
          shard.loss.labels += label_loss(*kernels_, columns[c], golds[c], scale, scores);
        else
          std::fill_n(scores, columns[c], 0.0f);
    }
    column_scores_backward(packed_, encodings, begin, end, d_encodings, shard.gradient.data(),
                           shard.columns);
  }
}

void Trainer::add_to_first(Shard& shard) {
  float* const to = shards_.front().gradient.data();
  float* const from = shard.gradient.data();
  const auto add_rows = [&](const Block& table, std::vector<std::uint8_t>& touched) {
    for (int row = 0; row < table.rows; ++row)
      if (std::exchange(touched[row], 0)) {
        const std::size_t at = table.offset + static_cast<std::size_t>(row) * table.columns;
        kernels_->add_scaled(from + at, 1.0f, to + at, table.columns);
        std::fill_n(from + at, table.columns, 0.0f);
      }
  };
  add_rows(layout_.words, shard.touched.words);
  add_rows(layout_.surfaces, shard.touched.surfaces);
  add_rows(layout_.tags, shard.touched.tags);
  add_rows(layout_.lemmas, shard.touched.lemmas);
  const std::size_t dense = layout_.projection.offset;
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  for (std::size_t at = dense; at < layout_.total; at += kAtOnce)
    kernels_->add_scaled(from + at, 1.0f, to + at,
                         static_cast<int>(std::min(kAtOnce, layout_.total - at)));
  std::fill(from + dense, from + layout_.total, 0.0f);
}

void Trainer::update(double rate, int threads) {
  std::vector<float>& gradient = shards_.front().gradient;
  // Pieces of the array: the same ones, whatever the number of threads.
  constexpr std::size_t kAtOnce = std::size_t{1} << 17;
  const std::size_t pieces = (layout_.total + kAtOnce - 1) / kAtOnce;
  const int used = std::max(1, std::min<int>(threads, options_.shards));
  const auto for_pieces = [&](const auto& use) {
    run_on_threads(used, [&](int thread) {
      for (std::size_t i = thread; i < pieces; i += used)
        use(i, i * kAtOnce, std::min(kAtOnce, layout_.total - i * kAtOnce));
    });
  };
  std::vector<double> squares(pieces);
  for_pieces([&](std::size_t i, std::size_t at, std::size_t count) {
    squares[i] = kernels_->sum_of_squares(gradient.data() + at, count);
  });
  double norm = 0.0;
  for (const double square : squares) norm += square;
  norm = std::sqrt(norm);

  ++state_.updates;
  const auto power = static_cast<double>(state_.updates);
  const double mean_bias = 1.0 - std::pow(options_.mean_decay, power);
  const double square_bias = 1.0 - std::pow(options_.square_decay, power);
  AdamStep step{};
  step.rate = static_cast<float>(rate * std::sqrt(square_bias) / mean_bias);
  step.mean_decay = options_.mean_decay;
  step.square_decay = options_.square_decay;
  step.epsilon = options_.epsilon;
  step.gradient_scale =
      norm > options_.largest_norm ? static_cast<float>(options_.largest_norm / norm) : 1.0f;
  // Averages of few weights so far forget faster.
  step.average_decay =
      static_cast<float>(std::min<double>(options_.average_decay, (1.0 + power) / (10.0 + power)));
  for_pieces([&](std::size_t, std::size_t at, std::size_t count) {
    kernels_->adam(step, state_.weights.data() + at, state_.mean.data() + at,
                   state_.square.data() + at, gradient.data() + at,
                   state_.average.empty() ? nullptr : state_.average.data() + at, count);
  });
}

}  // namespace turbotree::networks
