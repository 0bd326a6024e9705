// Chapter 5, concluded: parts that may start late (format, section 10). Runs in which every part is
// late by the middle of one of its slots, and how far any other start can be from its run.
#include <algorithm>
#include <cmath>

#include "verify/model.h"

namespace proven::verifier {
namespace {

// Turns between quaternions are computed to that.
constexpr double kTurnRounding = 0x1p-45;
// Middles of slots and shifted times round by less than that of the latest time.
constexpr double kTimeRounding = 0x1p-51;

double magnitude(const Interval& x) {
  return std::max(-x.lo, x.hi);
}

// Above the speed of column i, or of the ball joint that begins there, on piece k of the part.
double speed_on(const Motion& motion, int k, int i, bool ball) {
  const MotionPiece piece = motion.piece(k);
  const auto at = static_cast<std::size_t>(k);
  const Interval seconds = Interval(motion.times[at + 1]) - Interval(motion.times[at]);
  Interval most = 0.0;
  if (ball) {
    const auto c = turn_coefficients(piece, i);
    for (std::size_t j = 0; j + 1 < c[0].size(); ++j) {
      Interval sum = 0.0;
      for (const auto& own : c) sum = sum + square(Interval(own[j + 1]) - Interval(own[j]));
      most = max(most, sqrt(sum) + Interval(kTurnRounding));
    }
  } else {
    const auto column = static_cast<std::size_t>(i);
    for (int j = 0; j < piece.degree(); ++j)
      most = max(most, abs(Interval(piece.control(j + 1)[column]) - piece.control(j)[column]));
  }
  return magnitude(Interval(static_cast<double>(piece.degree())) * most / seconds);
}

}  // namespace

bool may_be_late(const Model& model) {
  for (const Timed& timed : model.timed)
    if (timed.late > 0) return true;
  return false;
}

std::size_t num_runs(const Model& model, std::uint32_t slots) {
  constexpr std::size_t kMostRuns = 1 << 12;
  std::size_t runs = 1;
  for (const Timed& timed : model.timed) {
    if (!(timed.late > 0)) continue;
    if (slots == 0 || slots > kMostRuns / runs)
      throw Rejected{"the certificate cuts lateness into no slots, or into too many"};
    runs *= slots;
  }
  return runs;
}

std::vector<double> delays_in(const Model& model, std::uint32_t slots, std::size_t run) {
  std::vector<double> delays;
  for (const Timed& timed : model.timed) {
    if (!(timed.late > 0)) {
      delays.push_back(0);
      continue;
    }
    const auto slot = static_cast<double>(run % slots);
    delays.push_back(timed.late * ((2 * slot + 1) / (2.0 * slots)));
    run /= slots;
  }
  return delays;
}

std::vector<double> errors_of(const Model& model, const TrackingError& tracking,
                              std::uint32_t slots) {
  std::vector<double> errors;
  for (const std::string& joint : model.joints) errors.push_back(tracking.of(joint));
  bool any = tracking.any();
  for (const Timed& timed : model.timed) {
    if (!(timed.late > 0)) continue;
    any = true;
    const Motion& motion = timed.motion;
    const double latest = std::max(std::fabs(motion.times.front()), std::fabs(motion.times.back()));
    const Interval slot = Interval(timed.late) / Interval(2.0 * slots) +
                          Interval(kTimeRounding) * (Interval(latest) + Interval(timed.late));
    for (int i = 0; i < timed.count; ++i) {
      const int column = timed.first + i;
      const bool ball = model.turns_at(column);
      double speed = 0;
      for (int k = 0; k < motion.num_segments(); ++k)
        speed = std::max(speed, speed_on(motion, k, i, ball));
      for (int j = 0; j < (ball ? 4 : 1); ++j) {
        double& error = errors[static_cast<std::size_t>(column) + static_cast<std::size_t>(j)];
        error = (Interval(error) + slot * Interval(speed)).hi;
      }
      if (ball) i += 3;
    }
  }
  if (!any) errors.clear();
  return errors;
}

}  // namespace proven::verifier
