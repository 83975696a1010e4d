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

}  // namespace

void BranchAndBound::start_network() {
  may_have_network_ = false;
  network_ = to_network(graph_, graph_.tolerance(options_.relative_gap, 0.0));
  if (!network_) {  // then the first relaxation goes on
    Node first{open_.top().bound, created_++, graph_.pins, open_.top().start};
    open_ = {};
    open_.push(std::move(first));
    return;
  }
  network_search_.emplace(
      *network_, admm_.factors(), [this](double value) { return cutoff_of(value); }, control_);
}

bool BranchAndBound::is_turn_of_network() const {
  if (!network_search_ || network_search_->failed()) return false;
  return network_search_->work() <= kEntriesPerLink * result_.rounds * graph_.links();
}

bool BranchAndBound::search_network() {
  NetworkSearch& search = *network_search_;
  if (result_.value > -kInfinity) search.offer(result_.value, result_.values);
  const std::int64_t before = result_.nodes - search.nodes();
  if (control_.trace)
    search.each_node = [&] {
      add_to_trace(before + search.nodes(), search.upper_bound(), search.open_share());
    };
  const bool is_proven = search.run(options_.max_nodes - result_.nodes, kEntriesAtOnce);
  result_.nodes = before + search.nodes();
  if (search.value() > -kInfinity) take(search.value(), search.values());
  result_.upper_bound = std::min(result_.upper_bound, search.upper_bound());
  return is_proven;
}

}  // namespace turbotree::graphs
