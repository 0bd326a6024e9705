#include "proven/spacetime/drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "proven/base/processor_time.h"

namespace proven::spacetime {
namespace {

// Position, velocity and acceleration along or across the path.
struct Motion1 {
  double p = 0, v = 0, a = 0;
};

// A polynomial in time that leaves `from` and ends with velocity v and acceleration 0 (quartic) or
// at position p with both 0 (quintic), and goes on uniformly after `duration`.
struct Polynomial {
  double c[6] = {};
  double duration = 1;

  static Polynomial to_speed(const Motion1& from, double v, double T) {
    Polynomial f{{from.p, from.v, 0.5 * from.a}, T};
    const double b1 = v - from.v - from.a * T, b2 = -from.a;
    f.c[3] = (3 * b1 - b2 * T) / (3 * T * T);
    f.c[4] = (b2 * T - 2 * b1) / (4 * T * T * T);
    return f;
  }
  static Polynomial to_position(const Motion1& from, double p, double T) {
    Polynomial f{{from.p, from.v, 0.5 * from.a}, T};
    const double b0 = p - from.p - from.v * T - 0.5 * from.a * T * T;
    const double b1 = -from.v - from.a * T, b2 = -from.a;
    f.c[3] = (10 * b0 - 4 * b1 * T + 0.5 * b2 * T * T) / (T * T * T);
    f.c[4] = (-15 * b0 + 7 * b1 * T - b2 * T * T) / (T * T * T * T);
    f.c[5] = (6 * b0 - 3 * b1 * T + 0.5 * b2 * T * T) / (T * T * T * T * T);
    return f;
  }
  Motion1 at(double t) const {
    const double u = std::min(t, duration);
    Motion1 m;
    m.p = c[0] + u * (c[1] + u * (c[2] + u * (c[3] + u * (c[4] + u * c[5]))));
    m.v = c[1] + u * (2 * c[2] + u * (3 * c[3] + u * (4 * c[4] + u * 5 * c[5])));
    m.a = 2 * c[2] + u * (6 * c[3] + u * (12 * c[4] + u * 20 * c[5]));
    if (t > duration) m.p += m.v * (t - duration), m.a = 0;
    return m;
  }
};

struct Plan {
  Polynomial along, across;
  double cost = 0;
};

// Heading relative to the path; slow vehicles keep to the path's direction.
double slip(double along, double across) {
  constexpr double kSlow = 1.0;
  return std::atan2(across, std::max(along, kSlow));
}

class Driver {
 public:
  Driver(const TrafficScene& scene, const Footprint& footprint, const ReferencePath& path,
         const DriveOptions& options, const Budget& budget)
      : scene_(scene), path_(path), options_(options), budget_(budget) {
    set_.footprint = footprint;
  }

  Result<DriveResult> run(const Pose2& start, double speed, double t_begin, double t_end) {
    const Vec2 at = path_.locate({start.x, start.y});
    const double off = std::remainder(start.heading - path_.at(at.x).heading, 2 * M_PI);
    along_ = {at.x, speed * std::cos(off), 0};
    across_ = {at.y, speed * std::sin(off), 0};
    const auto cycles = static_cast<int>(std::round((t_end - t_begin) / options_.cycle));
    const auto steps =
        std::max(1, static_cast<int>(std::round(options_.cycle / options_.time_step)));
    append(t_begin, start);
    for (int cycle = 0; cycle < cycles; ++cycle) {
      budget_.report("cycles", cycle, cycles);
      const double t = t_begin + cycle * options_.cycle;
      const auto chosen = decide(t, cycle == cycles / 2);
      if (!chosen.ok()) return chosen.error();
      if (chosen.value() < 0) return std::move(result_);
      const Plan& plan = plans_[static_cast<std::size_t>(chosen.value())];
      const std::size_t row = static_cast<std::size_t>(chosen.value()) * set_.t.size();
      for (int k = 1; k <= steps; ++k) {
        const auto i = row + static_cast<std::size_t>(k);
        append(set_.t[static_cast<std::size_t>(k)], {set_.x[i], set_.y[i], set_.heading[i]});
      }
      const double driven = steps * options_.time_step;
      along_ = plan.along.at(driven);
      across_ = plan.across.at(driven);
    }
    result_.finished = true;
    result_.standing = along_.v < 0.1;
    return std::move(result_);
  }

 private:
  void append(double t, const Pose2& pose) {
    Trajectory& m = result_.driven;
    m.t.push_back(t), m.x.push_back(pose.x), m.y.push_back(pose.y),
        m.heading.push_back(pose.heading);
  }

  // The index of the driven candidate, or -1 if none is free or the budget ended.
  Result<int> decide(double t, bool show) {
    const double start = 1e3 * processor_seconds();
    sample(t);
    DriveCycle cycle;
    const double sampled = 1e3 * processor_seconds();
    const auto found = verdicts(scene_, set_, options_.check, 1, budget_);
    if (!found.ok()) return found.error();
    result_.stopped = budget_.stopped();
    if (result_.stopped) return -1;
    cycle.t = t;
    cycle.candidates = set_.size();
    cycle.generate_ms = sampled - start;
    cycle.check_ms = 1e3 * processor_seconds() - sampled;
    std::vector<int> order(plans_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return plans_[static_cast<std::size_t>(a)].cost < plans_[static_cast<std::size_t>(b)].cost;
    });
    int chosen = -1;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      if (found.value()[static_cast<std::size_t>(order[rank])] != Verdict::free) continue;
      ++cycle.free;
      if (chosen >= 0) continue;
      chosen = order[rank];
      cycle.rank = static_cast<int>(rank);
    }
    result_.cycles.push_back(cycle);
    if (show) result_.shown = set_, result_.shown_verdicts = found.value();
    return chosen;
  }

  void sample(double t) {
    set_.t.clear(), set_.x.clear(), set_.y.clear(), set_.heading.clear();
    plans_.clear();
    const auto poses = static_cast<int>(std::round(options_.horizon / options_.time_step)) + 1;
    // On the grid of the recording, to the last bit, steps match its bins one to one.
    const double step = options_.time_step, first = std::round(t / step);
    const bool on_grid = std::fabs(first * step - t) < 1e-6 * step;
    for (int k = 0; k < poses; ++k) set_.t.push_back(on_grid ? (first + k) * step : t + k * step);
    constexpr int kDurations = 4;
    const int side = std::max(3, static_cast<int>(std::sqrt(options_.candidates / kDurations)));
    const double h = options_.horizon;
    const double slowest = std::max(0.0, along_.v - options_.max_acceleration * h);
    const double fastest = std::max(options_.desired_speed, along_.v) + 2;
    for (int d = 0; d < kDurations; ++d) {
      const double T = h * (d + 1) / kDurations;
      for (int i = 0; i < side; ++i) {
        const double v = slowest + (fastest - slowest) * i / (side - 1);
        const Polynomial along = Polynomial::to_speed(along_, v, T);
        if (!drivable(along, h)) continue;
        for (int j = 0; j < side; ++j) {
          const double offset = options_.max_lateral_offset * (2.0 * j / (side - 1) - 1);
          add({along, Polynomial::to_position(across_, offset, T), 0}, v, offset, T);
        }
      }
    }
    // Standing on the brakes must always be among the candidates.
    const double stop = std::max(options_.time_step, along_.v / options_.max_acceleration);
    add({Polynomial::to_speed(along_, 0, stop), Polynomial::to_position(across_, 0, h), 0}, 0, 0,
        stop);
  }

  bool drivable(const Polynomial& along, double h) const {
    for (int k = 0; k <= 8; ++k) {
      const Motion1 m = along.at(h * k / 8);
      if (m.v < -1e-6 || std::fabs(m.a) > options_.max_acceleration) return false;
    }
    return true;
  }

  void add(Plan plan, double speed, double offset, double T) {
    const double slower = speed - options_.desired_speed;
    const double hurry = std::fabs(speed - along_.v) / T,
                 swerve = std::fabs(offset - across_.p) / T;
    plan.cost = slower * slower + 2 * offset * offset + 0.3 * hurry * hurry + 0.5 * swerve * swerve;
    for (std::size_t k = 0; k < set_.t.size(); ++k) {
      const double u = set_.t[k] - set_.t[0];
      const Motion1 s = plan.along.at(u), d = plan.across.at(u);
      const Pose2 base = path_.at(s.p);
      set_.x.push_back(base.x - d.p * std::sin(base.heading));
      set_.y.push_back(base.y + d.p * std::cos(base.heading));
      set_.heading.push_back(base.heading + slip(s.v, d.v));
    }
    // The first pose is where the vehicle is, to the last bit.
    const std::size_t row = set_.x.size() - set_.t.size();
    const Trajectory& m = result_.driven;
    set_.x[row] = m.x.back(), set_.y[row] = m.y.back();
    const double heading = m.heading.back();
    const double turns = 2 * M_PI * std::round((set_.heading[row] - heading) / (2 * M_PI));
    for (std::size_t k = row; k < set_.heading.size(); ++k) set_.heading[k] -= turns;
    set_.heading[row] = heading;
    plans_.push_back(plan);
  }

  const TrafficScene& scene_;
  const ReferencePath& path_;
  const DriveOptions& options_;
  const Budget& budget_;
  Motion1 along_, across_;
  std::vector<Plan> plans_;
  CandidateSet set_;
  DriveResult result_;
};

}  // namespace

Result<ReferencePath> ReferencePath::make(std::vector<Vec2> points, int smoothing) {
  constexpr double kSpacing = 1.0;
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 2) return bad_input("a reference path needs two different points");
  std::vector<Vec2> even = {points[0]};
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Vec2 step = points[i] - points[i - 1];
    const int parts = std::max(1, static_cast<int>(norm(step) / kSpacing));
    for (int k = 1; k <= parts; ++k)
      even.push_back(points[i - 1] + (static_cast<double>(k) / parts) * step);
  }
  for (int round = 0; round < smoothing; ++round) {
    std::vector<Vec2> next = even;
    for (std::size_t i = 1; i + 1 < even.size(); ++i)
      next[i] = 0.25 * (even[i - 1] + even[i + 1]) + 0.5 * even[i];
    even = std::move(next);
  }
  ReferencePath path;
  path.points_ = std::move(even);
  const auto n = path.points_.size();
  path.s_.resize(n);
  path.heading_.resize(n);
  for (std::size_t i = 1; i < n; ++i)
    path.s_[i] = path.s_[i - 1] + norm(path.points_[i] - path.points_[i - 1]);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 d = path.points_[std::min(i + 1, n - 1)] - path.points_[i > 0 ? i - 1 : 0];
    path.heading_[i] = std::atan2(d.y, d.x);
  }
  take_shortest_turns(path.heading_);
  return path;
}

Pose2 ReferencePath::at(double s) const {
  const auto above = std::upper_bound(s_.begin(), s_.end(), s) - s_.begin();
  const auto i = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(above - 1, 0, static_cast<std::ptrdiff_t>(s_.size()) - 2));
  const double u = (s - s_[i]) / (s_[i + 1] - s_[i]);
  const Vec2 p = points_[i] + u * (points_[i + 1] - points_[i]);
  const double v = std::clamp(u, 0.0, 1.0);
  return {p.x, p.y, heading_[i] + v * (heading_[i + 1] - heading_[i])};
}

Vec2 ReferencePath::locate(Vec2 p) const {
  double best = std::numeric_limits<double>::infinity();
  Vec2 found;
  for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
    const Vec2 d = points_[i + 1] - points_[i], to = p - points_[i];
    const double u = std::clamp(dot(to, d) / dot(d, d), 0.0, 1.0);
    const Vec2 off = to - u * d;
    if (dot(off, off) >= best) continue;
    best = dot(off, off);
    found = {s_[i] + u * (s_[i + 1] - s_[i]), cross(d, to) > 0 ? norm(off) : -norm(off)};
  }
  return found;
}

Result<DriveResult> drive(const TrafficScene& scene, const Footprint& footprint,
                          const ReferencePath& path, const Pose2& start, double speed,
                          double t_begin, double t_end, const DriveOptions& options,
                          const Budget& budget) {
  if (!(options.time_step > 0 && options.cycle >= options.time_step &&
        options.horizon >= options.cycle && options.candidates > 0))
    return bad_input("time step <= cycle <= horizon, all above 0, is needed");
  if (!(t_end > t_begin)) return bad_input("the drive has no duration");
  return Driver(scene, footprint, path, options, budget).run(start, speed, t_begin, t_end);
}

}  // namespace proven::spacetime
