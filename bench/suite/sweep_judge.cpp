#include "bench/suite/sweep_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/suite/brute_force.h"
#include "bench/suite/random_parts.h"
#include "proven/geometry/body_geometry.h"

namespace proven::bench {
namespace {

using Real = long double;

constexpr int kFewMoments = 6, kMoments = 46, kRefinements = 2, kSteps = 26;
// Distances are exact to far less.
constexpr double kTolerance = 1e-9;

Pose to_pose(const Frame<Real>& X) {
  Pose pose;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      pose.R.row[static_cast<std::size_t>(i)][j] = static_cast<double>(X.linear()(i, j));
    pose.p[i] = static_cast<double>(X.translation()(i));
  }
  return pose;
}

}  // namespace

void SweepTruth::place(double t, std::span<const double> shift) {
  q_.resize(scene_.home().size());
  evaluate(scene_.tree().coordinates(), motion_, 0, t, q_, 0);
  for (std::size_t i = 0; i < shift.size(); ++i) q_[i] += shift[i];
  twin_poses<Real>(scene_.tree(), std::vector<Real>(q_.begin(), q_.end()), poses_);
}

double SweepTruth::placed_distance(int index) {
  const BodyPair& pair = scene_.pairs()[static_cast<std::size_t>(index)];
  const auto pose = [&](int body) -> Frame<Real> {
    const Body& b = scene_.body(body);
    return poses_[static_cast<std::size_t>(b.link)] * to_eigen<Real>(b.X_LB);
  };
  const Frame<Real> X_AB = pose(pair.a).inverse() * pose(pair.b);
  return exact_distance(*scene_.body(pair.a).geometry, *scene_.body(pair.b).geometry, to_pose(X_AB),
                        {-1, -1}, scratch_)
      .distance;
}

double SweepTruth::distance(int pair, double t, std::span<const double> shift) {
  place(t, shift);
  return placed_distance(pair);
}

std::vector<WatchedPair> SweepTruth::nearest_pairs(int count) {
  const auto pairs = scene_.pairs();
  std::vector<double> apart(pairs.size(), INFINITY);
  const auto each_moment = [&](const auto& work) {
    for (int i = 0; i < kFewMoments; ++i) {
      const double t = static_cast<double>(i) / (kFewMoments - 1);
      place(t, {});
      work(t);
    }
  };
  each_moment([&](double) {
    const auto sphere = [&](int body) {
      const Body& b = scene_.body(body);
      const BoundingSphere& s = b.geometry->bounding_sphere();
      const Vector3<Real> c = poses_[static_cast<std::size_t>(b.link)] * to_eigen<Real>(b.X_LB) *
                              to_eigen<Real>(s.centre);
      return std::pair(c, s.radius);
    };
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const auto [a, ra] = sphere(pairs[p].a);
      const auto [b, rb] = sphere(pairs[p].b);
      apart[p] = std::min(apart[p], static_cast<double>((a - b).norm()) - ra - rb);
    }
  });
  std::vector<int> order(pairs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto kept = std::min(order.size(), static_cast<std::size_t>(count));
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(kept), {},
                            [&](int p) { return apart[static_cast<std::size_t>(p)]; });
  std::vector<WatchedPair> near(kept);
  for (std::size_t i = 0; i < kept; ++i) {
    near[i].pair = order[i];
    near[i].least = {0, INFINITY};
  }
  each_moment([&](double t) {
    for (WatchedPair& watched : near) {
      watched.samples.push_back({t, placed_distance(watched.pair)});
      if (watched.samples.back().distance < watched.least.distance)
        watched.least = watched.samples.back();
    }
  });
  return near;
}

// The golden section between the neighbours of a sample.
void SweepTruth::refine(WatchedPair& watched, std::size_t at, std::span<const double> shift) {
  constexpr double kGolden = 0.6180339887498949;
  double lo = watched.samples[at == 0 ? 0 : at - 1].t;
  double hi = watched.samples[std::min(at + 1, static_cast<std::size_t>(kMoments - 1))].t;
  const auto sample = [&](double t) {
    watched.samples.push_back({t, distance(watched.pair, t, shift)});
    if (watched.samples.back().distance < watched.least.distance)
      watched.least = watched.samples.back();
    return watched.samples.back().distance;
  };
  double x = hi - kGolden * (hi - lo), y = lo + kGolden * (hi - lo);
  double at_x = sample(x), at_y = sample(y);
  for (int step = 0; step < kSteps && hi - lo > 1e-9; ++step) {
    if (at_x < at_y) {
      hi = y, y = x, at_y = at_x;
      at_x = sample(x = hi - kGolden * (hi - lo));
    } else {
      lo = x, x = y, at_x = at_y;
      at_y = sample(y = lo + kGolden * (hi - lo));
    }
  }
}

WatchedPair SweepTruth::follow(int pair, std::span<const double> shift) {
  WatchedPair watched;
  watched.pair = pair;
  watched.least = {0, INFINITY};
  for (int i = 0; i < kMoments; ++i) {
    const double t = static_cast<double>(i) / (kMoments - 1);
    watched.samples.push_back({t, distance(pair, t, shift)});
    if (watched.samples.back().distance < watched.least.distance)
      watched.least = watched.samples.back();
  }
  std::vector<std::size_t> minima;
  const auto at = [&](std::size_t i) { return watched.samples[i].distance; };
  for (std::size_t i = 0; i < kMoments; ++i)
    if ((i == 0 || at(i) <= at(i - 1)) && (i + 1 == kMoments || at(i) <= at(i + 1)))
      minima.push_back(i);
  std::ranges::sort(minima, {}, at);
  for (std::size_t i = 0; i < std::min<std::size_t>(kRefinements, minima.size()); ++i)
    if (at(minima[i]) > 0) refine(watched, minima[i], shift);
  watched.contained = watched.least.distance > 0 && contained(pair, 0);
  return watched;
}

bool SweepTruth::contained(int pair, double t) {
  const BodyPair& bodies = scene_.pairs()[static_cast<std::size_t>(pair)];
  place(t, {});
  return BruteForce(scene_, q_, bodies.a, bodies.b).contained();
}

std::vector<double> SweepTruth::worst_shift(int pair, double t, double reach) {
  const auto coordinates = scene_.tree().coordinates();
  std::vector<double> shift(coordinates.size()), tried(shift);
  for (std::size_t i = 0; i < shift.size(); ++i) {
    if (coordinates[i].quaternion) continue;
    tried[i] = reach;
    const double more = distance(pair, t, tried);
    tried[i] = -reach;
    shift[i] = distance(pair, t, tried) < more ? -reach : reach;
    tried[i] = 0;
  }
  return shift;
}

std::uint32_t open_chords(const SweepProbe::Answer& answer, const BodyPair& pair, int part) {
  std::uint32_t open = 0;
  for (const SweepProbe::Open& own : answer.open)
    if (own.part == part && std::minmax(own.a, own.b) == std::minmax(pair.a, pair.b))
      open |= own.chords;
  return open;
}

namespace {

std::string fault_of_contact(const Scene& scene, const SweepProbe::Contact& contact,
                             SweepTruth& truth) {
  for (int p = 0; p < static_cast<int>(scene.pairs().size()); ++p) {
    const BodyPair& pair = scene.pairs()[static_cast<std::size_t>(p)];
    if (std::minmax(pair.a, pair.b) != std::minmax(contact.a, contact.b)) continue;
    const double distance = truth.distance(p, contact.t);
    if (distance == 0 || distance <= contact.required + kTolerance) return "";
    if (truth.contained(p, contact.t)) return "";
    return fmt::format("pair {} is said to be closer than {} at {}, but is {} apart", p,
                       contact.required, contact.t, distance);
  }
  return "a contact of a pair that is not tested";
}

}  // namespace

std::string find_fault(const Scene& scene, const SweepProbe::Answer& answer,
                       std::span<const WatchedPair> watched, std::span<const double> required,
                       SweepTruth& truth, bool starts_free) {
  if (answer.contact) return fault_of_contact(scene, *answer.contact, truth);
  if (!answer.usable) return "";
  const int chords = SweepProbe::chords();
  for (std::size_t i = 0; i < watched.size(); ++i) {
    const BodyPair& pair = scene.pairs()[static_cast<std::size_t>(watched[i].pair)];
    const std::uint32_t all = (1u << chords) - 1;
    if (watched[i].contained && !starts_free && open_chords(answer, pair, 0) != all)
      return fmt::format("pair {} is settled, but one lies inside the other", watched[i].pair);
    for (const GapSample& sample : watched[i].samples) {
      const bool too_close = sample.distance == 0 || sample.distance < required[i] - kTolerance;
      if (!too_close) continue;
      const int count = chords * answer.parts;
      const int chord = std::min(count - 1, static_cast<int>(sample.t * count));
      if ((open_chords(answer, pair, chord / chords) >> (chord % chords) & 1) == 0)
        return fmt::format(
            "pair {} is settled on chord {} of {}, but at {} it is {} apart, required {}",
            watched[i].pair, chord, count, sample.t, sample.distance, required[i]);
    }
  }
  return "";
}

}  // namespace proven::bench
