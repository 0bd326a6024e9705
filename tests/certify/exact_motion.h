// The kinematics of a scene in long double, from the definitions: what the directional checker
// computes in double, and bounds. No code of the library but plain data.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "certify/motion.h"
#include "proven/scene/scene.h"

namespace proven {

// A piece of a motion with its own memory.
struct OwnedMotion {
  std::vector<double> from, to;
  std::vector<std::vector<double>> inner = {};
  operator SegmentMotion() const { return {{from, to, inner}, 0}; }
  void configuration(const KinematicTree& tree, double t, std::span<double> q) const {
    SegmentMotion(*this).configuration(tree, t, q);
  }
};

}  // namespace proven

namespace proven::exact {

using Real = long double;

struct RVec {
  Real x = 0, y = 0, z = 0;
  RVec() = default;
  RVec(Real a, Real b, Real c) : x(a), y(b), z(c) {}
  explicit RVec(const Vec3& v) : x(v.x), y(v.y), z(v.z) {}
};
inline RVec operator+(const RVec& a, const RVec& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline RVec operator-(const RVec& a, const RVec& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline RVec operator*(Real s, const RVec& a) {
  return {s * a.x, s * a.y, s * a.z};
}
inline Real dot(const RVec& a, const RVec& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline RVec cross(const RVec& a, const RVec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Real norm(const RVec& a) {
  return std::sqrt(dot(a, a));
}
inline RVec unit(const RVec& a) {
  const Real length = norm(a);
  return length > 0 ? (1 / length) * a : a;
}

// Columns are the images of the axes.
struct RMat {
  std::array<RVec, 3> column = {RVec{1, 0, 0}, RVec{0, 1, 0}, RVec{0, 0, 1}};
};
inline RVec operator*(const RMat& m, const RVec& v) {
  return v.x * m.column[0] + v.y * m.column[1] + v.z * m.column[2];
}
inline RMat operator*(const RMat& a, const RMat& b) {
  return {{a * b.column[0], a * b.column[1], a * b.column[2]}};
}
inline RVec transpose_times(const RMat& m, const RVec& v) {
  return {dot(m.column[0], v), dot(m.column[1], v), dot(m.column[2], v)};
}

struct RPose {
  RMat R;
  RVec p;
};
inline RVec operator*(const RPose& X, const RVec& v) {
  return X.R * v + X.p;
}
inline RPose operator*(const RPose& X, const RPose& Y) {
  return {X.R * Y.R, X * Y.p};
}
inline RPose inverse(const RPose& X) {
  RPose inverse;
  const auto& c = X.R.column;
  inverse.R.column = {RVec{c[0].x, c[1].x, c[2].x}, RVec{c[0].y, c[1].y, c[2].y},
                      RVec{c[0].z, c[1].z, c[2].z}};
  inverse.p = Real(-1) * (inverse.R * X.p);
  return inverse;
}

// The doubles as they are.
inline RPose literal(const Pose& X) {
  return {{{RVec(X.R.column(0)), RVec(X.R.column(1)), RVec(X.R.column(2))}}, RVec(X.p)};
}

// The rotation nearest to nine doubles: Newton's iteration for the polar factor, R (3 I - RᵀR)/2.
inline RPose nearest(const Pose& X) {
  RPose result = literal(X);
  for (int i = 0; i < 3; ++i) {
    RMat correction;
    for (std::size_t a = 0; a < 3; ++a) {
      const RVec gram = transpose_times(result.R, result.R.column[a]);
      correction.column[a] =
          RVec(a == 0 ? 1.5L : 0, a == 1 ? 1.5L : 0, a == 2 ? 1.5L : 0) - 0.5L * gram;
    }
    result.R = result.R * correction;
  }
  return result;
}

// Rodrigues.
inline RMat turn(const RVec& axis, Real angle) {
  const RVec a = unit(axis);
  const Real c = std::cos(angle), s = std::sin(angle);
  RMat m;
  for (RVec& e : m.column) e = c * e + s * cross(a, e) + (1 - c) * dot(a, e) * a;
  return m;
}

struct RQuaternion {
  Real x, y, z, w;
};
inline RQuaternion unit_quaternion(std::span<const double> q, std::size_t i) {
  const Real x = q[i], y = q[i + 1], z = q[i + 2], w = q[i + 3];
  const Real length = std::sqrt(x * x + y * y + z * z + w * w);
  return {x / length, y / length, z / length, w / length};
}
inline RMat turn(const RQuaternion& q) {
  const RVec v{q.x, q.y, q.z};
  return norm(v) == 0 ? RMat{} : turn(v, 2 * std::atan2(norm(v), q.w));
}

// How a joint moves over a segment, from the doubles. On curves `from` and `rate` mean nothing.
struct ExactJoint {
  Real from = 0, rate = 0;         // of the value; a ball joint's rate is its angle
  RVec axis;                       // unit, in the joint's frame
  RMat start;                      // of a ball joint
  std::vector<RVec> control = {};  // on curves: of the value in x, or of the turn from the start
};

// Σ_k C(d, k) s^k (1 - s)^(d-k) p_k.
inline RVec bernstein(const std::vector<RVec>& p, Real s) {
  const auto d = static_cast<int>(p.size()) - 1;
  RVec sum;
  Real binomial = 1;
  for (int k = 0; k <= d; ++k) {
    Real weight = binomial;
    for (int i = 0; i < d; ++i) weight *= i < k ? s : 1 - s;
    sum = sum + weight * p[static_cast<std::size_t>(k)];
    binomial = binomial * (d - k) / (k + 1);
  }
  return sum;
}

inline ExactJoint exact_joint(const Joint& joint, std::span<const double> from,
                              std::span<const double> to) {
  ExactJoint result;
  if (joint.kind == JointKind::fixed) return result;
  const auto i = static_cast<std::size_t>(joint.coordinate);
  if (joint.kind != JointKind::ball) {
    const Real m = joint.multiplier;
    result.from = m * from[i] + joint.offset;
    result.rate = m * (static_cast<Real>(to[i]) - from[i]);
    result.axis = unit(RVec(joint.axis));
    return result;
  }
  const RQuaternion a = unit_quaternion(from, i), b = unit_quaternion(to, i);
  result.start = turn(a);
  // b a^-1, the shorter way.
  RVec v = a.w * RVec{b.x, b.y, b.z} - b.w * RVec{a.x, a.y, a.z} -
           cross(RVec{b.x, b.y, b.z}, RVec{a.x, a.y, a.z});
  Real w = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
  if (w < 0) v = Real(-1) * v, w = -w;
  result.axis = unit(v);
  result.rate = 2 * std::atan2(norm(v), w);
  return result;
}

// Makes it a curve with these control points between the ends.
inline void bend(const Joint& joint, std::span<const double> from, std::span<const double> to,
                 const std::vector<std::vector<double>>& inner, ExactJoint& result) {
  if (inner.empty() || joint.kind == JointKind::fixed) return;
  const auto i = static_cast<std::size_t>(joint.coordinate);
  const auto value = [&](double q) {
    return RVec{static_cast<Real>(joint.multiplier) * q + joint.offset, 0, 0};
  };
  const bool ball = joint.kind == JointKind::ball;
  result.control.push_back(ball ? RVec{} : value(from[i]));
  for (const auto& q : inner)
    result.control.push_back(ball ? RVec{q[i], q[i + 1], q[i + 2]} : value(q[i]));
  // The axis of the whole turn is the same in the frame of the start, turned back.
  result.control.push_back(ball ? transpose_times(result.start, result.rate * result.axis)
                                : value(to[i]));
}

// A piece of a motion of a scene.
class ExactMotion {
 public:
  ExactMotion(const Scene& scene, std::span<const double> from, std::span<const double> to,
              const std::vector<std::vector<double>>& inner = {})
      : scene_(scene) {
    for (const Link& link : scene.tree().links()) {
      joints_.push_back(exact_joint(link.joint, from, to));
      bend(link.joint, from, to, inner, joints_.back());
      origins_.push_back(nearest(link.joint.X_PJ));
    }
    for (const Body& body : scene.bodies()) X_LB_.push_back(nearest(body.X_LB));
  }

  const ExactJoint& joint(int link) const { return joints_[static_cast<std::size_t>(link)]; }

  std::vector<RPose> links(Real t) const {
    std::vector<RPose> X_WL(joints_.size());
    for (std::size_t l = 1; l < X_WL.size(); ++l) {
      const Link& link = scene_.tree().links()[l];
      const ExactJoint& joint = joints_[l];
      RPose moved;
      const bool curved = !joint.control.empty();
      const RVec on_curve = curved ? bernstein(joint.control, t) : RVec{};
      const Real value = curved ? on_curve.x : joint.from + t * joint.rate;
      if (link.joint.kind == JointKind::revolute) moved.R = turn(joint.axis, value);
      if (link.joint.kind == JointKind::prismatic) moved.p = value * joint.axis;
      if (link.joint.kind == JointKind::ball)
        moved.R = curved ? joint.start * turn(on_curve, norm(on_curve))
                         : turn(joint.axis, t * joint.rate) * joint.start;
      X_WL[l] = X_WL[static_cast<std::size_t>(link.parent)] * origins_[l] * moved;
    }
    return X_WL;
  }

  RPose body(const std::vector<RPose>& X_WL, int body) const {
    return X_WL[static_cast<std::size_t>(scene_.body(body).link)] *
           X_LB_[static_cast<std::size_t>(body)];
  }

  // Axis in the world. Link frames turn about the axis they hold, ball joints' parents hold theirs.
  RVec axis(const std::vector<RPose>& X_WL, int link) const {
    const auto l = static_cast<std::size_t>(link);
    const auto parent = static_cast<std::size_t>(scene_.tree().link(link).parent);
    return X_WL[parent].R * (origins_[l].R * joints_[l].axis);
  }

 private:
  const Scene& scene_;
  std::vector<ExactJoint> joints_;
  std::vector<RPose> origins_, X_LB_;
};

}  // namespace proven::exact
