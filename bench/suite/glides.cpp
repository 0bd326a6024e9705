// Motions along floors, walls, edges and other arms at known gaps of 1e-1 down to 1e-7 m, or as
// much too deep: mechanisms whose lowest point over a motion can be stated, on a lift that sets the
// gap.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "bench/suite/parts.h"
#include "bench/suite/suite.h"

namespace proven::bench {
namespace {

constexpr double kPi = std::numbers::pi;
using Configuration = std::vector<double>;

// A motion with the lift at zero.
struct Sweep {
  Configuration from, to;
  // The height of the lowest point ever reached, or a lower bound on it if not `meets`.
  double lowest = 0;
  bool meets = true;  // sinking it below that height brings it into the obstacle
};

struct Glider {
  std::size_t lift = 0;  // the coordinate that raises the mechanism
  std::function<Sweep(Random&)> sweep;
};

// Parts of one mechanism that may not touch stay farther apart than this, in metres.
constexpr double kOtherGaps = 5e-3;

double random_gap(Random& random) {
  return std::pow(10.0, random.uniform(-7, -1));
}

// One way, and sometimes there and back, with repeated waypoints, or just one configuration.
std::vector<Configuration> in_some_shape(Configuration from, Configuration to, Random& random) {
  const double shape = random.uniform();
  if (shape < 0.06) return {from, to, from};
  if (shape < 0.1) return {from, from, to, to};
  return {std::move(from), std::move(to)};
}

SuiteCase glide_case(const Glider& glider, Random& random) {
  constexpr double kDeepShare = 0.25;
  Sweep sweep = glider.sweep(random);
  const bool deep = sweep.meets && random.uniform() < kDeepShare;
  const double gap = random_gap(random);
  const double lift = (deep ? -gap : gap) - sweep.lowest;
  sweep.from[glider.lift] += lift;
  sweep.to[glider.lift] += lift;
  SuiteCase motion;
  motion.waypoints = in_some_shape(std::move(sweep.from), std::move(sweep.to), random);
  motion.truth = deep ? Truth::collision : Truth::free;
  if (!deep) motion.known_gap = std::min(gap, kOtherGaps);
  motion.max_cells = 2000;  // the papers' checkers take very many where the gap is small
  return motion;
}

// A chain of links, each on the one before.
class Chain {
 public:
  explicit Chain(std::string name) {
    robot_.name = std::move(name);
    robot_.links.push_back({"base", {}, false, nullptr});
  }

  RobotJoint& add(JointType type, const Vec3& axis, std::vector<CollisionElement> link = {},
                  const Pose& X_PJ = {}) {
    const std::string number = std::to_string(robot_.links.size());
    RobotJoint& joint = robot_.joints.emplace_back();
    joint.name = "joint_" + number;
    joint.type = type;
    joint.parent_link = robot_.links.back().name;
    joint.child_link = "link_" + number;
    joint.X_PJ = X_PJ;
    joint.axis = axis;
    if (type == JointType::prismatic) joint.limits = {-50, 50, 1, 1};
    robot_.links.push_back({joint.child_link, std::move(link), false, nullptr});
    return joint;
  }
  // A lift, and rails along x and y that carry the last link.
  void add_gantry(std::vector<CollisionElement> link = {}) {
    add(JointType::prismatic, {0, 0, 1});
    add(JointType::prismatic, {1, 0, 0});
    add(JointType::prismatic, {0, 1, 0}, std::move(link));
  }
  Robot finish() && { return std::move(robot_); }

 private:
  Robot robot_;
};

// Nothing is aligned with the axes of the world.
Pose tilted(double angle) {
  const Vec3 axis = {2.0 / 7, 3.0 / 7, 6.0 / 7};
  return {rotation(axis, angle), {0.31, -0.47, 0.23}};
}

SceneSource over(Robot robot, const CollisionElement& obstacle, double tilt) {
  const Pose X_WG = tilted(tilt);
  SceneSource source;
  source.robots.push_back({"glider", std::move(robot), X_WG});
  source.obstacles.push_back({"obstacle", {obstacle}, X_WG});
  return source;
}

// Its top is at z = 0; thick, so that what is too deep does not come out below.
CollisionElement floor_of(Style style, double half_width) {
  return box(style, {half_width, half_width, 0.5}, at(0, 0, -0.5));
}

Result<SuiteScene> finish(SceneSource source, Glider glider) {
  return make_suite_scene(std::move(source),
                          [glider = std::move(glider)](FclOracle&, Random& random) {
                            return glide_case(glider, random);
                          });
}

// Ends within ±1 m on the rails, the lift at zero.
Sweep on_gantry(Random& random, std::size_t coordinates) {
  Sweep sweep{Configuration(coordinates), Configuration(coordinates), 0, true};
  for (Configuration* q : {&sweep.from, &sweep.to})
    for (const std::size_t rail : {1, 2}) (*q)[rail] = random.uniform(-1, 1);
  return sweep;
}

// A box on a gantry; one end of its way is higher.
Result<SuiteScene> sliding_box(Style style, double tilt) {
  constexpr double kHalfHeight = 0.05;
  Chain chain("gantry");
  chain.add_gantry({box(style, {0.1, 0.15, kHalfHeight})});
  return finish(over(std::move(chain).finish(), floor_of(style, 2), tilt),
                {0, [](Random& random) {
                   Sweep sweep = on_gantry(random, 3);
                   if (random.uniform() < 0.5) sweep.to[0] = random_gap(random);
                   sweep.lowest = -kHalfHeight;
                   return sweep;
                 }});
}

// The lower edge of a box across, or along, the upper edge of another.
Result<SuiteScene> edge_on_edge(Style style, bool across) {
  constexpr double kSide = 0.1;
  const Mat3 on_edge_x = rotation({1, 0, 0}, kPi / 4), on_edge_y = rotation({0, 1, 0}, kPi / 4);
  const double half_diagonal = kSide * std::numbers::sqrt2;
  Chain chain("gantry");
  chain.add_gantry({box(style, {1, kSide, kSide}, {on_edge_x, {}})});
  const Pose X_ridge{across ? on_edge_y : on_edge_x, {0, 0, -half_diagonal}};
  const Vec3 half = across ? Vec3{kSide, 1.5, kSide} : Vec3{1.5, kSide, kSide};
  return finish(over(std::move(chain).finish(), box(style, half, X_ridge), 0.7),
                {0, [half_diagonal](Random& random) {
                   Sweep sweep = on_gantry(random, 3);
                   // From one side of the ridge to the other, or along it.
                   if (random.uniform() < 0.3) sweep.from[2] = sweep.to[2] = 0;
                   sweep.meets = sweep.from[2] * sweep.to[2] <= 0 &&
                                 std::abs(sweep.from[1]) < 0.9 && std::abs(sweep.to[1]) < 0.9;
                   sweep.lowest = -half_diagonal;
                   return sweep;
                 }});
}

// A box that turns about the vertical, up to two turns, as it slides.
Result<SuiteScene> turning_box(Style style) {
  constexpr double kHalfHeight = 0.05, kTurns = 2;
  Chain chain("turner");
  chain.add_gantry();
  chain.add(JointType::continuous, {0, 0, 1}, {box(style, {0.6, 0.1, kHalfHeight}, at(0.5, 0, 0))});
  return finish(over(std::move(chain).finish(), floor_of(style, 3), 0.4),
                {0, [](Random& random) {
                   Sweep sweep = on_gantry(random, 4);
                   sweep.from[3] = random.uniform(-kPi, kPi);
                   sweep.to[3] = sweep.from[3] + 2 * kPi * kTurns * random.uniform(-1, 1);
                   sweep.lowest = -kHalfHeight;
                   return sweep;
                 }});
}

// A drum that rolls.
Result<SuiteScene> rolling_drum(bool round_ends) {
  constexpr double kRadius = 0.08, kHalfLength = 0.2;
  const Mat3 lying = rotation({1, 0, 0}, kPi / 2);
  const Shape drum =
      round_ends ? Shape(Capsule{kRadius, kHalfLength}) : Shape(Cylinder{kRadius, kHalfLength});
  Chain chain("roller");
  chain.add_gantry();
  chain.add(JointType::continuous, {0, 1, 0}, {{drum, {lying, {}}, ""}});
  return finish(over(std::move(chain).finish(), floor_of(Style::solid, 2), 1.1),
                {0, [](Random& random) {
                   Sweep sweep = on_gantry(random, 4);
                   sweep.to[3] = (sweep.to[1] - sweep.from[1]) / kRadius;
                   sweep.lowest = -kRadius;
                   return sweep;
                 }});
}

double largest_cosine(double a, double b) {
  return a * b <= 0 ? 1 : std::max(std::cos(a), std::cos(b));
}

// A wrist of three joints that meet at a point turns half about its outer axes, so that the tool
// swings through straight down and comes back to where it was.
Result<SuiteScene> wrist_flip(Style style) {
  constexpr double kTool = 0.4, kToolRadius = 0.02, kLargestPitch = 1.2;
  const double radius = style == Style::solid ? kToolRadius : 0;
  Chain chain("wrist");
  chain.add_gantry();
  chain.add(JointType::continuous, {0, 0, 1});
  chain.add(JointType::continuous, {0, 1, 0});
  chain.add(JointType::continuous, {0, 0, 1},
            {style == Style::solid ? hanging_capsule(kToolRadius, kTool) : hanging_needle(kTool)});
  return finish(over(std::move(chain).finish(), floor_of(style, 3), 0.9),
                {0, [radius](Random& random) {
                   Sweep sweep = on_gantry(random, 6);
                   if (random.uniform() < 0.5) sweep.to = sweep.from;  // the wrist alone
                   const double yaw = random.uniform(-kPi, kPi), roll = random.uniform(-kPi, kPi);
                   const double pitch = random.uniform(-kLargestPitch, kLargestPitch);
                   const bool flip = random.uniform() < 0.7;
                   const double to = flip ? -pitch : random.uniform(-kLargestPitch, kLargestPitch);
                   const std::array<double, 3> start = {yaw, pitch, roll};
                   const std::array<double, 3> end = {yaw + kPi, to, roll - kPi};
                   std::ranges::copy(start, sweep.from.begin() + 3);
                   std::ranges::copy(end, sweep.to.begin() + 3);
                   sweep.lowest = -kTool * largest_cosine(pitch, to) - radius;
                   return sweep;
                 }});
}

constexpr double kChainReach = 6;  // of all joints together
constexpr double kLargestHeading = 1;

// Joint values such that no link heads more than kLargestHeading away from straight: the chain
// never turns back on itself, nor do the headings in between, which are linear in the joints.
void set_headings(Configuration& q, Random& random, bool mirrored, const Configuration& from) {
  double before = 0;
  for (std::size_t i = 1; i < q.size(); ++i) {
    const double step = 8.0 / static_cast<double>(q.size());
    const double heading =
        std::clamp(before + random.uniform(-step, step), -kLargestHeading, kLargestHeading);
    q[i] = mirrored ? -from[i] : heading - before;
    before = heading;
  }
}

// A chain of capsules, in a level plane over the floor.
Result<SuiteScene> level_linkage(int joints) {
  const double length = kChainReach / joints, radius = 0.1 * length;
  const Mat3 along_x = rotation({0, 1, 0}, -kPi / 2);  // turns -z to x
  Chain chain("linkage");
  chain.add(JointType::prismatic, {0, 0, 1});
  for (int i = 0; i < joints; ++i) {
    CollisionElement link = hanging_capsule(radius, length);
    link.X_BS = Pose{along_x, {}} * link.X_BS;
    chain.add(JointType::continuous, {0, 0, 1}, {link}, at(i == 0 ? 0 : length, 0, 0));
  }
  return finish(over(std::move(chain).finish(), floor_of(Style::mesh, 8), 0.3),
                {0, [joints, radius](Random& random) {
                   const auto size = static_cast<std::size_t>(joints) + 1;
                   Sweep sweep{Configuration(size), Configuration(size), -radius, true};
                   set_headings(sweep.from, random, false, sweep.from);
                   set_headings(sweep.to, random, false, sweep.from);
                   return sweep;
                 }});
}

// The same chain hangs down; it reaches lowest where it is straight, if it ever is.
Result<SuiteScene> hanging_linkage(int joints) {
  const double length = kChainReach / joints, radius = 0.1 * length;
  Chain chain("linkage");
  chain.add(JointType::prismatic, {0, 0, 1});
  for (int i = 0; i < joints; ++i)
    chain.add(JointType::continuous, {0, 1, 0}, {hanging_capsule(radius, length)},
              at(0, 0, i == 0 ? 0 : -length));
  return finish(over(std::move(chain).finish(), floor_of(Style::solid, 8), 0.3),
                {0, [joints, radius](Random& random) {
                   const auto size = static_cast<std::size_t>(joints) + 1;
                   Sweep sweep{Configuration(size), Configuration(size), -kChainReach - radius,
                               random.uniform() < 0.7};
                   set_headings(sweep.from, random, false, sweep.from);
                   set_headings(sweep.to, random, sweep.meets, sweep.from);
                   return sweep;
                 }});
}

enum class Flight { ball, turning_box, swinging_needle };

// A free-flying body: a ball in any orientation, a box that turns about the vertical, a needle that
// swings about y.
Result<SuiteScene> free_flight(Flight flight) {
  constexpr double kSize = 0.1, kNeedle = 0.4;
  Chain chain("flyer");
  const CollisionElement body = flight == Flight::ball ? CollisionElement{Sphere{kSize}, Pose{}, ""}
                                : flight == Flight::turning_box
                                    ? box(Style::mesh, {0.3, 0.05, kSize})
                                    : hanging_needle(kNeedle);
  chain.add(JointType::floating, {0, 0, 1}, {body});
  const Style style = flight == Flight::ball ? Style::solid : Style::mesh;
  return finish(over(std::move(chain).finish(), floor_of(style, 3), 0.8),
                {2, [flight](Random& random) {
                   Sweep sweep{Configuration(7), Configuration(7), -kSize, true};
                   const double angle = random.uniform(-1.2, 1.2), to = random.uniform(-1.2, 1.2);
                   for (Configuration* q : {&sweep.from, &sweep.to}) {
                     Vec3 axis = flight == Flight::turning_box ? Vec3{0, 0, 1} : Vec3{0, 1, 0};
                     if (flight == Flight::ball) axis = random.unit_vector();
                     const double half = (q == &sweep.from ? angle : to) / 2;
                     const Vec3 v = std::sin(half) * axis;
                     *q = {random.uniform(-1, 1), random.uniform(-1, 1), 0, v.x, v.y, v.z,
                           std::cos(half)};
                   }
                   if (flight == Flight::swinging_needle)
                     sweep.lowest = -kNeedle * largest_cosine(angle, to);
                   return sweep;
                 }});
}

// A platform that a mimicking joint keeps level at the end of a crank.
Result<SuiteScene> level_platform(Style style) {
  constexpr double kCrank = 0.6, kHalfHeight = 0.02, kLargestAngle = 1.3;
  Chain chain("lever");
  chain.add_gantry();
  const std::string crank =
      chain.add(JointType::continuous, {0, 1, 0}, {hanging_capsule(0.01, kCrank)}).name;
  chain
      .add(JointType::continuous, {0, 1, 0}, {box(style, {0.2, 0.15, kHalfHeight})},
           at(0, 0, -kCrank))
      .mimic = Mimic{crank, -1, 0};
  return finish(over(std::move(chain).finish(), floor_of(style, 3), 0.5),
                {0, [](Random& random) {
                   Sweep sweep = on_gantry(random, 4);
                   sweep.from[3] = random.uniform(-kLargestAngle, kLargestAngle);
                   sweep.to[3] = random.uniform(-kLargestAngle, kLargestAngle);
                   sweep.lowest =
                       -kCrank * largest_cosine(sweep.from[3], sweep.to[3]) - kHalfHeight;
                   return sweep;
                 }});
}

constexpr int kArms = 6, kArmJoints = 3;
constexpr double kArmHalfHeight = 0.03;

// Six arms around a middle, each in a level plane of its own: they pass above each other there.
// Straight ahead (all joints at zero) they reach beyond the middle.
Result<SuiteScene> six_arms(Style style) {
  constexpr double kLink = 0.4, kRing = 0.8;
  SceneSource source;
  for (int k = 0; k < kArms; ++k) {
    Chain chain("arm_" + std::to_string(k));
    chain.add(JointType::prismatic, {0, 0, 1});
    for (int i = 0; i < kArmJoints; ++i)
      chain.add(JointType::continuous, {0, 0, 1},
                {box(style, {kLink / 2, 0.02, kArmHalfHeight}, at(kLink / 2, 0, 0))},
                at(i == 0 ? 0 : kLink, 0, 0));
    const Mat3 R = rotation({0, 0, 1}, 2 * kPi * k / kArms);
    const std::string name = "arm_" + std::to_string(k);
    source.robots.push_back(
        {name, std::move(chain).finish(), tilted(0.6) * Pose{R, R * Vec3{-kRing, 0, 0}}});
  }
  return make_suite_scene(std::move(source), [](FclOracle&, Random& random) {
    SuiteCase motion;
    motion.max_cells = 2000;
    const bool deep = random.uniform() < 0.25;
    const int meeting = 1 + random.index(kArms - 1);  // and the one below
    Configuration from, to;
    double height = 0, smallest = 1;
    for (int k = 0; k < kArms; ++k) {
      const double gap = random_gap(random);
      const bool sunk = deep && k == meeting;
      // At most as deep as one arm is high.
      if (k > 0) height += 2 * kArmHalfHeight + (sunk ? -std::min(gap, kArmHalfHeight) : gap);
      if (k > 0) smallest = std::min(smallest, gap);
      from.push_back(height);
      to.push_back(height);
      for (int i = 0; i < kArmJoints; ++i) {
        from.push_back(random.uniform(-1, 1));
        to.push_back(deep ? -from.back() : random.uniform(-1, 1));
      }
    }
    motion.waypoints = in_some_shape(std::move(from), std::move(to), random);
    motion.truth = deep ? Truth::collision : Truth::free;
    if (!deep) motion.known_gap = std::min(smallest, kOtherGaps);
    return motion;
  });
}

}  // namespace

std::vector<SuiteEntry> glide_entries() {
  using enum Style;
  return {
      {"box over floor", 6000, [] { return sliding_box(solid, 0); }},
      {"box along wall", 6000, [] { return sliding_box(solid, kPi / 3); }},
      {"box along wall, meshes", 6000, [] { return sliding_box(mesh, kPi / 3); }},
      {"edge across edge", 6000, [] { return edge_on_edge(solid, true); }},
      {"edge across edge, meshes", 6000, [] { return edge_on_edge(mesh, true); }},
      {"edge along edge", 6000, [] { return edge_on_edge(solid, false); }},
      {"edge along edge, meshes", 6000, [] { return edge_on_edge(mesh, false); }},
      {"box turning over floor", 4000, [] { return turning_box(solid); }},
      {"box turning over floor, meshes", 4000, [] { return turning_box(mesh); }},
      {"rolling cylinder", 4000, [] { return rolling_drum(false); }},
      {"rolling capsule", 4000, [] { return rolling_drum(true); }},
      {"wrist flip", 6000, [] { return wrist_flip(solid); }},
      {"wrist flip, needle", 6000, [] { return wrist_flip(mesh); }},
      {"level linkage of 20", 1000, [] { return level_linkage(20); }},
      {"level linkage of 180", 50, [] { return level_linkage(180); }},
      {"hanging linkage of 20", 1000, [] { return hanging_linkage(20); }},
      {"hanging linkage of 180", 50, [] { return hanging_linkage(180); }},
      {"flying ball", 4000, [] { return free_flight(Flight::ball); }},
      {"flying box", 4000, [] { return free_flight(Flight::turning_box); }},
      {"flying needle", 4000, [] { return free_flight(Flight::swinging_needle); }},
      {"mimicking platform", 4000, [] { return level_platform(solid); }},
      {"mimicking platform, meshes", 4000, [] { return level_platform(mesh); }},
      {"six arms", 1000, [] { return six_arms(solid); }},
      {"six arms, meshes", 1000, [] { return six_arms(mesh); }},
  };
}

}  // namespace proven::bench
