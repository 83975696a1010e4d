#include "graphs/solvers/batch.h"

#include <system_error>
#include <utility>

#include "common/interrupt.h"

namespace turbotree::graphs {

namespace {

constexpr auto kPatience = std::chrono::milliseconds(20);

// Waking a thread takes longer than adding a small graph.
constexpr std::size_t kGraphsPerCall = 16;

}  // namespace

Batch::Batch(Solve solve, const Control& control, std::int64_t threads)
    : solve_(std::move(solve)), control_(control), wanted_(threads - 1) {}

Batch::~Batch() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  added_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Batch::add(std::unique_ptr<const Graph> graph) {
  bool call;
  {
    const std::lock_guard lock(mutex_);
    items_.emplace_back().graph = std::move(graph);
    call = items_.size() % kGraphsPerCall == 0;
  }
  if (call) added_.notify_all();
  if (static_cast<std::int64_t>(threads_.size()) < wanted_) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      wanted_ = 0;  // the system gives no more; the caller's thread works in any case
    }
  }
  return failed_ == kNone;
}

std::optional<Answer> Batch::next(const std::function<bool()>& interrupted) {
  if (read_ == 0) added_.notify_all();
  // Small graphs end before their own control asks.
  const auto ask = [&] {
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ > kPatience) {
      asked_ = now;
      if (interrupted()) stopped_ = true;
    }
    return stopped_.load();
  };
  std::unique_lock lock(mutex_);
  if (read_ == static_cast<std::int64_t>(items_.size()) || read_ > failed_) return {};
  Item& item = items_[static_cast<std::size_t>(read_)];
  while (!item.done) {
    if (any())
      solve_one(lock, ask);
    else
      solved_.wait_for(lock, kPatience, [&] { return item.done; });
    lock.unlock();  // the question may take long
    const bool stop = ask();
    lock.lock();
    if (stop) return {};
  }
  ++read_;
  if (item.error) std::rethrow_exception(item.error);
  return std::move(item.answer);
}

void Batch::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    added_.wait(lock, [&] { return any() || stopped_; });
    if (stopped_) return;
    solve_one(lock, {});
  }
}

void Batch::solve_one(std::unique_lock<std::mutex>& lock,
                      const std::function<bool()>& interrupted) {
  const std::int64_t index = claimed_++;
  Item& item = items_[static_cast<std::size_t>(index)];
  lock.unlock();
  if (index < failed_) solve(index, item, interrupted);
  item.graph.reset();
  lock.lock();
  item.done = true;
  if (index == read_) solved_.notify_all();
}

void Batch::solve(std::int64_t index, Item& item, const std::function<bool()>& interrupted) {
  Control control = control_;
  control.interrupted = [&] {
    return stopped_ || index > failed_ || (interrupted && interrupted());
  };
  try {
    const Watch watch(control.interrupted);
    item.answer = solve_(*item.graph, control);
    if (item.answer.status != Answer::Status::kInfeasible) return;
  } catch (...) {
    item.error = std::current_exception();
  }
  std::int64_t first = failed_;
  while (index < first && !failed_.compare_exchange_weak(first, index)) {
  }
}

}  // namespace turbotree::graphs
