// The order in which factors send their messages: all at once, one by one, or where most changes.
#include <algorithm>
#include <cmath>

#include "graphs/solvers/belief_propagation/belief_propagation.h"
#include "graphs/solvers/belief_propagation/pair_messages.h"

namespace turbotree::graphs {

namespace {

// Factors between two looks at the clock.
constexpr std::int64_t kBatch = 512;

}  // namespace

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
      tell(incidence_.offsets[f], incidence_.offsets[end]);
      factors_.messages(options_.sums, b, f, end, told_, fresh_);
      for (std::int64_t l = incidence_.offsets[f]; l < incidence_.offsets[end]; ++l) {
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
  const std::vector<double>& own = graph_.blocks[block].factor_scores;
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
  for (std::int64_t l = incidence_.offsets[f]; l < incidence_.offsets[f + 1]; ++l) {
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
    tell(incidence_.offsets[f], incidence_.offsets[f + 1]);
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
  tell(incidence_.offsets[f], incidence_.offsets[f + 1]);
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
    for (std::int64_t l = incidence_.offsets[f]; l < incidence_.offsets[f + 1]; ++l)
      for (const std::int64_t other : incidence_.links_of(links_.variable[l])) {
        const std::int32_t g = incidence_.factor[other];
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

}  // namespace turbotree::graphs
