#include "features/program.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "common/interrupt.h"

namespace turbotree::features {
namespace {

constexpr int max_between_count = 3;

// 0 is left to slots without a word: "no distance".
int distance_bin(int from, int to) {
  constexpr int ends = static_cast<int>(distance_bin_ends.size());
  const int distance = std::abs(to - from);
  int bin = 0;
  while (bin < ends && distance > distance_bin_ends[bin]) ++bin;
  return 1 + 2 * bin + (to > from ? 1 : 0);
}
constexpr int distance_values = 1 + 2 * (static_cast<int>(distance_bin_ends.size()) + 1);

int value_limit(const NumericAtom& atom) {
  switch (atom.kind) {
    case NumericKind::distance: return distance_values;
    case NumericKind::direction: return 3;
    case NumericKind::between_count: return max_between_count + 1;
    case NumericKind::column: return atom.b;
  }
  return 0;
}

Key template_seed(int number) { return mix(0x7475726274726565ULL + number); }

Key slot_seed(int number, int slot) { return combine(template_seed(number), 0x100 + slot); }

Key numeric_hash(int number, int use, int value) {
  return combine(combine(template_seed(number), 0x10000 + use), value);
}

std::int32_t single_value(const EncodedSentence& sentence, int attribute, int slot_word,
                          int offset) {
  if (slot_word < 0) return id_none;
  const int word = slot_word + offset;
  if (word < 0) return id_before;
  if (word > sentence.words) return id_after;
  return sentence.ids[attribute * sentence.stride + word];
}

}  // namespace

Program::Program(ProgramSpec spec) : spec_(std::move(spec)) {
  const int between = spec_.slots;
  slot_atoms_.assign(spec_.templates, std::vector<SlotAtoms>(spec_.slots + 1));
  for (const WordAtom& atom : spec_.atoms) {
    SlotAtoms& at = slot_atoms_[atom.template_number][atom.slot];
    at.atoms.push_back(atom);
    at.set_valued |= atom.attribute >= spec_.attributes;
  }
  std::map<std::vector<std::int32_t>, int> pattern_numbers;
  slot_in_plain_.assign(spec_.slots, 0);
  for (int t = 0; t < spec_.templates; ++t) {
    const auto& slots = slot_atoms_[t];
    const bool has_between = !slots[between].atoms.empty();
    const bool has_set =
        std::any_of(slots.begin(), slots.end(), [](const SlotAtoms& s) { return s.set_valued; });
    if (!has_between && !has_set) {
      plain_.push_back(t);
      for (int s = 0; s < spec_.slots; ++s) slot_in_plain_[s] |= !slots[s].atoms.empty();
      continue;
    }
    multi_.push_back(t);
    int pattern = -1;
    if (has_between) {
      std::vector<std::int32_t> signature;
      for (const WordAtom& atom : slots[between].atoms) {
        signature.push_back(atom.offset);
        signature.push_back(atom.attribute);
      }
      const auto found = pattern_numbers.emplace(signature, patterns_.size());
      if (found.second) patterns_.push_back(signature);
      pattern = found.first->second;
    }
    multi_pattern_.push_back(pattern);
  }

  const int plain = static_cast<int>(plain_.size());
  std::vector<std::vector<int>> uses(spec_.templates);
  for (const NumericUse& use : spec_.numeric_uses) uses[use.template_number].push_back(use.numeric);
  for (int p = 0; p < plain; ++p) {
    plain_base_.push_back(template_seed(number(plain_[p])));
    plain_tail_.push_back(make_key(0, number(plain_[p])));
  }
  numeric_plain_.resize(spec_.numerics.size());
  for (int a = 0; a < static_cast<int>(spec_.numerics.size()); ++a) {
    const int limit = value_limit(spec_.numerics[a]);
    std::vector<Key> table(static_cast<std::size_t>(limit) * plain, 0);
    bool used = false;
    for (int p = 0; p < plain; ++p) {
      const auto& mine = uses[plain_[p]];
      if (std::find(mine.begin(), mine.end(), a) == mine.end()) continue;
      used = true;
      for (int v = 0; v < limit; ++v)
        table[static_cast<std::size_t>(v) * plain + p] = numeric_hash(number(plain_[p]), a, v);
    }
    if (!used) continue;
    plain_numerics_.push_back(a);
    numeric_plain_[a] = std::move(table);
  }
  for (int t : multi_) {
    multi_numerics_.push_back(uses[t]);
    std::vector<std::vector<Key>> tables;
    for (int a : uses[t]) {
      std::vector<Key> table;
      for (int v = 0; v < value_limit(spec_.numerics[a]); ++v)
        table.push_back(numeric_hash(number(t), a, v));
      tables.push_back(std::move(table));
    }
    numeric_multi_.push_back(std::move(tables));
  }
}

Prepared::Prepared(const Program& program, const EncodedSentence& sentence)
    : words_(sentence.words) {
  const ProgramSpec& spec = program.spec_;
  const int rows = words_ + 2;  // row 0 is "none", row w + 1 is word w
  const int plain = static_cast<int>(program.plain_.size());

  plain_.resize(spec.slots);
  for (int s = 0; s < spec.slots; ++s) {
    if (!program.slot_in_plain_[s]) continue;
    std::vector<Key>& table = plain_[s];
    table.assign(static_cast<std::size_t>(rows) * plain, 0);
    for (int p = 0; p < plain; ++p) {
      const auto& at = program.slot_atoms_[program.plain_[p]][s];
      if (at.atoms.empty()) continue;
      const Key seed = slot_seed(program.number(program.plain_[p]), s);
      count_work(4 * rows);
      for (int row = 0; row < rows; ++row) {
        Key hash = seed;
        for (const WordAtom& atom : at.atoms)
          hash = combine(hash, single_value(sentence, atom.attribute, row - 1, atom.offset));
        table[static_cast<std::size_t>(row) * plain + p] = hash;
      }
    }
  }

  classes_.resize(program.patterns_.size());
  class_counts_.assign(program.patterns_.size(), 0);
  std::vector<std::vector<int>> class_word(program.patterns_.size());
  for (std::size_t q = 0; q < program.patterns_.size(); ++q) {
    const std::vector<std::int32_t>& signature = program.patterns_[q];
    std::map<std::vector<std::int32_t>, std::int32_t> numbers;
    std::vector<std::int32_t> values(signature.size() / 2);
    for (int w = 0; w <= words_; ++w) {
      count_work(50);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = single_value(sentence, signature[2 * i + 1], w, signature[2 * i]);
      const auto found = numbers.emplace(values, static_cast<std::int32_t>(numbers.size()));
      if (found.second) class_word[q].push_back(w);
      classes_[q].push_back(found.first->second);
    }
    class_counts_[q] = static_cast<std::int32_t>(numbers.size());
  }

  multi_.resize(program.multi_.size());
  std::vector<Key> list, longer;
  for (std::size_t j = 0; j < program.multi_.size(); ++j) {
    const int t = program.multi_[j];
    Multi& multi = multi_[j];
    multi.offsets.resize(spec.slots);
    multi.hashes.resize(spec.slots);
    for (int s = 0; s < spec.slots; ++s) {
      const auto& at = program.slot_atoms_[t][s];
      if (at.atoms.empty()) continue;
      multi.offsets[s].push_back(0);
      for (int row = 0; row < rows; ++row) {
        list.assign(1, slot_seed(program.number(t), s));
        count_work(20);
        for (const WordAtom& atom : at.atoms) {
          if (atom.attribute < spec.attributes) {
            const auto value = single_value(sentence, atom.attribute, row - 1, atom.offset);
            for (Key& hash : list) hash = combine(hash, value);
            continue;
          }
          const EncodedSet& set = sentence.sets[atom.attribute - spec.attributes];
          const int word = row - 1 + atom.offset;
          longer.clear();
          if (row > 0 && word >= 0 && word <= words_)
            for (int i = set.offsets[word]; i < set.offsets[word + 1]; ++i)
              for (Key hash : list) longer.push_back(combine(hash, set.values[i]));
          list.swap(longer);
        }
        multi.hashes[s].insert(multi.hashes[s].end(), list.begin(), list.end());
        multi.offsets[s].push_back(static_cast<std::int32_t>(multi.hashes[s].size()));
      }
    }
    const int pattern = program.multi_pattern_[j];
    if (pattern < 0) continue;
    for (int word : class_word[pattern]) {
      Key hash = slot_seed(program.number(t), spec.slots);
      for (const WordAtom& atom : program.slot_atoms_[t][spec.slots].atoms)
        hash = combine(hash, single_value(sentence, atom.attribute, word, atom.offset));
      multi.between.push_back(hash);
    }
  }

  prefix_.resize(spec.numerics.size());
  for (std::size_t a = 0; a < spec.numerics.size(); ++a) {
    const NumericAtom& atom = spec.numerics[a];
    if (atom.kind != NumericKind::between_count) continue;
    int count = 0;
    for (int w = 0; w <= words_; ++w) {
      count += single_value(sentence, atom.a, w, 0) == atom.b;
      prefix_[a].push_back(count);
    }
  }
}

bool Program::valid_row(const Prepared& prepared, const std::int32_t* row) const {
  for (int s = 0; s < spec_.slots; ++s)
    if (row[s] < -1 || row[s] > prepared.words_) return false;
  for (const NumericAtom& atom : spec_.numerics)
    if (atom.kind == NumericKind::column) {
      const std::int32_t value = row[spec_.slots + atom.a];
      if (value < 0 || value >= atom.b) return false;
    }
  return true;
}

int Program::numeric_value(const Prepared& prepared, int numeric, const std::int32_t* row) const {
  const NumericAtom& atom = spec_.numerics[numeric];
  switch (atom.kind) {
    case NumericKind::distance:
      return row[atom.a] < 0 || row[atom.b] < 0 ? 0 : distance_bin(row[atom.a], row[atom.b]);
    case NumericKind::direction:
      return row[atom.a] < 0 || row[atom.b] < 0 ? 0 : (row[atom.b] > row[atom.a] ? 2 : 1);
    case NumericKind::between_count: {
      const int low = std::min(row[0], row[1]), high = std::max(row[0], row[1]);
      if (low < 0 || high - low < 2) return 0;
      const auto& prefix = prepared.prefix_[numeric];
      return std::min(max_between_count, prefix[high - 1] - prefix[low]);
    }
    case NumericKind::column: return row[spec_.slots + atom.a];
  }
  return 0;
}

// Lists, for each between pattern, the distinct classes of the words between slots 0 and 1.
void Program::find_distinct(const Prepared& prepared, const std::int32_t* row,
                            Scratch& scratch) const {
  const int low = std::min(row[0], row[1]), high = std::max(row[0], row[1]);
  scratch.distinct.resize(patterns_.size());
  for (std::size_t q = 0; q < patterns_.size(); ++q) {
    std::vector<std::int32_t>& distinct = scratch.distinct[q];
    distinct.clear();
    if (low < 0) continue;
    if (scratch.stamps.size() < static_cast<std::size_t>(prepared.class_counts_[q]))
      scratch.stamps.resize(prepared.class_counts_[q], 0);
    ++scratch.stamp;
    const auto& classes = prepared.classes_[q];
    count_work(high - low);
    for (int w = low + 1; w < high; ++w)
      if (scratch.stamps[classes[w]] != scratch.stamp) {
        scratch.stamps[classes[w]] = scratch.stamp;
        distinct.push_back(classes[w]);
      }
  }
}

void Program::emit(const Prepared& prepared, const std::int32_t* row, Scratch& scratch,
                   std::vector<Key>& keys) const {
  const std::size_t plain = plain_.size();
  const std::size_t start = keys.size();
  keys.insert(keys.end(), plain_base_.begin(), plain_base_.end());
  Key* const out = keys.data() + start;
  const auto add = [out, plain](const Key* __restrict from) {
    for (std::size_t p = 0; p < plain; ++p) out[p] += from[p];
  };
  for (int s = 0; s < spec_.slots; ++s)
    if (slot_in_plain_[s]) add(prepared.plain_[s].data() + (row[s] + 1) * plain);
  for (int a : plain_numerics_)
    add(numeric_plain_[a].data() + numeric_value(prepared, a, row) * plain);
  const Key* const tail = plain_tail_.data();
  for (std::size_t p = 0; p < plain; ++p) out[p] = (out[p] & hash_mask) | tail[p];

  if (multi_.empty()) return;
  if (!patterns_.empty()) find_distinct(prepared, row, scratch);  // only then there is a slot 1
  for (std::size_t j = 0; j < multi_.size(); ++j) {
    const int t = number(multi_[j]);
    const Prepared::Multi& multi = prepared.multi_[j];
    Key base = template_seed(t);
    for (std::size_t i = 0; i < multi_numerics_[j].size(); ++i)
      base += numeric_multi_[j][i][numeric_value(prepared, multi_numerics_[j][i], row)];
    std::vector<Key>& cross = scratch.cross;
    cross.assign(1, base);
    for (int s = 0; s < spec_.slots && !cross.empty(); ++s) {
      if (multi.offsets[s].empty()) continue;
      const int from = multi.offsets[s][row[s] + 1], to = multi.offsets[s][row[s] + 2];
      if (to - from == 1) {
        for (Key& hash : cross) hash += multi.hashes[s][from];
        continue;
      }
      scratch.crossed.clear();
      for (int i = from; i < to; ++i)
        for (Key hash : cross) scratch.crossed.push_back(hash + multi.hashes[s][i]);
      cross.swap(scratch.crossed);
    }
    if (multi_pattern_[j] < 0) {
      for (Key hash : cross) keys.push_back(make_key(hash, t));
      continue;
    }
    for (std::int32_t c : scratch.distinct[multi_pattern_[j]])
      for (Key hash : cross) keys.push_back(make_key(hash + multi.between[c], t));
  }
}

}  // namespace turbotree::features
