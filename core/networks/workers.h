// The same work on several threads, ended together.
#pragma once

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace turbotree::networks {

// Calls work(0), ..., work(threads - 1) at the same time, the first of them in this thread, which
// alone can be interrupted. The first exception is thrown when all have ended.
template <class Work>
void run_on_threads(int threads, const Work& work) {
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto guarded = [&](int number) {
    try {
      work(number);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    others.reserve(threads - 1);
    for (int number = 1; number < threads; ++number) others.emplace_back(guarded, number);
  } catch (...) {  // too few threads are to be had: the rest is done here
  }
  guarded(0);
  for (int number = static_cast<int>(others.size()) + 1; number < threads; ++number)
    guarded(number);
  for (std::thread& thread : others) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace turbotree::networks
