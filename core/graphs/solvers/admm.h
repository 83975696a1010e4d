// DD-ADMM, also known as AD3 (Martins et al. 2011): the relaxed best assignment by consensus.
//
// Every link keeps a copy z of its variable and a score p (a share of the variable's score, plus
// multipliers). A round projects each factor's u + p / rho on its polytope to get its copies z,
// averages the copies of each variable to a consensus u, and moves p against the disagreement
// z - u. A factor whose copies agree with a consensus that does not move would answer the same
// again: it is idle and is not solved until a neighbour wakes it.
//
// Every round bounds the optimum for free. The projection's optimality says that z is also the
// factor's best answer to the scores q = p + rho (u_before - z), and these miss the variables'
// scores by rho * degree * (u - u_before), whose positive parts are added.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graphs/factors.h"
#include "graphs/solvers/assignments.h"
#include "graphs/solvers/control.h"
#include "graphs/solvers/extrapolation.h"

namespace turbotree::graphs {

enum class Outcome : int {
  kOptimal = 0,     // an assignment reaches the bound
  kRelaxed = 1,     // the relaxation is solved, and its solution is fractional
  kLimit = 2,       // stopped by a limit
  kInfeasible = 3,  // no point satisfies all factors
  kCutOff = 4,      // the bound fell below the cutoff
};

struct AdmmOptions {
  std::int64_t max_iterations = 1000;
  double residual_threshold = 1e-3;
  double penalty = 0.0;  // rho; 0 chooses it by the size of the scores
  bool adapt_penalty = true;
  double step = 1.5;  // tau
  bool extrapolate = true;
  double relative_gap = 1e-6;
  double cutoff = -kInfinity;
  bool expectations = false;  // tell how often the relaxed solution has each factor score
};

struct AdmmResult {
  Outcome outcome = Outcome::kLimit;
  std::int64_t impossible_factor = -1;  // the factor that the fixed variables contradict
  std::int64_t iterations = 0;
  double value = -kInfinity;
  double upper_bound = kInfinity;
  std::vector<std::uint8_t> values;  // empty if no assignment was found
  Trace trace;
};

class Admm {
 public:
  explicit Admm(const Graph& graph);

  // Fixes variables; -1 frees. The next run goes on from where the last one stopped.
  void set_pins(const std::vector<Pin>& pins);
  // Scores of links as another run left them, and its consensus and penalty. Where the variables'
  // scores have changed since, the difference is shared out.
  void warm_start(std::span<const double> link_scores, std::span<const double> consensus,
                  double penalty);

  AdmmResult run(const AdmmOptions& options, Control& control);

  const std::vector<double>& consensus() const { return consensus_; }
  // How often the factors' own solutions have each of their scores.
  std::vector<double> expectations() { return factors_.expectations_at(point_); }
  const std::vector<double>& link_scores() const { return scores_; }
  double penalty() const { return penalty_; }
  Factors& factors() { return factors_; }
  const Links& links() const { return links_; }

 private:
  // A round of all factors, in flat loops over all links.
  double gather_all(double move);
  void project_all();
  void average_all();
  // The same for the factors that are not idle.
  double gather_active(double move);
  void project_active();
  void average_active();

  void list_active();  // from all factors, after average_all
  void start_sparse_rounds();
  void restore_sums();  // of the copies, from all links
  void wake(std::int32_t variable);
  bool stirs(std::size_t block, std::int32_t factor) const;
  // Extrapolation, between gathering and projecting.
  void extrapolate();
  void follow();
  void keep_shares(std::span<const double> before, std::span<double> after);
  void read_state(std::span<double> state) const;
  void write_state(std::span<const double> state);
  // A factor that cannot hold with the fixed variables, by itself; -1 if there is none.
  std::int64_t impossible_factor();
  void propose();
  void propose_completed();
  void try_candidate();
  void adapt_penalty(double primal, double dual);
  void hasten_walk(double primal, double dual);
  double drift();
  void trace_moving(Trace& trace);
  double bound() const { return fixed_ + factors_bound_ + slack_; }

  // What a link sees of a variable's value (or probability): 1 - value if it is negated.
  double seen(std::int64_t link, double value) const { return offset_[link] + sign_[link] * value; }

  const Graph& graph_;
  Factors factors_;
  const Links& links_;
  std::vector<double> sign_, offset_;  // of a link: +1 and 0, or -1 and 1; for flat loops
  bool any_negated_ = false;
  std::vector<Pin> pins_;
  std::vector<std::int64_t> pinned_links_;
  double share_size_ = 1.0, least_penalty_ = 0.0;
  double fixed_ = 0.0;  // scores of variables that no factor decides

  double penalty_ = 0.0, next_penalty_ = 0.0, first_penalty_ = 0.0;
  double penalty_before_walk_ = 0.0;  // 0 if there is none
  int walk_rounds_ = 0;
  std::vector<double> scores_, target_, point_;    // p, u + p / rho, z: per link
  std::vector<double> own_;                        // per factor: what its projection returned
  std::vector<double> consensus_, sum_, odd_sum_;  // u, and the sum of the copies: per variable
  std::vector<double> weight_, inverse_weight_;    // per variable: its links, 0 if fixed; 1 / that
  double factors_bound_ = 0.0, slack_ = 0.0, squared_change_ = 0.0, moving_links_ = 0.0;

  // Sparse rounds.
  bool sparse_ = false;
  double idle_ = 1e-9;  // movements below this count as none
  std::int64_t rounds_ = 0, rounds_in_mode_ = 0;
  std::int64_t active_links_ = 0;
  std::vector<std::vector<std::int32_t>> active_;  // per block: its active factors
  std::vector<double> announced_;                  // the consensus that neighbours know of
  std::vector<double> before_, factor_bounds_;
  std::vector<std::int64_t> awake_;  // per factor: the last round it is listed for
  std::vector<std::int32_t> touched_;
  std::vector<std::uint8_t> is_touched_;
  std::vector<double> pull_;  // per touched variable: how far its active links are above it

  Extrapolation extrapolation_{10};
  std::vector<std::vector<std::int32_t>> followed_;  // the active factors whose states are kept
  std::vector<std::int64_t> followed_links_;
  std::vector<std::int32_t> followed_variables_;
  std::vector<double> followed_degree_;  // per variable: its followed links
  std::vector<double> extrapolated_, fallback_;
  double followed_penalty_ = 0.0, last_step_ = 0.0;
  bool following_ = false, on_trial_ = false;
  int trials_to_skip_ = 0;

  std::vector<double> rounding_;
  // For traces: the consensus one round ago, and whether each variable is moving.
  std::vector<double> consensus_before_;
  std::vector<std::uint8_t> is_moving_;
  std::vector<std::uint8_t> chosen_, candidate_, last_candidate_, best_values_;
  bool any_tried_ = false;
  double best_value_ = -kInfinity;

  // Made when first needed.
  struct Completion {
    Completion(Factors& factors, const std::vector<Pin>& pins);
    double push;
    Assignments assignments;
  };
  std::unique_ptr<Completion> completion_;
};

}  // namespace turbotree::graphs
