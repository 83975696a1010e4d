#include "graphs/solvers/answer.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "graphs/presolve/presolve.h"

namespace turbotree::graphs {

namespace {

// Max-product has found the best assignment if it is within this share of the bound.
constexpr double kTight = 1e-6;

static_assert(static_cast<int>(Outcome::kOptimal) == static_cast<int>(Answer::Status::kOptimal) &&
              static_cast<int>(Outcome::kRelaxed) == static_cast<int>(Answer::Status::kRelaxed) &&
              static_cast<int>(Outcome::kLimit) == static_cast<int>(Answer::Status::kLimit) &&
              static_cast<int>(Outcome::kInfeasible) ==
                  static_cast<int>(Answer::Status::kInfeasible));

// Solvers to the letter see every variable's score as it is, in another unit.
Constants constants_for(bool literal) { return literal ? Constants::kKeep : Constants::kSubtract; }

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

// Whether an answer for tamed scores is one for the scores as they were.
bool is_trusted(const Answer& answer, const Presolved& own) {
  if (own.taming.ordered || answer.status == Answer::Status::kInfeasible) return true;
  if (answer.values && !own.trusts(answer.value)) return false;
  return !answer.all_scores || std::all_of(answer.all_scores->begin(), answer.all_scores->end(),
                                           [&](double score) { return own.trusts(score); });
}

// Turns an answer for the presolved graph into one for the graph as it was.
void restore(Answer& answer, const Presolved& own, const Graph& graph) {
  const double value = answer.value, bound = answer.upper_bound;
  answer.value = own.restored(value);
  answer.tolerance *= own.unit;
  answer.penalty *= own.unit;
  if (answer.all_scores)
    for (double& score : *answer.all_scores) score = own.restored(score);
  if (answer.link_scores)
    for (double& score : *answer.link_scores) score *= own.unit;
  if (answer.trace) {
    for (double& x : answer.trace->value) x = own.restored(x);
    for (double& x : answer.trace->upper_bound) x = own.restored(x);
  }
  if (!own.taming.changed) {
    answer.upper_bound = own.restored(bound);
    return;
  }
  Factors factors(graph);
  if (answer.values) answer.value = factors.value(*answer.values);
  if (answer.all_scores) {
    const std::size_t size = graph.scores.size();
    for (std::size_t i = 0; i < answer.all_scores->size(); ++i) {
      const auto first = answer.all_values->begin() + static_cast<std::ptrdiff_t>(i * size);
      (*answer.all_scores)[i] = factors.value({first, first + static_cast<std::ptrdiff_t>(size)});
    }
  }
  // No assignment with other numbers of a level is within a small gap; otherwise some may be.
  if (answer.values && !answer.all_scores && bound - value < own.taming.margin &&
      answer.value >= own.floor)
    answer.upper_bound = answer.value + own.unit * std::max(0.0, bound - value);
  else
    answer.upper_bound = own.restored(bound + own.taming.most_lost);
  if (answer.values && !answer.all_scores)
    answer.upper_bound = std::max(answer.upper_bound, answer.value);
}

// Goes back to an earlier assignment of the graph as it was, if that is better.
void keep_better(Answer& answer, std::vector<std::uint8_t>&& values, double value) {
  if (answer.all_scores || answer.status == Answer::Status::kInfeasible || !(value > answer.value))
    return;
  answer.values = std::move(values);
  answer.value = value;
  answer.upper_bound = std::max(answer.upper_bound, value);
  answer.status = answer.upper_bound <= value + answer.tolerance ? Answer::Status::kOptimal
                  : answer.status == Answer::Status::kOptimal    ? Answer::Status::kLimit
                                                                 : answer.status;
}

// The value of the best assignment that was found, or of the last one if several were asked for.
double found_value(const Answer& answer, const Graph& graph, std::size_t wanted) {
  if (!answer.values) return -kInfinity;
  Factors factors(graph);
  if (!answer.all_values) return factors.value(*answer.values);
  const std::size_t size = graph.scores.size(), count = answer.all_scores->size();
  if (count < wanted) return -kInfinity;
  double least = kInfinity;
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = answer.all_values->begin() + static_cast<std::ptrdiff_t>(i * size);
    least = std::min(least, factors.value({first, first + static_cast<std::ptrdiff_t>(size)}));
  }
  return least;
}

// `run` solves a presolved graph. Where masks of different sizes became equal and cannot be
// avoided, it has to once more; what it found tells which masks are hopeless still.
template <class Run>
Answer solve_presolved(const Graph& graph, double relative_gap, Control& control, Run run,
                       std::int64_t count = 1, Constants constants = Constants::kSubtract) {
  control.start();
  Presolved own = presolve(graph, Tame::kFlatten, -kInfinity, constants);
  Answer answer = run(own);
  std::optional<std::vector<std::uint8_t>> first;
  double floor = -kInfinity;
  if (!is_trusted(answer, own)) {
    floor = found_value(answer, graph, static_cast<std::size_t>(count));
    first = std::move(answer.values);
    own = presolve(graph, Tame::kLevel, floor, constants);
    answer = run(own);
  }
  answer.tolerance = own.graph.tolerance(relative_gap, answer.upper_bound);
  restore(answer, own, graph);
  if (first) keep_better(answer, std::move(*first), floor);
  answer.seconds = control.seconds();
  return answer;
}

Answer run_admm(const Presolved& own, AdmmOptions options, const std::optional<AdmmStart>& start,
                Control& control) {
  const Graph& graph = own.graph;
  Admm solver(graph);
  if (start) {
    if (start->link_scores.size() != static_cast<std::size_t>(graph.links()) ||
        start->consensus.size() != graph.scores.size())
      throw std::invalid_argument("the start does not fit the graph");
    std::vector<double> link_scores = start->link_scores;
    for (double& score : link_scores) score /= own.unit;
    solver.warm_start(link_scores, start->consensus, start->penalty / own.unit);
  }
  options.penalty /= own.unit;
  AdmmResult result;
  if (options.max_iterations > 0) result = solver.run(options, control);
  Answer answer = to_answer(result, graph, control);
  answer.status = static_cast<Answer::Status>(result.outcome);
  answer.iterations = result.iterations;
  answer.relaxed = clipped(solver.consensus());
  answer.link_scores = solver.link_scores();
  answer.consensus = solver.consensus();
  if (options.expectations) answer.expectations = clipped(solver.expectations());
  answer.penalty = solver.penalty();
  return answer;
}

Answer run_search(const Presolved& own, BranchAndBoundOptions options, Control& control) {
  const Graph& graph = own.graph;
  options.floor = options.floor / own.unit - own.constant - own.taming.most_lost;
  // Tamed scores are not told: the values would not be true.
  const Control::Report told = std::move(control.report);
  control.report = nullptr;
  if (told && !own.taming.changed)
    control.report = [&](double value, double bound, const std::vector<std::uint8_t>& values) {
      told(own.restored(value), own.restored(bound), values);
    };
  BranchAndBoundResult result = BranchAndBound(graph, options, control).run();
  control.report = told;
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

Answer run_subgradient(const Presolved& own, SubgradientOptions options, Control& control) {
  options.step /= own.unit;
  SubgradientResult result = Subgradient(own.graph).run(options, control);
  Answer answer = to_answer(result, own.graph, control);
  if (result.infeasible)
    answer.status = Answer::Status::kInfeasible;
  else if (result.optimal)
    answer.status = Answer::Status::kOptimal;
  answer.iterations = result.iterations;
  answer.relaxed = clipped(std::move(result.relaxed));
  answer.link_scores = std::move(result.link_scores);
  answer.consensus = answer.relaxed;
  return answer;
}

Answer run_propagation(const Graph& graph, const BeliefPropagationOptions& options,
                       Control& control) {
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
  } else if (result.value >= result.upper_bound - graph.tolerance(kTight, result.upper_bound)) {
    answer.status = Answer::Status::kOptimal;
    answer.upper_bound = std::max(result.value, result.upper_bound);
  } else if (result.converged) {
    answer.status = Answer::Status::kRelaxed;
  }
  return answer;
}

}  // namespace

Answer solve(const Graph& graph, const AdmmOptions& options, const std::optional<AdmmStart>& start,
             Control& control) {
  return solve_presolved(
      graph, options.relative_gap, control,
      [&](const Presolved& own) { return run_admm(own, options, start, control); }, 1,
      constants_for(options.literal));
}

Answer solve(const Graph& graph, const BranchAndBoundOptions& options, Control& control) {
  return solve_presolved(
      graph, options.relative_gap, control,
      [&](const Presolved& own) { return run_search(own, options, control); }, options.count);
}

Answer solve(const Graph& graph, const SubgradientOptions& options, Control& control) {
  Answer answer = solve_presolved(
      graph, options.relative_gap, control,
      [&](const Presolved& own) { return run_subgradient(own, options, control); }, 1,
      constants_for(options.literal));
  if (options.literal) answer.tolerance = 0.0;  // the bound proves nothing there
  return answer;
}

Answer solve(const Graph& graph, const BeliefPropagationOptions& options, Control& control) {
  if (!options.sums)
    return solve_presolved(graph, kTight, control, [&](const Presolved& own) {
      return run_propagation(own.graph, options, control);
    });
  control.start();
  // Masks have no weight where anything goes without them, but cost the sums their digits. A score
  // is no mask because all others are small: it has to be so low that even all assignments with it
  // together, 2^n at most, weigh nothing beside one without, which is above taming.least.
  constexpr double kNoWeight = 1e3, kNegligible = 50.0;
  Graph own = graph;
  const Taming taming = flatten_masks(own, kNoWeight);
  const double enough = kNegligible + 3.0 * taming.margin + static_cast<double>(own.scores.size());
  if (taming.changed && taming.lightest > enough) {
    Answer answer = run_propagation(own, options, control);
    if (answer.status == Answer::Status::kInfeasible || answer.log_partition > taming.least)
      return answer;
  }
  return run_propagation(graph, options, control);
}

}  // namespace turbotree::graphs
