// What `proven bench speed` measures: questions that are asked of us and of those who sample.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/suite/fcl_oracle.h"
#include "papers/plan/sampling_twin.h"
#include "proven/base/processor_time.h"
#include "proven/certify/check.h"
#include "proven/io/problem_set.h"

namespace proven::bench {

inline constexpr double kCoarseStep = 0.05, kFineStep = 0.005, kTwinStep = 1.0 / 32;  // rad

struct SpeedEdge {
  std::vector<double> from, to;
};

// One question, asked often: microseconds of all times together.
struct SpeedLine {
  std::int64_t asked = 0;
  double ours = 0, searched = 0;  // with sweeps; by the search alone
  double coarse = 0, fine = 0;    // by FCL
  // Of the questions that the twin answers as we do: what both take.
  std::int64_t agreed = 0;
  double twin = 0, ours_of_agreed = 0;
  std::vector<double> each_twin, each_ours;  // of each of them
  // Of colliding questions: how many each passes. All of them have a witness that brute force
  // confirms.
  std::int64_t missed_coarse = 0, missed_fine = 0, missed_twin = 0;
  std::int64_t unconfirmed = 0;
  bool has_twin = false, colliding = false, sampled_once = false;
};

// The least of three, for all questions one after the other.
template <class Question, class Ask>
double microseconds(const std::vector<Question>& questions, const Ask& ask) {
  constexpr int kRepeats = 3;
  double least = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const double took = processor_seconds([&] {
      for (const Question& question : questions) ask(question);
    });
    least = i == 0 ? took : std::min(least, took);
  }
  return 1e6 * least;
}

// The same of each, once more.
template <class Question, class Ask>
void append_microseconds(const std::vector<Question>& questions, const Ask& ask,
                         std::vector<double>& times) {
  for (const Question& question : questions) {
    const auto begin = std::chrono::steady_clock::now();
    ask(question);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    times.push_back(1e6 * took.count());
  }
}

// A scene, prepared for all of them.
struct SpeedModels {
  explicit SpeedModels(const Scene& scene);

  CheckModel searching, sweeping;
  FclModel fcl;
  FclOracle oracle;
  Scratch scratch;
};

// Segments of one verdict; `starts_free`: as a planner asks. `twin` may be null.
void measure_edges(SpeedModels& models, const std::vector<SpeedEdge>& edges, bool starts_free,
                   SamplingTwin* twin, SpeedLine& line);
void measure_configurations(SpeedModels& models, const std::vector<std::vector<double>>& all,
                            SamplingTwin* twin, SpeedLine& line);

// Problems of one robot or scene.
struct SpeedPlans {
  std::vector<double> ours, twin, smooth;  // microseconds
  int problems = 0, solved = 0, twin_solved = 0;
  int twin_judged = 0, twin_refuted = 0, twin_confirmed = 0;
  std::vector<double> before, after;  // lengths
  // Of smoothed paths cut into kSegments.
  static constexpr int kSegments = 10;
  std::vector<double> checked, written, verified;
  std::int64_t leaves = 0, rejected = 0;
};
// `twin` may be null. `judged`: the twin's path by a certificate, and ours with one; a verifier is
// prepared for that.
Result<void> measure_plan(const SceneSource& source, const Scene& scene, const Query& query,
                          SamplingTwin* twin, std::uint64_t seed, bool judged, SpeedPlans& plans);

}  // namespace proven::bench
