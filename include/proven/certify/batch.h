// Many straight segments at once, ten thousand to ten million. The pre-check runs on a GPU if there
// is one, else on the threads of this machine; these prove what it finds clear, unless that is
// declined (docs/algorithms/batch.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "proven/base/budget.h"
#include "proven/base/result.h"
#include "proven/base/words.h"
#include "proven/certify/certificate.h"
#include "proven/certify/check.h"

namespace proven {

enum class BatchDevice {
  automatic,  // a GPU if there is one, else threads
  gpu,        // an error where there is none
  threads,    // one segment after the other, as CheckModel asks it
  emulated,   // the programs of the GPU on threads: slow, to compare with it
};

struct BatchOptions {
  BatchDevice device = BatchDevice::automatic;
  int threads = 0;  // for what the GPU leaves open, or for all; 0: all of the machine
  // Threads prove, by the search, every segment that the pre-check finds clear: some 50 to 200 us
  // each. Without, such segments stay `clear`: enough for a planner, which proves its path later.
  bool prove = true;
  // The first segment that a GPU finds clear and then one in so many is proved by the search and
  // comes with its certificate: a GPU that errs is found out. Counted over all batches.
  int sample_every = 100'000;
  // Batches of fewer segments go to threads; -1: those that these answer as soon. Of many that are
  // planned or smoothed together: so few of them.
  std::int64_t least = -1;
};

// Rows of full configurations, one value per coordinate.
struct SegmentBatch {
  std::span<const double> from, to;
  bool from_is_free = false;  // all first configurations are known to be free
};

enum class BatchVerdict : std::uint8_t {
  free,   // proved by the search
  clear,  // the pre-check leaves nothing open; not proved (BatchOptions::prove)
  collision,
  undecided,
};

struct BatchResult {
  std::vector<BatchVerdict> verdicts;

  // Of every segment that collides, in order: one contact. Which of several is told may differ from
  // run to run.
  struct Contact {
    std::int64_t segment = 0;
    double t = 0;
    int pair = -1;  // of Scene::pairs
  };
  std::vector<Contact> contacts;

  struct Sample {
    std::int64_t segment = 0;
    Certificate certificate;  // of the path of its two ends
  };
  std::vector<Sample> samples;

  struct Stats {
    std::int64_t free = 0, clear = 0, collision = 0, undecided = 0;
    std::int64_t settled = 0;  // by the GPU, or its programs
    std::int64_t refuted = 0;  // clear for the pre-check, and a collision for the search: a defect
    std::int64_t confirmed = 0;  // contacts that it took for likely, confirmed by the search
    std::int64_t searched = 0;   // wholly, by threads
    std::int64_t entries = 0;    // pairs of bodies that its balls left open
    std::int64_t tasks = 0;      // chords of such pairs that outlines left open
    // Of the GPU's own work; with copies to and from it; of threads; of all.
    double device_seconds = 0, asked_seconds = 0, searched_seconds = 0, seconds = 0;
  };
  Stats stats;
};

// A model prepared for batches. One thread at a time; copies are handles to the same preparation.
class BatchChecker {
 public:
  // Fails where a GPU is asked for and there is none, naming the reason. Of models that no GPU can
  // be asked of (joints with three degrees of freedom, things that move by the clock, checkers
  // other than directional) all segments go to threads.
  static Result<BatchChecker> build(const CheckModel& model, const BatchOptions& options = {});

  const CheckModel& model() const;
  // What answers: gpu, threads or emulated.
  BatchDevice device() const;
  // Fails on rows of another length, values that are not finite, a GPU that does not answer, and if
  // a sample shows that it erred.
  Result<BatchResult> check(const SegmentBatch& segments, const Budget& budget = {}) const;

 private:
  struct State;
  explicit BatchChecker(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// Per motion whether one batch of all their segments leaves nothing of it open: each segment is
// `free`, or `clear` where the checker does not prove. False for motions that are curved, do not
// move or are not valid.
Result<std::vector<char>> find_clear(const BatchChecker& checker,
                                     std::span<const Motion* const> motions,
                                     const Budget& budget = {});

}  // namespace proven
