#include "bench/doors/digest.h"

#include "proven/base/hash.h"
#include "proven/geometry/body_geometry.h"

namespace proven::bench {
namespace {

// Adds plain data part by part; lists with their length, so that no two shapes of data agree.
class Digest {
 public:
  template <class... Parts>
  Digest& add(const Parts&... parts) {
    (put(parts), ...);
    return *this;
  }
  std::string text() const { return hasher_.finish().hex(); }

 private:
  void put(double v) { hasher_.add(v); }
  void put(int v) { hasher_.add(static_cast<std::uint64_t>(v)); }
  void put(std::uint32_t v) { hasher_.add(static_cast<std::uint64_t>(v)); }
  void put(bool v) { hasher_.add(static_cast<std::uint64_t>(v)); }
  void put(const std::string& v) { hasher_.add(std::string_view(v)); }
  void put(const Vec3& v) { hasher_.add(v); }
  void put(const Pose& v) { hasher_.add(v); }
  void put(const Quaternion& q) { add(q.x, q.y, q.z, q.w); }
  template <class T>
  void put(const std::vector<T>& list) {
    put(static_cast<int>(list.size()));
    for (const T& item : list) put(item);
  }
  template <class T, std::size_t n>
  void put(const std::array<T, n>& list) {
    for (const T& item : list) put(item);
  }
  template <class A, class B>
  void put(const std::pair<A, B>& p) {
    add(p.first, p.second);
  }
  template <class K, class V>
  void put(const std::map<K, V>& m) {
    put(static_cast<int>(m.size()));
    for (const auto& entry : m) put(entry);
  }
  template <class T>
  void put(const std::optional<T>& v) {
    put(v.has_value());
    if (v) put(*v);
  }
  void put(const Clearances& c) { add(c.world, c.robots, c.self, c.attached); }
  void put(const Box& s) { put(s.half_extents); }
  void put(const Sphere& s) { put(s.radius); }
  void put(const Cylinder& s) { add(s.radius, s.half_length); }
  void put(const Capsule& s) { add(s.radius, s.half_length); }
  void put(const std::shared_ptr<const ConvexHull>& s) { put(s->points); }
  void put(const std::shared_ptr<const TriangleMesh>& s) { add(s->vertices, s->triangles); }
  void put(const std::shared_ptr<const PointCloud>& s) { add(s->points, s->radius); }
  void put(const std::shared_ptr<const VoxelSet>& s) { add(s->cells, s->size); }
  void put(const CollisionElement& e) {
    put(static_cast<int>(e.shape.index()));
    std::visit([&](const auto& shape) { put(shape); }, e.shape);
    put(e.X_BS);
  }
  void put(const RobotLink& l) { add(l.name, l.collision); }
  void put(const Mimic& m) { add(m.joint, m.multiplier, m.offset); }
  void put(const RobotJoint& j) {
    add(j.name, static_cast<int>(j.type), j.parent_link, j.child_link, j.X_PJ, j.axis,
        j.limits.lower, j.limits.upper, j.limits.velocity, j.limits.acceleration, j.mimic);
  }
  void put(const DisabledPair& p) { add(p.link_a, p.link_b, p.reason); }
  void put(const JointGroup& g) { add(g.name, g.joints); }
  void put(const EndEffector& e) { add(e.name, e.parent_link, e.group); }
  void put(const GroupState& s) { add(s.name, s.group, s.joints); }
  void put(const Robot& r) {
    add(r.name, r.links, r.joints, r.disabled_pairs, r.groups, r.end_effectors, r.states,
        r.virtual_joint, r.warnings);
  }
  void put(const RobotSource& r) { add(r.name, r.robot, r.X_WR); }
  void put(const ObstacleSource& o) { add(o.name, o.elements, o.X_WB); }
  void put(const AttachedSource& a) { add(a.name, a.link, a.elements, a.X_LB, a.touch); }
  void put(const ExclusionSource& e) { add(e.body_a, e.body_b, e.note); }
  void put(const ClearanceSource& c) { add(c.body_a, c.body_b, c.clearance); }
  void put(const SceneSource& s) {
    add(s.robots, s.obstacles, s.attached, s.clearance, s.exclusions, s.clearances, s.home,
        s.warnings);
  }
  void put(const CellObstacle& c) { add(c.name, c.cells); }
  void put(const manipulation::Object& o) { add(o.name, o.grip, o.grasps); }
  void put(const manipulation::Place& p) { add(p.name, p.release, p.rest); }
  void put(spacetime::Vec2 v) { add(v.x, v.y); }
  void put(const spacetime::Piece& p) { add(p.centre, p.half, p.corners, p.radius); }
  void put(const spacetime::Footprint& f) {
    put(std::vector<spacetime::Piece>(f.pieces().begin(), f.pieces().end()));
  }
  void put(const spacetime::Trajectory& t) {
    add(t.t, t.x, t.y, t.heading, static_cast<int>(t.between), t.max_acceleration,
        t.max_angular_acceleration, t.position_deviation, t.heading_deviation);
  }
  void put(const spacetime::Occupancy& o) { add(o.t_begin, o.t_end, o.region); }
  void put(const spacetime::Obstacle& o) {
    add(o.name, o.footprint, o.motion, o.pose.x, o.pose.y, o.pose.heading, o.occupancies);
  }
  void put(const spacetime::Neighbour& n) { add(n.id, n.same_direction, n.may_change); }
  void put(const spacetime::StopLine& s) { add(s.left, s.right, s.must_stop, s.lights); }
  void put(const Lanelet& l) {
    add(l.id, l.left, l.right, l.successors, l.predecessors, l.left_neighbour, l.right_neighbour,
        l.speed_limit, l.stop_line, l.for_vehicles);
  }
  void put(const spacetime::TrafficLight::Phase& p) { add(p.may_pass, p.duration); }
  void put(const spacetime::TrafficLight& l) { add(l.id, l.phases, l.offset); }
  void put(const spacetime::Interval& i) { add(i.low, i.high); }
  void put(const spacetime::GoalState& g) {
    add(g.regions, g.lanelets, g.time, g.speed, g.heading);
  }
  void put(const PlanningProblem& p) {
    add(p.id, p.start.x, p.start.y, p.start.heading, p.speed, p.t_start, p.goals);
  }
  void put(const NamedTrajectory& t) { add(t.name, t.footprint, t.trajectory); }
  void put(const spacetime::MovingBody& b) {
    add(b.name, b.motion.t, b.motion.position, b.motion.rotation,
        std::vector<CollisionElement>(b.geometry->elements().begin(),
                                      b.geometry->elements().end()));
  }
  void put(const Problem& p) { add(p.set, p.index, p.group, p.start, p.goal, p.obstacles); }

  Hasher hasher_;
};

}  // namespace

std::string digest(const SceneSource& scene) {
  return Digest().add(scene).text();
}
std::string digest(const Path& path) {
  return Digest().add(path.waypoints, path.inner, path.times, path.defaulted).text();
}
std::string digest(const Query& query) {
  return Digest().add(query.start, query.goal, query.planned, query.defaulted).text();
}
std::string digest(const ObstacleChange& c) {
  return Digest().add(c.clear, c.remove, c.add, c.cells, c.move, c.start, c.goal).text();
}
std::string digest(const manipulation::World& w) {
  Digest digest;
  digest.add(w.scene, w.objects, w.places, w.clearance);
  for (const manipulation::Arm& arm : w.arms)
    digest.add(arm.name, arm.joints, arm.hand, arm.X_HT, arm.fingers, arm.open, arm.touch);
  return digest.text();
}
std::string digest(const TrafficFile& traffic) {
  return Digest()
      .add(traffic.name, traffic.obstacles, traffic.lanelets, traffic.lights, traffic.problems,
           traffic.time_step, traffic.remarks)
      .text();
}
std::string digest(const std::vector<NamedTrajectory>& trajectories) {
  return Digest().add(trajectories).text();
}
std::string digest(const std::vector<spacetime::MovingBody>& bodies) {
  return Digest().add(bodies).text();
}
std::string digest(const ProblemSet& set) {
  return Digest().add(set.scene_without_obstacles, set.joints, set.problems).text();
}

}  // namespace proven::bench
