// What a certificate claims, looked at by sampling: at every leaf, are the two nodes apart along
// the direction, by more than the clearance, at many times of its interval? Poses come from the
// scene library, curves from long doubles, supports from plain doubles; the rule and its bounds are
// not used.
#pragma once

#include "curves.h"
#include "plain_certificate.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/poses.h"
#include "proven/scene/scene.h"

namespace proven::test {

class SampledTwin {
 public:
  SampledTwin(const Scene& scene, const verifier::Model& model, const Motion& motion)
      : scene_(scene), model_(model), motion_(motion) {}

  // Whether every leaf's claim holds at the samples; `slack` metres are forgiven.
  bool holds(const Proofs& proofs, double slack = 1e-11) {
    slack_ = slack;
    for (std::size_t s = 0; s < proofs.size(); ++s)
      for (std::size_t u = 0; u < model_.units.size(); ++u) {
        piece_ = motion_.piece(static_cast<int>(s));
        unit_ = &model_.units[u];
        counts_ = nodes_that_count(model_, *unit_);
        if (!holds(proofs[s][u], 0, 1, roots(model_, *unit_))) return false;
      }
    return true;
  }

 private:
  static constexpr int kSamples = 8;

  bool holds(const ProofNode& proof, double begin, double end, const NodePair& pair) {
    if (proof.is_leaf()) return leaf_holds(proof, begin, end, pair);
    if (proof.code == 0) {
      const double middle = 0.5 * (begin + end);
      return holds(proof.children[0], begin, middle, pair) &&
             holds(proof.children[1], middle, end, pair);
    }
    const auto parts = split(model_, counts_, pair, proof.code);
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (!holds(proof.children[i], begin, end, parts[i])) return false;
    return true;
  }

  bool leaf_holds(const ProofNode& proof, double begin, double end, const NodePair& pair) {
    const int anchor = (proof.code - 0x10) / 8;
    const double ta = begin + 0.5 * anchor * (end - begin);
    double c = -INFINITY;
    for (const verifier::Pair& p : unit_->pairs)
      if (!pair.B.body || pair.B.body == &model_.bodies[static_cast<std::size_t>(p.b)])
        c = std::max(c, p.clearance);
    const Vec3 n{static_cast<double>(proof.direction[0]), static_cast<double>(proof.direction[1]),
                 static_cast<double>(proof.direction[2])};
    const auto common = static_cast<std::size_t>(common_link());
    place(ta);
    const Pose X_WC = poses_.X_WL[common];  // the direction is fixed in this frame
    for (int i = 0; i <= kSamples; ++i) {
      place(begin + (end - begin) * i / kSamples);
      const Vec3 now = poses_.X_WL[common].R * transpose_times(X_WC.R, n);
      const double gap = -highest(pair.B, -now) - highest(pair.A, now);
      if (!(gap > (c - slack_) * norm(n))) return false;
    }
    return true;
  }

  int common_link() const {
    if (unit_->b < 0) return 0;
    return scene_.tree().lowest_common_ancestor(scene_.body(unit_->a).link,
                                                scene_.body(unit_->b).link);
  }

  void place(double t) {
    if (piece_.straight()) {
      q_.resize(piece_.from.size());
      interpolate(scene_.tree(), piece_.from, piece_.to, t, q_);
    } else {
      q_ = configuration_at(scene_.tree(), piece_, t);
    }
    compute_poses(scene_.tree(), q_, poses_);
  }

  // Over all pieces below the node, in the world.
  double highest(const verifier::Node& node, const Vec3& n) {
    if (node.get().item < 0) {
      const auto& children = node.get().children;
      return std::max(highest(entered(model_, {node.body, node.tree, children[0]}), n),
                      highest(entered(model_, {node.body, node.tree, children[1]}), n));
    }
    const auto index = static_cast<int>(node.body - model_.bodies.data());
    if (unit_->b < 0 && node.body->still) {
      bool tested = false;
      for (const verifier::Pair& p : unit_->pairs) tested = tested || p.b == index;
      if (!tested) return -INFINITY;
    }
    const Body& body = scene_.body(index);
    const Pose X_WB = poses_.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB;
    const Vec3 d = transpose_times(X_WB.R, n);
    const int piece = node.get().item;
    if (!body.geometry->is_triangle(piece)) {
      Convex room;
      return body.geometry->convex(piece, room).support(d) + dot(n, X_WB.p);
    }
    const Triangle& t = body.geometry->triangles()[static_cast<std::size_t>(piece)];
    return std::max({dot(d, t.a), dot(d, t.b), dot(d, t.c)}) + dot(n, X_WB.p);
  }

  const Scene& scene_;
  const verifier::Model& model_;
  const Motion& motion_;
  double slack_ = 0;
  MotionPiece piece_;
  const verifier::Unit* unit_ = nullptr;
  std::vector<bool> counts_;
  LinkPoses poses_;
  std::vector<double> q_;
};

}  // namespace proven::test
