// Looks at a plan of several arms at many times, with forward kinematics and bookkeeping of its
// own, and lets FCL say what overlaps. From the description of robots and plans alone: the product
// is not asked.
#pragma once

#include <fcl/fcl.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "manipulation/world.h"

namespace proven::test {

// What one arm does: its coordinates follow the motion, from `start` on.
struct Deed {
  enum class Kind { transit, transfer, handover } kind = Kind::transit;
  std::string arm, object;
  bool keeps = false;  // the object stays in the hand at the end
  double start = 0;
  Motion motion;

  double end() const { return start + motion.times.back() - motion.times.front(); }
};

class Eyewitness {
 public:
  Eyewitness(const manipulation::World& world, std::vector<double> rest,
             std::map<std::string, Pose> objects, std::vector<Deed> deeds)
      : world_(world), rest_(std::move(rest)), deeds_(std::move(deeds)) {
    for (const auto& [name, X_WO] : objects) things_[name].X_WO = X_WO;
    for (const RobotSource& robot : world.scene.robots)
      for (const RobotLink& link : robot.robot.links)
        add(robot.name + "/" + link.name, robot.name, link.collision);
    for (const ObstacleSource& obstacle : world.scene.obstacles) {
      if (world.find_object(obstacle.name) && !objects.contains(obstacle.name)) continue;
      add(obstacle.name, world.find_object(obstacle.name) ? "" : "furniture", obstacle.elements);
      if (!things_.contains(obstacle.name)) fixed_[obstacle.name] = obstacle.X_WB;
    }
  }

  // Every `step` seconds and at every start and end, in order; the first pair that overlaps, with
  // its time, or nothing. What fingers close around they may touch.
  std::string first_contact(double step) {
    std::vector<double> times;
    double last = 0;
    for (const Deed& deed : deeds_) {
      times.insert(times.end(), {deed.start, deed.end()});
      last = std::max(last, deed.end());
    }
    for (double t = 0; t < last; t += step) times.push_back(t);
    std::sort(times.begin(), times.end());
    for (const double t : times) {
      look(t);
      if (std::string pair = contact(); !pair.empty())
        return pair + " at " + std::to_string(t) + " s";
    }
    return {};
  }

  // Where things are after the last look.
  const Pose& pose_of(const std::string& object) const { return things_.at(object).X_WO; }

 private:
  struct Body {
    std::string name, group;  // bodies of one group are not compared
    std::vector<std::pair<std::shared_ptr<fcl::CollisionGeometryd>, Pose>> shapes;
    double radius = 0;  // of a ball about its origin
  };
  struct Thing {
    Pose X_WO, X_HO;
    std::string holder;             // arm
    std::set<std::string> touches;  // bodies
  };

  static fcl::Transform3d transform(const Pose& X) {
    fcl::Transform3d T = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) T.linear()(i, j) = X.R(i, j);
      T.translation()(i) = X.p[i];
    }
    return T;
  }

  void add(const std::string& name, const std::string& group,
           const std::vector<CollisionElement>& elements) {
    Body body{name, group, {}, 0};
    for (const CollisionElement& element : elements) {
      std::shared_ptr<fcl::CollisionGeometryd> shape;
      double radius = 0;
      if (const auto* b = std::get_if<Box>(&element.shape)) {
        shape = std::make_shared<fcl::Boxd>(2 * b->half_extents.x, 2 * b->half_extents.y,
                                            2 * b->half_extents.z);
        radius = norm(b->half_extents);
      } else if (const auto* s = std::get_if<Sphere>(&element.shape)) {
        shape = std::make_shared<fcl::Sphered>(s->radius);
        radius = s->radius;
      } else if (const auto* c = std::get_if<Cylinder>(&element.shape)) {
        shape = std::make_shared<fcl::Cylinderd>(c->radius, 2 * c->half_length);
        radius = c->radius + c->half_length;
      } else if (const auto* k = std::get_if<Capsule>(&element.shape)) {
        shape = std::make_shared<fcl::Capsuled>(k->radius, 2 * k->half_length);
        radius = k->radius + k->half_length;
      }
      if (!shape) throw std::logic_error("a shape that the witness does not know");
      body.shapes.emplace_back(shape, element.X_BS);
      body.radius = std::max(body.radius, norm(element.X_BS.p) + radius);
    }
    bodies_.push_back(std::move(body));
  }

  const manipulation::Arm& arm(const std::string& name) const {
    return *std::find_if(world_.arms.begin(), world_.arms.end(),
                         [&](const auto& a) { return a.name == name; });
  }

  static double value_at(const MotionPiece& piece, std::size_t c, double s) {
    double sum = 0, binomial = 1;
    const int n = piece.degree();
    for (int k = 0; k <= n; ++k) {
      sum += binomial * std::pow(s, k) * std::pow(1 - s, n - k) * piece.control(k)[c];
      binomial = binomial * (n - k) / (k + 1);
    }
    return sum;
  }

  // All coordinates at t: what a motion changes follows it, from its start, and stays at its end.
  std::vector<double> configuration(double t) const {
    std::vector<double> q = rest_;
    for (const Deed& deed : deeds_) {
      if (t < deed.start) continue;
      const auto& times = deed.motion.times;
      const double own = std::min(t - deed.start + times.front(), times.back());
      int piece = 0;
      while (piece + 1 < deed.motion.num_segments() &&
             times[static_cast<std::size_t>(piece) + 1] <= own)
        ++piece;
      const auto n = static_cast<std::size_t>(piece);
      const double s = (own - times[n]) / (times[n + 1] - times[n]);
      for (std::size_t c = 0; c < q.size(); ++c)
        if (is_of(c, deed)) q[c] = value_at(deed.motion.piece(piece), c, s);
    }
    return q;
  }

  // Coordinates are counted robot by robot, without those that follow others. A robot has the name
  // of its arm.
  bool is_of(std::size_t coordinate, const Deed& deed) const {
    std::size_t c = 0;
    for (const RobotSource& robot : world_.scene.robots)
      for (const RobotJoint& joint : robot.robot.joints) {
        if (joint.mimic || joint.type == JointType::fixed) continue;
        if (c++ != coordinate) continue;
        // Both hands move their fingers when one takes over from the other.
        return robot.name == deed.arm ||
               (deed.kind == Deed::Kind::handover && joint.name == "fingers");
      }
    return false;
  }

  void place_links(const std::vector<double>& q) {
    std::size_t c = 0;
    for (const RobotSource& robot : world_.scene.robots) {
      std::map<std::string, double> values;
      links_[robot.name + "/" + robot.robot.links[0].name] = robot.X_WR;
      for (const RobotJoint& joint : robot.robot.joints) {
        double value = 0;
        if (joint.mimic)
          value = joint.mimic->multiplier * values.at(joint.mimic->joint) + joint.mimic->offset;
        else
          value = q[c++];
        values[joint.name] = value;
        const Pose X_PC = joint.X_PJ * (joint.type == JointType::prismatic
                                            ? Pose::translation(value * joint.axis)
                                            : Pose{rotation(joint.axis, value), {}});
        links_[robot.name + "/" + joint.child_link] =
            links_.at(robot.name + "/" + joint.parent_link) * X_PC;
      }
    }
  }

  void take(Thing& thing, const std::string& who) const {
    thing.holder = who;
    thing.X_HO = inverse(links_.at(arm(who).hand)) * thing.X_WO;
  }

  void look(double t) {
    place_links(configuration(t));
    for (auto& [name, thing] : things_)
      if (!thing.holder.empty()) thing.X_WO = links_.at(arm(thing.holder).hand) * thing.X_HO;
    for (std::size_t i = 0; i < deeds_.size(); ++i) {
      const Deed& deed = deeds_[i];
      Thing& thing = things_.at(deed.object);
      if (t >= deed.start && begun_.insert(i).second && deed.kind == Deed::Kind::transfer)
        take(thing, deed.arm);
      if (t < deed.end() || !ended_.insert(i).second) continue;
      if (deed.kind == Deed::Kind::handover) take(thing, deed.arm);
      if (deed.kind == Deed::Kind::transfer && !deed.keeps) thing.holder.clear();
    }
    for (auto& [name, thing] : things_) {
      thing.touches.clear();
      const auto allow = [&thing = thing](const manipulation::Arm& a) {
        thing.touches.insert(a.touch.begin(), a.touch.end());
      };
      if (!thing.holder.empty()) allow(arm(thing.holder));
      for (const Deed& deed : deeds_)
        if (deed.object == name && deed.kind != Deed::Kind::transit && t >= deed.start &&
            t <= deed.end())
          allow(arm(deed.arm));
    }
  }

  const Pose& pose(const Body& body) const {
    if (const auto link = links_.find(body.name); link != links_.end()) return link->second;
    if (const auto thing = things_.find(body.name); thing != things_.end())
      return thing->second.X_WO;
    return fixed_.at(body.name);
  }

  bool may_touch(const Body& a, const Body& b) const {
    if (!a.group.empty() && a.group == b.group) return true;
    // A base stands on its pedestal.
    if (a.name.ends_with("/base") && b.group == "furniture") return true;
    for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
      if (const auto thing = things_.find(one->name); thing != things_.end())
        if (thing->second.touches.contains(other->name)) return true;
    return false;
  }

  std::string contact() const {
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const Body &a = bodies_[j], &b = bodies_[i];
        const Pose &X_WA = pose(a), &X_WB = pose(b);
        if (norm(X_WA.p - X_WB.p) > a.radius + b.radius || may_touch(a, b)) continue;
        for (const auto& [x, X_AS] : a.shapes)
          for (const auto& [y, X_BS] : b.shapes) {
            fcl::CollisionRequestd request;
            fcl::CollisionResultd result;
            if (fcl::collide(x.get(), transform(X_WA * X_AS), y.get(), transform(X_WB * X_BS),
                             request, result))
              return a.name + " and " + b.name;
          }
      }
    return {};
  }

  const manipulation::World& world_;
  std::vector<double> rest_;
  std::vector<Deed> deeds_;
  std::vector<Body> bodies_;
  std::map<std::string, Thing> things_;
  std::map<std::string, Pose> fixed_, links_;
  std::set<std::size_t> begun_, ended_;
};

}  // namespace proven::test
