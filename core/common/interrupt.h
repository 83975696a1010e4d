// Long loops ask, now and then, whether their answer is still wanted.
//
// Whoever calls the core sets a Watch for the thread; loops count their work and ask it, and the
// exception leaves them at once. Without a watch nothing is asked.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace turbotree {

// Thrown by a loop whose answer is no longer wanted; who set the watch catches it.
struct Interrupted {};

class Watch {
 public:
  // `unwanted` is asked about every 20 ms from this thread while the watch lives.
  explicit Watch(std::function<bool()> unwanted)
      : unwanted_(std::move(unwanted)), outer_(std::exchange(state().watch, this)) {}
  ~Watch() { state().watch = outer_; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Counts steps of about a nanosecond each, and looks at the clock only after many of them.
  static void count(std::uint64_t steps) {
    State& s = state();
    s.steps += steps;
    if (s.steps < kStepsBetweenLooks) return;
    look_now();
  }

  // For threads that wait: looks at the clock in any case.
  static void look_now() {
    State& s = state();
    s.steps = 0;
    if (s.watch != nullptr) s.watch->look(s);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kStepsBetweenLooks = 200'000;
  static constexpr auto kPatience = std::chrono::milliseconds(20);

  // Outlives a watch, so that many short calls are asked as often as one long call.
  struct State {
    Watch* watch = nullptr;
    std::uint64_t steps = 0;
    Clock::time_point asked{};
  };
  static State& state() {
    thread_local State s;
    return s;
  }

  void look(State& s) {
    const auto now = Clock::now();
    if (now - s.asked < kPatience) return;
    s.asked = now;
    if (unwanted_()) throw Interrupted{};
  }

  std::function<bool()> unwanted_;
  Watch* outer_;
};

// For loops: `steps` is about how many nanoseconds of work were done since the last call.
inline void count_work(std::uint64_t steps) { Watch::count(steps); }

}  // namespace turbotree
