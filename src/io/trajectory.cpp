#include "io/trajectory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/configuration_reader.h"
#include "io/failure.h"
#include "proven/kinematics/interpolation.h"
#include "proven/scene/splines.h"

namespace proven::io {
namespace {

// A point as full configurations: rates of ball joints are angular velocities.
struct State {
  std::vector<double> q, v, a;

  Knot knot(std::size_t i) const { return {q[i], v[i], a[i]}; }
  Vec3 turning(std::size_t i) const { return {v[i], v[i + 1], v[i + 2]}; }
};

// The control points of every coordinate, all by the highest degree of any.
class PieceMaker {
 public:
  PieceMaker(std::span<const Coordinate> coordinates, std::vector<int> degrees)
      : coordinates_(coordinates),
        degrees_(std::move(degrees)),
        degree_(degrees_.empty() ? 1 : *std::max_element(degrees_.begin(), degrees_.end())) {}

  bool straight() const { return degree_ == 1; }
  int degree() const { return degree_; }

  std::vector<std::vector<double>> inner(const State& from, const State& to, double seconds) const {
    const auto between = static_cast<std::size_t>(degree_) - 1;
    std::vector<std::vector<double>> rows(between, std::vector<double>(coordinates_.size(), 0));
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      const bool ball = coordinates_[i].quaternion;
      const std::vector<std::vector<double>> parts =
          ball ? turn(i, from, to, seconds)
               : std::vector<std::vector<double>>{scalar(i, from, to, seconds)};
      for (std::size_t part = 0; part < parts.size(); ++part)
        for (std::size_t k = 0; k < between; ++k) rows[k][i + part] = parts[part][k + 1];
      if (ball) i += 3;
    }
    return rows;
  }

 private:
  std::vector<double> raised(std::vector<double> control) const {
    while (control.size() <= static_cast<std::size_t>(degree_)) control = elevated(control);
    return control;
  }

  std::vector<double> scalar(std::size_t i, const State& from, const State& to,
                             double seconds) const {
    const Knot a = from.knot(i), b = to.knot(i);
    std::vector<double> control = {a.position};
    const auto add = [&](const auto& between) {
      control.insert(control.end(), between.begin(), between.end());
    };
    if (degrees_[i] == 3) add(cubic_between(a, b, seconds));
    if (degrees_[i] == 5) add(quintic_between(a, b, seconds));
    control.push_back(b.position);
    return raised(std::move(control));
  }

  // The three parts of the rotation vector.
  std::vector<std::vector<double>> turn(std::size_t i, const State& from, const State& to,
                                        double seconds) const {
    const int first = static_cast<int>(i);
    const Quaternion a = read_quaternion(from.q, first), b = read_quaternion(to.q, first);
    const double w = ((a.w * b.w + a.x * b.x) + a.y * b.y) + a.z * b.z;
    if (!(std::fabs(w) >= kLeastInner))
      fail("", fmt::format("{} turns by half a circle, and either way is as short; write a point "
                           "between",
                           coordinates_[i].joint));
    const Vec3 end = turn_between(a, b);
    std::vector<Vec3> control = {{0, 0, 0}};
    if (degrees_[i] == 3) {
      for (const State* state : {&from, &to})
        if (!(norm(state->turning(i)) * seconds <= kMostTurn))
          fail("",
               fmt::format("{} turns with {} rad/s for {} s; at most {} rad are read between two "
                           "points: write more of them",
                           coordinates_[i].joint, norm(state->turning(i)), seconds, kMostTurn));
      const auto between = turn_cubic(a, from.turning(i), b, to.turning(i), seconds);
      control.insert(control.end(), between.begin(), between.end());
    }
    control.push_back(end);
    std::vector<std::vector<double>> parts;
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<double> values;
      for (const Vec3& phi : control) values.push_back(phi[axis]);
      parts.push_back(raised(std::move(values)));
    }
    return parts;
  }

  static constexpr double kLeastInner = 0x1p-40;
  std::span<const Coordinate> coordinates_;
  std::vector<int> degrees_;
  int degree_;
};

void check_seconds(double seconds) {
  if (!(seconds >= kSplineSeconds.lower && seconds <= kSplineSeconds.upper))
    fail("", fmt::format("{} s from the point before; curves take 1e-9 to 1e9 s between points",
                         seconds));
}

void check_rates(std::span<const double> rates) {
  for (const double rate : rates)
    if (rate != 0 &&
        !(std::fabs(rate) >= kSplineRates.lower && std::fabs(rate) <= kSplineRates.upper))
      fail("", fmt::format("the rate {} is beyond 1e-60 and 1e60; write 0 if it is meant", rate));
}

State state_at(const Trajectory& trajectory, std::size_t i, const ConfigurationReader& reader) {
  State state;
  state.q = reader.read(trajectory.positions[i]);
  state.v = state.a = std::vector<double>(state.q.size(), 0);
  for (const auto& [rates, full] : {std::pair(&trajectory.velocities, &state.v),
                                    std::pair(&trajectory.accelerations, &state.a)}) {
    if (rates->empty()) continue;
    check_rates((*rates)[i]);
    *full = reader.read_rates((*rates)[i]);
  }
  return state;
}

void check_times(const Trajectory& trajectory, const PieceMaker& maker) {
  if (maker.straight()) return;
  if (trajectory.times.empty())
    fail(trajectory.place(0),
         "the points have rates, but no times; give each its time, or say --interpolation linear");
  if (trajectory.positions.size() == 1)
    for (const auto* rates : {&trajectory.velocities, &trajectory.accelerations})
      for (const auto& row : *rates)
        for (const double rate : row)
          if (rate != 0)
            fail(trajectory.place(0),
                 "one point alone makes no curve of its rates; say --interpolation linear");
}

}  // namespace

int degree_of(Interpolation wanted, bool velocities, bool accelerations) {
  if (wanted == Interpolation::linear) return 1;
  if (wanted == Interpolation::cubic && !velocities)
    fail("", "a cubic needs velocities at every point; say --interpolation linear");
  if (wanted == Interpolation::quintic && !(velocities && accelerations))
    fail("", fmt::format("a quintic needs velocities and accelerations at every point; say "
                         "--interpolation {}",
                         velocities ? "cubic" : "linear"));
  if (accelerations && !velocities)
    fail("",
         "accelerations without velocities are no curve of a controller; give both, or say "
         "--interpolation linear");
  if (wanted == Interpolation::cubic) return 3;
  return accelerations ? 5 : velocities ? 3 : 1;
}

Motion to_motion(const Trajectory& trajectory, const std::string& names_place, const Scene& scene,
                 const PathOptions& options) {
  const ConfigurationReader reader =
      at_place([&] { return names_place; },
               [&] { return ConfigurationReader(scene, trajectory.joints, options); });
  const PieceMaker maker(scene.tree().coordinates(),
                         at_place([&] { return names_place; },
                                  [&] { return reader.read_degrees(trajectory.degrees); }));
  check_times(trajectory, maker);
  Motion motion;
  motion.defaulted = reader.defaulted();
  motion.times = trajectory.times;
  State before;
  for (std::size_t i = 0; i < trajectory.positions.size(); ++i)
    at_place([&] { return trajectory.place(i); },
             [&] {
               State state = state_at(trajectory, i, reader);
               if (i > 0 && !maker.straight()) {
                 const double seconds = motion.times[i] - motion.times[i - 1];
                 check_seconds(seconds);
                 motion.inner.push_back(maker.inner(before, state, seconds));
               }
               motion.waypoints.push_back(state.q);
               if (i > 0) reader.check_piece(motion, static_cast<int>(i) - 1);
               before = std::move(state);
             });
  return motion;
}

namespace {

// Rows and times that belong together, as files have them by their form.
void check_form(const proven::Trajectory& points) {
  if (points.positions.empty()) fail("", "expected at least one point");
  const auto rows_fit = [&](const char* what, const std::vector<std::vector<double>>& rows) {
    if (!rows.empty() && rows.size() != points.positions.size())
      fail("", fmt::format("there are {} points, and {} of {}", points.positions.size(), what,
                           rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].size() != points.joints.size())
        fail(fmt::format("point {}", i),
             fmt::format("has {} {} for {} joints", rows[i].size(), what, points.joints.size()));
  };
  rows_fit("positions", points.positions);
  rows_fit("velocities", points.velocities);
  rows_fit("accelerations", points.accelerations);
  if (!points.times.empty() && points.times.size() != points.positions.size())
    fail("", fmt::format("there are {} points and {} times", points.positions.size(),
                         points.times.size()));
  for (std::size_t i = 0; i < points.times.size(); ++i)
    if (!std::isfinite(points.times[i]) || (i > 0 && !(points.times[i] > points.times[i - 1])))
      fail(fmt::format("point {}", i),
           fmt::format("times must increase, but this one is {}", points.times[i]));
}

}  // namespace
}  // namespace proven::io

namespace proven {

Result<Motion> to_motion(const Trajectory& trajectory, const Scene& scene,
                         const PathOptions& options) {
  return io::guarded<Motion>("trajectory", [&] {
    io::check_form(trajectory);
    io::Trajectory points{trajectory, {}, [](std::size_t i) { return fmt::format("point {}", i); }};
    const int degree = io::degree_of(options.interpolation, !points.velocities.empty(),
                                     !points.accelerations.empty());
    points.degrees.assign(points.joints.size(), degree);
    if (degree < 5) points.accelerations.clear();
    if (degree < 3) points.velocities.clear();
    for (const std::string& joint : points.joints)
      if (degree > 1 && io::is_quaternion(scene, joint))
        io::fail("", fmt::format("{} is part of a turn and has no rate of its own", joint));
    return io::to_motion(points, "joints", scene, options);
  });
}

}  // namespace proven
