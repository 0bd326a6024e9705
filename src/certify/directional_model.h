// What the directional checker knows of a scene besides CheckModel: spheres around bodies, the tree
// over still bodies, and the frames in which pairs are tested.
#pragma once

#include <vector>

#include "model.h"
#include "proven/geometry/box_tree.h"

namespace proven {

// Two trees of boxes that are tested against each other: of two bodies, or of a body and all still
// bodies.
struct Frame {
  static constexpr int kStillBodies = -1;

  int a = 0;             // a body that moves
  int b = 0;             // a body, or kStillBodies
  int pair = -1;         // index of the pair; -1 for still bodies
  int ancestor = 0;      // motion counts from this link
  double clearance = 0;  // required; of still bodies the largest
  double rounding_bound = 0;
};

class DirectionalModel {
 public:
  explicit DirectionalModel(const CheckModel& model);
  // After the ranges of the model grew.
  void update();

  const Scene& scene() const { return model_.scene(); }
  const CheckModel& check() const { return model_; }

  // Frames of all pairs, by the index of the pair, then those with the still bodies.
  std::span<const Frame> frames() const { return frames_; }
  const Frame& frame(int index) const { return frames_[static_cast<std::size_t>(index)]; }
  // The frames to prove, in the order of the certificate format: pairs with a still body are proved
  // under the frame of all still bodies.
  std::span<const int> units() const { return units_; }

  bool is_still(int body) const { return still_index_[static_cast<std::size_t>(body)] >= 0; }
  const Pose& still_pose(int body) const {
    return still_poses_[static_cast<std::size_t>(still_index_[static_cast<std::size_t>(body)])];
  }
  const BoxTree& still_tree() const { return still_tree_; }
  // The body of a leaf of the still tree.
  int still_body(int item) const { return still_[static_cast<std::size_t>(item)]; }
  // The pair of body a and a still body; -1 if it is not tested.
  int still_pair(int a, int still_item) const {
    return still_pairs_[static_cast<std::size_t>(a) * still_.size() +
                        static_cast<std::size_t>(still_item)];
  }
  // Whether any still body below the node forms a tested pair with a.
  bool counts(int a, int still_node) const;

  // Around the root box of the body, in its frame; the radius is rounded up.
  const BoundingSphere& sphere(int body) const { return spheres_[static_cast<std::size_t>(body)]; }
  // Radii of the sphere about the joints above, for all values of the joints between.
  const MotionFactors& factors(int body) const { return factors_[static_cast<std::size_t>(body)]; }

 private:
  void find_still_bodies();
  void build_still_tree();
  void make_frames();

  const CheckModel& model_;
  std::vector<int> still_;        // bodies
  std::vector<int> still_index_;  // per body: place in still_, or -1
  std::vector<Pose> still_poses_;
  BoxTree still_tree_;
  std::vector<int> still_pairs_;  // per body and still body
  std::vector<Frame> frames_;
  std::vector<int> units_;
  std::vector<BoundingSphere> spheres_;
  std::vector<MotionFactors> factors_;
};

}  // namespace proven
