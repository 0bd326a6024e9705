#include "roadmap/sweep.h"

#include <algorithm>
#include <cmath>

#include "proven/kinematics/motion_bounds.h"
#include "proven/kinematics/poses.h"
#include "roadmap/cells_part.h"
#include "roadmap/cover.h"
#include "roadmap/plain.h"

namespace proven::roadmap {
namespace {

// Axes that are parallel at zero, to within kParallelSine, stay so up to kParallelBound: turning by
// up to 24 rad about 64 axes that lean by 2^-36 leans the others by less than 64 · 25 · 2^-36.
constexpr double kParallelSine = 0x1p-36;
constexpr double kParallelBound = 0x1p-20;
// A relative widening of the remainder: the recursion of bounds errs by less than 64 u per link.
constexpr double kBoundSlack = 1 + 0x1p-30;
// Intervals are halved at most so often; the remainder counts whatever it is.
constexpr int kMaxDepth = 14;

// How a link may move over an interval of half-length h: bounds on angular speed, angular
// acceleration, and acceleration of its origin.
struct LinkBound {
  double speed = 0, turn = 0, acceleration = 0;
  double rates = 0;  // sum of the joints' own angular speeds, without regard to direction
};

}  // namespace

// A body in its link's frame.
struct SweptBody {
  int body = 0;  // of the scene
  int link = 0;
  double reach = 0;     // of its points from the link's origin, rounded up
  double rounding = 0;  // on computed positions of its points, within the ranges
  int first_part = 0, num_parts = 0;
};

struct Sweeper::State {
  const Scene* scene = nullptr;
  Grid grid;
  SweepOptions options;
  double clearance = 0;
  std::vector<SweptBody> bodies;
  std::vector<Interval> ranges;  // of every coordinate: bounds on rounding hold within
  std::vector<double> lean;      // per link: how far its axis may lean against all above (sine)
  // What the tables look at.
  std::vector<V3> points, normals;
  std::vector<FlatPart> parts;
  CellTables tables = {};

  void add_parts(std::span<const Part> own);
  void lay_out();
};

struct Sweeper::Scratch::State {
  LinkPoses poses;
  std::vector<Twist> twists;
  std::vector<double> rate, q;
  std::vector<LinkBound> bounds;
  PartRoom room;
};

namespace {

// Whether each revolute axis is parallel to all revolute axes above it.
std::vector<double> leans(const KinematicTree& tree) {
  LinkPoses poses;
  compute_poses(tree, tree.zero_configuration(), poses);
  std::vector<double> lean(static_cast<std::size_t>(tree.num_links()), 1.0);
  for (int link = 1; link < tree.num_links(); ++link) {
    if (tree.link(link).joint.kind != JointKind::revolute) continue;
    const Vec3 axis = joint_axis(tree, poses, link).direction;
    double largest = 0;
    for (int above = tree.link(link).parent; above > 0; above = tree.link(above).parent) {
      const JointKind kind = tree.link(above).joint.kind;
      if (kind == JointKind::ball) largest = 1;
      if (kind == JointKind::revolute)
        largest = std::max(largest, norm(cross(axis, joint_axis(tree, poses, above).direction)));
    }
    if (largest < kParallelSine) lean[static_cast<std::size_t>(link)] = kParallelBound;
  }
  return lean;
}

// One motion: cuts time, and hands what passes in each interval to a sink.
template <class Sink>
class Motion {
 public:
  Motion(const Sweeper::State& sweeper, Sweeper::Scratch::State& scratch,
         std::span<const double> from, std::span<const double> to, Sink& sink)
      : sweeper_(sweeper),
        tree_(sweeper.scene->tree()),
        scratch_(scratch),
        from_(from),
        to_(to),
        sink_(sink) {
    scratch_.rate.resize(from.size());
    scratch_.q.resize(from.size());
    moves_ = false;
    for (std::size_t k = 0; k < from.size(); ++k) {
      scratch_.rate[k] = to[k] - from[k];
      moves_ |= scratch_.rate[k] != 0;
      const Interval& range = sweeper.ranges[k];
      within_ = within_ && std::min(from[k], to[k]) >= range.lower &&
                std::max(from[k], to[k]) <= range.upper;
    }
    if (!within_) find_rounding();
  }

  // False if the sink stopped it.
  bool run() {
    std::vector<int> all(sweeper_.bodies.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    if (!moves_) return cover(0, 0, 0, all, kMaxDepth);
    return cover(0, 1, 0.5, all, 0);
  }

 private:
  bool cover(double begin, double end, double half, const std::vector<int>& bodies, int depth) {
    const double middle = 0.5 * (begin + end);  // exact: dyadic
    look_at(middle, half);
    const double allowed = sweeper_.options.remainder * sweeper_.grid.smallest_side();
    std::vector<int> left;
    for (const int index : bodies) {
      const SweptBody& body = sweeper_.bodies[static_cast<std::size_t>(index)];
      // A robot at rest gets what edges that begin there may lose: a node too close to a cell for
      // any of its edges is not left alone, it counts as blocked.
      const double remainder = moves_ ? remainder_of(body, half) : allowed;
      if (remainder > allowed && depth < kMaxDepth)
        left.push_back(index);
      else if (!sink_(passage_of(body, half, remainder)))
        return false;
    }
    if (left.empty()) return true;
    return cover(begin, middle, 0.5 * half, left, depth + 1) &&
           cover(middle, end, 0.5 * half, left, depth + 1);
  }

  // Of a motion beyond the ranges, as many turns from home: positions err by more.
  void find_rounding() {
    std::vector<Interval> wider = sweeper_.ranges;
    for (std::size_t k = 0; k < wider.size(); ++k)
      wider[k] = {std::min({wider[k].lower, from_[k], to_[k]}),
                  std::max({wider[k].upper, from_[k], to_[k]})};
    for (const SweptBody& swept : sweeper_.bodies) {
      const Body& body = sweeper_.scene->body(swept.body);
      rounding_.push_back(
          position_rounding(tree_, body.link, body.X_LB, *body.geometry, wider).bound());
    }
  }
  double rounding_of(const SweptBody& body) const {
    return within_ ? body.rounding
                   : rounding_[static_cast<std::size_t>(&body - sweeper_.bodies.data())];
  }

  // Poses and twists at t, and bounds over [t - half, t + half].
  void look_at(double t, double half) {
    for (std::size_t k = 0; k < from_.size(); ++k)
      scratch_.q[k] = from_[k] == to_[k] ? from_[k] : (1 - t) * from_[k] + t * to_[k];
    compute_poses(tree_, scratch_.q, scratch_.poses);
    compute_twists(tree_, scratch_.poses, scratch_.rate, scratch_.twists);
    auto& bounds = scratch_.bounds;
    bounds.assign(static_cast<std::size_t>(tree_.num_links()), {});
    for (int link = 1; link < tree_.num_links(); ++link) {
      const Link& l = tree_.link(link);
      const LinkBound& above = bounds[static_cast<std::size_t>(l.parent)];
      LinkBound& own = bounds[static_cast<std::size_t>(link)];
      own = above;
      const double turning = above.turn + above.speed * above.speed;
      own.acceleration += norm(l.joint.X_PJ.p) * turning;
      if (l.joint.kind == JointKind::fixed || l.joint.kind == JointKind::ball) continue;
      const auto c = static_cast<std::size_t>(l.joint.coordinate);
      const double rate = std::fabs(l.joint.multiplier * scratch_.rate[c]);
      if (l.joint.kind == JointKind::prismatic) {
        const double slide = std::fabs(l.joint.multiplier * scratch_.q[c] + l.joint.offset);
        own.acceleration += (slide + rate * half) * turning + 2 * above.speed * rate;
      } else {
        // |Ω × a|, Ω of the parent and a the axis.
        const double lean = sweeper_.lean[static_cast<std::size_t>(link)];
        own.turn += rate * std::min(above.speed, lean * above.rates);
        own.rates += rate;
        const Vec3& angular = scratch_.twists[static_cast<std::size_t>(link)].angular;
        own.speed = norm(angular) + half * own.turn;
      }
    }
  }

  double remainder_of(const SweptBody& body, double half) const {
    const LinkBound& b = scratch_.bounds[static_cast<std::size_t>(body.link)];
    const double acceleration = b.acceleration + body.reach * (b.turn + b.speed * b.speed);
    return 0.5 * acceleration * half * half * kBoundSlack;
  }

  Passage passage_of(const SweptBody& body, double half, double remainder) const {
    const Pose& X = scratch_.poses.X_WL[static_cast<std::size_t>(body.link)];
    const Twist& twist = scratch_.twists[static_cast<std::size_t>(body.link)];
    // Positions err by `rounding`; what the twist adds in the interval errs by less than as much
    // again per radian turned: its axes and points come from the same poses.
    double turned = 1;
    for (const double r : scratch_.rate) turned += std::fabs(r) * half;
    const double widen = remainder + sweeper_.clearance + 4 * turned * rounding_of(body);
    const auto& R = X.R.row;
    return {{R[0].x, R[0].y, R[0].z, R[1].x, R[1].y, R[1].z, R[2].x, R[2].y, R[2].z},
            {X.p.x, X.p.y, X.p.z},
            plain(twist.angular),
            plain(twist.linear),
            half,
            widen,
            0,
            body.first_part,
            body.num_parts};
  }

  const Sweeper::State& sweeper_;
  const KinematicTree& tree_;
  Sweeper::Scratch::State& scratch_;
  std::span<const double> from_, to_;
  Sink& sink_;
  bool moves_ = false, within_ = true;
  std::vector<double> rounding_;  // per body, of a motion that is not within the ranges
};

// The parts of what passes.
std::span<const FlatPart> parts_of(const CellTables& tables, const Passage& passage) {
  return {tables.parts + passage.first_part, static_cast<std::size_t>(passage.num_parts)};
}

}  // namespace

Sweeper::Sweeper(std::unique_ptr<State> state) : state_(std::move(state)) {}
Sweeper::Sweeper(Sweeper&&) noexcept = default;
Sweeper& Sweeper::operator=(Sweeper&&) noexcept = default;
Sweeper::~Sweeper() = default;
Sweeper::Scratch::Scratch() : state_(std::make_unique<State>()) {}
Sweeper::Scratch::Scratch(Scratch&&) noexcept = default;
Sweeper::Scratch::~Scratch() = default;

const Grid& Sweeper::grid() const {
  return state_->grid;
}

const CellTables& Sweeper::tables() const {
  return state_->tables;
}

void Sweeper::State::add_parts(std::span<const Part> own) {
  for (const Part& part : own) {
    parts.push_back({static_cast<int>(points.size()), static_cast<int>(part.points.size()),
                     static_cast<int>(normals.size()), static_cast<int>(part.normals.size()),
                     part.radius});
    for (const Vec3& p : part.points) points.push_back(plain(p));
    for (const Vec3& n : part.normals) normals.push_back(plain(n));
  }
}

void Sweeper::State::lay_out() {
  const auto number = [](const auto& values) { return static_cast<int>(values.size()); };
  tables = {plain(grid),   number(points), number(normals), number(parts),
            points.data(), normals.data(), parts.data()};
}

Result<Sweeper> Sweeper::build(const Scene& scene, const Grid& grid, const SweepOptions& options) {
  if (auto valid = validate(grid); !valid.ok()) return valid.error();
  if (!(options.remainder > 0) || !(options.part_length > 0))
    return bad_input("remainder and length of parts must be positive");
  auto state = std::make_unique<State>();
  state->scene = &scene;
  state->grid = grid;
  state->options = options;
  state->clearance = scene.clearance().world;  // cells are obstacles
  const KinematicTree& tree = scene.tree();
  state->lean = leans(tree);
  state->ranges = coordinate_ranges(tree, {});
  const auto& ranges = state->ranges;
  const double length = options.part_length * grid.smallest_side();
  for (int index = 0; index < static_cast<int>(scene.bodies().size()); ++index) {
    const Body& body = scene.body(index);
    if (tree.rigid_root(body.link) == 0) continue;
    SweptBody swept;
    swept.body = index;
    swept.link = body.link;
    const auto factors = compute_motion_factors(tree, body.link, body.X_LB, *body.geometry, ranges);
    swept.rounding = factors.rounding_bound;
    if (4 * swept.rounding > 0x1p-24 * grid.smallest_side())
      return bad_input("the grid's cells are too small for the size of the robot");
    std::vector<Part> parts;
    for (const CollisionElement& element : body.geometry->elements())
      append_parts(element, body.X_LB, length, parts);
    for (const Part& part : parts)
      for (const Vec3& p : part.points)
        swept.reach = std::max(swept.reach, (norm(p) + part.radius) * (1 + 0x1p-40));
    swept.first_part = static_cast<int>(state->parts.size());
    swept.num_parts = static_cast<int>(parts.size());
    state->bodies.push_back(swept);
    state->add_parts(parts);
  }
  state->lay_out();
  return Sweeper(std::move(state));
}

void Sweeper::mark(std::span<const double> from, std::span<const double> to, Scratch& scratch,
                   CellMask& mask) const {
  auto sink = [&](const Passage& passage) {
    for (const FlatPart& part : parts_of(state_->tables, passage))
      mark_part(state_->tables, passage, part, scratch.state().room, mask);
    return true;
  };
  Motion(*state_, scratch.state(), from, to, sink).run();
}

void Sweeper::append_passages(std::span<const double> from, std::span<const double> to, int item,
                              Scratch& scratch, std::vector<Passage>& passages) const {
  auto sink = [&](const Passage& passage) {
    passages.push_back(passage);
    passages.back().item = item;
    return true;
  };
  Motion(*state_, scratch.state(), from, to, sink).run();
}

bool Sweeper::avoids(std::span<const double> from, std::span<const double> to,
                     const CellMask& cells, Scratch& scratch) const {
  const CellTables& t = state_->tables;
  const bool outside = cells.test(state_->grid.outside());
  auto sink = [&](const Passage& passage) {
    SweptPart swept(t, scratch.state().room);
    for (const FlatPart& part : parts_of(t, passage)) {
      swept.place(passage, part);
      const Raster& raster = swept.fill_raster();
      if (outside && raster.leaves_grid(t.grid)) return false;
      const Raster::Rows rows = raster.rows(t.grid);
      int first, last;
      for (int z = 0; z < rows.num_z; ++z)
        for (int y = 0; y < rows.num_y; ++y)
          if (raster.run_of(t.grid, rows, rows.y0 + y, rows.z0 + z, first, last) &&
              cells.any_in_run(first, last))
            return false;
    }
    return true;
  };
  return Motion(*state_, scratch.state(), from, to, sink).run();
}

Aabb Sweeper::bounds(std::span<const double> from, std::span<const double> to,
                     Scratch& scratch) const {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Aabb all{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  auto sink = [&](const Passage& passage) {
    SweptPart swept(state_->tables, scratch.state().room);
    for (const FlatPart& part : parts_of(state_->tables, passage)) {
      swept.place(passage, part);
      for (int axis = 0; axis < 3; ++axis) {
        const Reach r = swept.reach_along(SweptPart::unit_of(axis));
        all.lo[axis] = std::min(all.lo[axis], r.low);
        all.hi[axis] = std::max(all.hi[axis], r.high);
      }
    }
    return true;
  };
  Motion(*state_, scratch.state(), from, to, sink).run();
  return all;
}

}  // namespace proven::roadmap
