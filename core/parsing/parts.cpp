#include "parsing/parts.h"

#include <algorithm>

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
    for (std::size_t w = 0; w < words; ++w) into_[w].clear(), out_[0][w].clear(), out_[1][w].clear();
    arcs_ = batch.arcs + 2 * batch.offsets[sentence];
    const std::int32_t count = batch.offsets[sentence + 1] - batch.offsets[sentence];
    for (std::int32_t a = 0; a < count; ++a) {
      into_[modifier(a)].push_back(a);
      out_[modifier(a) > head(a)][head(a)].push_back(a);
    }
    const auto by_modifier = [&](std::int32_t a, std::int32_t b) { return modifier(a) < modifier(b); };
    for (std::size_t w = 0; w < words; ++w) {
      std::sort(out_[0][w].rbegin(), out_[0][w].rend(), by_modifier);
      std::sort(out_[1][w].begin(), out_[1][w].end(), by_modifier);
    }
  }

  std::int32_t head(std::int32_t arc) const { return arcs_[2 * arc]; }
  std::int32_t modifier(std::int32_t arc) const { return arcs_[2 * arc + 1]; }
  const std::vector<std::int32_t>& into(std::int32_t word) const { return into_[word]; }
  // Outward from the head.
  const std::vector<std::int32_t>& out(std::int32_t word, int side) const { return out_[side][word]; }

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

void append(PartList& list, std::initializer_list<std::int32_t> row,
            std::initializer_list<std::int32_t> arcs) {
  list.rows.insert(list.rows.end(), row);
  list.arcs.insert(list.arcs.end(), arcs);
}

}  // namespace

SiblingList consecutive_siblings(const ArcBatch& batch) {
  SiblingList list;
  for_sentences(batch, list, [&](const ArcIndex& index, std::int32_t words) {
    std::int32_t square = 0;
    const auto first_link = static_cast<std::int32_t>(list.links.size());
    for (std::int32_t h = 0; h <= words; ++h)
      for (int side = 0; side < 2; ++side) {
        const std::vector<std::int32_t>& out = index.out(h, side);
        const auto count = static_cast<std::int32_t>(out.size());
        if (count == 0) continue;
        const std::int32_t link = static_cast<std::int32_t>(list.links.size()) - first_link;
        for (std::int32_t i = 0; i <= count; ++i)
          for (std::int32_t j = i; j <= count; ++j) {
            const std::int32_t inner = i > 0 ? out[i - 1] : -1, outer = j < count ? out[j] : -1;
            append(list,
                   {h, inner < 0 ? -1 : index.modifier(inner),
                    outer < 0 ? -1 : index.modifier(outer), side},
                   {inner, outer});
            list.cells.push_back(square + i * (count + 1) + j);
            list.spans.insert(list.spans.end(), {link + i, link + j});
          }
        square += (count + 1) * (count + 1);
        list.links.insert(list.links.end(), out.begin(), out.end());
        list.link_offsets.push_back(static_cast<std::int32_t>(list.links.size()));
        list.above.insert(list.above.end(), index.into(h).begin(), index.into(h).end());
        list.above_offsets.push_back(static_cast<std::int32_t>(list.above.size()));
      }
    list.automaton_offsets.push_back(static_cast<std::int32_t>(list.link_offsets.size()) - 1);
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

GrandparentList grandparents(const ArcBatch& batch) {
  GrandparentList list;
  for_sentences(batch, list, [&](const ArcIndex& index, std::int32_t words) {
    std::int32_t box = 0;
    for (std::int32_t h = 1; h <= words; ++h)
      for (int side = 0; side < 2; ++side) {
        const std::vector<std::int32_t>&above = index.into(h), &below = index.out(h, side);
        const auto columns = static_cast<std::int32_t>(below.size());
        for (std::size_t g = 0; g < above.size(); ++g)
          for (std::int32_t k = 0; k < columns; ++k) {
            // A word that heads its own head is in no tree.
            if (index.head(above[g]) == index.modifier(below[k])) continue;
            append(list, {index.head(above[g]), h, index.modifier(below[k])}, {above[g], below[k]});
            list.cells.push_back(box + static_cast<std::int32_t>(g) * columns + k);
          }
        box += static_cast<std::int32_t>(above.size()) * columns;
      }
  });
  return list;
}

ThirdOrderList grand_siblings(const ArcBatch& batch) {
  ThirdOrderList list;
  for_sentences(batch, list, [&](const ArcIndex& index, std::int32_t words) {
    std::int32_t box = 0, link = 0;
    for (std::int32_t h = 0; h <= words; ++h)
      for (int side = 0; side < 2; ++side) {
        const std::vector<std::int32_t>&above = index.into(h), &out = index.out(h, side);
        const auto count = static_cast<std::int32_t>(out.size());
        const std::int32_t width = count + 1;
        if (count == 0) continue;
        for (std::size_t g = 0; g < above.size(); ++g) {
          const std::int32_t grandparent = index.head(above[g]);
          for (std::int32_t i = 0; i <= count; ++i)
            for (std::int32_t j = i; j <= count; ++j) {
              const std::int32_t inner = i > 0 ? out[i - 1] : -1, outer = j < count ? out[j] : -1;
              const std::int32_t m = inner < 0 ? -1 : index.modifier(inner);
              const std::int32_t s = outer < 0 ? -1 : index.modifier(outer);
              if ((m < 0 && s < 0) || m == grandparent || s == grandparent) continue;
              append(list, {grandparent, h, m, s, side}, {above[g], inner, outer});
              list.cells.push_back(box + (static_cast<std::int32_t>(g) * width + i) * width + j);
              list.spans.insert(list.spans.end(), {link + i, link + j});
            }
        }
        box += static_cast<std::int32_t>(above.size()) * width * width;
        link += count;
      }
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
        if (count > 1) {
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
