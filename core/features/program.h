// Templates compiled to a program that turns parts of a sentence into feature keys.
//
// A part is a row of small integers: word positions (its slots: head, modifier, ...; -1 for
// "none"), then plain values (the label of the sibling, a valency, ...). The key of a template on
// a part is a sum of hashes, one for each slot and one for each numeric atom. The hash of a slot
// depends on one word only, so it is computed once per sentence; a part then costs a few additions
// per template, and those run over contiguous arrays.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "features/keys.h"

namespace turbotree::features {

// Reserved attribute values; an encoder's own values start at first_free_id.
inline constexpr std::int32_t id_none = 0;
inline constexpr std::int32_t id_before = 1;
inline constexpr std::int32_t id_after = 2;
inline constexpr std::int32_t first_free_id = 3;

// Longest distance of each bin but the last: 1 2 3 4 5 6-7 8-10 11-15 16-25 26-40 41+, to each
// side.
inline constexpr std::array<int, 10> distance_bin_ends = {1, 2, 3, 4, 5, 7, 10, 15, 25, 40};

// One attribute of one word: the word at `offset` from the part's slot. Slot number
// ProgramSpec::slots stands for the words strictly between the first two slots.
struct WordAtom {
  std::int32_t template_number, slot, offset, attribute;
};

enum class NumericKind : std::int32_t {
  distance = 0,       // binned signed distance between slots a and b
  direction = 1,      // the side of slot b seen from slot a
  between_count = 2,  // words strictly between slots 0 and 1 with attribute a = value b, at most 3
  column = 3,         // value column a of the part, below b
};

struct NumericAtom {
  NumericKind kind;
  std::int32_t a, b;
};

struct NumericUse {
  std::int32_t template_number, numeric;
};

struct ProgramSpec {
  int first_template = 0;  // programs that share a table of weights number their templates on
  int templates = 0, slots = 0, columns = 0;
  int attributes = 0;  // single-valued attributes; set-valued ones are numbered after them
  int set_attributes = 0;
  std::vector<WordAtom> atoms;
  std::vector<NumericAtom> numerics;
  std::vector<NumericUse> numeric_uses;
};

// One encoded sentence of a batch. Attribute a of word w is ids[a * stride + w], the root being
// word 0; each set-valued attribute has the values of word w at
// values[offsets[w] .. offsets[w + 1]).
struct EncodedSet {
  const std::int32_t *offsets, *values;
};
struct EncodedSentence {
  int words = 0;
  std::size_t stride = 0;
  const std::int32_t* ids = nullptr;
  std::vector<EncodedSet> sets;
};

class Program;

// The hashes of one sentence's words under one program; immutable once made.
class Prepared {
 public:
  Prepared(const Program& program, const EncodedSentence& sentence);

 private:
  friend class Program;
  struct Multi {  // one template with several values: for each slot, lists of hashes by word
    std::vector<std::vector<std::int32_t>> offsets;  // [slot][row]
    std::vector<std::vector<Key>> hashes;            // [slot]
    std::vector<Key> between;                        // hash of each class of its between pattern
  };
  int words_;
  std::vector<std::vector<Key>> plain_;  // [slot][row * plain + template]
  std::vector<Multi> multi_;
  std::vector<std::vector<std::int32_t>> classes_;  // [between pattern][word]
  std::vector<std::int32_t> class_counts_;          // [between pattern]
  std::vector<std::vector<std::int32_t>> prefix_;   // [numeric][word]: running counts
};

class Program {
 public:
  // Scratch space of one caller, so that emitting keys does not allocate.
  struct Scratch {
    std::vector<Key> cross, crossed;
    std::vector<std::vector<std::int32_t>> distinct;
    std::vector<std::int32_t> stamps;
    std::int32_t stamp = 0;
  };

  explicit Program(ProgramSpec spec);

  const ProgramSpec& spec() const { return spec_; }
  int row_width() const { return spec_.slots + spec_.columns; }
  // Whether a row's positions and values are inside the sentence and the columns' limits.
  bool valid_row(const Prepared& prepared, const std::int32_t* row) const;
  // Appends the keys of all templates on one part, label bits zero.
  void emit(const Prepared& prepared, const std::int32_t* row, Scratch& scratch,
            std::vector<Key>& keys) const;

 private:
  friend class Prepared;
  struct SlotAtoms {  // the atoms of one template at one slot
    std::vector<WordAtom> atoms;
    bool set_valued = false;
  };

  // A template's number in the keys.
  int number(int t) const { return spec_.first_template + t; }
  int numeric_value(const Prepared& prepared, int numeric, const std::int32_t* row) const;
  void find_distinct(const Prepared& prepared, const std::int32_t* row, Scratch& scratch) const;

  ProgramSpec spec_;
  std::vector<int> plain_, multi_;                  // template numbers
  std::vector<std::vector<SlotAtoms>> slot_atoms_;  // [template][slot, and last: between]
  // Distinct between patterns: (offset, attribute)*.
  std::vector<std::vector<std::int32_t>> patterns_;
  std::vector<int> multi_pattern_;                            // [multi]: its between pattern or -1
  std::vector<char> slot_in_plain_;                           // [slot]
  std::vector<Key> plain_base_, plain_tail_;                  // [plain]
  std::vector<std::vector<Key>> numeric_plain_;               // [numeric][value * plain + template]
  std::vector<std::vector<std::vector<Key>>> numeric_multi_;  // [multi][use][value]
  std::vector<std::vector<int>> multi_numerics_;              // [multi]
  std::vector<int> plain_numerics_;                           // numerics that a plain template uses
};

}  // namespace turbotree::features
