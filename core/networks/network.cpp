#include "networks/network.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

#include "common/interrupt.h"
#include "networks/columns.h"
#include "networks/workers.h"

namespace turbotree::networks {
namespace {

// Weights from a file may be so large that sums of them leave all bounds, or are no numbers. Every
// word needs heads and labels with finite scores all the same.
void bound(float* scores, int count) {
  constexpr float kLargest = 1e30f;
  for (int i = 0; i < count; ++i) {
    const float most = scores[i] < kLargest ? scores[i] : kLargest;
    scores[i] = most > -kLargest ? most : -kLargest;
  }
}

}  // namespace

Network::Network(const Kernels& kernels, const Layout& layout, std::vector<float> weights,
                 std::vector<float> vectors, bool whole_numbers)
    : kernels_(&kernels),
      layout_(layout),
      weights_(std::move(weights)),
      vectors_(std::move(vectors)),
      packed_(kernels, layout_) {
  packed_.vectors = vectors_.data();
  packed_.pack(weights_.data(), whole_numbers ? Packing::scores : Packing::everything);
  if (whole_numbers)
    quantised_.emplace(quantised::kernels_of(kernels), layout_, weights_.data(), vectors_.data());
}

Encodings Network::encode(const Inputs& inputs, int words_at_once, int threads) const {
  std::vector<std::int32_t> lengths;
  for (int i = 0; i < inputs.sentences(); ++i) lengths.push_back(inputs.length(i));
  Encodings encodings = room_for(layout_, lengths);

  // Batches of sentences of about the same length, the longest first.
  std::vector<std::int32_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::size_t> ends;
  int words = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (words > 0 && words + lengths[order[i]] > words_at_once) {
      ends.push_back(i);
      words = 0;
    }
    words += lengths[order[i]];
  }
  if (!order.empty()) ends.push_back(order.size());

  std::atomic<std::size_t> next = 0;
  std::atomic<bool> given_up = false;
  const int used = std::clamp(threads, 1, std::max(1, static_cast<int>(ends.size())));
  run_on_threads(used, [&](int) {
    try {
      Activations activations;
      quantised::Buffers buffers;
      Random unused(0);
      for (std::size_t i; !given_up && (i = next++) < ends.size();) {
        const std::size_t begin = i == 0 ? 0 : ends[i - 1];
        const std::span<const std::int32_t> chosen(order.data() + begin, ends[i] - begin);
        const Steps steps(inputs, chosen);
        if (quantised_)
          quantised_->encode(inputs, steps, buffers);
        else
          networks::encode(packed_, inputs, steps, nullptr, unused, activations);
        gather(packed_, steps, quantised_ ? buffers.perceptrons : activations.perceptrons,
               steps.sentences, encodings);
      }
    } catch (...) {
      given_up = true;
      throw;
    }
  });
  return encodings;
}

template <class Use>
void Network::for_matrices(const Encodings& encodings, Use use) const {
  constexpr int kModifiersAtOnce = 256;
  ArcBuffers buffers;
  std::vector<float> scores;
  for (int sentence = 0; sentence < encodings.sentences(); ++sentence) {
    const int length = encodings.length(sentence), heads = length + 1;
    for (int begin = 0; begin < length; begin += kModifiersAtOnce) {
      const int end = std::min(length, begin + kModifiersAtOnce);
      scores.resize(static_cast<std::size_t>(end - begin) * heads);
      arc_scores(packed_, encodings, sentence, begin, end, scores.data(), buffers);
      for (int m = begin; m < end; ++m) {
        float* const own = scores.data() + static_cast<std::ptrdiff_t>(m - begin) * heads;
        bound(own, m + 1);  // no word is its own head
        bound(own + m + 2, heads - m - 2);
        kernels_->log_softmax(own, heads);
      }
      count_work(static_cast<std::uint64_t>(scores.size()) * layout_.sizes.arcs / 16);
      use(sentence, begin, end, scores.data());
    }
  }
}

void Network::arcs(const Encodings& encodings, const Arcs& parts, double* log_probabilities) const {
  for_matrices(encodings, [&](int sentence, int begin, int end, const float* scores) {
    const std::ptrdiff_t heads = encodings.length(sentence) + 1;
    for (std::int32_t i = parts.offsets[sentence]; i < parts.offsets[sentence + 1]; ++i) {
      const std::int32_t head = parts.rows[2 * i], modifier = parts.rows[2 * i + 1] - 1;
      if (modifier >= begin && modifier < end)
        log_probabilities[i] = scores[(modifier - begin) * heads + head];
    }
  });
}

LikelyArcs Network::likely_arcs(const Encodings& encodings, double threshold, int max_heads) const {
  LikelyArcs found;
  const auto margin = static_cast<float>(std::log(threshold));
  std::vector<std::tuple<std::int32_t, std::int32_t, float>> own;  // of the sentence at hand
  std::vector<std::pair<float, std::int32_t>> likely;
  for_matrices(encodings, [&](int sentence, int begin, int end, const float* scores) {
    const int heads = encodings.length(sentence) + 1;
    for (int m = begin; m < end; ++m, scores += heads) {
      const float least = *std::max_element(scores, scores + heads) + margin;
      likely.clear();
      for (int h = 0; h < heads; ++h)
        if (h != m + 1 && scores[h] >= least) likely.emplace_back(-scores[h], h);
      const std::size_t kept = std::min<std::size_t>(likely.size(), max_heads);
      std::partial_sort(likely.begin(), likely.begin() + static_cast<std::ptrdiff_t>(kept),
                        likely.end());
      for (std::size_t i = 0; i < kept; ++i)
        own.emplace_back(likely[i].second, m + 1, -likely[i].first);
    }
    if (end < encodings.length(sentence)) return;
    std::sort(own.begin(), own.end());
    for (const auto& [head, modifier, log_probability] : own) {
      found.rows.push_back(head);
      found.rows.push_back(modifier);
      found.log_probabilities.push_back(log_probability);
    }
    found.offsets.push_back(static_cast<std::int32_t>(found.log_probabilities.size()));
    own.clear();
  });
  return found;
}

void Network::labels(const Encodings& encodings, const Arcs& parts, const LabelLists& lists,
                     double* log_probabilities) const {
  const int labels = layout_.sizes.labels;
  LabelBuffers buffers;
  std::vector<LabelledArc> arcs;
  std::int32_t first = 0;  // the first arc that is not scored yet
  const auto score = [&] {
    label_scores(packed_, encodings, arcs, buffers);
    for (std::size_t i = 0; i < arcs.size(); ++i, ++first) {
      float* const scores = buffers.scores.data() + i * labels;
      bound(scores, labels);
      kernels_->log_softmax(scores, labels);
      for (std::int32_t j = lists.offsets[first]; j < lists.offsets[first + 1]; ++j)
        log_probabilities[j] = scores[lists.labels[j]];
    }
    count_work(arcs.size() * labels * layout_.sizes.label_size * layout_.sizes.label_size / 16);
    arcs.clear();
  };
  for (int sentence = 0; sentence < encodings.sentences(); ++sentence)
    for (std::int32_t i = parts.offsets[sentence]; i < parts.offsets[sentence + 1]; ++i) {
      arcs.push_back({encodings.starts[sentence] + parts.rows[2 * i + 1] - 1,
                      static_cast<std::int32_t>(encodings.head_row(sentence) + parts.rows[2 * i])});
      if (arcs.size() == kArcsAtOnce) score();
    }
  if (!arcs.empty()) score();
}

void Network::column(const Encodings& encodings, int number, float* log_probabilities) const {
  const std::vector<int>& columns = layout_.sizes.columns;
  const int labels = columns[number], all = layout_.sizes.column_labels();
  const int first = std::accumulate(columns.begin(), columns.begin() + number, 0);
  ColumnBuffers buffers;
  for (int begin = 0; begin < encodings.words(); begin += kWordsAtOnce) {
    const int end = std::min(encodings.words(), begin + kWordsAtOnce);
    column_scores(packed_, encodings, begin, end, buffers);
    for (int word = begin; word < end; ++word, log_probabilities += labels) {
      const std::ptrdiff_t row = word - begin;
      std::copy_n(buffers.scores.data() + row * all + first, labels, log_probabilities);
      bound(log_probabilities, labels);
      kernels_->log_softmax(log_probabilities, labels);
    }
    count_work(buffers.scores.size() * layout_.sizes.column_size / 16);
  }
}

}  // namespace turbotree::networks
