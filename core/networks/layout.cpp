#include "networks/layout.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace turbotree::networks {

int distance_bucket(int head, int modifier) {
  if (head == 0) return 0;
  const int distance = head < modifier ? modifier - head : head - modifier;
  constexpr int kEnds[] = {1, 2, 3, 4, 5, 7, 10, 15, 25};
  const int bucket = static_cast<int>(
      std::lower_bound(std::begin(kEnds), std::end(kEnds), distance) - std::begin(kEnds));
  return 1 + 2 * bucket + (head < modifier ? 1 : 0);
}

Layout::Layout(const Sizes& given) : sizes(given) {
  const InputSizes& input = sizes.input;
  const auto add = [this](std::string name, int rows, int columns, float spread,
                          bool table = false) {
    Block block{std::move(name), rows, columns, total, table, spread};
    total += block.size();
    return block;
  };
  // Embeddings with a standard deviation of one half, sums of weights with about one.
  constexpr float kEmbedding = 0.85f;
  const auto spread = [](int inputs) {
    return std::sqrt(3.0f / static_cast<float>(std::max(inputs, 1)));
  };
  words = add("words", input.words, input.word_size, kEmbedding, true);
  surfaces = add("surfaces", input.surfaces, input.surface_size, kEmbedding, true);
  tags = add("tags", input.tags, input.tag_size, kEmbedding, true);
  lemmas = add("lemmas", input.lemmas, input.lemma_size, kEmbedding, true);
  projection =
      add("projection", input.vector_size, input.projected_size, spread(input.vector_size));
  const int hidden = sizes.hidden;
  const float recurrent = 1.0f / std::sqrt(static_cast<float>(std::max(hidden, 1)));
  for (int layer = 0; layer < sizes.layers; ++layer)
    for (const char* direction : {"forward", "backward"}) {
      const std::string name = "lstm" + std::to_string(layer + 1) + "." + direction + ".";
      LstmBlocks blocks;
      blocks.input = add(name + "input", sizes.layer_input(layer), 4 * hidden, recurrent);
      blocks.recurrent = add(name + "recurrent", hidden, 4 * hidden, recurrent);
      blocks.bias = add(name + "bias", 1, 4 * hidden, 0.0f);
      lstm.push_back(std::move(blocks));
    }
  perceptrons = add("perceptrons", sizes.output(), sizes.perceptrons(), spread(sizes.output()));
  perceptron_bias = add("perceptrons.bias", 1, sizes.perceptrons(), 0.0f);
  root_arc = add("root.arc", 1, sizes.arcs, 0.5f);
  root_label = add("root.label", 1, sizes.label_size, 0.5f);
  // Products of two activations: scores are to begin small.
  arc = add("arc", sizes.arcs, sizes.arcs,
            0.5f * spread(sizes.arcs) / std::sqrt(static_cast<float>(std::max(sizes.arcs, 1))));
  arc_bias = add("arc.bias", 1, sizes.arcs, 0.0f);
  distance = add("distance", 1, sizes.arcs > 0 ? kDistances : 0, 0.0f);
  const float small = 0.5f * spread(sizes.label_size);
  label = add("label", sizes.label_size, sizes.labels * sizes.label_size,
              small / std::sqrt(static_cast<float>(std::max(sizes.label_size, 1))));
  label_modifier = add("label.modifier", sizes.label_size, sizes.labels, small);
  label_head = add("label.head", sizes.label_size, sizes.labels, small);
  label_bias = add("label.bias", 1, sizes.labels, 0.0f);
  column =
      add("column", sizes.column_size, sizes.column_labels(), 0.5f * spread(sizes.column_size));
  column_bias = add("column.bias", 1, sizes.column_labels(), 0.0f);
}

std::vector<const Block*> Layout::blocks() const {
  std::vector<const Block*> all{&words, &surfaces, &tags, &lemmas, &projection};
  for (const LstmBlocks& one : lstm) all.insert(all.end(), {&one.input, &one.recurrent, &one.bias});
  all.insert(all.end(), {&perceptrons, &perceptron_bias});
  if (sizes.arcs > 0)
    all.insert(all.end(), {&root_arc, &root_label, &arc, &arc_bias, &distance, &label,
                           &label_modifier, &label_head, &label_bias});
  if (!sizes.columns.empty()) all.insert(all.end(), {&column, &column_bias});
  return all;
}

}  // namespace turbotree::networks
