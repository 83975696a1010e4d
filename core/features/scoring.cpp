#include "features/scoring.h"

#include <algorithm>
#include <utility>

#include "common/interrupt.h"
#include "features/tables/bucket_table.h"
#include "features/tables/compact_rows.h"
#include "features/tables/lazy_table.h"
#include "features/tables/row_table.h"
#include "features/tables/scaled_table.h"
#include "features/tables/weight_table.h"

namespace turbotree::features {
namespace {

// How many look-ups are under way at once: enough to hide memory's latency, few enough not to
// push one another out of the nearest cache.
constexpr std::size_t lookahead = 24;
// Keys are made for a batch of parts at a time, so that the look-ups of one run into the next.
constexpr std::size_t batch_keys = 1024;

// Sums the values of equal keys; keeps the order of first occurrence.
class Accumulator {
 public:
  explicit Accumulator(Gradient& gradient) : gradient_(gradient), index_(1024, empty) {}

  void add(Key key, double value) {
    if (2 * gradient_.keys.size() >= index_.size()) grow();
    std::size_t i = find(key);
    if (index_[i] == empty) {
      index_[i] = static_cast<std::uint32_t>(gradient_.keys.size());
      gradient_.keys.push_back(key);
      gradient_.values.push_back(value);
    } else {
      gradient_.values[index_[i]] += value;
    }
  }

 private:
  static constexpr std::uint32_t empty = ~std::uint32_t{0};

  std::size_t find(Key key) const {
    const std::size_t mask = index_.size() - 1;
    std::size_t i = mix(key) & mask;
    while (index_[i] != empty && gradient_.keys[index_[i]] != key) i = (i + 1) & mask;
    return i;
  }
  void grow() {
    index_.assign(index_.size() * 2, empty);
    for (std::uint32_t k = 0; k < gradient_.keys.size(); ++k) index_[find(gradient_.keys[k])] = k;
  }

  Gradient& gradient_;
  std::vector<std::uint32_t> index_;
};

}  // namespace

bool valid(const Program& program, const Batch& batch, const Parts& parts) {
  const auto fits = [](std::span<const std::int32_t> offsets, std::size_t lists,
                       std::size_t total) {
    return offsets.size() == lists + 1 && offsets.front() == 0 &&
           offsets.back() == static_cast<std::int32_t>(total) &&
           std::is_sorted(offsets.begin(), offsets.end());
  };
  if (!fits(parts.offsets, batch.size(), parts.count)) return false;
  for (std::size_t s = 0; s < batch.size(); ++s)
    for (std::int32_t p = parts.offsets[s]; p < parts.offsets[s + 1]; ++p)
      if (!program.valid_row(batch[s], parts.rows + p * program.row_width())) return false;
  if (!parts.labelled()) return true;
  if (!fits(parts.label_offsets, parts.count, parts.labels.size())) return false;
  return std::all_of(parts.labels.begin(), parts.labels.end(),
                     [](std::int32_t label) { return label >= 0 && label < max_labels; });
}

namespace {

// Runs through the features of all parts, the table's lines on their way while earlier ones are
// used: calls use(key) for each feature, then finish(part).
template <class Table, class Use, class Finish>
void for_features(const Program& program, const Batch& batch, const Parts& parts,
                  const Table& table, Use use, Finish finish) {
  Program::Scratch scratch;
  std::vector<Key> keys;
  std::vector<std::size_t> ends;
  keys.reserve(batch_keys * 2);
  std::size_t part = 0, sentence = 0;
  while (part < parts.count) {
    keys.clear();
    ends.clear();
    const std::size_t first = part;
    for (; part < parts.count && keys.size() < batch_keys; ++part) {
      while (part >= static_cast<std::size_t>(parts.offsets[sentence + 1])) ++sentence;
      program.emit(batch[sentence], parts.rows + part * program.row_width(), scratch, keys);
      ends.push_back(keys.size());
    }
    const std::size_t total = keys.size();
    count_work(8 * total + (part - first));
    // Prefetching past the end would be harmless, so repeat the last key instead of branching.
    keys.resize(total + lookahead, total > 0 ? keys.back() : Key{});
    for (std::size_t k = 0; k < lookahead; ++k) table.prefetch(keys[k]);
    std::size_t k = 0;
    for (std::size_t p = first; p < part; ++p) {
      for (const std::size_t end = ends[p - first]; k < end; ++k) {
        table.prefetch(keys[k + lookahead]);
        use(keys[k]);
      }
      finish(p);
    }
  }
}

}  // namespace

template <class Table>
void score(const Program& program, const Batch& batch, const Parts& parts, const Table& table,
           double* scores) {
  double sum = 0.0;
  for_features(
      program, batch, parts, table, [&](Key key) { sum += table.find(key); },
      [&](std::size_t part) { scores[part] = std::exchange(sum, 0.0); });
}

template void score(const Program&, const Batch&, const Parts&, const WeightTable&, double*);
template void score(const Program&, const Batch&, const Parts&, const BucketTable&, double*);
template void score(const Program&, const Batch&, const Parts&, const CompactBuckets&, double*);
template void score(const Program&, const Batch&, const Parts&, const ScaledTable&, double*);
template void score(const Program&, const Batch&, const Parts&, const LazyTable&, double*);

template <class Table>
void score_labels(const Program& program, const Batch& batch, const Parts& parts,
                  const Table& table, double* scores) {
  std::vector<double> sums(max_labels, 0.0);
  int used = 0;
  const auto add = [&](int label, float weight) {
    sums[label] += weight;
    used = std::max(used, label + 1);
  };
  for_features(
      program, batch, parts, table, [&](Key key) { table.for_labels(key, add); },
      [&](std::size_t part) {
        for (std::int32_t i = parts.label_offsets[part]; i < parts.label_offsets[part + 1]; ++i)
          scores[i] = sums[parts.labels[i]];
        std::fill(sums.begin(), sums.begin() + std::exchange(used, 0), 0.0);
      });
}

template void score_labels(const Program&, const Batch&, const Parts&, const WeightTable&, double*);
template void score_labels(const Program&, const Batch&, const Parts&, const RowTable&, double*);
template void score_labels(const Program&, const Batch&, const Parts&, const CompactRows&, double*);
template void score_labels(const Program&, const Batch&, const Parts&, const ScaledTable&, double*);
template void score_labels(const Program&, const Batch&, const Parts&, const LazyTable&, double*);

void contributions(const Program& program, const Batch& batch, const Parts& parts,
                   const WeightTable& table, double* sums) {
  const auto width = static_cast<std::size_t>(program.spec().templates);
  const int first = program.spec().first_template;
  std::vector<Key> keys;
  for_features(
      program, batch, parts, table, [&](Key key) { keys.push_back(key); },
      [&](std::size_t part) {
        const std::size_t from = parts.labelled() ? parts.label_offsets[part] : part;
        const std::size_t to = parts.labelled() ? parts.label_offsets[part + 1] : part + 1;
        for (std::size_t i = from; i < to; ++i) {
          const Key label = parts.labelled() ? static_cast<Key>(parts.labels[i]) : 0;
          for (const Key key : keys)
            sums[i * width + (template_of(key) - first)] += table.find(key | label);
        }
        keys.clear();
      });
}

Gradient gradient(const Program& program, const Batch& batch, const Parts& parts,
                  std::span<const double> coefficients) {
  Gradient result;
  Accumulator accumulator(result);
  Program::Scratch scratch;
  std::vector<Key> keys;
  std::size_t sentence = 0;
  for (std::size_t p = 0; p < parts.count; ++p) {
    while (p >= static_cast<std::size_t>(parts.offsets[sentence + 1])) ++sentence;
    const std::size_t from = parts.labelled() ? parts.label_offsets[p] : p;
    const std::size_t to = parts.labelled() ? parts.label_offsets[p + 1] : p + 1;
    if (std::all_of(coefficients.begin() + from, coefficients.begin() + to,
                    [](double c) { return c == 0.0; }))
      continue;
    count_work(20 * keys.size());
    keys.clear();
    program.emit(batch[sentence], parts.rows + p * program.row_width(), scratch, keys);
    for (std::size_t i = from; i < to; ++i) {
      if (coefficients[i] == 0.0) continue;
      const Key label = parts.labelled() ? static_cast<Key>(parts.labels[i]) : 0;
      for (Key key : keys) accumulator.add(key | label, coefficients[i]);
    }
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < result.keys.size(); ++k) {
    if (result.values[k] == 0.0) continue;
    result.keys[kept] = result.keys[k];
    result.values[kept++] = result.values[k];
  }
  result.keys.resize(kept);
  result.values.resize(kept);
  return result;
}

}  // namespace turbotree::features
