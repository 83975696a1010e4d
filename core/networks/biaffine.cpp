#include "networks/biaffine.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace turbotree::networks {

Encodings room_for(const Layout& layout, std::span<const std::int32_t> lengths) {
  const Sizes& sizes = layout.sizes;
  Encodings room;
  for (const std::int32_t length : lengths) room.starts.push_back(room.starts.back() + length);
  const auto words = static_cast<std::size_t>(room.words());
  const std::size_t heads = words + lengths.size();
  room.arc_heads.resize(heads * sizes.arcs);
  room.arc_modifiers.resize(words * sizes.arcs);
  room.label_heads.resize(heads * sizes.label_size);
  room.label_modifiers.resize(words * sizes.label_size);
  room.columns.resize(words * sizes.column_size);
  return room;
}

Encodings repeated(const Layout& layout, const Encodings& encodings,
                   std::span<const std::int32_t> sentences) {
  const std::ptrdiff_t arcs = layout.sizes.arcs, size = layout.sizes.label_size;
  const std::ptrdiff_t column_size = layout.sizes.column_size;
  std::vector<std::int32_t> lengths;
  for (const std::int32_t sentence : sentences) lengths.push_back(encodings.length(sentence));
  Encodings copies = room_for(layout, lengths);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto place = static_cast<int>(i);
    const std::ptrdiff_t word = encodings.starts[sentences[i]], to_word = copies.starts[i];
    const std::ptrdiff_t head = encodings.head_row(sentences[i]), to_head = copies.head_row(place);
    const auto copy = [](const std::vector<float>& from, std::vector<float>& to, std::ptrdiff_t at,
                         std::ptrdiff_t to_at, std::ptrdiff_t rows, std::ptrdiff_t columns) {
      std::copy_n(from.data() + at * columns, rows * columns, to.data() + to_at * columns);
    };
    copy(encodings.arc_heads, copies.arc_heads, head, to_head, lengths[i] + 1, arcs);
    copy(encodings.arc_modifiers, copies.arc_modifiers, word, to_word, lengths[i], arcs);
    copy(encodings.label_heads, copies.label_heads, head, to_head, lengths[i] + 1, size);
    copy(encodings.label_modifiers, copies.label_modifiers, word, to_word, lengths[i], size);
    copy(encodings.columns, copies.columns, word, to_word, lengths[i], column_size);
  }
  return copies;
}

void gather(const PackedWeights& packed, const Steps& steps, const std::vector<float>& perceptrons,
            std::span<const std::int32_t> places, Encodings& encodings) {
  const Layout& layout = *packed.layout;
  const int arcs = layout.sizes.arcs, size = layout.sizes.label_size;
  const int column_size = layout.sizes.column_size;
  const int width = layout.sizes.perceptrons();
  std::vector<float> modifiers(static_cast<std::size_t>(steps.total()) * arcs);
  for (int row = 0; row < steps.total(); ++row)
    std::copy_n(packed.weights + layout.arc_bias.offset, arcs,
                modifiers.data() + static_cast<std::ptrdiff_t>(row) * arcs);
  if (arcs > 0)
    multiply(*packed.kernels, perceptrons.data() + arcs, steps.total(), packed.arc,
             modifiers.data(), true, width, arcs);
  for (std::size_t b = 0; b < steps.sentences.size(); ++b) {
    const int place = places.empty() ? static_cast<int>(b) : places[b];
    const std::ptrdiff_t word = encodings.starts[place], head = encodings.head_row(place);
    std::copy_n(packed.weights + layout.root_arc.offset, arcs,
                encodings.arc_heads.data() + head * arcs);
    std::copy_n(packed.weights + layout.root_label.offset, size,
                encodings.label_heads.data() + head * size);
    for (int i = 0; i < steps.lengths[b]; ++i) {
      const std::ptrdiff_t row = steps.row(static_cast<int>(b), i);
      const float* const values = perceptrons.data() + row * width;
      std::copy_n(values, arcs, encodings.arc_heads.data() + (head + 1 + i) * arcs);
      std::copy_n(modifiers.data() + row * arcs, arcs,
                  encodings.arc_modifiers.data() + (word + i) * arcs);
      std::copy_n(values + 2 * arcs, size, encodings.label_heads.data() + (head + 1 + i) * size);
      std::copy_n(values + 2 * arcs + size, size,
                  encodings.label_modifiers.data() + (word + i) * size);
      std::copy_n(values + 2 * (arcs + size), column_size,
                  encodings.columns.data() + (word + i) * column_size);
    }
  }
}

void scatter_backward(const PackedWeights& packed, const Steps& steps,
                      const std::vector<float>& perceptrons, const Encodings& d_encodings,
                      std::vector<float>& d_perceptrons, float* gradient, ArcBuffers& buffers) {
  const Layout& layout = *packed.layout;
  const Kernels& kernels = *packed.kernels;
  const int arcs = layout.sizes.arcs, size = layout.sizes.label_size;
  const int column_size = layout.sizes.column_size;
  const int width = layout.sizes.perceptrons();
  std::vector<float> d_modifiers(static_cast<std::size_t>(steps.total()) * arcs);
  for (std::size_t b = 0; b < steps.sentences.size(); ++b) {
    const int place = static_cast<int>(b);
    const std::ptrdiff_t word = d_encodings.starts[place], head = d_encodings.head_row(place);
    kernels.add_scaled(d_encodings.arc_heads.data() + head * arcs, 1.0f,
                       gradient + layout.root_arc.offset, arcs);
    kernels.add_scaled(d_encodings.label_heads.data() + head * size, 1.0f,
                       gradient + layout.root_label.offset, size);
    for (int i = 0; i < steps.lengths[b]; ++i) {
      const std::ptrdiff_t row = steps.row(place, i);
      float* const values = d_perceptrons.data() + row * width;
      std::copy_n(d_encodings.arc_heads.data() + (head + 1 + i) * arcs, arcs, values);
      std::copy_n(d_encodings.arc_modifiers.data() + (word + i) * arcs, arcs,
                  d_modifiers.data() + row * arcs);
      std::copy_n(d_encodings.label_heads.data() + (head + 1 + i) * size, size, values + 2 * arcs);
      std::copy_n(d_encodings.label_modifiers.data() + (word + i) * size, size,
                  values + 2 * arcs + size);
      std::copy_n(d_encodings.columns.data() + (word + i) * column_size, column_size,
                  values + 2 * (arcs + size));
    }
  }
  if (arcs == 0) return;
  multiply(kernels, d_modifiers.data(), steps.total(), packed.arc_transposed,
           d_perceptrons.data() + arcs, false, arcs, width);
  multiply_transposed(kernels, perceptrons.data() + arcs, width, arcs, d_modifiers.data(), arcs,
                      arcs, steps.total(), gradient + layout.arc.offset, buffers.products);
  for (int row = 0; row < steps.total(); ++row)
    kernels.add_scaled(d_modifiers.data() + static_cast<std::ptrdiff_t>(row) * arcs, 1.0f,
                       gradient + layout.arc_bias.offset, arcs);
}

void arc_scores(const PackedWeights& packed, const Encodings& encodings, int sentence, int begin,
                int end, float* scores, ArcBuffers& buffers) {
  const int arcs = packed.layout->sizes.arcs;
  const int heads = encodings.length(sentence) + 1;
  if (begin == 0)  // the later words of a long sentence find them packed
    buffers.heads.pack(*packed.kernels,
                       encodings.arc_heads.data() + encodings.head_row(sentence) * arcs, arcs,
                       heads, 1, arcs);
  const float* const bias = packed.weights + packed.layout->distance.offset;
  for (int m = begin; m < end; ++m)
    for (int h = 0; h < heads; ++h)
      scores[static_cast<std::ptrdiff_t>(m - begin) * heads + h] = bias[distance_bucket(h, m + 1)];
  multiply(*packed.kernels,
           encodings.arc_modifiers.data() +
               (static_cast<std::ptrdiff_t>(encodings.starts[sentence]) + begin) * arcs,
           end - begin, buffers.heads, scores, true, arcs, heads);
  for (int m = begin; m < end; ++m)
    scores[static_cast<std::ptrdiff_t>(m - begin) * heads + m + 1] =
        -std::numeric_limits<float>::infinity();
}

void arc_scores_backward(const PackedWeights& packed, const Encodings& encodings, int sentence,
                         const float* d_scores, Encodings& d_encodings, float* gradient,
                         ArcBuffers& buffers) {
  const Kernels& kernels = *packed.kernels;
  const int arcs = packed.layout->sizes.arcs;
  const int words = encodings.length(sentence), heads = words + 1;
  const std::ptrdiff_t word = encodings.starts[sentence] * static_cast<std::ptrdiff_t>(arcs);
  const std::ptrdiff_t head = encodings.head_row(sentence) * arcs;
  buffers.heads.pack(kernels, encodings.arc_heads.data() + head, heads, arcs, arcs, 1);
  multiply(kernels, d_scores, words, buffers.heads, d_encodings.arc_modifiers.data() + word, true,
           heads, arcs);
  multiply_transposed(kernels, d_scores, heads, heads, encodings.arc_modifiers.data() + word, arcs,
                      arcs, words, d_encodings.arc_heads.data() + head, buffers.products);
  float* const d_bias = gradient + packed.layout->distance.offset;
  for (int m = 0; m < words; ++m)
    for (int h = 0; h < heads; ++h)
      d_bias[distance_bucket(h, m + 1)] += d_scores[static_cast<std::ptrdiff_t>(m) * heads + h];
}

void label_scores(const PackedWeights& packed, const Encodings& encodings,
                  std::span<const LabelledArc> arcs, LabelBuffers& buffers) {
  const Kernels& kernels = *packed.kernels;
  const Layout& layout = *packed.layout;
  const int size = layout.sizes.label_size, labels = layout.sizes.labels;
  const auto count = static_cast<int>(arcs.size());
  buffers.modifiers.resize(arcs.size() * size);
  buffers.heads.resize(arcs.size() * size);
  buffers.scores.resize(arcs.size() * labels);
  buffers.products.resize(arcs.size() * labels * size);
  for (int i = 0; i < count; ++i) {
    std::copy_n(
        encodings.label_modifiers.data() + static_cast<std::ptrdiff_t>(arcs[i].modifier) * size,
        size, buffers.modifiers.data() + static_cast<std::ptrdiff_t>(i) * size);
    std::copy_n(encodings.label_heads.data() + static_cast<std::ptrdiff_t>(arcs[i].head) * size,
                size, buffers.heads.data() + static_cast<std::ptrdiff_t>(i) * size);
    std::copy_n(packed.weights + layout.label_bias.offset, labels,
                buffers.scores.data() + static_cast<std::ptrdiff_t>(i) * labels);
  }
  multiply(kernels, buffers.modifiers.data(), count, packed.label, buffers.products.data(), false,
           size, static_cast<std::ptrdiff_t>(labels) * size);
  multiply(kernels, buffers.modifiers.data(), count, packed.label_modifier, buffers.scores.data(),
           true, size, labels);
  multiply(kernels, buffers.heads.data(), count, packed.label_head, buffers.scores.data(), true,
           size, labels);
  for (int i = 0; i < count; ++i) {
    const float* product = buffers.products.data() + static_cast<std::ptrdiff_t>(i) * labels * size;
    const float* const head = buffers.heads.data() + static_cast<std::ptrdiff_t>(i) * size;
    for (int label = 0; label < labels; ++label, product += size)
      buffers.scores[static_cast<std::ptrdiff_t>(i) * labels + label] +=
          kernels.dot(product, head, size);
  }
}

void label_scores_backward(const PackedWeights& packed, std::span<const LabelledArc> arcs,
                           Encodings& d_encodings, float* gradient, LabelBuffers& buffers) {
  const Kernels& kernels = *packed.kernels;
  const Layout& layout = *packed.layout;
  const int size = layout.sizes.label_size, labels = layout.sizes.labels;
  const auto count = static_cast<int>(arcs.size());
  const float* const d_scores = buffers.scores.data();
  buffers.d_modifiers.resize(arcs.size() * size);
  buffers.d_heads.assign(arcs.size() * size, 0.0f);
  for (int i = 0; i < count; ++i) {
    float* product = buffers.products.data() + static_cast<std::ptrdiff_t>(i) * labels * size;
    const float* const head = buffers.heads.data() + static_cast<std::ptrdiff_t>(i) * size;
    float* const d_head = buffers.d_heads.data() + static_cast<std::ptrdiff_t>(i) * size;
    const float* const d = d_scores + static_cast<std::ptrdiff_t>(i) * labels;
    for (int label = 0; label < labels; ++label, product += size) {
      kernels.add_scaled(product, d[label], d_head, size);
      for (int j = 0; j < size; ++j) product[j] = d[label] * head[j];
    }
    kernels.add_scaled(d, 1.0f, gradient + layout.label_bias.offset, labels);
  }
  const std::ptrdiff_t wide = static_cast<std::ptrdiff_t>(labels) * size;
  multiply(kernels, buffers.products.data(), count, packed.label_transposed,
           buffers.d_modifiers.data(), false, wide, size);
  multiply(kernels, d_scores, count, packed.label_modifier_transposed, buffers.d_modifiers.data(),
           true, labels, size);
  multiply(kernels, d_scores, count, packed.label_head_transposed, buffers.d_heads.data(), true,
           labels, size);
  multiply_transposed(kernels, buffers.modifiers.data(), size, size, buffers.products.data(), wide,
                      static_cast<int>(wide), count, gradient + layout.label.offset,
                      buffers.transposed);
  multiply_transposed(kernels, buffers.modifiers.data(), size, size, d_scores, labels, labels,
                      count, gradient + layout.label_modifier.offset, buffers.transposed);
  multiply_transposed(kernels, buffers.heads.data(), size, size, d_scores, labels, labels, count,
                      gradient + layout.label_head.offset, buffers.transposed);
  for (int i = 0; i < count; ++i) {
    kernels.add_scaled(
        buffers.d_modifiers.data() + static_cast<std::ptrdiff_t>(i) * size, 1.0f,
        d_encodings.label_modifiers.data() + static_cast<std::ptrdiff_t>(arcs[i].modifier) * size,
        size);
    kernels.add_scaled(
        buffers.d_heads.data() + static_cast<std::ptrdiff_t>(i) * size, 1.0f,
        d_encodings.label_heads.data() + static_cast<std::ptrdiff_t>(arcs[i].head) * size, size);
  }
}

}  // namespace turbotree::networks
