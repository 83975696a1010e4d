#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "common/numpy.h"
#include "common/unlocked.h"
#include "networks/network.h"
#include "networks/surface.h"
#include "networks/training/schedule.h"
#include "networks/training/trainer.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree;
using namespace turbotree::networks;
using namespace turbotree::numpy;

namespace {

using Ids = Input<std::int32_t>;
using Floats = Input<float>;

template <class T>
std::vector<T> copied(const Input<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

const Kernels& kernels_named(const std::string& name) {
  const Kernels* const kernels = name.empty() ? available_kernels().front() : find_kernels(name);
  require(kernels != nullptr, "this processor has no such kernels");
  return *kernels;
}

// The ids of some sentences' words, checked once.
struct OwnedInputs {
  std::vector<std::int32_t> starts, words, lemmas, vectors, forms, surface_starts, surfaces,
      bundles, tag_starts, tags;

  Inputs view() const {
    return {starts,         words,    lemmas,  vectors,    forms,
            surface_starts, surfaces, bundles, tag_starts, tags};
  }

  void check(const Sizes& sizes) const {
    const auto below = [](const std::vector<std::int32_t>& ids, int count) {
      return std::all_of(ids.begin(), ids.end(), [=](std::int32_t id) { return id < count; });
    };
    const InputSizes& input = sizes.input;
    require((input.word_size == 0 || below(words, input.words)) &&
                (input.lemma_size == 0 || below(lemmas, input.lemmas)) &&
                (input.surface_size == 0 || below(surfaces, input.surfaces)) &&
                (input.tag_size == 0 || below(tags, input.tags)) &&
                (input.projected_size == 0 ||
                 (vectors.size() == words.size() && below(vectors, input.vectors))),
            "the ids of the inputs do not fit the network");
  }
};

void make_inputs(OwnedInputs* self, const Ids& starts, const Ids& words, const Ids& lemmas,
                 const Ids& vectors, const Ids& forms, const Ids& surface_starts,
                 const Ids& surfaces, const Ids& bundles, const Ids& tag_starts, const Ids& tags) {
  const auto rising = [](const Ids& offsets, std::size_t end) {
    return offsets.shape(0) > 0 && offsets.data()[0] == 0 &&
           offsets.data()[offsets.shape(0) - 1] == static_cast<std::int64_t>(end) &&
           std::is_sorted(offsets.data(), offsets.data() + offsets.shape(0));
  };
  const auto within = [](const Ids& ids, std::size_t count) {
    return std::all_of(ids.data(), ids.data() + ids.shape(0), [=](std::int32_t id) {
      return id >= 0 && static_cast<std::size_t>(id) < count;
    });
  };
  constexpr std::size_t kAny = std::size_t{1} << 31;
  const std::size_t count = words.shape(0);
  require(rising(starts, count) && lemmas.shape(0) == count && forms.shape(0) == count &&
              bundles.shape(0) == count && (vectors.shape(0) == 0 || vectors.shape(0) == count) &&
              rising(surface_starts, surfaces.shape(0)) && rising(tag_starts, tags.shape(0)) &&
              within(forms, surface_starts.shape(0) - 1) &&
              within(bundles, tag_starts.shape(0) - 1) && within(words, kAny) &&
              within(lemmas, kAny) && within(vectors, kAny) && within(surfaces, kAny) &&
              within(tags, kAny),
          "the arrays of the inputs do not fit together");
  new (self) OwnedInputs{
      copied(starts),         copied(words),    copied(lemmas),  copied(vectors),    copied(forms),
      copied(surface_starts), copied(surfaces), copied(bundles), copied(tag_starts), copied(tags)};
}

void make_sizes(Sizes* self, int words, int word_size, int surfaces, int surface_size, int tags,
                int tag_size, int lemmas, int lemma_size, int vectors, int vector_size,
                int projected_size, int layers, int hidden, int arcs, int labels, int label_size,
                const std::vector<int>& columns, int column_size) {
  const Sizes sizes{{words, word_size, surfaces, surface_size, tags, tag_size, lemmas, lemma_size,
                     vectors, vector_size, projected_size},
                    layers,
                    hidden,
                    arcs,
                    labels,
                    label_size,
                    columns,
                    column_size};
  constexpr int kWidest = 4096, kMost = 1 << 26;
  for (const int count : {words, surfaces, tags, lemmas, vectors})
    require(count >= 0 && count <= kMost, "a table with an impossible number of rows");
  for (const int width :
       {word_size, surface_size, tag_size, lemma_size, vector_size, projected_size})
    require(width >= 0 && width <= kWidest, "an input with an impossible size");
  const int trees = arcs > 0 ? 1 : 0, least = columns.empty() ? 0 : 1;
  for (const int width : {arcs, labels, label_size})
    require(width >= trees && width <= trees * kWidest, "a layer with an impossible size");
  require(hidden >= 1 && hidden <= kWidest && column_size >= least &&
              column_size <= least * kWidest && trees + least > 0,
          "a layer with an impossible size");
  require(columns.size() <= 64, "more columns than words have");
  for (const int count : columns)
    require(count >= 1 && count <= kMost / 64, "a column with an impossible number of labels");
  require(layers >= 0 && layers <= 8 && sizes.input.size() >= 1,
          "a network with an impossible shape");
  require((projected_size == 0) == (vector_size == 0), "pretrained vectors without a projection");
  new (self) Sizes(sizes);
}

std::vector<std::tuple<std::string, int, int>> blocks_of(const Sizes& sizes) {
  std::vector<std::tuple<std::string, int, int>> blocks;
  const Layout layout(sizes);
  for (const Block* block : layout.blocks())
    blocks.emplace_back(block->name, block->rows, block->columns);
  return blocks;
}

void check_vectors(const Sizes& sizes, std::size_t size) {
  require(size == static_cast<std::size_t>(sizes.input.vectors) * sizes.input.vector_size,
          "the pretrained vectors do not fit the network");
}

// A trainer with the data that it is given again and again.
class Training {
 public:
  Training(const std::string& kernels, const Sizes& sizes, const OwnedInputs& inputs,
           const Ids& heads, const Ids& labels, const Ids& columns, const Floats& vectors,
           const Floats& word_shares, const Floats& lemma_shares, float group_share,
           float lstm_share, float perceptron_share, bool shared_dropout, bool trees,
           float mean_decay, float square_decay, float epsilon, float largest_norm,
           float average_decay, int shards, std::uint64_t seed)
      : inputs_(inputs),
        heads_(copied(heads)),
        labels_(copied(labels)),
        columns_(copied(columns)),
        vectors_(copied(vectors)),
        trainer_(kernels_named(kernels), Layout(sizes), [&] {
          TrainingOptions options;
          options.dropout = {{copied(word_shares), copied(lemma_shares), group_share},
                             lstm_share,
                             perceptron_share,
                             shared_dropout};
          options.arc_loss = trees ? ArcLoss::trees : ArcLoss::heads;
          options.mean_decay = mean_decay;
          options.square_decay = square_decay;
          options.epsilon = epsilon;
          options.largest_norm = largest_norm;
          options.average_decay = average_decay;
          options.shards = shards;
          options.seed = seed;
          return options;
        }()) {
    inputs_.check(sizes);
    check_vectors(sizes, vectors_.size());
    require(word_shares.shape(0) >= static_cast<std::size_t>(sizes.input.words) &&
                lemma_shares.shape(0) >= static_cast<std::size_t>(sizes.input.lemmas),
            "the shares of hidden words do not fit the network");
    const Inputs view = inputs_.view();
    const std::size_t width = sizes.columns.size();
    require(heads_.size() == view.words.size() && labels_.size() == view.words.size() &&
                columns_.size() == view.words.size() * width,
            "the trees or columns do not fit the sentences");
    for (std::size_t i = 0; i < columns_.size(); ++i)
      require(columns_[i] < sizes.columns[i % width], "a label that cannot be");
    for (int sentence = 0; sentence < view.sentences(); ++sentence)
      for (std::int32_t i = view.starts[sentence]; i < view.starts[sentence + 1]; ++i)
        require(heads_[i] <= view.length(sentence) && heads_[i] != i - view.starts[sentence] + 1 &&
                    (labels_[i] < sizes.labels || sizes.arcs == 0),
                "a head or label that cannot be");
    trainer_.initialise();
  }

  std::tuple<double, double, int> accumulate(const Ids& sentences, bool dropout, int threads) {
    for (const std::int32_t sentence : view(sentences))
      require(sentence >= 0 && sentence < inputs_.view().sentences(), "no such sentence");
    const Unlocked unlocked;
    const BatchLoss loss = trainer_.accumulate(inputs_.view(), {heads_, labels_, columns_},
                                               vectors_.data(), view(sentences), dropout, threads);
    return {loss.arcs, loss.labels, loss.words};
  }

  void update(double rate, int threads) {
    const Unlocked unlocked;
    trainer_.update(rate, threads);
  }

  std::vector<std::vector<float>*> arrays() {
    TrainingState& state = trainer_.state();
    return {&state.weights, &state.mean, &state.square, &state.average};
  }

  std::tuple<Output<float>, Output<float>, Output<float>, Output<float>, std::int64_t> state() {
    const auto all = arrays();
    const auto copy = [&](int i) { return to_numpy(std::vector<float>(*all[i])); };
    return {copy(0), copy(1), copy(2), copy(3), trainer_.state().updates};
  }

  void restore(const Floats& weights, const Floats& mean, const Floats& square,
               const Floats& average, std::int64_t updates) {
    const auto all = arrays();
    const Floats* const given[] = {&weights, &mean, &square, &average};
    for (int i = 0; i < 4; ++i)
      require(given[i]->shape(0) == all[i]->size(), "the state does not fit the network");
    for (int i = 0; i < 4; ++i) std::copy_n(given[i]->data(), all[i]->size(), all[i]->data());
    trainer_.state().updates = updates;
  }

  Output<float> gradient() { return to_numpy(std::vector<float>(trainer_.gradient())); }

 private:
  OwnedInputs inputs_;
  std::vector<std::int32_t> heads_, labels_, columns_;
  std::vector<float> vectors_;
  Trainer trainer_;
};

void make_network(Network* self, const std::string& kernels, const Sizes& sizes,
                  const Floats& weights, const Floats& vectors, bool whole_numbers) {
  const Layout layout(sizes);
  require(weights.shape(0) == layout.total, "the weights do not fit the network");
  check_vectors(sizes, vectors.shape(0));
  const auto finite = [](const Floats& values) {
    return std::all_of(values.data(), values.data() + values.shape(0),
                       [](float value) { return std::isfinite(value); });
  };
  require(finite(weights) && finite(vectors), "weights that are not finite");
  new (self)
      Network(kernels_named(kernels), layout, copied(weights), copied(vectors), whole_numbers);
}

Encodings encode_of(const Network& network, const OwnedInputs& inputs, int words_at_once,
                    int threads) {
  inputs.check(network.layout().sizes);
  const Unlocked unlocked;
  return network.encode(inputs.view(), words_at_once, threads);
}

Encodings repeated_of(const Network& network, const Encodings& encodings, const Ids& sentences) {
  for (const std::int32_t sentence : view(sentences))
    require(sentence >= 0 && sentence < encodings.sentences(), "no such sentence");
  return repeated(network.layout(), encodings, view(sentences));
}

Arcs checked(const Encodings& encodings, const Input<std::int32_t, 2>& rows, const Ids& offsets) {
  require(rows.shape(1) == 2 && offsets.shape(0) == encodings.starts.size() &&
              offsets.data()[0] == 0 &&
              static_cast<std::size_t>(offsets.data()[encodings.sentences()]) == rows.shape(0) &&
              std::is_sorted(offsets.data(), offsets.data() + offsets.shape(0)),
          "the parts do not fit the sentences");
  const Arcs arcs{{rows.data(), rows.size()}, view(offsets)};
  for (int sentence = 0; sentence < encodings.sentences(); ++sentence)
    for (std::int32_t i = arcs.offsets[sentence]; i < arcs.offsets[sentence + 1]; ++i) {
      const int head = arcs.rows[2 * i], modifier = arcs.rows[2 * i + 1];
      require(head >= 0 && head <= encodings.length(sentence) && modifier >= 1 &&
                  modifier <= encodings.length(sentence),
              "an arc outside of its sentence");
    }
  return arcs;
}

void require_trees(const Network& network) {
  require(network.layout().sizes.arcs > 0, "this network has no trees");
}

Output<double> arcs_of(const Network& network, const Encodings& encodings,
                       const Input<std::int32_t, 2>& rows, const Ids& offsets) {
  require_trees(network);
  const Arcs arcs = checked(encodings, rows, offsets);
  std::vector<double> values(rows.shape(0));
  {
    const Unlocked unlocked;
    network.arcs(encodings, arcs, values.data());
  }
  return to_numpy(std::move(values));
}

Output<double> labels_of(const Network& network, const Encodings& encodings,
                         const Input<std::int32_t, 2>& rows, const Ids& offsets,
                         const Ids& label_offsets, const Ids& labels) {
  require_trees(network);
  const Arcs arcs = checked(encodings, rows, offsets);
  const LabelLists lists{view(label_offsets), view(labels)};
  require(lists.offsets.size() == rows.shape(0) + 1 && lists.offsets.front() == 0 &&
              static_cast<std::size_t>(lists.offsets.back()) == lists.labels.size() &&
              std::is_sorted(lists.offsets.begin(), lists.offsets.end()) &&
              std::all_of(lists.labels.begin(), lists.labels.end(),
                          [&](std::int32_t label) {
                            return label >= 0 && label < network.layout().sizes.labels;
                          }),
          "the labels do not fit the parts or the network");
  std::vector<double> values(lists.labels.size());
  {
    const Unlocked unlocked;
    network.labels(encodings, arcs, lists, values.data());
  }
  return to_numpy(std::move(values));
}

Output<float, 2> column_of(const Network& network, const Encodings& encodings, int number) {
  const std::vector<int>& columns = network.layout().sizes.columns;
  require(number >= 0 && static_cast<std::size_t>(number) < columns.size(), "no such column");
  std::vector<float> values(static_cast<std::size_t>(encodings.words()) * columns[number]);
  {
    const Unlocked unlocked;
    network.column(encodings, number, values.data());
  }
  return to_numpy(std::move(values), columns[number]);
}

std::tuple<Output<std::int32_t, 2>, Output<std::int32_t>, Output<double>> likely_arcs_of(
    const Network& network, const Encodings& encodings, double threshold, int max_heads) {
  require_trees(network);
  require(threshold >= 0.0 && threshold <= 1.0 && max_heads >= 1,
          "a threshold from 0 to 1 and at least one head are expected");
  LikelyArcs found;
  {
    const Unlocked unlocked;
    found = network.likely_arcs(encodings, threshold, max_heads);
  }
  return {to_numpy(std::move(found.rows), 2), to_numpy(std::move(found.offsets)),
          to_numpy(std::move(found.log_probabilities))};
}

std::tuple<Output<std::int32_t>, Output<std::int32_t>> surface_features(
    const std::vector<std::string>& forms, const std::vector<std::string>& lowers,
    const std::vector<std::string>& shapes, std::int32_t buckets) {
  require(forms.size() == lowers.size() && forms.size() == shapes.size() && buckets >= 1,
          "lists of the same length and at least one bucket are expected");
  std::vector<std::int32_t> starts{0}, features;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    add_surface_features(forms[i], lowers[i], shapes[i], buckets, features);
    starts.push_back(static_cast<std::int32_t>(features.size()));
  }
  return {to_numpy(std::move(starts)), to_numpy(std::move(features))};
}

std::tuple<Output<std::int32_t>, Output<std::int32_t>> batches_of(const Ids& lengths, int words,
                                                                  std::uint64_t seed,
                                                                  std::int64_t epoch) {
  require(words >= 1 && epoch >= 0, "at least one word per batch and epochs from 0 are expected");
  Batches batches = draw_batches(view(lengths), words, seed, epoch);
  return {to_numpy(std::move(batches.sentences)), to_numpy(std::move(batches.offsets))};
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const Kernels* kernels : available_kernels()) names.emplace_back(kernels->name);
  return names;
}

// For tests of the kernels: A B.
Output<float, 2> product(const std::string& kernels, const Input<float, 2>& a,
                         const Input<float, 2>& b) {
  require(a.shape(1) == b.shape(0) && b.shape(1) > 0, "matrices that do not fit");
  const Kernels& set = kernels_named(kernels);
  const auto rows = static_cast<int>(a.shape(0)), columns = static_cast<int>(b.shape(1));
  const auto depth = static_cast<int>(b.shape(0));
  Packed packed;
  packed.pack(set, b.data(), depth, columns, columns, 1);
  std::vector<float> c(static_cast<std::size_t>(rows) * columns);
  multiply(set, a.data(), rows, packed, c.data(), false, depth, columns);
  return to_numpy(std::move(c), columns);
}

std::vector<std::string> quantised_kernel_names() {
  std::vector<std::string> names;
  for (const quantised::Kernels* kernels : quantised::available_kernels())
    names.emplace_back(kernels->name);
  return names;
}

// For tests: C + A B in whole numbers.
Output<float, 2> quantised_product(const std::string& kernels, const Input<float, 2>& a,
                                   const Input<float, 2>& b, const Input<float, 2>& c) {
  require(a.shape(1) == b.shape(0) && b.shape(1) > 0 && c.shape(0) == a.shape(0) &&
              c.shape(1) == b.shape(1),
          "matrices that do not fit");
  const auto rows = static_cast<int>(a.shape(0)), columns = static_cast<int>(b.shape(1));
  const auto depth = static_cast<int>(b.shape(0));
  for (const quantised::Kernels* set : quantised::available_kernels()) {
    if (kernels != set->name) continue;
    const quantised::Matrix matrix(*set, b.data(), depth, columns);
    std::vector<float> sums(c.data(), c.data() + c.size());
    std::vector<std::byte> scratch;
    matrix.multiply(a.data(), depth, rows, sums.data(), columns, true, scratch);
    return to_numpy(std::move(sums), columns);
  }
  require(false, "this processor has no such kernels");
  return {};
}

}  // namespace

NB_MODULE(_core, m) {
  set_up_module();

  nb::class_<Sizes>(m, "Sizes")
      .def("__init__", &make_sizes, nb::kw_only(), "words"_a, "word_size"_a, "surfaces"_a,
           "surface_size"_a, "tags"_a, "tag_size"_a, "lemmas"_a, "lemma_size"_a, "vectors"_a,
           "vector_size"_a, "projected_size"_a, "layers"_a, "hidden"_a, "arcs"_a, "labels"_a,
           "label_size"_a, "columns"_a, "column_size"_a)
      .def("blocks", &blocks_of, "Name, rows and columns of each matrix of the flat weights.");

  nb::class_<OwnedInputs>(m, "Inputs")
      .def("__init__", &make_inputs, nb::kw_only(), "starts"_a, "words"_a, "lemmas"_a, "vectors"_a,
           "forms"_a, "surface_starts"_a, "surfaces"_a, "bundles"_a, "tag_starts"_a, "tags"_a);

  nb::class_<Training>(m, "Training")
      .def(nb::init<const std::string&, const Sizes&, const OwnedInputs&, const Ids&, const Ids&,
                    const Ids&, const Floats&, const Floats&, const Floats&, float, float, float,
                    bool, bool, float, float, float, float, float, int, std::uint64_t>(),
           nb::kw_only(), "kernels"_a, "sizes"_a, "inputs"_a, "heads"_a, "labels"_a, "columns"_a,
           "vectors"_a, "word_shares"_a, "lemma_shares"_a, "group_share"_a, "lstm_share"_a,
           "perceptron_share"_a, "shared_dropout"_a, "trees"_a, "mean_decay"_a, "square_decay"_a,
           "epsilon"_a, "largest_norm"_a, "average_decay"_a, "shards"_a, "seed"_a)
      .def("accumulate", &Training::accumulate, "sentences"_a, "dropout"_a, "threads"_a,
           "Add the gradient of some sentences; losses of arcs and labels, and the words counted.")
      .def("update", &Training::update, "rate"_a, "threads"_a)
      .def("state", &Training::state, "Weights, Adam's means and squares, averages, updates.")
      .def("restore", &Training::restore, "weights"_a, "mean"_a, "square"_a, "average"_a,
           "updates"_a)
      .def("gradient", &Training::gradient);

  nb::class_<Encodings>(m, "Encodings")
      .def_prop_ro("sentences", &Encodings::sentences)
      .def_prop_ro("words", &Encodings::words);

  nb::class_<Network>(m, "Network")
      .def("__init__", &make_network, "kernels"_a, "sizes"_a, "weights"_a, "vectors"_a,
           "whole_numbers"_a)
      .def_prop_ro("kernels", [](const Network& network) { return network.kernels().name; })
      .def("encode", &encode_of, "inputs"_a, "words_at_once"_a, "threads"_a)
      .def("repeated", &repeated_of, "encodings"_a, "sentences"_a)
      .def("arcs", &arcs_of, "encodings"_a, "rows"_a, "offsets"_a)
      .def("labels", &labels_of, "encodings"_a, "rows"_a, "offsets"_a, "label_offsets"_a,
           "labels"_a)
      .def("column", &column_of, "encodings"_a, "number"_a)
      .def("likely_arcs", &likely_arcs_of, "encodings"_a, "threshold"_a, "max_heads"_a);

  m.def("surface_features", &surface_features, "forms"_a, "lowers"_a, "shapes"_a, "buckets"_a);
  m.def("draw_batches", &batches_of, "lengths"_a, "words"_a, "seed"_a, "epoch"_a);
  m.def("kernel_names", &kernel_names,
        "The sets of kernels that this processor has, fastest first.");
  m.def("product", &product, "kernels"_a, "a"_a, "b"_a);
  m.def("quantised_kernel_names", &quantised_kernel_names);
  m.def("quantised_product", &quantised_product, "kernels"_a, "a"_a, "b"_a, "c"_a);
}
