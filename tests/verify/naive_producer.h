// A slow and simple producer of proofs, so that the verifier is tested without the checker. It asks
// the verifier's own rule at leaves; whether that rule is sound is for other tests to say.
#pragma once

#include <optional>

#include "plain_certificate.h"
#include "proven/base/random.h"

namespace proven::test {

class NaiveProducer {
 public:
  NaiveProducer(const verifier::Model& model, const Motion& motion, double tracking_error,
                std::uint64_t seed)
      : model_(model),
        given_(motion),
        errors_(verifier::errors_of(model, tracking_error, 1)),
        random_(seed) {}

  // Nothing if no proof is found within a modest budget.
  std::optional<Proofs> run() {
    Proofs proofs(verifier::num_segments(given_));
    for (std::size_t s = 0; s < proofs.size(); ++s) {
      motion_.emplace(model_, given_.piece(static_cast<int>(s)), errors_);
      for (const verifier::Unit& unit : model_.units) {
        begin(unit);
        ProofNode proof;
        if (!prove(0, 1, 0, roots(model_, unit), proof)) return std::nullopt;
        proofs[s].push_back(std::move(proof));
      }
    }
    return proofs;
  }

 private:
  using I = verifier::Interval;
  static constexpr int kDeepest = 14, kBudget = 20000;

  void begin(const verifier::Unit& unit) {
    unit_ = &unit;
    budget_ = kBudget;
    counts_ = nodes_that_count(model_, unit);
    const auto link = [&](int b) { return model_.bodies[static_cast<std::size_t>(b)].link; };
    ancestor_ = unit.b < 0 ? 0 : model_.lowest_common_ancestor(link(unit.a), link(unit.b));
    slack_ = motion_->tracking_slack(unit.a, ancestor_);
    if (unit.b >= 0) slack_ = slack_ + motion_->tracking_slack(unit.b, ancestor_);
  }

  I clearance(const NodePair& pair) const {
    double c = -INFINITY;
    for (const verifier::Pair& p : unit_->pairs)
      if (!pair.B.body || pair.B.body == &model_.bodies[static_cast<std::size_t>(p.b)])
        c = std::max(c, p.clearance);
    return I(c) + slack_;
  }

  verifier::BodyMotion<I> motion_of_b(const verifier::Around& time, const NodePair& pair) {
    if (unit_->b >= 0) return motion_->at(time, unit_->b, ancestor_);
    if (!pair.B.body) return {};
    return motion_->at({}, static_cast<int>(pair.B.body - model_.bodies.data()), 0);
  }

  // Axes of both boxes, their cross products and the line of centres, in the world.
  static std::vector<Vec3> candidates(const NodePair& pair, const verifier::BodyMotion<I>& a,
                                      const verifier::BodyMotion<I>& b) {
    std::vector<Vec3> axes[2], all;
    Vec3 centre[2];
    for (int side = 0; side < 2; ++side) {
      const verifier::Node& node = side == 0 ? pair.A : pair.B;
      const verifier::BodyMotion<I>& m = side == 0 ? a : b;
      const verifier::Box3& box = node.get().box;
      centre[side] = 0.5 * (box.lo + box.hi);
      for (int i = 0; i < 3; ++i) {
        Vec3 axis;
        axis[i] = 1;
        if (node.body) axis = approximate(m.R_WB.column(i));
        axes[side].push_back(axis);
      }
      if (node.body)
        centre[side] = approximate(m.R_WB * verifier::Vector<I>(centre[side]) + m.p_WB);
      add_normal(node, m, all);
    }
    all.push_back(centre[1] - centre[0]);
    for (const Vec3& x : axes[0]) all.push_back(x);
    for (const Vec3& y : axes[1]) all.push_back(y);
    for (const Vec3& x : axes[0])
      for (const Vec3& y : axes[1]) all.push_back(cross(x, y));
    const std::size_t count = all.size();
    for (std::size_t i = 1; i < count; ++i) all.push_back(-all[i]);
    return all;
  }

  static void add_normal(const verifier::Node& node, const verifier::BodyMotion<I>& m,
                         std::vector<Vec3>& all) {
    if (!node.body || node.get().item < 0) return;
    const verifier::Piece& piece = node.body->pieces[static_cast<std::size_t>(node.get().item)];
    if (piece.triangle < 0) return;
    const auto v = corners(*node.body, piece);
    const Vec3 n = node.body->element(piece).X_BS.R * cross(v[1] - v[0], v[2] - v[0]);
    all.push_back(approximate(m.R_WB * verifier::Vector<I>(normalized(n))));
  }

  bool prove(double begin, double end, int depth, const NodePair& pair, ProofNode& proof) {
    if (--budget_ < 0) return false;
    const int anchor = random_.index(8) == 0 ? 2 * random_.index(2) : 1;
    verifier::Leaf leaf;
    leaf.anchor = begin + 0.5 * anchor * (end - begin);
    leaf.before = leaf.anchor - begin;
    leaf.after = end - leaf.anchor;
    const auto a = motion_->at(leaf, unit_->a, ancestor_), b = motion_of_b(leaf, pair);
    const I c = clearance(pair);
    bool apart = false;
    for (const Vec3& direction : candidates(pair, a, b)) {
      const double size = max_abs(direction);
      if (!(size > 1e-12)) continue;
      const int width = 1 + random_.index(4);
      const double largest = width == 1   ? 127
                             : width == 2 ? 32767
                             : width == 3 ? 2147483647.0
                                          : 0x1p53;
      leaf.direction = direction * (largest / size);
      for (int i = 0; i < 3; ++i) leaf.direction[i] = std::nearbyint(leaf.direction[i]);
      if (verifier::holds<I>(leaf, pair.A, a, pair.B, b, {c})) {
        proof.code = static_cast<std::uint8_t>(0x10 + 8 * anchor + width);
        for (std::size_t i = 0; i < 3; ++i)
          proof.direction[i] = static_cast<std::int64_t>(leaf.direction[static_cast<int>(i)]);
        return true;
      }
      verifier::Leaf now = leaf;
      now.before = now.after = 0;
      apart = apart || verifier::holds<I>(now, pair.A, a, pair.B, b, {c + I(1e-6)});
    }
    if (apart && depth < kDeepest) {
      proof.code = 0;
      proof.children.resize(2);
      const double middle = 0.5 * (begin + end);
      return prove(begin, middle, depth + 1, pair, proof.children[0]) &&
             prove(middle, end, depth + 1, pair, proof.children[1]);
    }
    return split_space(begin, end, depth, pair, proof);
  }

  bool split_space(double begin, double end, int depth, const NodePair& pair, ProofNode& proof) {
    const auto size = [](const verifier::Node& node) {
      return node.get().item >= 0 ? -1.0 : norm(node.get().box.hi - node.get().box.lo);
    };
    proof.code = size(pair.A) > size(pair.B) ? 1 : 2;
    const auto parts = split(model_, counts_, pair, proof.code);
    if (parts.empty()) return false;
    for (const NodePair& part : parts) {
      proof.children.emplace_back();
      if (!prove(begin, end, depth, part, proof.children.back())) return false;
    }
    return true;
  }

  const verifier::Model& model_;
  const Motion& given_;
  std::vector<double> errors_;
  Random random_;
  std::optional<verifier::SegmentMotion<I>> motion_;
  const verifier::Unit* unit_ = nullptr;
  std::vector<bool> counts_;
  int ancestor_ = 0, budget_ = 0;
  I slack_;
};

}  // namespace proven::test
