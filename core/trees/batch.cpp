#include "trees/batch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "common/interrupt.h"
#include "trees/nonprojective/arborescence.h"
#include "trees/nonprojective/marginal_gradient.h"
#include "trees/nonprojective/matrix_tree.h"
#include "trees/projective/eisner.h"
#include "trees/projective/inside_outside.h"
#include "trees/sampling.h"

namespace turbotree::trees {
namespace {

// Calls body(item, scores, workspace) for the items begin, begin + step, ... until one fails.
template <class Workspace, class Body>
Failure run_items(const Batch& batch, std::int64_t begin, std::int64_t step, const Body& body) {
  Failure failure;
  failure.item = begin;
  try {
    Workspace workspace;
    for (; failure.item < batch.count; failure.item += step) {
      const ScoreMatrix scores = batch.matrix(failure.item);
      failure.status = scores_are_valid(scores, &failure.arc)
                           ? body(failure.item, scores, workspace)
                           : Status::bad_score;
      if (failure.status != Status::ok) return failure;
    }
  } catch (const std::bad_alloc&) {
    failure.status = Status::out_of_memory;
  } catch (const std::length_error&) {
    failure.status = Status::out_of_memory;
  }
  return failure;
}

// Threads that stop with the one that started them: only that one can be asked by its caller.
class Helpers {
 public:
  ~Helpers() {
    unwanted_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

  template <class Work>
  void start(Work work) {
    {
      const std::lock_guard lock(mutex_);
      ++busy_;
    }
    try {
      threads_.emplace_back([this, work] {
        try {
          const Watch watch([this] { return unwanted_.load(); });
          work();
        } catch (const Interrupted&) {
        }
        const std::lock_guard lock(mutex_);
        --busy_;
        done_.notify_one();
      });
    } catch (...) {
      const std::lock_guard lock(mutex_);
      --busy_;
      throw;
    }
  }

  void wait() {
    std::unique_lock lock(mutex_);
    while (!done_.wait_for(lock, std::chrono::milliseconds(20), [&] { return busy_ == 0; })) {
      lock.unlock();
      Watch::look_now();
      lock.lock();
    }
  }

 private:
  std::atomic<bool> unwanted_{false};
  std::mutex mutex_;
  std::condition_variable done_;
  int busy_ = 0;
  std::vector<std::thread> threads_;
};

template <class Workspace, class Body>
Failure run_batch(const Batch& batch, const TreeOptions& options, const Body& body) {
  const std::int64_t workers = std::min<std::int64_t>(std::max(options.threads, 1), batch.count);
  if (workers <= 1) return run_items<Workspace>(batch, 0, 1, body);
  std::vector<Failure> failures(static_cast<std::size_t>(workers));
  const auto work = [&](std::int64_t worker) {
    failures[worker] = run_items<Workspace>(batch, worker, workers, body);
  };
  Helpers helpers;
  for (std::int64_t worker = 1; worker < workers; ++worker) {
    try {
      helpers.start([&work, worker] { work(worker); });
    } catch (const std::system_error&) {
      work(worker);  // the system gives no more threads
    }
  }
  work(0);
  helpers.wait();
  Failure first;
  for (const Failure& failure : failures) {
    if (failure.status == Status::ok) continue;
    if (first.status == Status::ok || failure.item < first.item) first = failure;
  }
  return first;
}

struct DecodingWorkspace {
  ArborescenceWorkspace arborescence;
  EisnerWorkspace eisner;
};

struct SumsWorkspace {
  MatrixTreeWorkspace matrix_tree;
  InsideOutsideWorkspace inside_outside;
  std::vector<double> marginals;
};

}  // namespace

ScoreMatrix Batch::matrix(std::int64_t item) const {
  const std::ptrdiff_t square = static_cast<std::ptrdiff_t>(side) * side;
  const int words = lengths == nullptr ? side - 1 : static_cast<int>(lengths[item]);
  return {scores + item * square, side, words};
}

Failure maximum_trees(const Batch& batch, const TreeOptions& options, Head* heads) {
  return run_batch<DecodingWorkspace>(
      batch, options,
      [&](std::int64_t item, const ScoreMatrix& scores, DecodingWorkspace& workspace) {
        Head* row = heads + item * (batch.side - 1);
        return options.projective
                   ? maximum_projective_tree(scores, options.single_root, row, workspace.eisner)
                   : maximum_arborescence(scores, options.single_root, row, workspace.arborescence);
      });
}

Failure log_partitions(const Batch& batch, const TreeOptions& options, double* log_partition) {
  return run_batch<SumsWorkspace>(
      batch, options, [&](std::int64_t item, const ScoreMatrix& scores, SumsWorkspace& workspace) {
        return options.projective
                   ? projective_log_partition(scores, options.single_root, log_partition + item,
                                              workspace.inside_outside)
                   : matrix_tree_log_partition(scores, options.single_root, log_partition + item,
                                               workspace.matrix_tree);
      });
}

Failure tree_marginals(const Batch& batch, const TreeOptions& options, double* marginals,
                       double* log_partition, double* entropy) {
  const std::ptrdiff_t square = static_cast<std::ptrdiff_t>(batch.side) * batch.side;
  return run_batch<SumsWorkspace>(
      batch, options, [&](std::int64_t item, const ScoreMatrix& scores, SumsWorkspace& workspace) {
        const int side = scores.words + 1;
        const bool padded = side < batch.side;
        double* target = marginals + item * square;
        if (padded) workspace.marginals.resize(static_cast<std::size_t>(side) * side);
        double* out = padded ? workspace.marginals.data() : target;
        TreeSums sums;
        const Status status = options.projective
                                  ? projective_marginals(scores, options.single_root, out, &sums,
                                                         workspace.inside_outside)
                                  : matrix_tree_marginals(scores, options.single_root, out, &sums,
                                                          workspace.matrix_tree);
        if (status != Status::ok) return status;
        if (padded) {
          std::fill_n(target, square, 0.0);
          for (int h = 0; h < side; ++h) {
            std::copy_n(out + static_cast<std::ptrdiff_t>(h) * side, side,
                        target + static_cast<std::ptrdiff_t>(h) * batch.side);
          }
        }
        log_partition[item] = sums.log_partition;
        entropy[item] = sums.entropy;
        return status;
      });
}

Failure marginal_derivatives(const Batch& batch, const TreeOptions& options,
                             const double* direction, double* derivative) {
  const std::ptrdiff_t square = static_cast<std::ptrdiff_t>(batch.side) * batch.side;
  return run_batch<MarginalGradientWorkspace>(
      batch, options,
      [&](std::int64_t item, const ScoreMatrix& scores, MarginalGradientWorkspace& workspace) {
        std::fill_n(derivative + item * square, square, 0.0);
        return marginal_derivative(scores, options.single_root, direction + item * square,
                                   derivative + item * square, batch.side, workspace);
      });
}

Failure k_best(const Batch& batch, const TreeOptions& options, std::int64_t k,
               std::vector<std::vector<ScoredHeads>>& trees) {
  trees.resize(static_cast<std::size_t>(batch.count));
  return run_batch<KBestWorkspace>(
      batch, options, [&](std::int64_t item, const ScoreMatrix& scores, KBestWorkspace& workspace) {
        return k_best_trees(scores, k, options.single_root, options.projective, trees[item],
                            workspace);
      });
}

Failure sample(const Batch& batch, const TreeOptions& options, std::int64_t draws,
               std::uint64_t seed, Head* heads) {
  const std::ptrdiff_t stride = batch.side - 1;
  return run_batch<SamplingWorkspace>(
      batch, options,
      [&](std::int64_t item, const ScoreMatrix& scores, SamplingWorkspace& workspace) {
        Random random(seed, static_cast<std::uint64_t>(item));
        Head* rows = heads + item * draws * stride;
        return options.projective ? sample_projective_trees(scores, options.single_root, draws,
                                                            random, rows, stride, workspace)
                                  : sample_trees(scores, options.single_root, draws, random, rows,
                                                 stride, workspace);
      });
}

}  // namespace turbotree::trees
