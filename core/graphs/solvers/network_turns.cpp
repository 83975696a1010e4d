// Of branch and bound: the turns of the search of a cost function network.
#include <algorithm>
#include <utility>

#include "graphs/solvers/branch_and_bound.h"
#include "graphs/solvers/cost_network/translation.h"

namespace turbotree::graphs {

namespace {

// The network may read so many entries of tables for each link that a round of ADMM looks at, which
// takes about four times as long; and so many at once.
constexpr std::int64_t kEntriesPerLink = 32, kEntriesAtOnce = 4'000'000;

// Subproblems of the network that take about as long as a relaxation: they count as one node.
constexpr std::int64_t kSubproblemsPerNode = 64;
constexpr std::int64_t kMostNodes = std::int64_t{1} << 50;  // no one waits for more

std::int64_t nodes_of(const NetworkSearch& search) {
  return (search.nodes() + kSubproblemsPerNode - 1) / kSubproblemsPerNode;
}

}  // namespace

void BranchAndBound::start_network() {
  may_have_network_ = false;
  // The optimum is between value and bound, and the proof is as fine as its size asks for.
  const double least_size = std::max({0.0, result_.value, -open_.top().bound});
  network_ = to_network(graph_, graph_.tolerance(options_.relative_gap, least_size));
  if (!network_) {  // then the first relaxation goes on
    Node first{open_.top().bound, created_++, graph_.pins, open_.top().start};
    open_ = {};
    open_.push(std::move(first));
    return;
  }
  network_search_.emplace(
      *network_, admm_.factors(), [this](double value) { return cutoff_of(value); }, control_);
  network_search_->start_from(admm_.link_scores());
}

bool BranchAndBound::is_turn_of_network() const {
  if (!network_search_ || network_search_->failed()) return false;
  return network_search_->work() <= kEntriesPerLink * result_.rounds * graph_.links();
}

bool BranchAndBound::search_network() {
  NetworkSearch& search = *network_search_;
  if (result_.value > -kInfinity) search.offer(result_.value, result_.values);
  const std::int64_t before = result_.nodes - nodes_of(search);
  const auto note = [&] {
    result_.nodes = before + nodes_of(search);
    if (control_.trace) add_to_trace(search.upper_bound(), search.open_share());
  };
  if (control_.trace) search.each_node = note;
  const std::int64_t left = std::min(options_.max_nodes - before, kMostNodes);
  const bool is_proven = search.run(kSubproblemsPerNode * left - search.nodes(), kEntriesAtOnce);
  search.each_node = nullptr;
  if (search.value() > -kInfinity) take(search.value(), search.values());
  note();
  result_.upper_bound = std::min(result_.upper_bound, search.upper_bound());
  return is_proven;
}

}  // namespace turbotree::graphs
