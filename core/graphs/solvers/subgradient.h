// The projected subgradient method for dual decomposition (Koo et al. 2010).
//
// Every factor maximises its factor score and its share of the variables' scores. Where factors
// disagree on a variable, its shares move against the disagreement; they always sum to its score.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/factors.h"
#include "graphs/solvers/assignments.h"
#include "graphs/solvers/control.h"

namespace turbotree::graphs {

enum class StepRule : int {
  kKoo = 0,     // delta / (1 + how often the bound rose); delta from the first gap
  kPolyak = 1,  // the gap over the squared length of the subgradient
  kGiven = 2,   // as Koo, with a delta of the caller's
};

struct SubgradientOptions {
  std::int64_t max_iterations = 1000;
  StepRule rule = StepRule::kKoo;
  double step = 0.0;           // for kGiven
  double relative_gap = 1e-6;  // at which an assignment is the best one
  // What trees get of the scores of their variables at first; below 0, as much as any other link.
  double tree_share = -1.0;
  // The algorithm as printed: the tree proposes, the others follow or contradict it one by one, the
  // first gap is the step, and nothing but agreement is a proof.
  bool literal = false;
  // With `literal`: no tree is set apart, multipliers move against the mean of the answers, and any
  // assignment may be the best one (Martins et al. 2011).
  bool projected = false;
};

struct SubgradientResult {
  bool optimal = false, infeasible = false;
  std::int64_t impossible_factor = -1;  // if one factor is to blame
  std::int64_t iterations = 0;
  std::vector<std::uint8_t> values;  // empty if no allowed assignment was found
  double value = -kInfinity, upper_bound = kInfinity;
  std::vector<double> relaxed;      // mean answer of the factors over all rounds
  std::vector<double> link_scores;  // the shares in the end
  Trace trace;
};

class Subgradient {
 public:
  explicit Subgradient(const Graph& graph);
  SubgradientResult run(const SubgradientOptions& options, Control& control);

 private:
  void find_hubs();
  void share_out(double tree_share);
  bool solve_waiting(Control& control);  // false if stopped
  void solve(std::int32_t f);
  void settle(std::int32_t v);  // adds what the variable's mean answer was until this round
  void find_disagreements();
  double disagreement() const;  // squared length of the subgradient
  void move(double step);
  void move_against_hubs(double step);
  void wait_for(std::int32_t f);
  double dual() const;
  void propose(SubgradientResult& result);
  void propose_hubs(SubgradientResult& result);
  void try_candidate(SubgradientResult& result);
  void plan_detour(bool assignment_known);
  double step_size(const SubgradientOptions& options, const SubgradientResult& result,
                   double bound);
  double literal_step(const SubgradientOptions& options, const SubgradientResult& result,
                      double bound);
  std::vector<double> final_scores() const;

  const Graph& graph_;
  Factors factors_;
  const Links& links_;
  const Incidence& incidence_;
  std::vector<Pin> pins_;
  double push_;
  Assignments assignments_;

  std::int64_t round_ = 0, rises_ = 0;
  double first_step_ = 0.0, stalled_ = 1.0, constant_ = 0.0, lowest_ = 0.0;
  bool detour_ = false;
  std::vector<double> detour_shares_;
  std::vector<double> scores_, factor_duals_;  // shares by link; each factor's part of the bound
  std::vector<std::uint8_t> chosen_, candidate_, last_candidate_;
  std::vector<std::int64_t> hub_;            // by variable: its link to a tree, or -1
  std::vector<std::uint8_t> leads_to_head_;  // by link: whether an automaton chooses one of these
  std::vector<std::int32_t> waiting_, disputed_, touched_;
  std::vector<std::uint8_t> waits_, is_touched_;
  std::vector<std::int32_t> votes_;  // links that say 1, by variable
  std::vector<std::int64_t> since_;  // the round in which the votes last changed
  std::vector<double> total_;        // sum of the mean answers up to then
};

}  // namespace turbotree::graphs
