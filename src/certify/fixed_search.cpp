// FIXED-RES-BISECTION: halves a segment, longest parts first, until its parts are shorter than the
// step, and tests every pair at every new configuration on OBB trees. It can miss collisions and
// never says free.
#include <algorithm>
#include <cmath>
#include <limits>

#include "known_configuration.h"
#include "segment_search.h"

namespace proven {
namespace {

// Of a curve an upper bound: that of its control points.
double joint_space_length(const SegmentMotion& motion) {
  double length = 0;
  for (int k = 0; k < motion.degree(); ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < motion.from.size(); ++i) {
      const double step = motion.control(k + 1)[i] - motion.control(k)[i];
      sum += step * step;
    }
    length += std::sqrt(sum);
  }
  return length;
}

class FixedSearch : public SegmentSearch {
 public:
  FixedSearch(const SearchContext& context, const SegmentMotion& motion, KnownConfiguration& from,
              KnownConfiguration& to)
      : context_(context),
        motion_(motion),
        from_(from),
        to_(to),
        length_(joint_space_length(motion)) {
    while (std::ldexp(length_, -last_depth_) >= context.options.step && last_depth_ < kMaxDepth)
      ++last_depth_;
  }

  // Depth 0 tests the ends, depth d > 0 the 2^(d-1) midpoints of that level, from the left.
  bool open() const override { return !collision_ && !done_; }
  double urgency() const override {
    if (depth_ == 0) return std::numeric_limits<double>::infinity();
    return std::ldexp(length_, 1 - depth_);
  }
  std::int64_t num_cells() const override { return num_cells_; }

  void step(Scratch::State& scratch) override {
    ++num_cells_;
    if (depth_ == 0) {
      test_end(from_, 0, scratch);
      if (!collision_) test_end(to_, 1, scratch);
    } else {
      test(std::ldexp(2.0 * static_cast<double>(next_) + 1, -depth_), scratch);
    }
    advance();
  }

 private:
  void advance() {
    if (depth_ > 0 && ++next_ < (std::int64_t{1} << (depth_ - 1))) return;
    next_ = 0;
    done_ = ++depth_ > last_depth_;
    if (done_ && !collision_) give_up({0, -1, {}, UndecidedReason::sampled_only, 0});
  }

  void test_end(KnownConfiguration& configuration, double t, Scratch::State& scratch) {
    const auto pair = configuration.first_contact(context_.options.resolution, scratch);
    if (pair)
      collision_ = Finding{t, *pair, configuration.gap(*pair, context_.options.resolution, scratch),
                           UndecidedReason::sampled_only, t};
  }

  void test(double t, Scratch::State& scratch) {
    const Scene& scene = context_.model.scene();
    const LinkPoses& poses = scratch.configurations.poses(motion_, t);
    for (int index = 0; index < static_cast<int>(context_.model.pairs().size()); ++index) {
      if (context_.model.never_meets(index)) continue;
      const PairModel& pair = context_.model.pair(index);
      const BodyGeometry& a = *scene.body(pair.a).geometry;
      const BodyGeometry& b = *scene.body(pair.b).geometry;
      const Pose X_AB = relative_body_pose(scene, poses, pair.a, pair.b);
      const bool apart = pair.clearance > 0
                             ? greedy_distance(a, b, X_AB, pair.clearance, scratch.distance) > 0
                             : !bodies_overlap(a, b, X_AB, scratch.distance);
      if (apart) continue;
      const Gap gap =
          measure_close_gap(pair, a, b, X_AB, context_.options.resolution, scratch.distance);
      if (gap.kind != Gap::Kind::contact) continue;
      collision_ = Finding{t, index, gap, UndecidedReason::sampled_only, t};
      return;
    }
  }

  const SearchContext context_;
  const SegmentMotion& motion_;
  KnownConfiguration& from_;
  KnownConfiguration& to_;
  double length_;
  int depth_ = 0, last_depth_ = 0;
  std::int64_t next_ = 0;
  bool done_ = false;
  std::int64_t num_cells_ = 0;
};

}  // namespace

std::unique_ptr<SegmentSearch> make_fixed_search(const SearchContext& context,
                                                 const SegmentMotion& motion,
                                                 KnownConfiguration& from, KnownConfiguration& to) {
  return std::make_unique<FixedSearch>(context, motion, from, to);
}

}  // namespace proven
