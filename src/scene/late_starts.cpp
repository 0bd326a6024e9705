#include "proven/scene/late_starts.h"

#include <algorithm>
#include <cmath>

#include "proven/kinematics/piece_turn.h"

namespace proven {
namespace {

// Covers the roundings of a bound that takes a handful of operations.
constexpr double kUp = 1 + 0x1p-40;
// Middles of slots and shifted times are rounded, by 2^-52 of them.
constexpr double kTimeRounding = 0x1p-50;

// Turns between quaternions are computed to that.
constexpr double kTurnRounding = 0x1p-44;

double size(double x) {
  return std::fabs(x);
}
double size(const Vec3& x) {
  return norm(x) + kTurnRounding;
}

// The control points of the derivative enclose it.
template <class Value>
double fastest(const Bernstein<Value>& p) {
  double most = 0;
  for (int k = 0; k < p.degree; ++k) most = std::max(most, size(p.c[k + 1] - p.c[k]));
  return p.degree * most;
}

// The speed of one coordinate, or of the ball joint that begins there, on a piece of so many
// seconds.
double speed(const MotionPiece& piece, int coordinate, bool ball, double seconds) {
  if (ball) return fastest(piece_turn(piece, coordinate)) / seconds;
  Bernstein<double> p;
  p.degree = piece.degree();
  for (int k = 0; k <= p.degree; ++k)
    p.c[k] = piece.control(k)[static_cast<std::size_t>(coordinate)];
  return fastest(p) / seconds;
}

double top_speed(const Motion& motion, int coordinate, bool ball) {
  double most = 0;
  for (int i = 0; i < motion.num_segments(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    most = std::max(
        most, speed(motion.piece(i), coordinate, ball, motion.times[at + 1] - motion.times[at]));
  }
  return most;
}

}  // namespace

LateStarts::LateStarts(const Scene& scene, int slots) : scene_(scene), slots_(slots) {}

int LateStarts::num_runs() const {
  int runs = 1;
  for (const TimedPart& part : scene_.timed())
    if (part.late > 0) runs = std::min(runs * slots_, kMostRuns + 1);
  return runs;
}

std::vector<double> LateStarts::delays(int run) const {
  std::vector<double> delays;
  for (const TimedPart& part : scene_.timed()) {
    delays.push_back(0);
    if (part.late <= 0) continue;
    delays.back() = part.late * ((2 * (run % slots_) + 1) / (2.0 * slots_));
    run /= slots_;
  }
  return delays;
}

std::vector<double> LateStarts::errors() const {
  const auto coordinates = scene_.tree().coordinates();
  std::vector<double> errors(coordinates.size());
  for (const TimedPart& part : scene_.timed()) {
    if (part.late <= 0) continue;
    const auto& times = part.motion->times;
    const double latest = std::max(std::fabs(times.front()), std::fabs(times.back())) + part.late;
    const double slot = part.late / (2.0 * slots_) + kTimeRounding * latest;
    for (int i = 0; i < part.count; ++i) {
      const auto c = static_cast<std::size_t>(part.first) + static_cast<std::size_t>(i);
      const bool ball = coordinates[c].quaternion;
      const double error = slot * top_speed(*part.motion, i, ball) * kUp;
      std::fill_n(errors.begin() + static_cast<std::ptrdiff_t>(c), ball ? 4 : 1, error);
      if (ball) i += 3;
    }
  }
  return errors;
}

}  // namespace proven
