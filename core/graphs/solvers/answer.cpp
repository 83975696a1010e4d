#include "graphs/solvers/answer.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace turbotree::graphs {

namespace {

// Max-product has found the best assignment if it is within this share of the bound.
constexpr double kTight = 1e-6;

static_assert(static_cast<int>(Outcome::kOptimal) == static_cast<int>(Answer::Status::kOptimal) &&
              static_cast<int>(Outcome::kRelaxed) == static_cast<int>(Answer::Status::kRelaxed) &&
              static_cast<int>(Outcome::kLimit) == static_cast<int>(Answer::Status::kLimit) &&
              static_cast<int>(Outcome::kInfeasible) ==
                  static_cast<int>(Answer::Status::kInfeasible));

// What the results of all solvers have in common.
template <class Result>
Answer to_answer(Result& result, const Graph& graph, const Control& control) {
  Answer answer;
  answer.impossible_factor = result.impossible_factor;
  answer.value = result.value;
  answer.upper_bound = result.upper_bound;
  answer.seconds = control.seconds();
  if (result.value > -kInfinity && result.values.size() == graph.scores.size())
    answer.values = std::move(result.values);
  if (control.trace) answer.trace = std::move(result.trace);
  return answer;
}

// A point of a relaxation, without what rounding adds.
std::vector<double> clipped(std::vector<double> point) {
  for (double& x : point) x = std::clamp(x, 0.0, 1.0);
  return point;
}

}  // namespace

Answer solve(const Graph& graph, const AdmmOptions& options, const std::optional<AdmmStart>& start,
             Control& control) {
  control.start();
  Admm solver(graph);
  if (start) {
    if (start->link_scores.size() != static_cast<std::size_t>(graph.links()) ||
        start->consensus.size() != graph.scores.size())
      throw std::invalid_argument("the start does not fit the graph");
    solver.warm_start(start->link_scores, start->consensus, start->penalty);
  }
  AdmmResult result;
  if (options.max_iterations > 0) result = solver.run(options, control);
  Answer answer = to_answer(result, graph, control);
  answer.status = static_cast<Answer::Status>(result.outcome);
  answer.iterations = result.iterations;
  answer.relaxed = clipped(solver.consensus());
  answer.link_scores = solver.link_scores();
  answer.consensus = solver.consensus();
  if (options.extras) answer.expectations = clipped(solver.extras());
  answer.penalty = solver.penalty();
  return answer;
}

Answer solve(const Graph& graph, const BranchAndBoundOptions& options, Control& control) {
  control.start();
  BranchAndBoundResult result = BranchAndBound(graph, options, control).run();
  Answer answer = to_answer(result, graph, control);
  answer.status = static_cast<Answer::Status>(result.outcome);
  answer.iterations = result.nodes;
  if (result.relaxed.size() == graph.scores.size()) {
    answer.consensus = result.relaxed;
    answer.relaxed = clipped(std::move(result.relaxed));
    answer.link_scores = std::move(result.link_scores);
    answer.penalty = result.penalty;
  }
  if (options.count > 1) {
    answer.all_values.emplace();
    answer.all_scores.emplace();
    for (const BranchAndBoundResult::Found& found : result.found) {
      answer.all_values->insert(answer.all_values->end(), found.values.begin(), found.values.end());
      answer.all_scores->push_back(found.value);
    }
  }
  return answer;
}

Answer solve(const Graph& graph, const SubgradientOptions& options, Control& control) {
  control.start();
  SubgradientResult result = Subgradient(graph).run(options, control);
  Answer answer = to_answer(result, graph, control);
  if (result.infeasible)
    answer.status = Answer::Status::kInfeasible;
  else if (result.optimal)
    answer.status = Answer::Status::kOptimal;
  answer.iterations = result.iterations;
  answer.relaxed = clipped(std::move(result.relaxed));
  return answer;
}

Answer solve(const Graph& graph, const BeliefPropagationOptions& options, Control& control) {
  control.start();
  BeliefPropagationResult result = BeliefPropagation(graph).run(options, control);
  Answer answer = to_answer(result, graph, control);
  answer.iterations = result.iterations;
  answer.converged = result.converged;
  if (result.impossible_factor >= 0)
    answer.status = Answer::Status::kInfeasible;
  else if (options.sums) {
    answer.probabilities = std::move(result.probabilities);
    answer.log_partition = result.log_partition;
    answer.entropy = result.entropy;
    if (options.expectations) answer.expectations = std::move(result.expectations);
  } else if (result.value >=
             result.upper_bound - kTight * std::max(1.0, std::abs(result.upper_bound))) {
    answer.status = Answer::Status::kOptimal;
    answer.upper_bound = std::max(result.value, result.upper_bound);
  } else if (result.converged) {
    answer.status = Answer::Status::kRelaxed;
  }
  return answer;
}

}  // namespace turbotree::graphs
