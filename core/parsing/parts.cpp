#include "parsing/parts.h"

#include <algorithm>

#include "common/interrupt.h"

namespace turbotree::parsing {
namespace {

// The arcs of one sentence by their ends.
class ArcIndex {
 public:
  void fill(const ArcBatch& batch, std::size_t sentence) {
    const auto words = static_cast<std::size_t>(batch.lengths[sentence]) + 1;
    into_.resize(std::max(into_.size(), words));
    out_[0].resize(into_.size());
    out_[1].resize(into_.size());
    for (std::size_t w = 0; w < words; ++w)
      into_[w].clear(), out_[0][w].clear(), out_[1][w].clear();
    arcs_ = batch.arcs + 2 * batch.offsets[sentence];
    const std::int32_t count = batch.offsets[sentence + 1] - batch.offsets[sentence];
    for (std::int32_t a = 0; a < count; ++a) {
      into_[modifier(a)].push_back(a);
      out_[modifier(a) > head(a)][head(a)].push_back(a);
    }
    const auto by_modifier = [&](std::int32_t a, std::int32_t b) {
      return modifier(a) < modifier(b);
    };
    for (std::size_t w = 0; w < words; ++w) {
      std::sort(out_[0][w].rbegin(), out_[0][w].rend(), by_modifier);
      std::sort(out_[1][w].begin(), out_[1][w].end(), by_modifier);
    }
  }

  std::int32_t head(std::int32_t arc) const { return arcs_[2 * arc]; }
  std::int32_t modifier(std::int32_t arc) const { return arcs_[2 * arc + 1]; }
  const std::vector<std::int32_t>& into(std::int32_t word) const { return into_[word]; }
  // Outward from the head.
  const std::vector<std::int32_t>& out(std::int32_t word, int side) const {
    return out_[side][word];
  }

 private:
  const std::int32_t* arcs_ = nullptr;
  std::vector<std::vector<std::int32_t>> into_, out_[2];
};

// Calls visit(arcs, words) for every sentence; it appends to the list.
template <class List, class Visit>
void for_sentences(const ArcBatch& batch, List& list, Visit visit) {
  ArcIndex index;
  for (std::size_t s = 0; s < batch.lengths.size(); ++s) {
    index.fill(batch, s);
    visit(index, batch.lengths[s]);
    list.offsets.push_back(static_cast<std::int32_t>(list.arcs.size()) / List::kArcs);
  }
}

// Calls visit(head, side, first score) for every automaton of a sentence.
template <class Visit>
void for_automata(const ArcIndex& index, std::int32_t words, AutomataKind kind, Visit visit) {
  std::int32_t scores = 0;
  for (std::int32_t h = 0; h <= words; ++h)
    for (int side = 0; side < 2; ++side) {
      const auto links = static_cast<std::int32_t>(index.out(h, side).size());
      if (links == 0) continue;
      visit(h, side, scores);
      scores += kind.size(links, static_cast<std::int32_t>(index.into(h).size()));
    }
}

void append(PartList& list, std::initializer_list<std::int32_t> row,
            std::initializer_list<std::int32_t> arcs) {
  count_work(8);
  list.rows.insert(list.rows.end(), row);
  list.arcs.insert(list.arcs.end(), arcs);
}

}  // namespace

SiblingList consecutive_siblings(const ArcBatch& batch, AutomataKind kind) {
  SiblingList list;
  for_sentences(batch, list, [&](const ArcIndex& index, std::int32_t words) {
    const auto first_link = static_cast<std::int32_t>(list.links.size());
    for_automata(index, words, kind, [&](std::int32_t h, int side, std::int32_t scores) {
      const std::vector<std::int32_t>& out = index.out(h, side);
      const auto count = static_cast<std::int32_t>(out.size());
      const std::int32_t link = static_cast<std::int32_t>(list.links.size()) - first_link;
      for (std::int32_t i = 0; i <= count; ++i)
        for (std::int32_t j = i; j <= count; ++j) {
          const std::int32_t inner = i > 0 ? out[i - 1] : -1, outer = j < count ? out[j] : -1;
          append(list,
                 {h, inner < 0 ? -1 : index.modifier(inner), outer < 0 ? -1 : index.modifier(outer),
                  side},
                 {inner, outer});
          list.cells.push_back(scores + i * (count + 1) + j);
          list.spans.insert(list.spans.end(), {link + i, link + j});
        }
      list.links.insert(list.links.end(), out.begin(), out.end());
      list.link_offsets.push_back(static_cast<std::int32_t>(list.links.size()));
      const auto above = kind.grandparents ? static_cast<std::int32_t>(index.into(h).size()) : 0;
      list.variables.insert(list.variables.end(), index.into(h).begin(),
                            index.into(h).begin() + above);
      list.variables.insert(list.variables.end(), out.begin(), out.end());
      list.above.push_back(above);
      list.variable_offsets.push_back(list.variable_offsets.back() + above + count);
      list.score_offsets.push_back(list.score_offsets.back() + kind.size(count, above));
    });
    list.automaton_offsets.push_back(static_cast<std::int32_t>(list.above.size()));
  });
  return list;
}

PartList all_siblings(const ArcBatch& batch) {
  PartList list;
  std::vector<std::int32_t> arcs;
  for_sentences(batch, list, [&](const ArcIndex& index, std::int32_t words) {
    for (std::int32_t h = 0; h <= words; ++h) {
      arcs.assign(index.out(h, 0).rbegin(), index.out(h, 0).rend());
      arcs.insert(arcs.end(), index.out(h, 1).begin(), index.out(h, 1).end());
      for (std::size_t i = 0; i < arcs.size(); ++i)
        for (std::size_t j = i + 1; j < arcs.size(); ++j)
          append(list, {h, index.modifier(arcs[i]), index.modifier(arcs[j])}, {arcs[i], arcs[j]});
    }
  });
  return list;
}

GrandparentList grandparents(const ArcBatch& batch, AutomataKind kind) {
  GrandparentList list;
  for_sentences(batch, list, [&](const ArcIndex& index, std::int32_t words) {
    for_automata(index, words, kind, [&](std::int32_t h, int side, std::int32_t scores) {
      const std::vector<std::int32_t>&above = index.into(h), &below = index.out(h, side);
      const auto columns = static_cast<std::int32_t>(below.size());
      scores += kind.box_at(columns);
      for (const std::int32_t arc : above) {
        for (std::int32_t k = 0; k < columns; ++k) {
          // A word that heads its own head is in no tree.
          if (index.head(arc) == index.modifier(below[k])) continue;
          append(list, {index.head(arc), h, index.modifier(below[k])}, {arc, below[k]});
          list.cells.push_back(scores + k);
        }
        scores += columns;
      }
    });
  });
  return list;
}

ThirdOrderList grand_siblings(const ArcBatch& batch, AutomataKind kind) {
  ThirdOrderList list;
  for_sentences(batch, list, [&](const ArcIndex& index, std::int32_t words) {
    std::int32_t link = 0;
    for_automata(index, words, kind, [&](std::int32_t h, int side, std::int32_t scores) {
      const std::vector<std::int32_t>&above = index.into(h), &out = index.out(h, side);
      const auto count = static_cast<std::int32_t>(out.size());
      scores += kind.thirds_at(count, static_cast<std::int32_t>(above.size()));
      for (const std::int32_t arc : above) {
        const std::int32_t grandparent = index.head(arc);
        for (std::int32_t i = 0; i <= count; ++i)
          for (std::int32_t j = i; j <= count; ++j) {
            const std::int32_t inner = i > 0 ? out[i - 1] : -1, outer = j < count ? out[j] : -1;
            const std::int32_t m = inner < 0 ? -1 : index.modifier(inner);
            const std::int32_t s = outer < 0 ? -1 : index.modifier(outer);
            if ((m < 0 && s < 0) || m == grandparent || s == grandparent) continue;
            append(list, {grandparent, h, m, s, side}, {arc, inner, outer});
            list.cells.push_back(scores + i * (count + 1) + j);
            list.spans.insert(list.spans.end(), {link + i, link + j});
          }
        scores += kind.square(count);
      }
      link += count;
    });
  });
  return list;
}

ThirdOrderList tri_siblings(const ArcBatch& batch) {
  ThirdOrderList list;
  for_sentences(batch, list, [&](const ArcIndex& index, std::int32_t words) {
    std::int32_t cube = 0, link = 0;
    for (std::int32_t h = 0; h <= words; ++h)
      for (int side = 0; side < 2; ++side) {
        const std::vector<std::int32_t>& out = index.out(h, side);
        const auto count = static_cast<std::int32_t>(out.size());
        if (count > 1 && count <= kMostLinksOfCubes) {
          for (std::int32_t i = 0; i < count; ++i)
            for (std::int32_t j = i; j < count; ++j)
              for (std::int32_t k = j; k < count; ++k) {
                const bool first = i == 0, last = k + 1 == count;
                if (first && last) continue;
                const std::int32_t inner = first ? -1 : out[i - 1], outer = last ? -1 : out[k + 1];
                append(list,
                       {h, first ? -1 : index.modifier(inner), index.modifier(out[j]),
                        last ? -1 : index.modifier(outer), side},
                       {inner, out[j], outer});
                list.cells.push_back(cube + (i * count + j) * count + k);
                list.spans.insert(list.spans.end(), {link + i, link + k + 1});
              }
          cube += count * count * count;
        }
        link += count;
      }
  });
  return list;
}

PartList head_bigrams(const ArcBatch& batch) {
  PartList list;
  for_sentences(batch, list, [&](const ArcIndex& index, std::int32_t words) {
    for (std::int32_t m = 2; m <= words; ++m)
      for (const std::int32_t left : index.into(m - 1))
        for (const std::int32_t own : index.into(m))
          append(list, {index.head(left), index.head(own), m}, {left, own});
  });
  return list;
}

}  // namespace turbotree::parsing
