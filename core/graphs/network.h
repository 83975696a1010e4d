// The links of all blocks in one row, as the solvers walk over them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graphs/block.h"
#include "graphs/graph.h"

namespace turbotree::graphs {

struct Network {
  explicit Network(const Graph& graph);

  std::size_t links() const { return variable.size(); }
  // What a link sees of a variable's value (or probability): 1 - value if it is negated.
  double seen(std::size_t link, double value) const { return offset[link] + sign[link] * value; }
  std::uint8_t seen(std::size_t link, std::uint8_t value) const {
    return value ^ static_cast<std::uint8_t>(offset[link]);
  }

  // The score of an assignment; -infinity if a factor forbids it.
  double evaluate(const std::vector<std::uint8_t>& values);

  const Graph& graph;
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<std::int64_t> first_link, first_factor;  // of a block
  std::vector<std::int32_t> variable;                  // of a link
  std::vector<double> sign, offset;                    // of a link: +1 and 0, or -1 and 1
  bool any_negated = false;
  std::vector<double> degree;  // of a variable

 private:
  std::vector<std::uint8_t> chosen_;
  std::vector<double> values_;
};

}  // namespace turbotree::graphs
