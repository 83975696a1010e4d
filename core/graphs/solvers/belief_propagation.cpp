#include "graphs/solvers/belief_propagation.h"

#include <algorithm>
#include <cmath>

#include "graphs/log_domain.h"
#include "graphs/solvers/pair_messages.h"
#include "graphs/solvers/propagation.h"

namespace turbotree::graphs {

namespace {

// Factors between two looks at the clock.
constexpr std::int64_t kBatch = 512;

}  // namespace

BeliefPropagation::BeliefPropagation(const Graph& graph)
    : graph_(graph),
      factors_(graph),
      links_(factors_.links()),
      pins_(graph.pins),
      push_(decisive_push(graph)),
      limit_(10.0 * push_),
      assignments_(factors_, pins_, push_) {}

void BeliefPropagation::reset() {
  const auto links = static_cast<std::size_t>(links_.links());
  beliefs_.assign(graph_.scores.size(), 0.0);
  messages_.assign(links, 0.0);
  told_.assign(links, 0.0);
  fresh_.assign(links, 0.0);
}

// Messages to fixed variables stay 0, so that the push alone is what they tell.
void BeliefPropagation::add_up_beliefs() {
  for (std::size_t v = 0; v < beliefs_.size(); ++v)
    beliefs_[v] = pins_[v] < 0 ? graph_.scores[v] : pins_[v] == 1 ? push_ : -push_;
  for (std::int64_t l = 0; l < links_.links(); ++l)
    beliefs_[links_.variable[l]] += links_.turned(l, messages_[l]);
}

void BeliefPropagation::tell(std::int64_t first, std::int64_t last) {
  for (std::int64_t l = first; l < last; ++l)
    told_[l] = links_.turned(l, beliefs_[links_.variable[l]]) - messages_[l];
}

void BeliefPropagation::compute(std::int64_t f) {
  if (options_.sums)
    factors_.sum_messages(f, told_.data(), fresh_.data());
  else
    factors_.max_messages(f, told_.data(), fresh_.data());
}

double BeliefPropagation::clamped(std::int64_t link) const {
  if (pins_[links_.variable[link]] >= 0) return 0.0;
  const double message = fresh_[link];
  // A factor without any allowed assignment may answer anything; the summary finds it.
  return message == message ? std::clamp(message, -limit_, limit_) : 0.0;
}

double BeliefPropagation::change_of(std::int64_t f) const {
  double change = 0.0;
  for (std::int64_t l = links_.offsets[f]; l < links_.offsets[f + 1]; ++l)
    change = std::max(change, std::abs(clamped(l) - messages_[l]));
  return change;
}

double BeliefPropagation::flood(Control& control) {
  double change = 0.0;
  for (std::size_t v = 0; v < beliefs_.size(); ++v)
    next_beliefs_[v] = pins_[v] < 0 ? graph_.scores[v] : pins_[v] == 1 ? push_ : -push_;
  for (std::int64_t b = 0; b < factors_.blocks(); ++b) {
    if (options_.sums && graph_.blocks[b].kind == Kind::kPair) {
      change = std::max(change, flood_pairs(b, control));
      continue;
    }
    for (std::int64_t f = links_.first_factor[b]; f < links_.first_factor[b + 1]; f += kBatch) {
      if (control.should_stop()) return kInfinity;
      const std::int64_t end = std::min(f + kBatch, links_.first_factor[b + 1]);
      tell(links_.offsets[f], links_.offsets[end]);
      factors_.messages(options_.sums, b, f, end, told_.data(), fresh_.data());
      for (std::int64_t l = links_.offsets[f]; l < links_.offsets[end]; ++l) {
        const double difference = clamped(l) - messages_[l];
        change = std::max(change, std::abs(difference));
        messages_[l] += (1.0 - options_.damping) * difference;
        next_beliefs_[links_.variable[l]] += links_.turned(l, messages_[l]);
      }
    }
  }
  beliefs_.swap(next_beliefs_);
  return change;
}

// The same for pairs, a batch at a time in the cache. Their messages are bounded by their scores.
double BeliefPropagation::flood_pairs(std::int64_t block, Control& control) {
  const std::vector<double>& own = graph_.blocks[block].extras;
  const std::int64_t first = links_.first_link[block], last = links_.first_link[block + 1];
  const double keep = options_.damping;
  double told[2 * kBatch], fresh[2 * kBatch];
  double change = 0.0;
  for (std::int64_t l = first; l < last; l += 2 * kBatch) {
    if (control.should_stop()) return kInfinity;
    const std::int64_t count = std::min(2 * kBatch, last - l);
    const std::int32_t* const variable = links_.variable.data() + l;
    const std::uint8_t* const negated = links_.negated.data() + l;
    double* const messages = messages_.data() + l;
    for (std::int64_t i = 0; i < count; ++i) {
      const double belief = beliefs_[variable[i]];
      told[i] = (negated[i] != 0 ? -belief : belief) - messages[i];
    }
    pair_sum_messages(count / 2, own.data() + (l - first) / 2, told, fresh);
    for (std::int64_t i = 0; i < count; ++i) {
      const double difference = pins_[variable[i]] < 0 ? fresh[i] - messages[i] : 0.0;
      change = std::max(change, std::abs(difference));
      messages[i] += difference - keep * difference;
      next_beliefs_[variable[i]] += negated[i] != 0 ? -messages[i] : messages[i];
    }
  }
  return change;
}

void BeliefPropagation::take(std::int64_t f) {
  for (std::int64_t l = links_.offsets[f]; l < links_.offsets[f + 1]; ++l) {
    const double difference = (1.0 - options_.damping) * (clamped(l) - messages_[l]);
    messages_[l] += difference;
    beliefs_[links_.variable[l]] += links_.turned(l, difference);
  }
}

double BeliefPropagation::sweep(bool forwards, Control& control) {
  double change = 0.0;
  add_up_beliefs();
  const std::int64_t count = links_.factors();
  for (std::int64_t i = 0; i < count; ++i) {
    if (i % kBatch == 0 && control.should_stop()) return kInfinity;
    const std::int64_t f = forwards ? i : count - 1 - i;
    tell(links_.offsets[f], links_.offsets[f + 1]);
    compute(f);
    change = std::max(change, change_of(f));
    take(f);
  }
  return change;
}

// A heap of all factors, the largest pending change on top.
void BeliefPropagation::sift(std::int64_t place) {
  const auto size = static_cast<std::int64_t>(heap_.size());
  const std::int32_t f = heap_[place];
  const double key = pending_[f];
  const auto put = [&](std::int64_t at, std::int32_t factor) {
    heap_[at] = factor;
    place_[factor] = static_cast<std::int32_t>(at);
  };
  while (place > 0 && pending_[heap_[(place - 1) / 2]] < key) {
    put(place, heap_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  for (;;) {
    std::int64_t child = 2 * place + 1;
    if (child >= size) break;
    if (child + 1 < size && pending_[heap_[child + 1]] > pending_[heap_[child]]) ++child;
    if (pending_[heap_[child]] <= key) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, f);
}

void BeliefPropagation::refresh(std::int64_t f) {
  tell(links_.offsets[f], links_.offsets[f + 1]);
  compute(f);
  pending_[f] = change_of(f);
}

void BeliefPropagation::start_residuals() {
  const std::int64_t count = links_.factors();
  heap_.resize(count);
  place_.resize(count);
  pending_.assign(count, kInfinity);
  is_touched_.assign(count, 0);
  // Not computed yet counts as the largest change: equal keys are a heap.
  for (std::int64_t f = 0; f < count; ++f) heap_[f] = place_[f] = static_cast<std::int32_t>(f);
}

// As many updates as there are factors count as one iteration.
double BeliefPropagation::follow_residuals(Control& control) {
  add_up_beliefs();
  const std::int64_t count = links_.factors();
  for (std::int64_t i = 0; i < count; ++i) {
    if (i % 64 == 0 && control.should_stop()) return kInfinity;
    for (std::int64_t first = 0; pending_[heap_.front()] == kInfinity; ++first) {
      if (first % 64 == 63 && control.should_stop()) return kInfinity;
      refresh(heap_.front());
      sift(0);
    }
    const std::int32_t f = heap_.front();
    if (pending_[f] <= options_.tolerance) break;
    take(f);
    pending_[f] = options_.damping > 0.0 ? change_of(f) : 0.0;
    sift(0);
    touched_.clear();
    for (std::int64_t l = links_.offsets[f]; l < links_.offsets[f + 1]; ++l)
      for (const std::int64_t other : links_.links_of(links_.variable[l])) {
        const std::int32_t g = links_.factor[other];
        if (g == f || is_touched_[g] != 0 || pending_[g] == kInfinity) continue;
        is_touched_[g] = 1;
        touched_.push_back(g);
      }
    for (const std::int32_t g : touched_) {
      is_touched_[g] = 0;
      refresh(g);
      sift(place_[g]);
    }
  }
  return count == 0 ? 0.0 : pending_[heap_.front()];
}

// Whether the factor's best assignment fights against what it was told far beyond any score.
bool BeliefPropagation::suspicious(std::int64_t f, double value) const {
  double agreed = 0.0;
  for (std::int64_t l = links_.offsets[f]; l < links_.offsets[f + 1]; ++l)
    agreed += std::max(0.0, told_[l]);
  return !(value > agreed - 0.4 * push_);
}

void BeliefPropagation::summarise_sums(BeliefPropagationResult& result) {
  add_up_beliefs();
  tell(0, links_.links());
  result.probabilities.resize(beliefs_.size());
  double entropy = 0.0, expected = 0.0;
  for (std::size_t v = 0; v < beliefs_.size(); ++v) {
    if (pins_[v] >= 0) {
      result.probabilities[v] = pins_[v];
      if (pins_[v] == 1) expected += graph_.scores[v];
      continue;
    }
    const double size = std::abs(beliefs_[v]);
    const double unlikely = std::exp(-size) / (1.0 + std::exp(-size));
    const double p = beliefs_[v] > 0.0 ? 1.0 / (1.0 + std::exp(-size)) : unlikely;
    result.probabilities[v] = p;
    expected += p * graph_.scores[v];
    entropy += static_cast<double>(1 - links_.degree(static_cast<std::int64_t>(v))) *
               (std::log1p(std::exp(-size)) + size * unlikely);
  }
  for (std::int64_t f = 0; f < links_.factors(); ++f) {
    const Sums sums = factors_.sum_messages(f, told_.data(), fresh_.data());
    suspicion_ |= suspicious(f, sums.log_partition);
    // Log partition less the expected scores; told > 0 counts only where the link is 0.
    double own_entropy = sums.log_partition - sums.expected_extra;
    for (std::int64_t l = links_.offsets[f]; l < links_.offsets[f + 1]; ++l) {
      const double told = told_[l], odds = told + fresh_[l];
      const double against = 1.0 / (1.0 + std::exp(told > 0.0 ? odds : -odds));
      own_entropy += (against > 0.0 ? std::abs(told) * against : 0.0) - std::max(0.0, told);
    }
    entropy += own_entropy;
    expected += sums.expected_extra;
  }
  result.entropy = entropy;
  result.log_partition = expected + entropy;
}

void BeliefPropagation::summarise_maxima(BeliefPropagationResult& result) {
  add_up_beliefs();
  tell(0, links_.links());
  // Each variable belongs to the factor that decides it: exact on trees. Or to all of them alike.
  shares_.resize(told_.size());
  for (const bool alike : {false, true}) {
    for (std::int64_t l = 0; l < links_.links(); ++l) {
      const std::int32_t v = links_.variable[l];
      const double degree = static_cast<double>(links_.degree(v));
      const double taken = alike ? (degree - 1.0) / degree : assignments_.decided_before()[l];
      shares_[l] = told_[l] - taken * links_.turned(l, beliefs_[v]);
    }
    result.upper_bound = std::min(result.upper_bound, assignments_.bound(shares_));
  }
  const auto propose = [&] {
    const double value = assignments_.value(candidate_);
    if (value > result.value) result.value = value, result.values = candidate_;
  };
  assignments_.complete(told_, candidate_);
  propose();
  for (std::size_t v = 0; v < beliefs_.size(); ++v) candidate_[v] = beliefs_[v] > 0.0 ? 1 : 0;
  propose();
  for (std::int64_t f = 0; f < links_.factors() && result.values.empty(); ++f)
    suspicion_ |= suspicious(f, factors_.max_messages(f, told_.data(), fresh_.data()));
}

BeliefPropagationResult BeliefPropagation::run(const BeliefPropagationOptions& options,
                                               Control& control) {
  options_ = options;
  BeliefPropagationResult result;
  reset();
  const bool any_pins = std::any_of(pins_.begin(), pins_.end(), [](Pin pin) { return pin >= 0; });
  if (any_pins) {
    result.impossible_factor = propagate(factors_, push_, pins_, control);
    if (result.impossible_factor >= 0) return result;
  }
  add_up_beliefs();
  next_beliefs_.resize(beliefs_.size());
  if (options_.schedule == Schedule::kResidual) start_residuals();
  while (!result.converged && result.iterations < options_.max_iterations) {
    double change;
    switch (options_.schedule) {
      case Schedule::kFlooding: change = flood(control); break;
      case Schedule::kSequential: change = sweep(result.iterations % 2 == 0, control); break;
      default: change = follow_residuals(control);
    }
    if (change == kInfinity) break;
    ++result.iterations;
    result.converged = change <= options_.tolerance;
    if (control.trace) {
      if (!options_.sums) summarise_maxima(result);
      result.trace.iteration.push_back(result.iterations);
      result.trace.upper_bound.push_back(options_.sums ? std::nan("") : result.upper_bound);
      result.trace.value.push_back(options_.sums ? std::nan("") : result.value);
      result.trace.primal_residual.push_back(change);
      result.trace.dual_residual.push_back(std::nan(""));
      result.trace.active.push_back(1.0);
    }
  }
  suspicion_ = false;
  if (options_.sums)
    summarise_sums(result);
  else
    summarise_maxima(result);
  if (suspicion_) result.impossible_factor = propagate(factors_, push_, pins_, control);
  return result;
}

}  // namespace turbotree::graphs
