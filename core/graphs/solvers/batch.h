// Many graphs at once: threads take one graph after the other while more are still being added.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "graphs/graph.h"
#include "graphs/solvers/answer.h"

namespace turbotree::graphs {

class Batch {
 public:
  // The thread that asks for the answers works too, so at most one less is started. `control` is
  // the pattern of every graph's own.
  Batch(Solve solve, const Control& control, std::int64_t threads);
  // Stops what still runs.
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // False if a graph has failed already, so that no more are needed. No factor may need Python.
  bool add(std::unique_ptr<const Graph> graph);

  // The answer of the next graph in their order, or what its solver threw; solves other graphs
  // until it is there. Nothing after the last one, and if `interrupted`, asked about every 20 ms
  // and only from the calling thread, says so. Graphs after one that failed have no answers.
  std::optional<Answer> next(const std::function<bool()>& interrupted);

 private:
  struct Item {
    std::unique_ptr<const Graph> graph;
    Answer answer;
    std::exception_ptr error;
    bool done = false;
  };
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  void work();  // what a thread does
  bool any() const { return claimed_ < static_cast<std::int64_t>(items_.size()); }
  // Takes the next graph and solves it; the lock is open meanwhile.
  void solve_one(std::unique_lock<std::mutex>& lock, const std::function<bool()>& interrupted);
  void solve(std::int64_t index, Item& item, const std::function<bool()>& interrupted);

  const Solve solve_;
  const Control control_;
  std::mutex mutex_;  // of what follows, up to the atomics
  std::condition_variable added_, solved_;
  std::deque<Item> items_;  // does not move its items when it grows
  std::int64_t claimed_ = 0, read_ = 0;
  std::atomic<std::int64_t> failed_{kNone};  // the first graph that is infeasible or threw
  std::atomic<bool> stopped_{false};
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
  std::int64_t wanted_;  // of threads
  std::vector<std::thread> threads_;
};

}  // namespace turbotree::graphs
