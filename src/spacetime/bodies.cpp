#include "proven/spacetime/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proven/certify/check.h"
#include "proven/kinematics/interpolation.h"
#include "proven/scene/scene.h"
#include "spacetime/body_pose.h"
#include "spacetime/watch.h"

namespace proven::spacetime {
namespace {

// The body as a robot of one link that floats.
Robot floating_robot(const MovingBody& body) {
  Robot robot;
  robot.name = body.name;
  robot.links = {{"world", {}, false, nullptr}, {"body", {}, false, body.geometry}};
  const auto elements = body.geometry->elements();
  robot.links[1].collision.assign(elements.begin(), elements.end());
  RobotJoint joint;
  joint.name = "joint";
  joint.type = JointType::floating;
  joint.parent_link = "world";
  joint.child_link = "body";
  robot.joints = {joint};
  return robot;
}

Result<Scene> scene_of_two(const MovingBody& body, const MovingBody& obstacle) {
  SceneBuilder builder;
  if (auto added = builder.add_robot(floating_robot(body), "a", {}); !added.ok())
    return added.error();
  if (auto added = builder.add_robot(floating_robot(obstacle), "b", {}); !added.ok())
    return added.error();
  return std::move(builder).build();
}

void append(std::vector<double>& q, const BodyPose& pose) {
  const auto& [p, r] = pose;
  q.insert(q.end(), {p.x, p.y, p.z, r.x, r.y, r.z, r.w});
}

// The samples of both in their common time, in order and each once; a body that stands has none.
std::vector<double> common_times(const BodyTrajectory& a, const BodyTrajectory& b) {
  double begin = -std::numeric_limits<double>::infinity(), end = -begin;
  for (const BodyTrajectory* m : {&a, &b}) {
    if (!m->moves()) continue;
    begin = std::max(begin, m->t.front());
    end = std::min(end, m->t.back());
  }
  std::vector<double> times;
  for (const BodyTrajectory* m : {&a, &b})
    for (const double t : m->t)
      if (m->moves() && t >= begin && t <= end) times.push_back(t);
  if (!a.moves() && !b.moves()) times = {0};
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

// Upper bound on the distance of any point of the body from its origin.
bool is_budget(UndecidedReason reason) {
  return reason == UndecidedReason::cells || reason == UndecidedReason::time ||
         reason == UndecidedReason::cancelled;
}

double reach(const BodyGeometry& geometry) {
  const BoundingSphere& sphere = geometry.bounding_sphere();
  return (norm(sphere.centre) + sphere.radius) * (1 + 0x1p-50);
}

// One body among the others.
class BodyCheck {
 public:
  BodyCheck(const MovingBody& body, const TrafficOptions& options, Scratch& scratch,
            const Budget& budget)
      : body_(body), options_(options), scratch_(scratch), budget_(budget) {}

  Result<void> look_at(const MovingBody& obstacle, int index) {
    const std::vector<double> times = common_times(body_.motion, obstacle.motion);
    if (times.empty()) return {};
    std::optional<Scene> scene;
    for (std::size_t first = 0, last = 0; first == 0 || first + 1 < times.size();
         first = std::max(last, first + 1)) {
      last = end_of_run(obstacle, times, first);
      const bool an_instant = times.size() == 1 && is_near(obstacle, times, 0, 0);
      if (last == first && !an_instant) continue;
      if (!scene) {
        auto built = scene_of_two(body_, obstacle);
        if (!built.ok()) return built.error();
        scene = std::move(built).value();
      }
      const auto at = times.begin();
      const auto stop = examine(
          *scene, obstacle, index,
          {at + static_cast<std::ptrdiff_t>(first), at + static_cast<std::ptrdiff_t>(last) + 1});
      if (!stop.ok()) return stop.error();
      if (stop.value()) break;
    }
    return {};
  }

  bool is_over() const { return result_.contact && !options_.first; }

  // The budget ended before obstacle `index` was looked at.
  void give_up(int index, Stop stop) {
    const double t = body_.motion.t.front();
    if (!result_.doubt) result_.doubt = BodyDoubt{reason_of(stop), index, t, 0};
    result_.doubt->t = std::min(result_.doubt->t, t);
  }

  BodyResult result() {
    result_.verdict = result_.contact ? Verdict::collision
                      : result_.doubt ? Verdict::undecided
                                      : Verdict::free;
    if (result_.contact && result_.doubt)
      result_.contact->t_lower = std::min(result_.contact->t_lower, result_.doubt->t);
    if (result_.contact) result_.doubt.reset();
    return result_;
  }

 private:
  // Whether balls around the two bodies may meet between the samples i and j: their origins move
  // on straight lines, so the way between them is a straight line too, and is nearest to zero at
  // one point.
  bool is_near(const MovingBody& other, const std::vector<double>& times, std::size_t i,
               std::size_t j) const {
    const auto between = [&](std::size_t k) {
      return sample(other.motion, times[k]).position - sample(body_.motion, times[k]).position;
    };
    const Vec3 from = between(i), way = between(j) - from;
    const double length2 = squared_norm(way);
    const double s = length2 > 0 ? std::clamp(-dot(from, way) / length2, 0.0, 1.0) : 0;
    const double scale =
        max_abs(from) + max_abs(way) + max_abs(sample(body_.motion, times[i]).position);
    // A wrong s lengthens the distance by less than the rounding of the rest.
    const double distance = norm(from + s * way) - 0x1p-46 * scale;
    return distance <= reach(*body_.geometry) + reach(*other.geometry) + options_.clearance +
                           options_.resolution;
  }

  // The last sample of the steps from `first` on that all come near; `first` itself if none does.
  std::size_t end_of_run(const MovingBody& other, const std::vector<double>& times,
                         std::size_t first) const {
    std::size_t last = first;
    while (last + 1 < times.size() && is_near(other, times, last, last + 1)) ++last;
    return last;
  }

  Result<bool> examine(const Scene& scene, const MovingBody& obstacle, int index,
                       const std::vector<double>& times) {
    Path path;
    double largest = 0;
    for (const double t : times) {
      std::vector<double>& q = path.waypoints.emplace_back();
      for (const BodyTrajectory* m : {&body_.motion, &obstacle.motion}) {
        const BodyPose pose = sample(*m, t);
        append(q, pose);
        largest = std::max(largest, max_abs(pose.position));
      }
    }
    CheckOptions options;
    options.clearance = options_.clearance;
    options.resolution = options_.resolution;
    options.first = options_.first;
    options.max_cells = std::max<std::int64_t>(1, options_.max_cells - result_.cells);
    options.tracking_error = sample_error(largest);
    auto checked = proven::check(scene, path, options, scratch_, budget_);
    if (!checked.ok()) return checked.error();
    result_.cells += checked.value().stats.cells;
    result_.step_pairs += path.num_segments();
    return note(checked.value(), obstacle, index, times);
  }

  // Returns true if nothing later with this obstacle matters.
  bool note(const CheckResult& found, const MovingBody& obstacle, int index,
            const std::vector<double>& times) {
    const auto time = [&](int segment, double t) {
      const auto k = static_cast<std::size_t>(segment);
      if (k + 1 >= times.size()) return times.back();
      return times[k] + t * (times[k + 1] - times[k]);
    };
    if (found.undecided && is_budget(found.undecided->reason) && result_.doubt)
      result_.doubt->reason = found.undecided->reason;  // more of it may help
    if (found.undecided && !result_.doubt) {
      // The tube stands for the error of the samples.
      const UndecidedReason reason = found.undecided->reason == UndecidedReason::tube
                                         ? UndecidedReason::gap_below_resolution
                                         : found.undecided->reason;
      result_.doubt = BodyDoubt{reason, index, time(found.undecided->segment, found.undecided->t),
                                found.undecided->distance};
    }
    if (!found.collision) return false;
    const Witness& w = *found.collision;
    const double t = time(w.segment, w.t), t_lower = time(w.segment, w.t_lower);
    if (result_.contact) {
      result_.contact->t_lower = std::min(result_.contact->t_lower, t_lower);
      if (result_.contact->t <= t) return true;
    }
    const double lower = result_.contact ? result_.contact->t_lower : t_lower;
    result_.contact = BodyContact{
        index, lower, t, pose_at(body_.motion, t), pose_at(obstacle.motion, t), w.distance};
    return true;
  }

  const MovingBody& body_;
  const TrafficOptions& options_;
  Scratch& scratch_;
  const Budget& budget_;
  BodyResult result_;
};

Result<void> validate_body(const MovingBody& body) {
  const auto wrong = [&](std::string message) {
    return bad_input(std::move(message), fmt::format("body '{}'", body.name));
  };
  if (!body.geometry) return wrong("no shape");
  const auto valid = validate(body.motion);
  return valid.ok() ? Result<void>() : wrong(valid.error().text());
}

}  // namespace

BodyPose sample(const BodyTrajectory& m, double t) {
  const auto above = std::upper_bound(m.t.begin(), m.t.end(), t);
  const auto i = static_cast<std::size_t>(std::max<std::ptrdiff_t>(above - m.t.begin() - 1, 0));
  if (!m.moves() || m.t[i] == t || i + 1 == m.t.size()) return {m.position[i], m.rotation[i]};
  const double s = std::clamp((t - m.t[i]) / (m.t[i + 1] - m.t[i]), 0.0, 1.0);
  return {m.position[i] + s * (m.position[i + 1] - m.position[i]),
          slerp(m.rotation[i], m.rotation[i + 1], s)};
}

Result<void> validate(const BodyTrajectory& m) {
  if (m.t.empty() || m.position.size() != m.t.size() || m.rotation.size() != m.t.size())
    return bad_input(
        fmt::format("{} times, {} positions and {} rotations; expected as many of each", m.t.size(),
                    m.position.size(), m.rotation.size()));
  for (std::size_t i = 0; i < m.t.size(); ++i) {
    const Vec3& p = m.position[i];
    const Quaternion& q = m.rotation[i];
    if (!(std::fabs(m.t[i]) <= kLargestTime))
      return bad_input(fmt::format("sample {}: time {} is not a finite number", i, m.t[i]));
    if (!(std::fabs(p.x) + std::fabs(p.y) + std::fabs(p.z) <= 1e6))
      return bad_input(
          fmt::format("sample {}: position ({}, {}, {}) is not a finite point within "
                      "1e6 m",
                      i, p.x, p.y, p.z));
    const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(std::fabs(length - 1) <= 1e-6))
      return bad_input(
          fmt::format("sample {}: the quaternion has length {}; it must be 1", i, length));
    if (i > 0 && m.t[i] == m.t[i - 1])
      return bad_input(fmt::format("samples {} and {} have the same time {}", i - 1, i, m.t[i]));
    if (i > 0 && m.t[i] < m.t[i - 1])
      return bad_input(fmt::format("times are not in order: sample {} at {} s follows {} s", i,
                                   m.t[i], m.t[i - 1]));
  }
  return {};
}

Pose pose_at(const BodyTrajectory& motion, double t) {
  const BodyPose pose = sample(motion, t);
  return {rotation_from_quaternion(pose.rotation), pose.position};
}

std::vector<MovingBody> lasting(std::vector<MovingBody> bodies, Afterwards after, double until) {
  for (MovingBody& body : bodies) {
    BodyTrajectory& m = body.motion;
    if (after == Afterwards::gone || !m.moves() || !(until > m.t.back())) continue;
    const std::size_t n = m.t.size() - 1;
    const double s = (until - m.t[n]) / (m.t[n] - m.t[n - 1]);
    const Vec3 way = m.position[n] - m.position[n - 1];
    m.position.push_back(after == Afterwards::rest ? m.position[n] : m.position[n] + s * way);
    m.rotation.push_back(Quaternion(m.rotation[n]));
    m.t.push_back(until);
  }
  return bodies;
}

Result<BodyResult> check(std::span<const MovingBody> obstacles, const MovingBody& body,
                         const TrafficOptions& options, Scratch& scratch, int except,
                         const Budget& budget) {
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  if (auto valid = validate_body(body); !valid.ok()) return valid.error();
  BodyCheck search(body, options, scratch, budget);
  for (int i = 0; i < static_cast<int>(obstacles.size()); ++i) {
    if (i == except) continue;
    const MovingBody& obstacle = obstacles[static_cast<std::size_t>(i)];
    if (auto valid = validate_body(obstacle); !valid.ok()) return valid.error();
    if (const auto stop = budget.stopped()) {
      search.give_up(i, *stop);
      break;
    }
    if (auto looked = search.look_at(obstacle, i); !looked.ok()) return looked.error();
    if (search.is_over()) break;
  }
  return search.result();
}

}  // namespace proven::spacetime
