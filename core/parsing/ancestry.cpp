#include "parsing/ancestry.h"

#include <algorithm>
#include <limits>

#include "common/interrupt.h"

namespace turbotree::parsing {
namespace {

constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kAlways = kNever + 1;
constexpr std::int32_t kUnknown = kNever + 2;

// Writes the logic of one sentence after another.
class Writer {
 public:
  explicit Writer(Ancestry& found) : found_(found) {}

  void start(const ArcBatch& batch, std::size_t sentence) {
    words_ = batch.lengths[sentence];
    arcs_ = batch.arcs + 2 * batch.offsets[sentence];
    count_ = batch.offsets[sentence + 1] - batch.offsets[sentence];
    next_ = count_;
    const auto size = static_cast<std::size_t>(words_) + 1;
    into_.resize(std::max(into_.size(), size));
    out_.resize(into_.size());
    for (std::size_t w = 0; w < size; ++w) into_[w].clear(), out_[w].clear();
    for (std::int32_t a = 0; a < count_; ++a) {
      into_[modifier(a)].push_back(a);
      out_[head(a)].push_back(a);
    }
    reached_.assign(size * size, 0);
    avoiding_.assign(size * size, 0);
    for (std::int32_t w = 1; w <= words_; ++w)
      search(0, &avoiding_[w * size], [w](std::int32_t m) { return m == w; });
    for (std::int32_t w = 1; w <= words_; ++w)
      search(w, &reached_[w * size],
             [this, w](std::int32_t m) { return m == w || dominates(m, w); });
    paths_.assign(size * size, kUnknown);
  }

  void finish() {
    found_.variables.push_back(next_ - count_);
    found_.and_offsets.push_back(static_cast<std::int32_t>(found_.ands.size() / 3));
    for (Ancestry::Groups* groups : {&found_.sums, &found_.ors})
      groups->offsets.push_back(static_cast<std::int32_t>(groups->outputs.size()));
    for (LiteralList* list : {&found_.paths, &found_.nonprojective})
      list->offsets.push_back(static_cast<std::int32_t>(list->literals.size()));
  }

  void write_paths() {
    for (std::int32_t a = 1; a <= words_; ++a)
      for (std::int32_t d = 1; d <= words_; ++d)
        if (a != d) append(found_.paths, a, d, path(a, d));
  }

  void write_nonprojective() {
    for (std::int32_t arc = 0; arc < count_; ++arc) {
      const std::int32_t h = head(arc), m = modifier(arc);
      if (h == 0) continue;  // everything descends from the root
      count_work(4 * static_cast<std::uint64_t>(words_));
      inputs_.clear();
      bool always = false;
      for (std::int32_t k = std::min(h, m) + 1; k < std::max(h, m); ++k) {
        const std::int32_t inside = path(h, k);
        if (inside == kNever) always = true;
        // What the arc itself brings below its head is below it whenever the arc is there.
        if (inside != kNever && inside != kAlways && inside != arc) inputs_.push_back(~inside);
      }
      if (always) {
        append(found_.nonprojective, h, m, arc);
        continue;
      }
      if (inputs_.empty()) continue;
      // The same literal may stand for several words.
      std::sort(inputs_.begin(), inputs_.end());
      inputs_.erase(std::unique(inputs_.begin(), inputs_.end()), inputs_.end());
      std::int32_t outside = inputs_[0];
      if (inputs_.size() > 1) {
        outside = next_++;
        append(found_.ors, outside, inputs_);
      }
      append(found_.nonprojective, h, m, both(arc, outside));
    }
  }

 private:
  std::int32_t head(std::int32_t arc) const { return arcs_[2 * arc]; }
  std::int32_t modifier(std::int32_t arc) const { return arcs_[2 * arc + 1]; }
  // Whether d may descend from a: arcs lead there past all words that are above a in any case.
  bool may_descend(std::int32_t a, std::int32_t d) const {
    return reached_[a * (words_ + 1) + d] != 0;
  }
  // Whether every way from the root to d passes a.
  bool dominates(std::int32_t a, std::int32_t d) const {
    return avoiding_[a * (words_ + 1) + d] == 0;
  }

  // Marks the words that arcs lead to from a word, past those that are closed.
  template <class Closed>
  void search(std::int32_t from, std::uint8_t* marks, Closed closed) {
    edge_.assign(1, from);
    while (!edge_.empty()) {
      const std::int32_t w = edge_.back();
      edge_.pop_back();
      count_work(4 * out_[w].size() + 4);
      for (const std::int32_t arc : out_[w]) {
        const std::int32_t m = modifier(arc);
        if (marks[m] != 0 || closed(m)) continue;
        marks[m] = 1;
        edge_.push_back(m);
      }
    }
  }

  static void append(LiteralList& list, std::int32_t a, std::int32_t b, std::int32_t literal) {
    if (literal == kNever || literal == kAlways) return;
    list.rows.insert(list.rows.end(), {a, b});
    list.literals.push_back(literal);
  }

  static void append(Ancestry::Groups& groups, std::int32_t output,
                     const std::vector<std::int32_t>& inputs) {
    groups.outputs.push_back(output);
    groups.inputs.insert(groups.inputs.end(), inputs.begin(), inputs.end());
    groups.input_offsets.push_back(static_cast<std::int32_t>(groups.inputs.size()));
  }

  std::int32_t both(std::int32_t one, std::int32_t other) {
    const std::int32_t variable = next_++;
    found_.ands.insert(found_.ands.end(), {variable, one, other});
    return variable;
  }

  // The literal of a pair, made with all that it needs when first asked for.
  std::int32_t path(std::int32_t a, std::int32_t d) {
    std::int32_t& known = paths_[a * (words_ + 1) + d];
    if (known != kUnknown) return known;
    if (!may_descend(a, d)) return known = kNever;
    if (dominates(a, d)) return known = kAlways;
    count_work(20 * into_[d].size());
    std::int32_t ways = 0, only = 0;
    for (const std::int32_t arc : into_[d])
      if (head(arc) == a || may_descend(a, head(arc))) ++ways, only = arc;
    if (ways == 1 && (head(only) == a || dominates(a, head(only)))) return known = only;
    if (into_[d].size() == 1) return known = path(a, head(only));  // the head is certain
    // Numbered before what it stands for, which may lead back here.
    const std::int32_t variable = known = next_++;
    if (ways == 1) {
      const std::int32_t above = path(a, head(only));
      found_.ands.insert(found_.ands.end(), {variable, only, above});
      return variable;
    }
    std::vector<std::int32_t> inputs;
    for (const std::int32_t arc : into_[d]) {
      const std::int32_t h = head(arc);
      if (h == a)
        inputs.push_back(arc);
      else if (may_descend(a, h))
        inputs.push_back(dominates(a, h) ? arc : both(arc, path(a, h)));
    }
    append(found_.sums, variable, inputs);
    return variable;
  }

  Ancestry& found_;
  std::int32_t words_ = 0, count_ = 0, next_ = 0;
  const std::int32_t* arcs_ = nullptr;
  std::vector<std::vector<std::int32_t>> into_, out_;
  std::vector<std::uint8_t> reached_, avoiding_;
  std::vector<std::int32_t> paths_, edge_, inputs_;
};

}  // namespace

Ancestry ancestry(const ArcBatch& batch, bool paths, bool nonprojective) {
  Ancestry found;
  Writer writer(found);
  for (std::size_t s = 0; s < batch.lengths.size(); ++s) {
    writer.start(batch, s);
    if (paths) writer.write_paths();
    if (nonprojective) writer.write_nonprojective();
    writer.finish();
  }
  return found;
}

}  // namespace turbotree::parsing
