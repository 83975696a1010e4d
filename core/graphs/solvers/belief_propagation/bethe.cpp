#include "graphs/solvers/belief_propagation/bethe.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {

namespace {

double binary_entropy(double p) {
  return p <= 0.0 || p >= 1.0 ? 0.0 : -p * std::log(p) - (1.0 - p) * std::log1p(-p);
}

double probability(double odds) { return 1.0 / (1.0 + std::exp(-odds)); }

// Solves matrix . x = right for a symmetric positive definite matrix; both are overwritten, x takes
// the place of the right side.
void solve(std::vector<double>& matrix, std::vector<double>& right) {
  const std::size_t n = right.size();
  for (std::size_t k = 0; k < n; ++k) {
    const double* const row = matrix.data() + k * n;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double share = matrix[i * n + k] / row[k];
      for (std::size_t j = k + 1; j < n; ++j) matrix[i * n + j] -= share * row[j];
      right[i] -= share * right[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) right[k] -= matrix[k * n + j] * right[j];
    right[k] /= matrix[k * n + k];
  }
}

// Fits one factor after the other.
class Fit {
 public:
  Fit(Factors& factors, std::span<const double> probabilities, double push)
      : factors_(factors), links_(factors.links()), incidence_(factors.incidence()), push_(push) {
    const auto count = static_cast<std::size_t>(links_.links());
    wanted_.resize(count);
    scores_.resize(count);
    trial_.resize(count);
    messages_.resize(count);
    for (std::size_t l = 0; l < count; ++l) {
      const double p = probabilities[links_.variable[l]];
      wanted_[l] = links_.negated[l] != 0 ? 1.0 - p : p;
      scores_[l] = wanted_[l] <= 0.0   ? -push
                   : wanted_[l] >= 1.0 ? push
                                       : std::log(wanted_[l]) - std::log1p(-wanted_[l]);
    }
  }

  // False if the factor does not come to have these probabilities.
  bool run(std::int64_t f, double tolerance, std::int64_t max_steps, Control& control) {
    first_ = incidence_.offsets[f];
    last_ = incidence_.offsets[f + 1];
    free_.clear();
    for (std::int64_t l = first_; l < last_; ++l)
      if (wanted_[l] > 0.0 && wanted_[l] < 1.0) free_.push_back(l);
    double objective = evaluate(f, scores_);
    for (std::int64_t step = 0; misfit_ > tolerance; ++step) {
      if (step == max_steps || !(objective < kInfinity) || control.should_stop()) return false;
      find_direction(f);
      const double before = misfit_;
      double longest = 0.0;
      for (const double d : direction_) longest = std::max(longest, std::abs(d));
      double length = std::min(1.0, 4.0 / longest), next = kInfinity;
      for (int halvings = 0; halvings < 40; ++halvings, length *= 0.5) {
        trial_ = scores_;
        for (std::size_t i = 0; i < free_.size(); ++i) trial_[free_[i]] += length * direction_[i];
        next = evaluate(f, trial_);
        // Close to the end rounding hides what a step gains, and only the misfit shows it.
        if (next <= objective + 1e-14 * magnitude_ || (before < 1e-4 && misfit_ < before)) break;
      }
      scores_.swap(trial_);
      objective = next;
    }
    return true;
  }

  // Of the factor that was fitted last.
  double entropy(std::int64_t f) {
    const Sums sums = factors_.sum_messages(f, scores_, messages_);
    double entropy = sums.log_partition - sums.expected_score;
    for (std::int64_t l = first_; l < last_; ++l)
      entropy -= probability(scores_[l] + messages_[l]) * scores_[l];
    return entropy;
  }

 private:
  // The convex function that the fitted scores make smallest, its probabilities and their misfit.
  double evaluate(std::int64_t f, const std::vector<double>& scores) {
    double value = factors_.sum_messages(f, scores, messages_).log_partition;
    means_.clear();
    misfit_ = 0.0;
    magnitude_ = 1.0 + std::abs(value);
    for (std::int64_t l = first_; l < last_; ++l) {
      value -= wanted_[l] * scores[l];
      magnitude_ += wanted_[l] * std::abs(scores[l]);
      const double mean = probability(scores[l] + messages_[l]);
      misfit_ = std::max(misfit_, std::abs(mean - wanted_[l]));
      if (wanted_[l] > 0.0 && wanted_[l] < 1.0) means_.push_back(mean);
    }
    return value == -kInfinity ? kInfinity : value;
  }

  // Newton's direction; covariances come from fixing one link after the other.
  void find_direction(std::int64_t f) {
    const std::size_t n = free_.size();
    covariances_.assign(n * n, 0.0);
    direction_.resize(n);
    trial_ = scores_;
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t fixed = free_[i];
      direction_[i] = wanted_[fixed] - means_[i];
      const bool on = means_[i] > 0.5;
      trial_[fixed] = on ? push_ : -push_;
      factors_.sum_messages(f, trial_, messages_);
      trial_[fixed] = scores_[fixed];
      const double weight = 0.5 * (on ? means_[i] : means_[i] - 1.0);
      for (std::size_t j = 0; j < n; ++j) {
        const double mean =
            i == j ? (on ? 1.0 : 0.0) : probability(scores_[free_[j]] + messages_[free_[j]]);
        const double half = weight * (mean - means_[j]);
        covariances_[i * n + j] += half;
        covariances_[j * n + i] += half;
      }
    }
    // Some scores may all rise together without any effect. What keeps them in place fades with
    // the misfit, so that scores that must grow without end can do so.
    for (std::size_t i = 0; i < n; ++i) covariances_[i * n + i] += 1e-3 * misfit_ + 1e-14;
    solve(covariances_, direction_);
  }

  Factors& factors_;
  const Links& links_;
  const Incidence& incidence_;
  const double push_;
  std::int64_t first_ = 0, last_ = 0;
  double misfit_ = 0.0, magnitude_ = 1.0;  // the latter of the terms of the convex function
  std::vector<std::int64_t> free_;
  std::vector<double> wanted_, scores_, trial_, messages_;  // by link
  std::vector<double> means_, direction_, covariances_;     // by free link
};

}  // namespace

BetheResult bethe_entropy(const Graph& graph, std::span<const double> probabilities,
                          double tolerance, std::int64_t max_steps, Control& control) {
  Factors factors(graph);
  const Links& links = factors.links();
  BetheResult result;
  for (std::int64_t v = 0; v < graph.variables(); ++v)
    result.entropy += static_cast<double>(1 - links.degree[v]) * binary_entropy(probabilities[v]);
  Fit fit(factors, probabilities, decisive_push(graph));
  for (std::int64_t f = 0; f < links.factors(); ++f) {
    if (!fit.run(f, tolerance, max_steps, control)) {
      result.misfit_factor = f;
      return result;
    }
    result.entropy += fit.entropy(f);
  }
  return result;
}

}  // namespace turbotree::graphs
