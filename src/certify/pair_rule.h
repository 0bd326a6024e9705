// The directional rule on the node pairs of one match at one anchor: spheres, boxes, points, and
// the pieces themselves. It says what holds; what to do about it is the search's.
#pragma once

#include <span>
#include <vector>

#include "anchor.h"
#include "cell_queue.h"
#include "gap.h"
#include "model_data.h"
#include "separation.h"

namespace proven {

class PairRule {
 public:
  // Of the model at this anchor from now on.
  void begin(const ModelData& model, Anchor& anchor) {
    model_ = &model;
    anchor_ = &anchor;
  }
  Anchor& anchor() { return *anchor_; }

  // The Lipschitz form on spheres around both sides. Sets closing_speed().
  Slack spheres(int match);
  // The sides of a match; enough for along(). Sets closing_speed().
  void begin_match(int match);
  // Then all directions, for boxes().
  void begin_boxes() { separation_.begin_boxes(); }

  const BoxNode& node_a(const NodePair& entry) const {
    return side_a_.tree->nodes[static_cast<std::size_t>(entry.node_a)];
  }
  const BoxNode& node_b(const NodePair& entry) const {
    return side_b_.tree->nodes[static_cast<std::size_t>(entry.node_b)];
  }
  // Whether the second side is all still bodies.
  bool against_still_bodies() const { return side_b_.geometry == nullptr; }
  double clearance() const { return separation_.clearance(); }

  Slack boxes(const NodePair& entry) const {
    return separation_.boxes(node_a(entry), node_b(entry));
  }
  Slack along(const Vec3& unit, const NodePair& entry) const {
    return separation_.along(unit, node_a(entry), node_b(entry));
  }
  // The best direction for the points of small nodes, which often fill little of their boxes.
  // Nothing if neither node has points, or none is found.
  std::optional<Slack> points(const NodePair& entry, const Vec3& guess);

  // Two pieces.
  struct Pieces {
    enum class Kind {
      apart,    // separated along `slack`, on both sides or by more than the resolution
      touch,    // within the resolution of each other: this moment decides nothing
      contact,  // they surely overlap or are too close
    };
    Kind kind = Kind::touch;
    Slack slack;
    Gap gap;
  };
  Pieces pieces(const NodePair& entry, const Vec3& guess, double resolution) const;

  // How fast the two sides can approach, and how far they may come nearer on either side.
  double closing_speed() const { return closing_speed_; }
  double moved() const { return closing_speed_ * anchor_->reach(); }

  // Which node to split: the larger one, unless it is flat along n, so that splitting it would not
  // open the gap.
  bool a_goes_first(const NodePair& entry, const Vec3& n) const;
  // Of the centres, squared.
  double squared_distance(const NodePair& entry) const;

 private:
  double required(const Match& match) const;
  double growth(const Match& match) const;
  Side side_of(int body, int ancestor, BodyMotion& scratch);
  Side still_side() const;
  MovingSphere sphere_of(int body, int ancestor);
  Pieces overlapping_pieces(const NodePair& entry, const Pose& X_AB, double resolution) const;
  Gap gap_of(const NodePair& entry, const Vec3& point_a, const Vec3& point_b,
             double distance) const;

  const ModelData* model_ = nullptr;
  Anchor* anchor_ = nullptr;
  double closing_speed_ = 0;
  Side side_a_, side_b_;
  Separation separation_;
  BodyMotion scratch_a_, scratch_b_;
  std::vector<Vec3> points_a_, points_b_;
};

}  // namespace proven
