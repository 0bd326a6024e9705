#include "plan/averaged_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plan/reachable_speeds.h"
#include "plan/speed_profile.h"

namespace proven {
namespace {

// Windows that are tried, as shares of the time in which the acceleration limit is reached at full
// jerk. Short ones need gentler accelerations, long ones blur what is fast.
constexpr double kWindows[] = {0.35, 0.6, 1, 1.4, 2, 2.4};
// How often limits are lowered where the averaged motion breaks them.
constexpr int kPasses = 10;
// How well limits are kept on the way; the result keeps them exactly.
constexpr double kRough = 0.01;
// Seconds: rounding spoils the jerk of pieces that are much shorter.
constexpr double kShortestPiece = 2e-3;
// Parts of a blend, at least: each is a piece.
constexpr double kParts = 6;
// Changes of acceleration above this share of the greatest are where pieces end.
constexpr double kSharp = 0.2;

// Place, speed and acceleration along the curve.
struct Progress {
  double place, speed, acceleration;
};

// Phases of constant acceleration, one after the other; standing still before and behind.
class SpeedLaw {
 public:
  void add(double seconds, double speed, double acceleration) {
    if (!(seconds > 0)) return;
    steps_.push_back({end_, place_, speed, acceleration});
    end_ += seconds;
    place_ += seconds * (speed + 0.5 * seconds * acceleration);
  }
  double seconds() const { return end_; }
  double length() const { return place_; }

  // The mean of the place over the window that ends at t, and its derivatives.
  Progress averaged(double t, double window) const {
    const double from = t - window;
    const Progress a = at(from), b = at(t);
    // Of the place beyond that at the begin of the window, so that nothing cancels.
    double sum = 0, now = from;
    for (std::size_t i = first_after(from); now < t; ++i) {
      const double next = std::min(t, i < steps_.size()    ? steps_[i].begin
                                      : i == steps_.size() ? std::max(end_, now)
                                                           : t);
      if (next <= now) continue;
      const Progress p = at(now);
      const double h = next - now;
      const double u = now >= 0 && now < end_ ? p.acceleration : 0;
      sum += h * (p.place - a.place + h * (0.5 * p.speed + h * u / 6));
      now = next;
    }
    return {a.place + sum / window, (b.place - a.place) / window, (b.speed - a.speed) / window};
  }

  // Where the acceleration jumps by more than a share of the greatest.
  std::vector<double> sharp_changes() const {
    double most = 0;
    for (const Step& step : steps_) most = std::max(most, std::fabs(step.acceleration));
    std::vector<double> times;
    double before = 0;
    for (const Step& step : steps_) {
      if (std::fabs(step.acceleration - before) > kSharp * most) times.push_back(step.begin);
      before = step.acceleration;
    }
    times.push_back(end_);
    return times;
  }

 private:
  struct Step {
    double begin, place, speed, acceleration;
  };
  std::size_t first_after(double t) const {
    return static_cast<std::size_t>(
        std::upper_bound(steps_.begin(), steps_.end(), t,
                         [](double time, const Step& step) { return time < step.begin; }) -
        steps_.begin());
  }
  Progress at(double t) const {
    if (t < 0) return {0, 0, 0};
    if (t >= end_) return {place_, 0, 0};
    const Step& step = steps_[first_after(t) - 1];
    const double h = t - step.begin;
    return {step.place + h * (step.speed + 0.5 * h * step.acceleration),
            step.speed + h * step.acceleration, step.acceleration};
  }

  std::vector<Step> steps_;
  double end_ = 0, place_ = 0;
};

SpeedLaw fastest_law(const std::vector<Stretch>& curve, const std::vector<AxisLimits>& limits,
                     const std::vector<double>& ease) {
  SpeedLaw law;
  for (const Stage& stage : reachable_speeds(curve, limits, ease)) {
    const Stretch& stretch = curve[stage.stretch];
    if (stretch.blended()) {
      const double seconds = 2 * (stage.end - stage.begin) / (stage.from + stage.to);
      law.add(seconds, stage.from, (stage.to - stage.from) / seconds);
      continue;
    }
    LineBounds bounds = bounds_of(stretch.before, limits);
    bounds.jerk = std::numeric_limits<double>::infinity();
    bounds.acceleration /= ease[stage.stretch];
    for (const Phase& phase : speed_profile(stage.from, stage.to, stretch.length, bounds))
      law.add(phase.seconds, phase.speed, phase.acceleration);
  }
  return law;
}

// A piece of an averaged law, and the stretch it lies on.
struct Part {
  TimedPiece piece;
  std::size_t stretch;
};

class AveragedLaw {
 public:
  AveragedLaw(const std::vector<Stretch>& curve, const SpeedLaw& law, double window)
      : curve_(curve), law_(law), window_(window) {
    double begin = 0;
    for (const Stretch& stretch : curve) {
      begins_.push_back(begin);
      begin += stretch.length;
    }
    // By rounding the law is a little longer or shorter than the curve.
    scale_ = begin / law.length();
  }

  std::vector<Part> parts() const {
    std::vector<Part> parts;
    const std::vector<double> enters = times_of_entry();
    for (std::size_t i = 0; i < curve_.size(); ++i) {
      if (enters[i + 1] - enters[i] < kShortestPiece && !curve_[i].blended()) continue;
      const std::vector<double> knots = knots_between(enters[i], enters[i + 1], i);
      for (std::size_t k = 1; k < knots.size(); ++k)
        parts.push_back({quintic(knots[k - 1], knots[k], curve_[i].corner), i});
    }
    return parts;
  }

 private:
  double seconds() const { return law_.seconds() + window_; }
  Progress progress(double t) const {
    Progress p = law_.averaged(t, window_);
    return {p.place * scale_, p.speed * scale_, p.acceleration * scale_};
  }

  double time_at(double place) const {
    double low = 0, high = seconds();
    for (int i = 0; i < 60 && high - low > 1e-13 * high; ++i) {
      const double middle = 0.5 * (low + high);
      (progress(middle).place < place ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  // When each stretch begins, and the end. Lines that are over at once are given to their
  // neighbours.
  std::vector<double> times_of_entry() const {
    std::vector<double> enters = {0};
    for (std::size_t i = 1; i < curve_.size(); ++i) enters.push_back(time_at(begins_[i]));
    enters.push_back(seconds());
    for (std::size_t i = 0; i < curve_.size(); ++i)
      if (!curve_[i].blended() && enters[i + 1] - enters[i] < kShortestPiece)
        enters[i] = enters[i + 1] = 0.5 * (enters[i] + enters[i + 1]);
    return enters;
  }

  std::vector<double> knots_between(double begin, double end, std::size_t stretch) const {
    std::vector<double> knots = {begin};
    std::vector<double> wanted;
    for (const double t : law_.sharp_changes())
      for (const double shifted : {t, t + window_})
        if (shifted > begin && shifted < end) wanted.push_back(shifted);
    wanted.push_back(end);
    std::ranges::sort(wanted);
    const double longest = curve_[stretch].blended() ? (end - begin) / kParts : window_;
    for (const double t : wanted) {
      const bool last = t == end;
      if (t - knots.back() < kShortestPiece && !last) continue;
      if (last && knots.size() > 1 && t - knots.back() < kShortestPiece) knots.pop_back();
      const double from = knots.back();
      const double parts =
          std::max(1.0, std::floor((t - from) / std::max(longest, kShortestPiece)));
      for (double k = 1; k < parts; ++k) knots.push_back(from + (t - from) * k / parts);
      knots.push_back(t);
    }
    return knots;
  }

  struct State {
    Row position, velocity, acceleration;
  };
  State state(double t) const {
    const Progress p = progress(t);
    std::size_t i = curve_.size() - 1;
    while (i > 0 && begins_[i] > p.place) --i;
    const double along = std::clamp(p.place - begins_[i], 0.0, curve_[i].length);
    const Row rate = curve_[i].rate(along), bend = curve_[i].bend(along);
    State state{curve_[i].position(along), rate, rate};
    for (std::size_t k = 0; k < rate.size(); ++k) {
      state.velocity[k] = rate[k] * p.speed;
      state.acceleration[k] = rate[k] * p.acceleration + bend[k] * p.speed * p.speed;
    }
    return state;
  }

  // Position, velocity and acceleration at both ends.
  TimedPiece quintic(double begin, double end, int corner) const {
    const State a = state(begin), b = state(end);
    const double h = end - begin;
    TimedPiece piece{h, {}, corner};
    piece.control.assign(6, a.position);
    for (std::size_t k = 0; k < a.position.size(); ++k) {
      piece.control[1][k] += h * a.velocity[k] / 5;
      piece.control[2][k] += h * (2 * a.velocity[k] / 5 + h * a.acceleration[k] / 20);
      piece.control[3][k] =
          b.position[k] - h * (2 * b.velocity[k] / 5 - h * b.acceleration[k] / 20);
      piece.control[4][k] = b.position[k] - h * b.velocity[k] / 5;
      piece.control[5][k] = b.position[k];
    }
    return piece;
  }

  const std::vector<Stretch>& curve_;
  const SpeedLaw& law_;
  double window_, scale_ = 1;
  std::vector<double> begins_;
};

double total_seconds(const std::vector<TimedPiece>& pieces) {
  double sum = 0;
  for (const TimedPiece& piece : pieces) sum += piece.seconds;
  return sum;
}

// With one window. Limits are lowered where the averaged motion breaks them; what is left is a
// matter of slowing all of it, or of hastening it.
std::vector<TimedPiece> with_window(const std::vector<Stretch>& curve,
                                    const std::vector<AxisLimits>& limits, double window) {
  std::vector<double> ease(curve.size(), 1);
  std::vector<TimedPiece> best;
  for (int pass = 0; pass < kPasses; ++pass) {
    const SpeedLaw law = fastest_law(curve, limits, ease);
    const std::vector<Part> parts = AveragedLaw(curve, law, window).parts();
    std::vector<double> shares(curve.size(), 0);
    double most = 0;
    std::vector<TimedPiece> pieces;
    for (const Part& part : parts) {
      const double share = slowing(part.piece, limits, kRough);
      shares[part.stretch] = std::max(shares[part.stretch], share);
      most = std::max(most, share);
      pieces.push_back(part.piece);
    }
    for (TimedPiece& piece : pieces) piece.seconds *= most;
    if (best.empty() || total_seconds(pieces) < total_seconds(best)) best = std::move(pieces);
    for (std::size_t i = 0; i < ease.size(); ++i)
      ease[i] = std::max(1.0, ease[i] * shares[i] * shares[i]);
  }
  return best;
}

}  // namespace

std::vector<TimedPiece> averaged_law(const std::vector<Stretch>& curve,
                                     const std::vector<AxisLimits>& limits) {
  double ramp = 0;
  for (const AxisLimits& axis : limits)
    if (std::isfinite(axis.jerk)) ramp = std::max(ramp, axis.acceleration / axis.jerk);
  std::vector<TimedPiece> best;
  for (const double share : kWindows) {
    std::vector<TimedPiece> pieces = with_window(curve, limits, share * ramp);
    if (best.empty() || total_seconds(pieces) < total_seconds(best)) best = std::move(pieces);
  }
  double most = 0;
  for (const TimedPiece& piece : best) most = std::max(most, slowing(piece, limits));
  for (TimedPiece& piece : best) piece.seconds *= most;
  return best;
}

}  // namespace proven
