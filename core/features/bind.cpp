#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <tuple>
#include <utility>

#include "common/numpy.h"
#include "common/unlocked.h"
#include "features/bind_sparse.h"
#include "features/program.h"
#include "features/scoring.h"
#include "features/tables/bucket_table.h"
#include "features/tables/compact_rows.h"
#include "features/tables/lazy_table.h"
#include "features/tables/row_table.h"
#include "features/tables/scaled_table.h"
#include "features/tables/weight_table.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree;
using namespace turbotree::features;
using namespace turbotree::numpy;

namespace {

// Far more than any template needs, and small enough that sums of positions never overflow.
constexpr int max_offset = 1 << 20;

Program make_program(int first_template, int templates, int slots, int columns, int attributes,
                     int set_attributes, const Input<std::int32_t, 2>& atoms,
                     const Input<std::int32_t, 2>& numerics, const Input<std::int32_t, 2>& uses) {
  require(first_template >= 0 && first_template <= max_templates && templates >= 0 &&
              templates <= max_templates - first_template,
          "too many templates");
  require(slots >= 1 && columns >= 0 && attributes >= 0 && set_attributes >= 0, "negative size");
  require(atoms.shape(1) == 4 && numerics.shape(1) == 3 && uses.shape(1) == 2, "wrong row width");
  ProgramSpec spec{first_template, templates, slots, columns, attributes,
                   set_attributes, {},        {},    {}};
  const auto below = [](std::int32_t value, std::int32_t limit) {
    return value >= 0 && value < limit;
  };
  for (std::size_t i = 0; i < atoms.shape(0); ++i) {
    const std::int32_t* const row = atoms.data() + 4 * i;
    const WordAtom atom{row[0], row[1], row[2], row[3]};
    require(below(atom.template_number, templates) && below(atom.slot, slots + 1) &&
                below(atom.attribute, attributes + set_attributes) &&
                std::abs(atom.offset) <= max_offset,
            "atom out of range");
    require(atom.slot < slots || (slots >= 2 && atom.attribute < attributes),
            "words between need two slots and single-valued attributes");
    spec.atoms.push_back(atom);
  }
  for (std::size_t i = 0; i < numerics.shape(0); ++i) {
    const std::int32_t* const row = numerics.data() + 3 * i;
    require(below(row[0], 4), "unknown kind of numeric atom");
    const NumericAtom atom{static_cast<NumericKind>(row[0]), row[1], row[2]};
    switch (atom.kind) {
      case NumericKind::distance:
      case NumericKind::direction:
        require(below(atom.a, slots) && below(atom.b, slots), "slot out of range");
        break;
      case NumericKind::between_count:
        require(slots >= 2 && below(atom.a, attributes), "attribute out of range");
        break;
      case NumericKind::column:
        require(below(atom.a, columns) && atom.b >= 0, "column out of range");
        break;
    }
    spec.numerics.push_back(atom);
  }
  for (std::size_t i = 0; i < uses.shape(0); ++i) {
    const NumericUse use{uses.data()[2 * i], uses.data()[2 * i + 1]};
    require(below(use.template_number, templates) &&
                below(use.numeric, static_cast<std::int32_t>(spec.numerics.size())),
            "numeric atom out of range");
    spec.numeric_uses.push_back(use);
  }
  return Program(std::move(spec));
}

using SetArrays = std::vector<std::pair<Input<std::int32_t>, Input<std::int32_t>>>;

bool fits(std::span<const std::int32_t> offsets, std::size_t total) {
  return !offsets.empty() && offsets.front() == 0 &&
         offsets.back() == static_cast<std::int32_t>(total) &&
         std::is_sorted(offsets.begin(), offsets.end());
}

// A struct of its own rather than the vector, so that Python sees one opaque type.
struct PreparedBatch {
  const Program* made_for;  // kept alive by the Python object
  Batch sentences;
};

void prepare(PreparedBatch* self, const Program& program, const Input<std::int32_t, 2>& ids,
             const Input<std::int32_t>& starts, const SetArrays& sets) {
  const std::size_t columns = ids.shape(1);
  require(static_cast<int>(ids.shape(0)) == program.spec().attributes,
          "ids: expected one row per attribute");
  require(fits(view(starts), columns), "starts: do not fit the columns of ids");
  require(static_cast<int>(sets.size()) == program.spec().set_attributes, "sets: wrong number");
  for (const auto& [offsets, values] : sets)
    require(offsets.shape(0) == columns + 1 && fits(view(offsets), values.shape(0)),
            "sets: offsets do not fit");
  for (std::size_t i = 0; i + 1 < starts.shape(0); ++i)
    require(starts.data()[i] < starts.data()[i + 1], "starts: a sentence lacks its root");
  const Unlocked unlocked;
  PreparedBatch made{&program, {}};
  made.sentences.reserve(starts.shape(0) - 1);
  for (std::size_t i = 0; i + 1 < starts.shape(0); ++i) {
    const std::int32_t from = starts.data()[i], to = starts.data()[i + 1];
    EncodedSentence sentence{to - from - 1, columns, ids.data() + from, {}};
    for (const auto& [offsets, values] : sets)
      sentence.sets.push_back({offsets.data() + from, values.data()});
    made.sentences.emplace_back(program, sentence);
  }
  new (self) PreparedBatch(std::move(made));
}

using OptionalVector = std::optional<Input<std::int32_t>>;

Parts make_parts(const Program& program, const PreparedBatch& batch,
                 const Input<std::int32_t, 2>& rows, const Input<std::int32_t>& offsets,
                 const OptionalVector& label_offsets, const OptionalVector& labels) {
  require(static_cast<int>(rows.shape(1)) == program.row_width(), "parts: wrong row width");
  require(label_offsets.has_value() == labels.has_value(), "label_offsets and labels go together");
  require(batch.made_for == &program, "the sentences were prepared for another program");
  Parts parts{rows.data(), rows.shape(0), view(offsets), {}, {}};
  if (labels) {
    require(label_offsets->shape(0) > 0, "label_offsets: expected one entry more than parts");
    parts.label_offsets = view(*label_offsets);
    parts.labels = view(*labels);
  }
  require(valid(program, batch.sentences, parts),
          "parts: offset, position, value or label out of range");
  return parts;
}

template <class Table>
Output<double> score_parts(const Program& program, const PreparedBatch& batch,
                           const Input<std::int32_t, 2>& rows, const Input<std::int32_t>& offsets,
                           const Table& table) {
  const Parts parts = make_parts(program, batch, rows, offsets, std::nullopt, std::nullopt);
  std::vector<double> scores(parts.scores());
  unlocked([&] { score(program, batch.sentences, parts, table, scores.data()); });
  return to_numpy(std::move(scores));
}

template <class Table>
Output<double> score_labelled_parts(const Program& program, const PreparedBatch& batch,
                                    const Input<std::int32_t, 2>& rows,
                                    const Input<std::int32_t>& offsets,
                                    const Input<std::int32_t>& label_offsets,
                                    const Input<std::int32_t>& labels, const Table& table) {
  const Parts parts = make_parts(program, batch, rows, offsets, label_offsets, labels);
  std::vector<double> scores(parts.scores());
  unlocked([&] { score_labels(program, batch.sentences, parts, table, scores.data()); });
  return to_numpy(std::move(scores));
}

// One function of that name for each kind of table.
template <class... Tables>
void def_score(nb::module_& m) {
  (m.def("score", &score_parts<Tables>, "program"_a, "prepared"_a, "rows"_a, "offsets"_a,
         "table"_a),
   ...);
}

template <class... Tables>
void def_score_labels(nb::module_& m) {
  (m.def("score_labels", &score_labelled_parts<Tables>, "program"_a, "prepared"_a, "rows"_a,
         "offsets"_a, "label_offsets"_a, "labels"_a, "table"_a),
   ...);
}

Output<double, 2> contributions_to_parts(const Program& program, const PreparedBatch& batch,
                                         const Input<std::int32_t, 2>& rows,
                                         const Input<std::int32_t>& offsets,
                                         const WeightTable& table,
                                         const OptionalVector& label_offsets,
                                         const OptionalVector& labels) {
  const Parts parts = make_parts(program, batch, rows, offsets, label_offsets, labels);
  const auto templates = static_cast<std::size_t>(program.spec().templates);
  require(templates > 0, "no templates");
  std::vector<double> sums(parts.scores() * templates);
  unlocked([&] { contributions(program, batch.sentences, parts, table, sums.data()); });
  return to_numpy(std::move(sums), templates);
}

Gradient gradient_of_parts(const Program& program, const PreparedBatch& batch,
                           const Input<std::int32_t, 2>& rows, const Input<std::int32_t>& offsets,
                           const Input<double>& coefficients, const OptionalVector& label_offsets,
                           const OptionalVector& labels) {
  const Parts parts = make_parts(program, batch, rows, offsets, label_offsets, labels);
  require(coefficients.shape(0) == parts.scores(), "coefficients: one per score expected");
  for (const double coefficient : view(coefficients))
    require(std::isfinite(coefficient), "coefficients: NaN or infinity");
  const Unlocked unlocked;
  return gradient(program, batch.sentences, parts, view(coefficients));
}

void restore(WeightTable& table, const Input<Key>& keys, const Input<float>& weights,
             const Input<float>& weighted_updates) {
  require(keys.shape(0) == weights.shape(0) && keys.shape(0) == weighted_updates.shape(0),
          "restore: lengths differ");
  for (const Key key : view(keys)) require(key != 0, "restore: key 0");
  const Unlocked unlocked;
  table.restore(view(keys), view(weights), view(weighted_updates));
}

std::tuple<Output<Key>, Output<float>, Output<float>> entries(const WeightTable& table) {
  std::vector<Key> keys;
  std::vector<float> weights, weighted_updates;
  {
    const Unlocked unlocked;
    keys.reserve(table.size());
    weights.reserve(table.size());
    weighted_updates.reserve(table.size());
    table.for_each([&](const WeightTable::Slot& slot) {
      keys.push_back(slot.key);
      weights.push_back(slot.weight);
      weighted_updates.push_back(slot.weighted_updates);
    });
  }
  return {to_numpy(std::move(keys)), to_numpy(std::move(weights)),
          to_numpy(std::move(weighted_updates))};
}

// Hands frozen slots to Python as rows of plain integers.
template <class Word, class Slot>
Output<Word, 2> to_rows(std::vector<Slot>&& slots) {
  require(!slots.empty(), "the weights do not fit a frozen table with so few labels");
  auto* const owned = new std::vector<Slot>(std::move(slots));
  return {owned->data(), {owned->size(), sizeof(Slot) / sizeof(Word)}, owner_of(owned)};
}

template <class Slot, class Word>
std::span<const Slot> from_rows(const Input<Word, 2>& rows) {
  require(rows.shape(1) * sizeof(Word) == sizeof(Slot), "frozen table: wrong row width");
  return {reinterpret_cast<const Slot*>(rows.data()), rows.shape(0)};
}

template <class Table>
auto freeze(const WeightTable& table, float threshold) {
  return to_rows<typename Table::Word>(unlocked([&] { return Table::build(table, threshold); }));
}

Output<std::uint32_t, 2> freeze_labels(const WeightTable& table, int tag_label_bits,
                                       float threshold) {
  require(tag_label_bits >= 0 && tag_label_bits <= label_bits, "label bits out of range");
  return to_rows<std::uint32_t>(
      unlocked([&] { return RowTable::build(table, tag_label_bits, threshold); }));
}

template <class Table>
void make_buckets(Table* self, const Input<typename Table::Word, 2>& rows) {
  const auto buckets = from_rows<typename Table::Bucket>(rows);
  require(Table::well_formed(buckets), "frozen table: not well formed");
  new (self) Table(buckets);
}

void make_rows(RowTable* self, const Input<std::uint32_t, 2>& rows, int tag_label_bits) {
  const auto slots = from_rows<RowSlot>(rows);
  require(RowTable::well_formed(slots, tag_label_bits), "frozen table: not well formed");
  new (self) RowTable(slots, tag_label_bits);
}

Output<std::uint16_t> freeze_labels_compact(const WeightTable& table, float threshold) {
  auto words = unlocked([&] { return CompactRows::build(table, threshold); });
  require(!words.empty(), "the weights do not fit a compact table");
  return to_numpy(std::move(words));
}

void make_compact_rows(CompactRows* self, const Input<std::uint16_t>& words) {
  require(CompactRows::well_formed(view(words)), "frozen table: not well formed");
  new (self) CompactRows(view(words));
}

template <class Table>
Output<float> find_all(const Table& table, const Input<Key>& keys) {
  std::vector<float> weights;
  {
    const Unlocked unlocked;
    for (const Key key : view(keys)) {
      count_work(50);
      weights.push_back(table.find(key));
    }
  }
  return to_numpy(std::move(weights));
}

Output<Key> keys_of_parts(const Program& program, const PreparedBatch& batch,
                          const Input<std::int32_t, 2>& rows, const Input<std::int32_t>& offsets) {
  const Parts parts = make_parts(program, batch, rows, offsets, std::nullopt, std::nullopt);
  std::vector<Key> keys;
  {
    const Unlocked unlocked;
    Program::Scratch scratch;
    for (std::size_t s = 0; s < batch.sentences.size(); ++s)
      for (std::int32_t p = parts.offsets[s]; p < parts.offsets[s + 1]; ++p) {
        count_work(200);
        program.emit(batch.sentences[s], parts.rows + p * program.row_width(), scratch, keys);
      }
  }
  return to_numpy(std::move(keys));
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "Hot loops of turbotree.features: keys, scores, gradients and tables of weights.";
  set_up_module();
  m.attr("LABEL_BITS") = label_bits;
  m.attr("MAX_LABELS") = max_labels;
  m.attr("MAX_TEMPLATES") = max_templates;
  m.attr("FIRST_FREE_ID") = first_free_id;
  m.def("distance_bin_ends",
        [] { return std::vector<int>(distance_bin_ends.begin(), distance_bin_ends.end()); });

  nb::class_<Program>(m, "Program", "Templates compiled for one kind of part.")
      .def(
          "__init__",
          [](Program* self, int first_template, int templates, int slots, int columns,
             int attributes, int set_attributes, const Input<std::int32_t, 2>& atoms,
             const Input<std::int32_t, 2>& numerics, const Input<std::int32_t, 2>& uses) {
            new (self) Program(make_program(first_template, templates, slots, columns, attributes,
                                            set_attributes, atoms, numerics, uses));
          },
          "first_template"_a, "templates"_a, "slots"_a, "columns"_a, "attributes"_a,
          "set_attributes"_a, "atoms"_a, "numerics"_a, "uses"_a);

  nb::class_<PreparedBatch>(m, "Prepared", "The words of some sentences, hashed for one program.")
      .def("__init__", &prepare, "program"_a, "ids"_a, "starts"_a, "sets"_a, nb::keep_alive<1, 2>())
      .def("__len__", [](const PreparedBatch& batch) { return batch.sentences.size(); });

  nb::class_<Gradient>(m, "Gradient", "A sparse vector over features.")
      .def("__len__", [](const Gradient& g) { return g.keys.size(); })
      .def(
          "extend",
          [](Gradient& g, const Gradient& other) {
            g.keys.insert(g.keys.end(), other.keys.begin(), other.keys.end());
            g.values.insert(g.values.end(), other.values.begin(), other.values.end());
          },
          "other"_a, "Append the gradient of other templates: no key may be in both.")
      .def(
          "keep_templates",
          [](Gradient& g, const Input<bool>& wanted) {
            require(wanted.shape(0) == max_templates, "templates: one flag for each expected");
            std::size_t kept = 0;
            for (std::size_t k = 0; k < g.keys.size(); ++k) {
              if (!wanted.data()[template_of(g.keys[k])]) continue;
              g.keys[kept] = g.keys[k];
              g.values[kept++] = g.values[k];
            }
            g.keys.resize(kept);
            g.values.resize(kept);
          },
          "wanted"_a, "Drop the features of all templates but some.")
      .def_prop_ro(
          "keys", [](const Gradient& g) { return to_numpy(std::vector<Key>(g.keys)); },
          nb::rv_policy::move)
      .def_prop_ro(
          "values", [](const Gradient& g) { return to_numpy(std::vector<double>(g.values)); },
          nb::rv_policy::move)
      .def_prop_ro("squared_norm", [](const Gradient& g) {
        double sum = 0.0;
        for (const double value : g.values) sum += value * value;
        return sum;
      });

  nb::class_<WeightTable>(m, "WeightTable", "Weights that grow and change during training.")
      .def(nb::init<std::size_t>(), "expected"_a = 0)
      .def("__len__", &WeightTable::size)
      .def_prop_ro("memory_bytes", &WeightTable::memory_bytes)
      .def_prop_rw("round", &WeightTable::round, &WeightTable::set_round)
      .def_prop_rw("closed", &WeightTable::closed, &WeightTable::set_closed)
      .def(
          "add",
          [](WeightTable& table, const Gradient& gradient, double scale) {
            const Unlocked unlocked;
            table.add(gradient.keys, gradient.values, scale);
          },
          "gradient"_a, "scale"_a)
      .def(
          "insert",
          [](WeightTable& table, const Gradient& gradient) {
            const Unlocked unlocked;
            table.insert(gradient.keys);
          },
          "gradient"_a)
      .def("find", &find_all<WeightTable>, "keys"_a)
      .def("entries", &entries)
      .def("restore", &restore, "keys"_a, "weights"_a, "weighted_updates"_a)
      .def("freeze", &freeze<BucketTable>, "threshold"_a)
      .def("freeze_labels", &freeze_labels, "label_bits"_a, "threshold"_a)
      .def("freeze_compact", &freeze<CompactBuckets>, "threshold"_a)
      .def("freeze_labels_compact", &freeze_labels_compact, "threshold"_a);

  bind_sparse_tables(m);

  // No conversion: these view the array that was given, not a copy made on the way.
  nb::class_<BucketTable>(m, "BucketTable", "Weights of a finished model without labels.")
      .def("__init__", &make_buckets<BucketTable>, "rows"_a.noconvert(), nb::keep_alive<1, 2>())
      .def("find", &find_all<BucketTable>, "keys"_a);
  nb::class_<RowTable>(m, "RowTable", "Weights of a finished model with labels.")
      .def("__init__", &make_rows, "rows"_a.noconvert(), "label_bits"_a, nb::keep_alive<1, 2>())
      .def("find", &find_all<RowTable>, "keys"_a);

  nb::class_<CompactBuckets>(m, "CompactBuckets", "The same in 16 bits per weight, without labels.")
      .def("__init__", &make_buckets<CompactBuckets>, "rows"_a.noconvert(), nb::keep_alive<1, 2>())
      .def("find", &find_all<CompactBuckets>, "keys"_a);
  nb::class_<CompactRows>(m, "CompactRows", "The same in 16 bits per weight, with labels.")
      .def("__init__", &make_compact_rows, "words"_a.noconvert(), nb::keep_alive<1, 2>())
      .def("__len__", &CompactRows::size)
      .def("find", &find_all<CompactRows>, "keys"_a);

  m.def("keys", &keys_of_parts, "program"_a, "prepared"_a, "rows"_a, "offsets"_a);
  def_score<WeightTable, BucketTable, CompactBuckets, ScaledTable, LazyTable>(m);
  def_score_labels<WeightTable, RowTable, CompactRows, ScaledTable, LazyTable>(m);
  m.def("contributions", &contributions_to_parts, "program"_a, "prepared"_a, "rows"_a, "offsets"_a,
        "table"_a, "label_offsets"_a = nb::none(), "labels"_a = nb::none());
  m.def("gradient", &gradient_of_parts, "program"_a, "prepared"_a, "rows"_a, "offsets"_a,
        "coefficients"_a, "label_offsets"_a = nb::none(), "labels"_a = nb::none());
}
