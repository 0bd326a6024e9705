#include "bench/spacetime/adversary.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace proven::bench {
namespace {

using spacetime::Pose2;
using spacetime::Vec2;
using spacetime::VehicleState;

constexpr double kCorners = 3;  // metres between the corners of a border

Vec2 heading_of(double angle) {
  return {std::cos(angle), std::sin(angle)};
}

// A point of the road: along its first border, and to the left of it.
Vec2 road_point(double curvature, double along, double left) {
  if (curvature == 0) return {along, left};
  const double angle = curvature * along, r = 1 / curvature - left;
  return {r * std::sin(angle), 1 / curvature - r * std::cos(angle)};
}

std::vector<double> middle_lengths(const LaneRoad::Line& line) {
  std::vector<double> s = {0};
  for (std::size_t i = 1; i < line.left.size(); ++i)
    s.push_back(s.back() + norm(0.5 * (line.left[i] + line.right[i]) -
                                0.5 * (line.left[i - 1] + line.right[i - 1])));
  return s;
}

// Two lanelets one after the other.
void add_lanelets(const LaneRoad::Line& line, int lane, std::vector<spacetime::Lanelet>& lanelets,
                  int lanes, bool oncoming) {
  const std::size_t n = line.left.size(), half = n / 2;
  for (const int part : {0, 1}) {
    spacetime::Lanelet l;
    l.id = std::to_string(10 * lane + part);
    const std::size_t from = part == 0 ? 0 : half, to = part == 0 ? half + 1 : n;
    for (std::size_t i = from; i < to; ++i)
      l.left.push_back(line.left[i]), l.right.push_back(line.right[i]);
    if (part == 0) l.successors = {std::to_string(10 * lane + 1)};
    if (part == 1) l.predecessors = {std::to_string(10 * lane)};
    if (!oncoming && lane > 0)
      l.right_neighbour = spacetime::Neighbour{std::to_string(10 * (lane - 1) + part), true, true};
    if (!oncoming && lane + 1 < lanes)
      l.left_neighbour = spacetime::Neighbour{std::to_string(10 * (lane + 1) + part), true, true};
    lanelets.push_back(std::move(l));
  }
}

Pose2 pose_on(const LaneRoad::Line& line, double s, double aside, double tilt) {
  const auto last = static_cast<std::ptrdiff_t>(line.s.size()) - 2;
  const auto k = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
      std::upper_bound(line.s.begin(), line.s.end(), s) - line.s.begin() - 1, 0, last));
  const double u = (s - line.s[k]) / (line.s[k + 1] - line.s[k]);
  const Vec2 l = line.left[k] + u * (line.left[k + 1] - line.left[k]);
  const Vec2 r = line.right[k] + u * (line.right[k + 1] - line.right[k]);
  const Vec2 across = l - r;
  const Vec2 p = 0.5 * (l + r) + (aside / norm(across)) * across;
  return {p.x, p.y, std::atan2(-across.x, across.y) + tilt};
}

std::array<Vec2, 4> corners_of(const Box& box) {
  const Vec2 f = heading_of(box.pose.heading), l{-f.y, f.x}, c{box.pose.x, box.pose.y};
  const Vec2 a = (0.5 * box.length) * f, b = (0.5 * box.width) * l;
  return {c + a + b, c - a + b, c - a - b, c + a - b};
}

// How far its middle may be from the lane's: the outline stays between the borders.
double room_aside(const LaneRoad& road, const Mover& m, double tilt) {
  const double bow = m.length * m.length * std::fabs(road.curvature) / 6;
  return 0.5 * road.width - 0.5 * m.width - 0.5 * m.length * std::fabs(std::sin(tilt)) - bow - 0.01;
}

double tilt_of(const Mover& m) {
  return std::clamp(m.aside_rate / std::max(m.v, 4.0), -0.12, 0.12);
}

}  // namespace

bool overlap(const Box& a, const Box& b) {
  const auto p = corners_of(a), q = corners_of(b);
  for (const double angle :
       {a.pose.heading, a.pose.heading + M_PI / 2, b.pose.heading, b.pose.heading + M_PI / 2}) {
    const Vec2 n = heading_of(angle);
    double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
    for (std::size_t i = 0; i < 4; ++i)
      for (const int k : {0, 1}) {
        const double d = dot(n, k == 0 ? p[i] : q[i]);
        low[k] = std::min(low[k], d), high[k] = std::max(high[k], d);
      }
    if (low[0] > high[1] || low[1] > high[0]) return false;
  }
  return true;
}

LaneRoad random_road(Random& random) {
  LaneRoad road;
  const int lanes = 2 + static_cast<int>(random.uniform(0, 3));
  road.width = random.uniform(3.1, 3.9);
  if (random.uniform(0, 1) < 0.6)
    road.curvature = (random.uniform(0, 1) < 0.5 ? -1 : 1) / random.uniform(90, 400);
  const bool oncoming = lanes > 2 && random.uniform(0, 1) < 0.4;
  std::vector<spacetime::Lanelet> lanelets;
  for (int i = 0; i < lanes; ++i) {
    LaneRoad::Line line;
    for (double along = -80; along <= 500; along += kCorners) {
      line.left.push_back(road_point(road.curvature, along, (i + 1) * road.width));
      line.right.push_back(road_point(road.curvature, along, i * road.width));
    }
    const bool against = oncoming && i + 1 == lanes;
    if (against) {
      std::reverse(line.left.begin(), line.left.end());
      std::reverse(line.right.begin(), line.right.end());
      std::swap(line.left, line.right);
    }
    line.s = middle_lengths(line);
    add_lanelets(line, i, lanelets, oncoming ? lanes - 1 : lanes, against);
    road.lanes.push_back(std::move(line));
  }
  road.road = spacetime::Road::build(std::move(lanelets)).value();
  return road;
}

Box box_of(const LaneRoad& road, const Mover& m) {
  if (m.lane < 0)
    return {{m.at.x, m.at.y, std::atan2(m.velocity.y, m.velocity.x)}, m.length, m.width};
  return {pose_on(road.lanes[static_cast<std::size_t>(m.lane)], m.s, m.aside, tilt_of(m)), m.length,
          m.width};
}

bool on_lane(const LaneRoad::Line& line, Vec2 p, double& s, double& aside) {
  double best = 1e300;
  for (std::size_t k = 0; k + 1 < line.s.size(); ++k) {
    const Vec2 a = 0.5 * (line.left[k] + line.right[k]);
    const Vec2 d = 0.5 * (line.left[k + 1] + line.right[k + 1]) - a, to = p - a;
    const double l = norm(d), u = dot(to, d) / (l * l);
    if (u < -0.05 || u > 1.05) continue;
    const double off = cross(d, to) / l;
    if (std::fabs(off) >= std::fabs(best)) continue;
    best = off;
    s = line.s[k] + u * l;
  }
  aside = best;
  return best < 1e299 && std::fabs(best) <= 0.5 * norm(line.left[0] - line.right[0]);
}

Situation random_situation(Random& random) {
  Situation out;
  out.road = random_road(random);
  const int lanes = static_cast<int>(out.road.lanes.size());
  // The last lane may be oncoming: the vehicle is on another.
  out.lane = static_cast<int>(random.uniform(0, lanes - 1 + 0.999)) % std::max(1, lanes - 1);
  out.target =
      random.uniform(0, 1) < 0.5
          ? out.lane
          : std::clamp(out.lane + (random.uniform(0, 1) < 0.5 ? -1 : 1), 0, std::max(0, lanes - 2));
  out.s = 85;
  out.speed = random.uniform(3, 22);
  out.desired = out.speed + random.uniform(-2, 6);
  const int count = 2 + static_cast<int>(random.uniform(0, 7));
  for (int i = 0; i < count; ++i) {
    Mover m;
    m.name = std::to_string(i);
    m.mood = static_cast<int>(random.uniform(0, 5));
    if (i == 0 && random.uniform(0, 1) < 0.3) {
      m.length = 0.6, m.width = 0.6;
      m.bounds = {random.uniform(1, 3), random.uniform(1, 4), false};
      const double side = random.uniform(0, 1) < 0.5
                              ? -random.uniform(0.5, 4)
                              : lanes * out.road.width + random.uniform(0.5, 4);
      m.at = road_point(out.road.curvature, random.uniform(10, 70), side);
      m.velocity =
          random.uniform(0.1, m.bounds.max_speed) * heading_of(random.uniform(-M_PI, M_PI));
      out.movers.push_back(m);
      continue;
    }
    m.lane = static_cast<int>(random.uniform(0, lanes)) % lanes;
    m.length = random.uniform(3.8, 5.5), m.width = random.uniform(1.7, 2.1);
    m.s = random.uniform(20, 190);
    m.bounds.max_speed = random.uniform(15, 35);
    m.bounds.max_acceleration = random.uniform(4, 9);
    m.v = std::clamp(out.speed + random.uniform(-6, 6), 0.0, m.bounds.max_speed);
    bool room = true;
    for (const Mover& other : out.movers)
      room = room && (other.lane != m.lane || std::fabs(other.s - m.s) > 9);
    if (m.lane == out.lane) room = room && std::fabs(m.s - out.s) > 9;
    if (room) out.movers.push_back(m);
  }
  return out;
}

void Adversaries::record() {
  std::vector<Box> boxes;
  for (const Mover& m : movers_) boxes.push_back(box_of(road_, m));
  history_.push_back(std::move(boxes));
  states_.push_back(movers_);
}

void Adversaries::advance(double t, const VehicleState& seen) {
  const auto steps = static_cast<std::size_t>(std::llround(t / kStep));
  while (history_.size() <= steps) {
    const double now = static_cast<double>(history_.size()) * kStep;
    VehicleState ego = seen;
    const double ahead = std::clamp(now - seen.t, 0.0, 1.0) * seen.speed;
    ego.pose.x += ahead * std::cos(seen.pose.heading);
    ego.pose.y += ahead * std::sin(seen.pose.heading);
    for (Mover& m : movers_) m.lane < 0 ? walk(m, ego) : move(m, now, ego);
    record();
  }
}

// Moods: goes on, brakes hard, speeds up, wants to be where the vehicle is, changes its mind.
void Adversaries::decide(Mover& m, double t) {
  if (t < m.mood_until) return;
  m.mood_until = t + random_.uniform(0.3, 1.5);
  if (m.mood != 3 || random_.uniform(0, 1) < 0.3) m.mood = static_cast<int>(random_.uniform(0, 5));
}

void Adversaries::move(Mover& m, double t, const VehicleState& ego) {
  decide(m, t);
  const LaneRoad::Line& line = road_.lanes[static_cast<std::size_t>(m.lane)];
  double s = 0, aside = 0;
  const bool beside = !on_lane(line, {ego.pose.x, ego.pose.y}, s, aside);
  double a = 0;
  if (m.mood == 1) a = -m.bounds.max_acceleration;
  if (m.mood == 2) a = m.bounds.max_acceleration;
  if (m.mood >= 3) {
    // In front of the vehicle: brake; behind: catch up; beside: stay there.
    const double to_go = s - m.s;
    a = to_go > 0 ? m.bounds.max_acceleration : -m.bounds.max_acceleration;
    if (beside && std::fabs(to_go) < 6)
      a = std::clamp(2 * (ego.speed - m.v), -m.bounds.max_acceleration, m.bounds.max_acceleration);
  }
  const double before = m.v;
  m.v = std::clamp(m.v + a * kStep, 0.0, m.bounds.max_speed);
  m.s += 0.5 * (before + m.v) * kStep;
  // Across, towards the vehicle.
  const double wish = aside > m.aside ? 1.2 : -1.2;
  m.aside_rate = m.v > 0.5 ? std::clamp(wish, m.aside_rate - 0.1, m.aside_rate + 0.1) : 0;
  const double room = std::max(0.0, room_aside(road_, m, tilt_of(m)));
  const double next = std::clamp(m.aside + m.aside_rate * kStep, -room, room);
  m.aside = next;
}

void Adversaries::walk(Mover& m, const VehicleState& ego) {
  const double soon = 1.2;
  const Vec2 goal{ego.pose.x + soon * ego.speed * std::cos(ego.pose.heading),
                  ego.pose.y + soon * ego.speed * std::sin(ego.pose.heading)};
  Vec2 want = goal - m.at;
  const double far = norm(want);
  want = far > 1e-6 ? (m.bounds.max_speed / far) * want : Vec2{};
  Vec2 change = want - m.velocity;
  const double most = m.bounds.max_acceleration * kStep, size = norm(change);
  if (size > most) change = (most / size) * change;
  const Vec2 before = m.velocity;
  m.velocity = m.velocity + change;
  m.at = m.at + (0.5 * kStep) * (before + m.velocity);
}

std::vector<spacetime::Sighting> Adversaries::sightings() const {
  std::vector<spacetime::Sighting> seen;
  for (std::size_t i = 0; i < movers_.size(); ++i) {
    const Mover& m = movers_[i];
    const Box& box = history_.back()[i];
    spacetime::Sighting one;
    one.name = m.name;
    one.footprint = spacetime::Footprint::box(m.length, m.width).value();
    one.pose = box.pose;
    one.velocity = m.lane < 0 ? m.velocity : m.v * heading_of(box.pose.heading);
    one.bounds = m.bounds;
    seen.push_back(std::move(one));
  }
  return seen;
}

std::vector<spacetime::Obstacle> Adversaries::expected(double seconds) const {
  std::vector<spacetime::Obstacle> all;
  const double t = static_cast<double>(history_.size() - 1) * kStep;
  for (const Mover& m : movers_) {
    spacetime::Obstacle o;
    o.name = m.name;
    o.footprint = spacetime::Footprint::box(m.length, m.width).value();
    for (int k = 0; k * 0.1 <= seconds; ++k) {
      Mover later = m;
      later.s += m.v * 0.1 * k;
      later.at = m.at + (0.1 * k) * m.velocity;
      const Pose2 pose = box_of(road_, later).pose;
      o.motion.t.push_back(t + 0.1 * k);
      o.motion.x.push_back(pose.x), o.motion.y.push_back(pose.y);
      o.motion.heading.push_back(pose.heading);
    }
    spacetime::take_shortest_turns(o.motion.heading);
    all.push_back(std::move(o));
  }
  return all;
}

namespace {

// Whether a mover has to keep its distance behind the vehicle, step by step.
class Follower {
 public:
  void look(const LaneRoad& road, const Mover& m, const Box& ego, double speed, double brake,
            bool start) {
    if (m.lane < 0) return;
    double rear = 1e300;
    int on = 0;
    for (const Vec2 corner : corners_of(ego)) {
      double s = 0, aside = 0;
      if (!on_lane(road.lanes[static_cast<std::size_t>(m.lane)], corner, s, aside)) continue;
      ++on;
      rear = std::min(rear, s);
    }
    const double gap = rear - m.s - 0.5 * m.length;
    if (on == 0 || !(gap > -0.5)) {
      is_one = false;
      return;
    }
    constexpr double kReaction = 0.5;
    const double a = m.bounds.max_acceleration, faster = m.v + a * kReaction;
    const double room =
        0.5 * (m.v + faster) * kReaction + faster * faster / (2 * a) - speed * speed / (2 * brake);
    if (on == 4 && gap > 0 && (start || gap > room)) is_one = true;
  }
  bool is_one = false;
};

}  // namespace

Judgement judge(const LaneRoad& road, const Adversaries& others,
                const spacetime::DriveResult& drive, const spacetime::VehicleModel& vehicle) {
  Judgement sum;
  const spacetime::Trajectory& m = drive.driven;
  std::vector<Follower> followers(others.movers().size());
  std::vector<bool> hit(others.movers().size());
  for (std::size_t i = 0; i < others.history().size(); ++i) {
    const double t = m.t[0] + static_cast<double>(i) * Adversaries::kStep;
    if (t > m.t.back() + 1e-9) break;
    const auto k = static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(std::upper_bound(m.t.begin(), m.t.end(), t) - m.t.begin() - 1, 0,
                                   static_cast<std::ptrdiff_t>(m.t.size()) - 2));
    const double u = std::clamp((t - m.t[k]) / (m.t[k + 1] - m.t[k]), 0.0, 1.0);
    const Box ego{{m.x[k] + u * (m.x[k + 1] - m.x[k]), m.y[k] + u * (m.y[k + 1] - m.y[k]),
                   m.heading[k] + u * (m.heading[k + 1] - m.heading[k])},
                  vehicle.length,
                  vehicle.width};
    const double moved = norm({m.x[k + 1] - m.x[k], m.y[k + 1] - m.y[k]});
    const double speed = drive.speeds[k] + u * (drive.speeds[k + 1] - drive.speeds[k]);
    for (std::size_t j = 0; j < followers.size(); ++j) {
      if (hit[j]) continue;
      followers[j].look(road, others.states()[i][j], ego, speed, vehicle.max_acceleration, i == 0);
      if (!overlap(ego, others.history()[i][j])) continue;
      hit[j] = true;
      ++(moved < 1e-9 ? sum.standing : followers[j].is_one ? sum.rear_ended : sum.caused);
    }
  }
  return sum;
}

}  // namespace proven::bench
