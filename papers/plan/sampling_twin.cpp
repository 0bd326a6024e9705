#include "papers/plan/sampling_twin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "proven/geometry/body_geometry.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/poses.h"

namespace proven {

PROVEN_DEFINE_KERNEL(SamplingKernel, sampling_kernel);

namespace {

// As rrt-connect: a node that failed takes samples up to so many edges away, and so many are drawn
// for one that is near enough.
constexpr float kDomain = 4;
constexpr int kDraws = 50;

// A rotation that turns z into the unit vector a; the identity for z itself.
Mat3 with_z(const Vec3& a) {
  if (a.z == 1) return {};
  const Vec3 other = std::fabs(a.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 x = normalized(cross(other, a)), y = cross(a, x);
  Mat3 R;
  for (int i = 0; i < 3; ++i) R.row[static_cast<std::size_t>(i)] = {x[i], y[i], a[i]};
  return R;
}

// 1 + i or -(1 + i) for unit vectors and their opposites, as far as floats tell; else 0.
std::int8_t unit_of(const float* R, int column) {
  for (int i = 0; i < 3; ++i) {
    const float own = R[3 * i + column];
    const float a = R[3 * ((i + 1) % 3) + column], b = R[3 * ((i + 2) % 3) + column];
    if (std::fabs(std::fabs(own) - 1) < 1e-7f && std::fabs(a) < 1e-7f && std::fabs(b) < 1e-7f)
      return static_cast<std::int8_t>(own > 0 ? 1 + i : -(1 + i));
  }
  return 0;
}

std::string_view without_robot(std::string_view name) {
  return name.substr(std::min(name.size(), name.find('/')));
}

// Whether the spheres of two links overlap at all but a few configurations: they do by design, and
// a planner on spheres leaves such pairs out.
bool overlaps_by_design(const Scene& spheres, const BodyPair& pair) {
  constexpr int kSamples = 200, kMost = 190;
  Random random(1);
  LinkPoses poses;
  int overlaps = 0;
  for (int i = 0; i < kSamples; ++i) {
    compute_poses(spheres.tree(), random_configuration(spheres.tree(), random), poses);
    const auto overlap = [&](const Convex& a, const Convex& b) {
      const Vec3 d =
          spheres.body_pose(pair.a, poses) * a.X_BS.p - spheres.body_pose(pair.b, poses) * b.X_BS.p;
      return norm(d) < a.radius + b.radius;
    };
    const auto b_spheres = spheres.body(pair.b).geometry->convexes();
    overlaps +=
        std::ranges::any_of(spheres.body(pair.a).geometry->convexes(), [&](const Convex& a) {
          return std::ranges::any_of(b_spheres, [&](const Convex& b) { return overlap(a, b); });
        });
  }
  return overlaps > kMost;
}

float square_distance(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

}  // namespace

SamplingTwin::SamplingTwin(const Scene& spheres, const Scene& scene) {
  add_joints(spheres, scene);
  add_bodies(spheres, scene);
  finish();
}

void SamplingTwin::add_joints(const Scene& spheres, const Scene& scene) {
  const KinematicTree& tree = spheres.tree();
  const auto of_scene = scene.tree().coordinates();
  for (const Coordinate& coordinate : tree.coordinates()) {
    const auto same = std::ranges::find_if(of_scene, [&](const Coordinate& other) {
      return without_robot(other.name) == without_robot(coordinate.name);
    });
    coordinates_.push_back(same == of_scene.end() ? -1 : static_cast<int>(same - of_scene.begin()));
  }
  for (const double value : spheres.home()) home_.push_back(static_cast<float>(value));
  from_ = to_ = home_;
  joint_of_link_.assign(static_cast<std::size_t>(tree.num_links()), -1);
  X_FL_.resize(joint_of_link_.size());
  for (int l = 1; l < tree.num_links(); ++l) {
    const Link& link = tree.link(l);
    const auto parent = static_cast<std::size_t>(link.parent);
    const auto self = static_cast<std::size_t>(l);
    joint_of_link_[self] = joint_of_link_[parent];
    X_FL_[self] = X_FL_[parent] * link.joint.X_PJ;
    if (link.joint.kind == JointKind::fixed) continue;
    if (link.joint.kind == JointKind::ball)
      throw std::invalid_argument(link.name + " hangs on a ball joint");
    Pose X_JM;
    X_JM.R = with_z(link.joint.axis);
    const Pose X = X_FL_[self] * X_JM;
    SphereJoint joint;
    joint.parent = joint_of_link_[parent];
    joint.coordinate = link.joint.coordinate;
    joint.turns = link.joint.kind == JointKind::revolute;
    joint.multiplier = static_cast<float>(link.joint.multiplier);
    joint.offset = static_cast<float>(link.joint.offset);
    for (int i = 0; i < 9; ++i) joint.R[i] = static_cast<float>(X.R(i / 3, i % 3));
    for (int i = 0; i < 3; ++i) joint.p[i] = static_cast<float>(X.p[i]);
    for (int i = 0; i < 3; ++i) joint.unit[i] = unit_of(joint.R, i);
    X_FL_[self] = inverse(X_JM);
    joint_of_link_[self] = static_cast<int>(joints_.size());
    joints_.push_back(joint);
  }
}

void SamplingTwin::add_solid(const Pose& X_WS, const Vec3& half, double radius, bool cylinder) {
  SphereSolid solid;
  solid.aligned = true;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      solid.R[3 * i + j] = static_cast<float>(X_WS.R(j, i));
      solid.aligned = solid.aligned && std::fabs(solid.R[3 * i + j] - (i == j ? 1 : 0)) < 1e-7f;
    }
    solid.c[i] = static_cast<float>(X_WS.p[i]);
    solid.half[i] = static_cast<float>(half[i]);
  }
  solid.radius = static_cast<float>(radius);
  solid.cylinder = cylinder;
  solids_.push_back(solid);
  const auto place = (solids_.size() - 1) % kMostLanes;
  if (place == 0)
    for (int side = 0; side < 6; ++side) {
      Block& block = boxes_.emplace_back();
      std::ranges::fill(block.v, side < 3 ? INFINITY : -INFINITY);
    }
  Block* const sides = boxes_.data() + boxes_.size() - 6;
  for (int i = 0; i < 3; ++i) {
    double extent = radius;
    for (int j = 0; j < 3; ++j) extent += std::fabs(X_WS.R(i, j)) * half[j];
    sides[i].v[place] = static_cast<float>(X_WS.p[i] - extent);
    sides[i + 3].v[place] = static_cast<float>(X_WS.p[i] + extent);
  }
}

void SamplingTwin::add_bodies(const Scene& spheres, const Scene& scene) {
  std::vector<int> place(spheres.bodies().size(), -1);
  for (int index = 0; index < static_cast<int>(spheres.bodies().size()); ++index) {
    const Body& from = spheres.body(index);
    const auto link = static_cast<std::size_t>(from.link);
    const Pose X_FB = X_FL_[link] * from.X_LB;
    const bool moves = joint_of_link_[link] >= 0;
    SphereBody body;
    body.joint = joint_of_link_[link];
    body.first = static_cast<int>(spheres_.size()) / 4;
    for (const Convex& c : from.geometry->convexes()) {
      if (!from.geometry->triangles().empty() || c.kind == ConvexKind::hull ||
          (moves && c.kind != ConvexKind::sphere))
        throw std::invalid_argument(from.name + " has a shape that the sampling twin cannot test");
      const Pose X_FS = X_FB * c.X_BS;
      if (!moves) {
        add_solid(X_FS, c.kind == ConvexKind::sphere ? Vec3{} : c.half_extents, c.radius,
                  c.kind == ConvexKind::cylinder);
        solid_bodies_.push_back(index);
        continue;
      }
      for (int i = 0; i < 3; ++i) spheres_.push_back(static_cast<float>(X_FS.p[i]));
      spheres_.push_back(static_cast<float>(c.radius));
    }
    if (!moves) continue;
    body.count = static_cast<int>(spheres_.size()) / 4 - body.first;
    const BoundingSphere& whole = from.geometry->bounding_sphere();
    const Vec3 centre = X_FB * whole.centre;
    for (int i = 0; i < 3; ++i) body.centre[i] = static_cast<float>(centre[i]);
    body.radius = static_cast<float>(whole.radius);
    if (body.count == 1) {
      std::copy_n(spheres_.end() - 4, 3, body.centre);
      body.radius = spheres_.back();
    }
    place[static_cast<std::size_t>(index)] = static_cast<int>(bodies_.size());
    bodies_.push_back(body);
    body_indices_.push_back(index);
  }
  // Pairs of links that are not tested in the scene are not tested here.
  const auto tested = [&](const BodyPair& pair) {
    const int a = scene.find_body(spheres.body(pair.a).name);
    const int b = scene.find_body(spheres.body(pair.b).name);
    return std::ranges::any_of(scene.pairs(), [&](const BodyPair& other) {
      return other.a == std::min(a, b) && other.b == std::max(a, b);
    });
  };
  const std::size_t blocks = (solids_.size() + kMostLanes - 1) / kMostLanes;
  tested_.assign(bodies_.size() * blocks, 0);
  for (const BodyPair& pair : spheres.pairs()) {
    if (!tested(pair)) continue;
    if (pair.kind == PairClass::self && overlaps_by_design(spheres, pair)) continue;
    const int a = place[static_cast<std::size_t>(pair.a)];
    const int b = place[static_cast<std::size_t>(pair.b)];
    if (a >= 0 && b >= 0) {
      pairs_.push_back(a), pairs_.push_back(b);
      continue;
    }
    for (std::size_t s = 0; s < solids_.size(); ++s)
      if (solid_bodies_[s] == (a >= 0 ? pair.b : pair.a))
        tested_[static_cast<std::size_t>(std::max(a, b)) * blocks + s / kMostLanes] |=
            static_cast<std::uint16_t>(1u << s % kMostLanes);
  }
}

void SamplingTwin::finish() {
  frames_.resize(12 * joints_.size());
  wholes_.resize(3 * bodies_.size());
  centres_.resize(3 * spheres_.size() / 4);
  placed_.resize(bodies_.size());
  world_ = {joints_.data(),
            static_cast<int>(joints_.size()),
            bodies_.data(),
            static_cast<int>(bodies_.size()),
            spheres_.data(),
            solids_.data(),
            static_cast<int>(solids_.size()),
            boxes_.empty() ? nullptr : boxes_[0].v,
            tested_.data(),
            pairs_.data(),
            static_cast<int>(pairs_.size()) / 2,
            frames_.empty() ? nullptr : frames_[0].v,
            wholes_.empty() ? nullptr : wholes_[0].v,
            centres_.empty() ? nullptr : centres_[0].v,
            placed_.data()};
}

void SamplingTwin::take(std::span<const double> q, std::vector<float>& values) const {
  for (std::size_t c = 0; c < coordinates_.size(); ++c)
    values[c] = coordinates_[c] < 0
                    ? home_[c]
                    : static_cast<float>(q[static_cast<std::size_t>(coordinates_[c])]);
}

bool SamplingTwin::is_free(std::span<const double> from, std::span<const double> to, double step) {
  double square = 0;
  for (std::size_t i = 0; i < from.size(); ++i) square += (to[i] - from[i]) * (to[i] - from[i]);
  take(from, from_);
  take(to, to_);
  const int rows =
      std::max(1, static_cast<int>(std::ceil(std::sqrt(square) / (step * sampling_kernel->lanes))));
  return !sampling_kernel->collides(world_, from_.data(), to_.data(), rows);
}

int SamplingTwin::Tree::add(std::span<const float> point, int parent) {
  const int place = size() % kMostLanes;
  if (place == 0)
    for (std::size_t i = 0; i < point.size(); ++i)
      std::ranges::fill(points.emplace_back().v, INFINITY);
  Block* const block = points.data() + points.size() - point.size();
  for (std::size_t i = 0; i < point.size(); ++i) block[i].v[place] = point[i];
  parents.push_back(parent);
  domains.push_back(INFINITY);
  return size() - 1;
}

void SamplingTwin::Tree::get(int node, std::span<float> point) const {
  const Block* const block =
      points.data() + static_cast<std::size_t>(node / kMostLanes) * point.size();
  for (std::size_t i = 0; i < point.size(); ++i) point[i] = block[i].v[node % kMostLanes];
}

bool SamplingTwin::passes(std::span<const float> from, std::span<const float> to, double step) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (planned_[i] < 0) continue;
    from_[static_cast<std::size_t>(planned_[i])] = from[i];
    to_[static_cast<std::size_t>(planned_[i])] = to[i];
  }
  const double length = std::sqrt(square_distance(from, to));
  const int rows =
      std::max(1, static_cast<int>(std::ceil(length / (step * sampling_kernel->lanes))));
  return !sampling_kernel->collides(world_, from_.data(), to_.data(), rows);
}

// One step from `near` towards target_; the new node, or -1.
int SamplingTwin::extend(Tree& tree, int near, float range, double step) {
  tree.get(near, point_);
  const float distance = std::sqrt(square_distance(point_, target_));
  if (distance <= 0) return -1;
  const float share = std::min(1.0f, range / distance);
  for (std::size_t i = 0; i < next_.size(); ++i)
    next_[i] = point_[i] + share * (target_[i] - point_[i]);
  return passes(point_, next_, step) ? tree.add(next_, near) : -1;
}

std::vector<std::vector<double>> SamplingTwin::path_through(const JointSpace& space,
                                                            const Query& query, int of_start,
                                                            int of_goal) {
  std::vector<std::vector<double>> path;
  std::vector<double> point(next_.size());
  const auto append = [&](const Tree& tree, int node) {
    tree.get(node, next_);
    std::ranges::copy(next_, point.begin());
    space.complete(point, path.emplace_back(query.start.size()));
  };
  for (int node = of_start; node >= 0; node = trees_[0].parents[static_cast<std::size_t>(node)])
    append(trees_[0], node);
  std::ranges::reverse(path);
  for (int node = of_goal; node >= 0; node = trees_[1].parents[static_cast<std::size_t>(node)])
    append(trees_[1], node);
  path.front() = query.start;
  path.back() = query.goal;
  return path;
}

std::optional<std::vector<std::vector<double>>> SamplingTwin::plan(const JointSpace& space,
                                                                   const Query& query,
                                                                   const PlanSettings& settings) {
  if (!space.euclidean()) throw std::invalid_argument("the space is not Euclidean");
  if (!is_free(query.start) || !is_free(query.goal)) return std::nullopt;
  const auto dimension = static_cast<std::size_t>(space.dimension());
  point_.resize(dimension), target_.resize(dimension), next_.resize(dimension);
  planned_.clear();
  for (const int c : space.planned()) {
    const auto own = std::ranges::find(coordinates_, c);
    planned_.push_back(own == coordinates_.end() ? -1
                                                 : static_cast<int>(own - coordinates_.begin()));
  }
  take(query.start, from_);
  take(query.start, to_);
  std::vector<double> end(dimension);
  for (const std::size_t side : {0, 1}) {
    trees_[side].clear();
    space.restrict(side == 0 ? query.start : query.goal, end);
    std::ranges::transform(end, next_.begin(), [](double x) { return static_cast<float>(x); });
    trees_[side].add(next_, -1);
    (side == 0 ? point_ : target_) = next_;
  }
  if (passes(point_, target_, settings.step)) return path_through(space, query, 0, 0);
  const auto range = static_cast<float>(settings.range_per_joint * std::sqrt(dimension));
  const auto nearest = [&](const Tree& tree) {
    return sampling_kernel->nearest(tree.points[0].v, tree.size(), space.dimension(),
                                    target_.data());
  };
  Random random(settings.seed);
  for (int iteration = 0; iteration < settings.max_iterations; ++iteration) {
    const std::size_t grow = trees_[0].size() <= trees_[1].size() ? 0 : 1;
    Tree& tree = trees_[grow];
    int near = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      for (std::size_t i = 0; i < dimension; ++i)
        target_[i] =
            static_cast<float>(random.uniform(space.ranges()[i].lower, space.ranges()[i].upper));
      near = nearest(tree);
      const float domain = tree.domains[static_cast<std::size_t>(near)];
      if (domain == INFINITY) break;
      tree.get(near, point_);
      if (square_distance(point_, target_) <= domain * domain) break;
    }
    const int added = extend(tree, near, range, settings.step);
    if (added < 0) {
      tree.domains[static_cast<std::size_t>(near)] = kDomain * range;
      continue;
    }
    target_ = next_;
    Tree& other = trees_[1 - grow];
    near = nearest(other);
    for (;;) {
      other.get(near, point_);
      if (square_distance(point_, target_) <= range * range) break;
      near = extend(other, near, range, settings.step);
      if (near < 0) break;
    }
    if (near < 0 || !passes(point_, target_, settings.step)) continue;
    return grow == 0 ? path_through(space, query, added, near)
                     : path_through(space, query, near, added);
  }
  return std::nullopt;
}

}  // namespace proven
