// The projection on the polytope of spanning trees, by cuts.
//
// A tree chooses one head a word, so the nearest point of every word's simplex of heads is a first
// answer. It is the right one unless a set of words gets less than one unit of head from outside
// itself. Such a cut, once found, joins the problem with a multiplier that lowers the scores of
// the arcs inside the set; few are needed, and they are kept from call to call.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factor.h"

namespace turbotree::graphs {

class TreeProjection {
 public:
  struct Cut {
    std::vector<std::int32_t> words;
    std::vector<std::int32_t> arcs;  // inside the set, by place
    double multiplier = 0.0;
    int calls_without_use = 0;
    bool always_tight = false;  // an equation: the multiplier may have any sign

    double least_multiplier() const { return always_tight ? -kInfinity : 0.0; }
  };

  // Arcs are kept sorted by modifier; a "place" is an arc's index in that order.
  struct Memory {
    std::vector<std::int32_t> arc_at, head, start;  // places of word m: start[m] .. start[m + 1]
    std::vector<std::int32_t> by_head, head_start;  // places sorted by head
    std::vector<std::int32_t> modifier;
    std::vector<double> thresholds;  // of the words' simplexes
    std::vector<Cut> cuts;
    double scale = 1.0;  // of the last call
  };

  // Stop before the point is exact; the next call goes on from the cuts of this one.
  bool hurry = false;

  // False if the method does not settle: then the point is not to be used.
  bool project(const Factor& factor, const double* target, double scale, double* point,
               double* own, Memory& memory);

 private:
  void prepare(const Factor& factor, Memory& memory) const;
  static Cut single_root_cut(std::size_t words, const Memory& memory);
  void project_word(std::size_t word, Memory& memory);
  // The words of all cuts, with the multipliers as they are.
  void project_cut_words(Memory& memory);
  void measure(const Memory& memory);
  double dual_value(const Memory& memory) const;
  bool satisfy_cuts(Memory& memory);
  bool newton_step(Memory& memory);
  void maximise_multiplier(Cut& cut, Memory& memory);
  double inside(const Cut& cut) const;
  bool add_violated_cuts(Memory& memory);
  void reach(std::size_t word, const Memory& memory);
  bool surely_reached(std::size_t word, const Memory& memory) const;
  // The words that cannot get a unit to `word`; empty if it can get one.
  std::vector<std::int32_t> starved_set(std::size_t word, const Memory& memory);

  std::size_t words_ = 0;
  double violation_ = 0.0;
  std::vector<double> target_, shifted_, point_;  // by place
  std::vector<double> gaps_;                      // by cut: inside(cut) - (size - 1)
  std::vector<double> inflow_;                    // by word: from the words reached so far
  std::vector<std::uint8_t> reached_, in_cut_;
  std::vector<std::int32_t> queue_, cut_words_;
  std::vector<std::size_t> binding_;
  std::vector<std::uint64_t> cuts_at_;  // by place: which of the binding cuts it lies in
  std::vector<double> jacobian_, step_, old_multipliers_;
  std::vector<double> capacity_;  // residual graph of a flow
  std::vector<std::int32_t> local_, from_;
};

}  // namespace turbotree::graphs
