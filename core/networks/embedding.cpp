#include "networks/embedding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace turbotree::networks {
namespace {

enum Group : int { kWord, kSurface, kTag, kLemma, kVector, kGroups };

// Calls use(table, row, scale, first column, columns) for all rows of the tables that a word's
// input is the sum of.
template <class Use>
void for_rows(const Layout& layout, const Inputs& inputs, const HiddenInputs& hidden, int row,
              int token, Use use) {
  const InputSizes& sizes = layout.sizes.input;
  const int dropped = hidden.dropped.empty() ? 0 : hidden.dropped[row];
  const auto bag = [&](Group group, const Block& table, std::span<const std::int32_t> ids,
                       int column) {
    if (dropped >> group & 1 || table.columns == 0 || ids.empty()) return;
    const float scale = 1.0f / std::sqrt(static_cast<float>(ids.size()));
    for (const std::int32_t id : ids) use(table, id, scale, column, table.columns);
  };
  const auto one = [&](Group group, const Block& table, std::int32_t id, int column) {
    if (dropped >> group & 1 || table.columns == 0) return;
    use(table, id, 1.0f, column, table.columns);
  };
  int column = 0;
  const bool word_hidden = !hidden.unknown_word.empty() && hidden.unknown_word[row];
  one(kWord, layout.words, word_hidden ? 0 : inputs.words[token], column);
  column += sizes.word_size;
  const std::int32_t form = inputs.forms[token], bundle = inputs.bundles[token];
  bag(kSurface, layout.surfaces,
      inputs.surfaces.subspan(inputs.surface_starts[form],
                              inputs.surface_starts[form + 1] - inputs.surface_starts[form]),
      column);
  column += sizes.surface_size;
  bag(kTag, layout.tags,
      inputs.tags.subspan(inputs.tag_starts[bundle],
                          inputs.tag_starts[bundle + 1] - inputs.tag_starts[bundle]),
      column);
  column += sizes.tag_size;
  const bool lemma_hidden = !hidden.unknown_lemma.empty() && hidden.unknown_lemma[row];
  one(kLemma, layout.lemmas, lemma_hidden ? 0 : inputs.lemmas[token], column);
}

}  // namespace

void HiddenInputs::draw(const InputDropout& dropout, const Inputs& inputs, const Steps& steps,
                        Random& random) {
  const auto rows = static_cast<std::size_t>(steps.total());
  unknown_word.assign(rows, 0);
  unknown_lemma.assign(rows, 0);
  dropped.assign(rows, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int32_t token = steps.tokens[row];
    unknown_word[row] = random.uniform() < dropout.word_shares[inputs.words[token]];
    unknown_lemma[row] = random.uniform() < dropout.lemma_shares[inputs.lemmas[token]];
    for (int group = 0; group < kGroups; ++group)
      if (random.uniform() < dropout.group_share) dropped[row] |= 1 << group;
  }
}

std::vector<float> gather_vectors(const Layout& layout, const float* vectors, const Inputs& inputs,
                                  const Steps& steps, const HiddenInputs& hidden) {
  const int size = layout.sizes.input.vector_size;
  std::vector<float> rows(static_cast<std::size_t>(steps.total()) * size);
  for (int row = 0; row < steps.total(); ++row) {
    const std::int32_t id = inputs.vectors[steps.tokens[row]];
    if (id == 0 || (!hidden.dropped.empty() && hidden.dropped[row] >> kVector & 1)) continue;
    std::copy_n(vectors + static_cast<std::ptrdiff_t>(id) * size, size,
                rows.data() + static_cast<std::ptrdiff_t>(row) * size);
  }
  return rows;
}

void embed(AddScaled add_scaled, const Layout& layout, const float* weights, const Inputs& inputs,
           const Steps& steps, const HiddenInputs& hidden, float* to) {
  const int size = layout.sizes.input.size();
  std::fill_n(to, static_cast<std::size_t>(steps.total()) * size, 0.0f);
  for (int row = 0; row < steps.total(); ++row) {
    float* const own = to + static_cast<std::ptrdiff_t>(row) * size;
    for_rows(layout, inputs, hidden, row, steps.tokens[row],
             [&](const Block& table, std::int32_t id, float scale, int column, int columns) {
               add_scaled(weights + table.offset + static_cast<std::ptrdiff_t>(id) * columns, scale,
                          own + column, columns);
             });
  }
}

void embed_backward(const Kernels& kernels, const Layout& layout, const float* vectors,
                    const Inputs& inputs, const Steps& steps, const HiddenInputs& hidden,
                    const float* d, float* gradient, TouchedRows& touched,
                    ProductBuffers& buffers) {
  const InputSizes& sizes = layout.sizes.input;
  const int size = sizes.size();
  for (int row = 0; row < steps.total(); ++row) {
    const float* const own = d + static_cast<std::ptrdiff_t>(row) * size;
    for_rows(layout, inputs, hidden, row, steps.tokens[row],
             [&](const Block& table, std::int32_t id, float scale, int column, int columns) {
               auto& rows = &table == &layout.words      ? touched.words
                            : &table == &layout.surfaces ? touched.surfaces
                            : &table == &layout.tags     ? touched.tags
                                                         : touched.lemmas;
               rows[id] = 1;
               kernels.add_scaled(
                   own + column, scale,
                   gradient + table.offset + static_cast<std::ptrdiff_t>(id) * columns, columns);
             });
  }
  if (sizes.projected_size == 0) return;
  const std::vector<float> rows = gather_vectors(layout, vectors, inputs, steps, hidden);
  multiply_transposed(kernels, rows.data(), sizes.vector_size, sizes.vector_size,
                      d + size - sizes.projected_size, size, sizes.projected_size, steps.total(),
                      gradient + layout.projection.offset, buffers);
}

}  // namespace turbotree::networks
