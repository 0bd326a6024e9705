#include "plan/timing_law.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "plan/averaged_law.h"
#include "plan/reachable_speeds.h"
#include "plan/speed_profile.h"

namespace proven {
namespace {

void append_line(const Stretch& line, const std::vector<Phase>& phases,
                 std::vector<TimedPiece>& pieces) {
  double begin = 0;
  for (const Phase& phase : phases) {
    const double T = phase.seconds, end = begin + phase.length(T);
    const double first = begin + phase.speed * T / 3;
    const double second = begin + T * (2 * phase.speed + 0.5 * phase.acceleration * T) / 3;
    pieces.push_back(
        {T,
         {line.position(begin), line.position(first), line.position(second), line.position(end)},
         -1});
    begin = end;
  }
}

TimedPiece hermite(const Stretch& blend, double begin, double end, double from, double to) {
  TimedPiece piece{
      2 * (end - begin) / (from + to),
      {blend.position(begin), blend.position(begin), blend.position(end), blend.position(end)},
      blend.corner};
  const Row first = blend.rate(begin), last = blend.rate(end);
  for (std::size_t k = 0; k < first.size(); ++k) {
    piece.control[1][k] += first[k] * from * piece.seconds / 3;
    piece.control[2][k] -= last[k] * to * piece.seconds / 3;
  }
  return piece;
}

// Pieces of a run meet in the same numbers.
void join(std::vector<TimedPiece>& pieces) {
  for (std::size_t i = 1; i < pieces.size(); ++i)
    pieces[i - 1].control.back() = pieces[i].control.front();
}

// `ease`: by how much the limits of each blend are lowered, since what holds on the grid does not
// quite hold for the pieces between.
std::vector<TimedPiece> fastest(const std::vector<Stretch>& curve,
                                const std::vector<AxisLimits>& limits,
                                const std::vector<double>& ease) {
  std::vector<TimedPiece> pieces;
  const std::vector<Stage> stages = reachable_speeds(curve, limits, ease);
  for (const Stage& stage : stages) {
    const Stretch& stretch = curve[stage.stretch];
    if (stretch.blended())
      pieces.push_back(hermite(stretch, stage.begin, stage.end, stage.from, stage.to));
    else
      append_line(
          stretch,
          speed_profile(stage.from, stage.to, stretch.length, bounds_of(stretch.before, limits)),
          pieces);
  }
  join(pieces);
  return pieces;
}

// The highest constant speed through a blend.
double blend_speed(const Stretch& blend, const std::vector<AxisLimits>& limits) {
  double speed = 1;
  for (std::size_t k = 0; k < limits.size(); ++k) {
    const double change = std::fabs(blend.after[k] - blend.before[k]), reach = blend.reach();
    if (change == 0) continue;
    speed = std::min({speed, std::sqrt(limits[k].acceleration * reach / (0.75 * change)),
                      std::cbrt(limits[k].jerk * reach * reach / (1.5 * change))});
  }
  return speed;
}

std::vector<TimedPiece> at_constant_speed_through_blends(const std::vector<Stretch>& curve,
                                                         const std::vector<AxisLimits>& limits) {
  // Speeds where stretches meet; a blend has the same at both ends.
  const std::size_t n = curve.size();
  std::vector<double> speed(n + 1, 1);
  speed.front() = speed.back() = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (curve[i].blended()) {
      const double most = blend_speed(curve[i], limits);
      speed[i] = std::min(speed[i], most);
      speed[i + 1] = std::min(speed[i + 1], most);
    }
  const auto relax = [&](std::size_t i, std::size_t from, std::size_t to) {
    const Stretch& s = curve[i];
    const double most = s.blended()
                            ? speed[from]
                            : reachable_speed(speed[from], s.length, bounds_of(s.before, limits));
    speed[to] = std::min(speed[to], most);
  };
  for (std::size_t i = n; i-- > 0;) relax(i, i + 1, i);
  for (std::size_t i = 0; i < n; ++i) relax(i, i, i + 1);
  std::vector<TimedPiece> pieces;
  for (std::size_t i = 0; i < n; ++i) {
    const Stretch& s = curve[i];
    if (!s.blended()) {
      append_line(s, speed_profile(speed[i], speed[i + 1], s.length, bounds_of(s.before, limits)),
                  pieces);
      continue;
    }
    // The quartic's control points are the ends, the middles of its two legs, and the corner.
    TimedPiece piece{s.length / speed[i], std::vector<Row>(5, s.origin), s.corner};
    for (std::size_t k = 0; k < s.origin.size(); ++k) {
      const double back = s.reach() * s.before[k], on = s.reach() * s.after[k];
      piece.control[0][k] -= back, piece.control[1][k] -= 0.5 * back;
      piece.control[3][k] += 0.5 * on, piece.control[4][k] += on;
    }
    pieces.push_back(std::move(piece));
  }
  join(pieces);
  return pieces;
}

constexpr double kExact = 1e-11;

// The largest size of a polynomial, by its control points: they enclose it, and its ends are on it.
// An upper bound, too large by the share `tolerance` at most.
double largest_size(std::span<const double> c, double known, int depth, double tolerance = kExact) {
  constexpr int kDepth = 40;
  double upper = 0;
  for (const double value : c) upper = std::max(upper, std::fabs(value));
  known = std::max({known, std::fabs(c.front()), std::fabs(c.back())});
  if (upper <= known * (1 + tolerance) || depth == kDepth) return std::max(upper, known);
  std::vector<double> left(c.size()), right(c.begin(), c.end());
  for (std::size_t k = 0; k < c.size(); ++k) {
    left[k] = right[0];
    for (std::size_t i = 0; i + 1 < c.size() - k; ++i) right[i] = 0.5 * (right[i] + right[i + 1]);
  }
  // After all steps right[i] holds the values at the ends of the second half.
  known = largest_size(left, known, depth + 1, tolerance);
  return largest_size(right, known, depth + 1, tolerance);
}

std::vector<double> axis_of(const TimedPiece& piece, std::size_t axis) {
  std::vector<double> c;
  for (const Row& row : piece.control) c.push_back(row[axis]);
  return c;
}

void differentiate(std::vector<double>& c, double seconds) {
  const double factor = static_cast<double>(c.size() - 1) / seconds;
  for (std::size_t k = 0; k + 1 < c.size(); ++k) c[k] = factor * (c[k + 1] - c[k]);
  c.pop_back();
}

// Lowers the limits of blends by what their pieces exceed them.
void ease_blends(const std::vector<Stretch>& curve, const std::vector<TimedPiece>& pieces,
                 const std::vector<AxisLimits>& limits, std::vector<double>& ease) {
  std::map<int, double> most;
  for (const TimedPiece& piece : pieces)
    if (piece.corner >= 0)
      most[piece.corner] = std::max(most[piece.corner], slowing(piece, limits));
  for (std::size_t i = 0; i < curve.size(); ++i)
    if (curve[i].blended()) {
      const double share = most[curve[i].corner];
      ease[i] = std::max(1.0, ease[i] * share * share);
    }
}

double seconds_of(const std::vector<TimedPiece>& pieces) {
  double sum = 0;
  for (const TimedPiece& piece : pieces) sum += piece.seconds;
  return sum;
}

}  // namespace

double slowing(const TimedPiece& piece, const std::vector<AxisLimits>& limits) {
  return slowing(piece, limits, kExact);
}

double slowing(const TimedPiece& piece, const std::vector<AxisLimits>& limits, double tolerance) {
  double most = 0;
  for (std::size_t k = 0; k < limits.size(); ++k) {
    std::vector<double> c = axis_of(piece, k);
    if (std::ranges::all_of(c, [&](double value) { return value == c[0]; })) continue;
    differentiate(c, piece.seconds);
    most = std::max(most, largest_size(c, 0, 0, tolerance) / limits[k].velocity);
    differentiate(c, piece.seconds);
    most = std::max(most, std::sqrt(largest_size(c, 0, 0, tolerance) / limits[k].acceleration));
    if (!std::isfinite(limits[k].jerk)) continue;
    differentiate(c, piece.seconds);
    most = std::max(most, std::cbrt(largest_size(c, 0, 0, tolerance) / limits[k].jerk));
  }
  return most;
}

std::pair<double, double> range_of(const TimedPiece& piece, std::size_t axis) {
  const std::vector<double> c = axis_of(piece, axis);
  const auto [low, high] = std::ranges::minmax(c);
  std::vector<double> above = c, below = c;
  for (double& value : above) value -= low;
  for (double& value : below) value = high - value;
  return {high - largest_size(below, 0, 0), low + largest_size(above, 0, 0)};
}

std::vector<TimedPiece> time_curve(const std::vector<Stretch>& curve, const Row& end,
                                   const std::vector<AxisLimits>& limits) {
  constexpr int kPasses = 4;
  constexpr double kTolerance = 1e-10;
  const bool jerk = std::ranges::any_of(
      limits, [](const AxisLimits& limit) { return std::isfinite(limit.jerk); });
  std::vector<TimedPiece> pieces;
  if (jerk) {
    pieces = at_constant_speed_through_blends(curve, limits);
    // A line alone has its optimum already.
    if (curve.size() > 1)
      if (auto averaged = averaged_law(curve, limits); seconds_of(averaged) < seconds_of(pieces))
        pieces = std::move(averaged);
    join(pieces);
  } else {
    std::vector<double> ease(curve.size(), 1);
    for (int pass = 0; pass < kPasses; ++pass) {
      pieces = fastest(curve, limits, ease);
      ease_blends(curve, pieces, limits, ease);
    }
  }
  pieces.back().control.back() = end;
  // What remains is rounding, and what the last pass left.
  double most = 1;
  for (const TimedPiece& piece : pieces) most = std::max(most, slowing(piece, limits));
  if (most > 1 + kTolerance)
    for (TimedPiece& piece : pieces) piece.seconds *= most;
  return pieces;
}

double seconds_with_stops(const Row& from, const Row& to, const std::vector<AxisLimits>& limits) {
  const double length = travel_seconds(from, to, limits);
  if (length == 0) return 0;
  const Row u = direction(from, to, length);
  return total_seconds(speed_profile(0, 0, length, bounds_of(u, limits)));
}

std::vector<TimedPiece> cut(std::vector<TimedPiece> pieces, double interval) {
  std::vector<TimedPiece> result;
  for (TimedPiece& piece : pieces) {
    const double count = std::ceil(piece.seconds / interval * (1 - 1e-12));
    const double seconds = piece.seconds / std::max(1.0, count);
    for (double left = count; left > 1; --left) {
      TimedPiece first{seconds, {}, piece.corner};
      const double t = 1 / left;
      for (std::size_t level = piece.control.size(); level > 0; --level) {
        first.control.push_back(piece.control[0]);
        for (std::size_t i = 0; i + 1 < level; ++i)
          for (std::size_t k = 0; k < piece.control[i].size(); ++k)
            if (piece.control[i][k] != piece.control[i + 1][k])
              piece.control[i][k] = (1 - t) * piece.control[i][k] + t * piece.control[i + 1][k];
      }
      result.push_back(std::move(first));
    }
    piece.seconds = seconds;
    result.push_back(std::move(piece));
  }
  return result;
}

}  // namespace proven
