// Judges what sweeps say, by distances at many moments: motions and poses from the definitions in
// long double, distances by the tested search of closest points.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/suite/twin.h"
#include "papers/certify/sweep_probe.h"
#include "proven/geometry/distance.h"

namespace proven::bench {

// A pair's distance at a moment of the motion, or of one that is shifted in joint space.
struct GapSample {
  double t = 0, distance = 0;
};

// A pair of the scene along a motion.
struct WatchedPair {
  int pair = -1;
  std::vector<GapSample> samples;
  GapSample least;
  bool contained = false;  // at the start one lies inside the other, and the surfaces are apart
};

// One motion in one scene; for one thread.
class SweepTruth {
 public:
  // The motion has one piece. Both must outlive it.
  SweepTruth(const Scene& scene, const Motion& motion) : scene_(scene), motion_(motion) {}

  // The pairs that come closest, as far as a few moments tell.
  std::vector<WatchedPair> nearest_pairs(int count);
  // Many moments, and more around the smallest. `shift`: of every coordinate, or empty.
  WatchedPair follow(int pair, std::span<const double> shift);
  // A shift of at most `reach` in every coordinate that brings the pair closer at t.
  std::vector<double> worst_shift(int pair, double t, double reach);

  double distance(int pair, double t, std::span<const double> shift = {});
  // Whether one lies inside the other, their surfaces apart.
  bool contained(int pair, double t);

 private:
  void place(double t, std::span<const double> shift);
  double placed_distance(int pair);
  void refine(WatchedPair& watched, std::size_t at, std::span<const double> shift);

  const Scene& scene_;
  const Motion& motion_;
  std::vector<double> q_;
  std::vector<Frame<long double>> poses_;
  DistanceScratch scratch_;
};

// What is wrong with an answer; empty: nothing. `watched`: what is known of some pairs, `required`:
// what was required of each of them.
std::string find_fault(const Scene& scene, const SweepProbe::Answer& answer,
                       std::span<const WatchedPair> watched, std::span<const double> required,
                       SweepTruth& truth, bool starts_free);

// Chords of a pair that the answer leaves open, in one part.
std::uint32_t open_chords(const SweepProbe::Answer& answer, const BodyPair& pair, int part);

}  // namespace proven::bench
