// Batches: the programs of the GPU, run on the host, prove nothing that is not so; verdicts are
// those of the search; where there is a GPU, it has the host's bits.
#include "proven/certify/batch.h"

#include <gtest/gtest.h>

#include "certify/batch_backend.h"
#include "certify/batch_poses.h"
#include "certify/configuration_cache.h"
#include "certify/random_scenes.h"
#include "certify/verdicts.h"
#include "proven/base/parallel.h"
#include "proven/geometry/distance.h"
#include "proven/kinematics/interpolation.h"
#include "proven/verify/verify.h"
#include "support.h"

namespace proven {
namespace {

using batch::Found;
using batch::State;

// Many random segments of one scene, as rows.
struct Rows {
  std::vector<double> from, to;
  int count = 0;
};

Rows random_rows(const Scene& scene, Random& random, int count, double length) {
  Rows rows;
  for (int i = 0; i < count; ++i) {
    const auto ends = test::random_segment(scene.tree(), random, length);
    rows.from.insert(rows.from.end(), ends[0].begin(), ends[0].end());
    rows.to.insert(rows.to.end(), ends[1].begin(), ends[1].end());
    ++rows.count;
  }
  return rows;
}

CheckModel covering(CheckModel model, const Rows& rows) {
  const std::size_t row = model.scene().home().size();
  for (std::size_t at = 0; at < rows.from.size(); at += row)
    for (const auto& values : {std::span(rows.from), std::span(rows.to)})
      model = model.covering(values.subspan(at, row), values.subspan(at, row));
  return model;
}

struct Answers {
  std::vector<State> states;
  std::vector<Found> found;
  batch::Counts counts;
};

Answers ask(batch::Backend& backend, const Rows& rows, bool starts_free) {
  Answers answers;
  const auto take = [](void* self, const batch::Answer& answer) {
    Answers& all = *static_cast<Answers*>(self);
    EXPECT_EQ(static_cast<std::size_t>(answer.first), all.states.size());
    all.states.insert(all.states.end(), answer.states, answer.states + answer.count);
    all.found.insert(all.found.end(), answer.found, answer.found + answer.count);
  };
  const auto done =
      backend.run({rows.from.data(), rows.to.data(), rows.count, starts_free ? 1 : 0, 1000},
                  {&answers, take}, answers.counts);
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().text());
  EXPECT_EQ(answers.states.size(), static_cast<std::size_t>(rows.count));
  return answers;
}

double distance_at(const Scene& scene, std::span<const double> from, std::span<const double> to,
                   const BodyPair& pair, double t) {
  std::vector<double> q(from.size());
  interpolate(scene.tree(), from, to, t, q);
  LinkPoses poses;
  compute_poses(scene.tree(), q, poses);
  DistanceScratch scratch;
  return exact_distance(*scene.body(pair.a).geometry, *scene.body(pair.b).geometry,
                        relative_body_pose(scene, poses, pair.a, pair.b), {-1, -1}, scratch)
      .distance;
}

// The least distance of the pair, at samples that close in on it, and where it is.
double least_distance(const Scene& scene, std::span<const double> from, std::span<const double> to,
                      const BodyPair& pair) {
  constexpr int kSamples = 60;
  double begin = 0, end = 1, least = INFINITY;
  for (int round = 0; round < 5; ++round) {
    double best = begin;
    for (int i = 0; i <= kSamples; ++i) {
      const double t = std::min(1.0, begin + (end - begin) * i / kSamples);
      const double d = distance_at(scene, from, to, pair, t);
      if (d < least) least = d, best = t;
    }
    const double width = (end - begin) / kSamples;
    begin = std::max(0.0, best - width), end = std::min(1.0, best + width);
  }
  return least;
}

// A clearance that the motion just breaks must not be proved, and one that it just keeps must not
// be refuted: of one pair alone, so that nothing else is in the way.
TEST(Batch, ProvesNothingThatIsNotSo) {
  Random random(3);
  int free = 0, contact = 0, likely = 0, tight = 0;
  std::int64_t entries = 0, tasks = 0;
  for (int i = 0; i < test::cases(40); ++i) {
    test::RandomSceneOptions options;
    options.meshes_only = i % 2 == 0;
    SceneSource source = test::random_scene(random, options);
    const Scene whole = test::build(source);
    if (whole.pairs().empty()) continue;
    const auto rows = random_rows(whole, random, 1, std::pow(10, random.uniform(-1.5, 0.3)));
    const BodyPair& pair = whole.pairs()[static_cast<std::size_t>(
        random.index(static_cast<int>(whole.pairs().size())))];
    const double d = least_distance(whole, rows.from, rows.to, pair);
    if (!(d > 1e-3 && d < 2)) continue;
    for (const double slack : {1e-7, 1e-4, -2e-5, -1e-3}) {
      for (const BodyPair& other : whole.pairs())
        if (&other != &pair)
          source.exclusions.push_back(
              {whole.body(other.a).name, whole.body(other.b).name, "not asked"});
      source.clearances = {{whole.body(pair.a).name, whole.body(pair.b).name, d + slack}};
      const Scene scene = test::build(source);
      const CheckModel model = covering(CheckModel::build(scene).value(), rows);
      model.prepare_sweeps();
      const BatchModel flat(model.data().sweep());
      if (!flat.usable()) continue;
      Workers alone(1);
      const auto backend = batch::host_backend(flat, alone);
      const Answers answers = ask(*backend, rows, false);
      const State state = answers.states[0];
      EXPECT_NE(state, slack > 0 ? State::free : State::contact) << "case " << i << ", " << slack;
      free += state == State::free;
      tight += state == State::free && slack == -2e-5;
      contact += state == State::contact;
      likely += state == State::likely;
      entries += answers.counts.entries;
      tasks += answers.counts.tasks;
    }
  }
  // Every stage has its turn.
  EXPECT_GT(free, test::cases(15));
  EXPECT_GE(tight, test::cases(5));
  if (test::cases(40) < 40) return;
  EXPECT_GT(contact, 0);
  EXPECT_GT(likely, 0);
  EXPECT_GT(entries, 0);
  EXPECT_GT(tasks, 0);
}

// Scenes with everything in them: what the search says of every segment. Only a batch that proves
// says `free`.
TEST(Batch, HasTheVerdictsOfTheSearch) {
  Random random(4);
  std::array<int, 3> verdicts = {};
  std::int64_t settled = 0, all = 0;
  for (int i = 0; i < test::cases(12); ++i) {
    test::RandomSceneOptions options;
    options.meshes_only = i % 3 == 0;
    const Scene scene = test::build(test::random_scene(random, options));
    const auto rows = random_rows(scene, random, 40, i % 2 == 0 ? 0.2 : 0.8);
    const CheckModel model = covering(CheckModel::build(scene).value(), rows);
    BatchOptions wanted;
    wanted.device = BatchDevice::emulated;
    wanted.threads = 2;
    wanted.prove = i % 2 == 0;
    const auto checker = BatchChecker::build(model, wanted).value();
    const auto result = checker.check({rows.from, rows.to, false});
    ASSERT_TRUE(result.ok()) << result.error().text();
    EXPECT_EQ(result.value().stats.refuted, 0);
    EXPECT_EQ(wanted.prove ? result.value().stats.clear : result.value().stats.free, 0);
    Scratch scratch;
    const std::size_t row = scene.home().size();
    std::size_t contacts = 0;
    for (std::size_t k = 0; k < result.value().verdicts.size(); ++k) {
      const SegmentQuery query{std::span(rows.from).subspan(k * row, row),
                               std::span(rows.to).subspan(k * row, row)};
      const Verdict verdict = test::verdict_of(result.value().verdicts[k]);
      EXPECT_EQ(verdict, model.check_segment(query, scratch).verdict) << i << " " << k;
      ++verdicts[static_cast<std::size_t>(verdict)];
      if (verdict != Verdict::collision) continue;
      // At the moment that is told the pair is closer than it must be.
      const BatchResult::Contact& contact = result.value().contacts[contacts++];
      EXPECT_EQ(contact.segment, static_cast<std::int64_t>(k));
      const BodyPair& pair = scene.pairs()[static_cast<std::size_t>(contact.pair)];
      EXPECT_LE(distance_at(scene, query.from, query.to, pair, contact.t), 1e-9);
    }
    settled += result.value().stats.settled;
    all += rows.count;
  }
  EXPECT_GT(verdicts[0], test::cases(20));
  EXPECT_GT(verdicts[1], test::cases(20));
  EXPECT_GT(settled, all / 8);
}

// A robot with everything that joints can be here: it slides, turns, branches, and some joints
// follow others with another sign, size and offset.
RobotSource branching_robot() {
  RobotSource source;
  source.name = "robot";
  source.robot.links.resize(6);
  const Vec3 places[] = {{}, {}, {0.3, 0, 0}, {0.05, 0, 0}, {0.05, 0, 0}, {-0.3, 0, 0}};
  const char* names[] = {"base", "carriage", "arm", "left", "right", "tail"};
  for (std::size_t l = 0; l < 6; ++l) {
    source.robot.links[l].name = names[l];
    const Vec3 half = l < 3 || l == 5 ? Vec3{0.2, 0.03, 0.04} : Vec3{0.08, 0.01, 0.02};
    if (l > 1)
      source.robot.links[l].collision = {
          {test::block_mesh(half), Pose::translation(places[l]), ""}};
  }
  const auto add = [&](const char* name, JointType type, int parent, int child, const Vec3& axis,
                       const Vec3& at) -> RobotJoint& {
    RobotJoint& joint = source.robot.joints.emplace_back();
    joint.name = name;
    joint.type = type;
    joint.parent_link = names[parent];
    joint.child_link = names[child];
    joint.axis = axis;
    joint.X_PJ = Pose::translation(at);
    joint.limits.lower = -1.5, joint.limits.upper = 1.5;
    return joint;
  };
  add("rail", JointType::prismatic, 0, 1, {1, 0, 0}, {});
  add("shoulder", JointType::revolute, 1, 2, {0, 0, -1}, {0.1, 0, 0});
  add("grip", JointType::prismatic, 2, 3, {0, 1, 0}, {0.5, 0.05, 0});
  add("other_grip", JointType::prismatic, 2, 4, {0, 1, 0}, {0.5, -0.05, 0}).mimic =
      Mimic{"grip", -0.5, 0.02};
  add("tail", JointType::revolute, 1, 5, {0, 1, 0}, {-0.1, 0, 0}).mimic =
      Mimic{"shoulder", -2, 0.3};
  return source;
}

// Clearances, tubes and exclusions as well: verdicts are those of the search, which reads the scene
// by itself.
TEST(Batch, HonoursWhatScenesSay) {
  Random random(11);
  std::array<int, 3> seen = {};
  std::int64_t settled = 0, asked = 0;
  for (int i = 0; i < 9; ++i) {
    SceneSource source;
    source.robots.push_back(branching_robot());
    for (int k = 0; k < 5; ++k)
      source.obstacles.push_back(
          {"obstacle" + std::to_string(k),
           {{test::random_shape(random, {0.1, 0.1, 0.1}, k % 2 == 0), {}, ""}},
           {random.rotation(),
            {random.uniform(-1, 1.5), random.uniform(-0.7, 0.7), random.uniform(-0.4, 0.4)}}});
    CheckOptions options;
    if (i % 3 == 1) options.clearance = Clearances::everywhere(0.02);
    if (i % 3 == 2) options.tracking_error = TrackingError(0.01);
    if (i % 2 == 0) source.exclusions.push_back({"robot/arm", "obstacle0", "not asked"});
    const Scene scene = test::build(source);
    const auto rows = random_rows(scene, random, 60, 0.3);
    const CheckModel model = covering(CheckModel::build(scene, options).value(), rows);
    BatchOptions wanted;
    wanted.device = BatchDevice::emulated;
    wanted.threads = 2;
    const auto checker = BatchChecker::build(model, wanted).value();
    ASSERT_EQ(checker.device(), BatchDevice::emulated);
    const auto result = checker.check({rows.from, rows.to, false});
    ASSERT_TRUE(result.ok()) << result.error().text();
    settled += result.value().stats.settled;
    asked += rows.count;
    Scratch scratch;
    const std::size_t row = scene.home().size();
    for (std::size_t k = 0; k < result.value().verdicts.size(); ++k) {
      const SegmentQuery query{std::span(rows.from).subspan(k * row, row),
                               std::span(rows.to).subspan(k * row, row)};
      const Verdict alone = model.check_segment(query, scratch).verdict;
      ++seen[static_cast<std::size_t>(alone)];
      // Boxes whose faces lie in one plane touch everywhere, which the search leaves undecided;
      // balls inside of them overlap.
      if (alone != Verdict::undecided) {
        EXPECT_EQ(test::verdict_of(result.value().verdicts[k]), alone) << i << " " << k;
      }
    }
    for (const BatchResult::Contact& contact : result.value().contacts) {
      const auto at = static_cast<std::size_t>(contact.segment) * row;
      EXPECT_LE(distance_at(scene, std::span(rows.from).subspan(at, row),
                            std::span(rows.to).subspan(at, row),
                            scene.pairs()[static_cast<std::size_t>(contact.pair)], contact.t),
                options.clearance.world + 1e-9);
    }
  }
  EXPECT_GT(seen[0], 50);
  EXPECT_GT(seen[1], 50);
  EXPECT_GT(settled, asked / 3);
}

// A link that turns about z, one metre long, with this shape at its end.
RobotSource turning_link(const std::string& name, const Shape& tip, double length) {
  RobotSource source;
  source.name = name;
  source.robot.links.resize(2);
  source.robot.links[0].name = "base";
  source.robot.links[1].name = "tip";
  source.robot.links[1].collision = {{tip, Pose::translation({length, 0, 0}), ""}};
  RobotJoint joint;
  joint.name = "turn";
  joint.type = JointType::revolute;
  joint.parent_link = "base";
  joint.child_link = "tip";
  joint.axis = {0, 0, 1};
  joint.limits.lower = -3, joint.limits.upper = 3;
  source.robot.joints = {joint};
  return source;
}

// Beside it a link without a body, which turns a third as far: the tip follows it.
void let_follow(RobotSource& source) {
  RobotJoint leader = source.robot.joints[0];
  leader.name = "lead";
  leader.child_link = "lead";
  source.robot.links.emplace_back().name = "lead";
  source.robot.joints.push_back(leader);
  source.robot.joints[0].mimic = Mimic{"lead", 3, 0};
}

// Between two moments an arc bulges out of its chord, here by half a millimetre in the middle of
// the segment, where the other body is: balls against solids and against each other, outlines, and
// the search must all allow for it.
TEST(Batch, ArcsBulge) {
  const Shape ball = Sphere{0.05}, blade = test::block_mesh({0.05, 0.001, 0.05});
  // Wide ones, so that the ends of the chord are no farther from them than its middle.
  const Shape wall = Box{{0.05, 0.5, 0.5}}, planet = Sphere{4};
  struct Case {
    Shape tip, other;
    double at;  // along x
    bool moves;
    bool follows = false;
  };
  for (const auto& [tip, other, at, moves, follows] :
       {Case{ball, wall, 1.11, false}, Case{ball, planet, 5.06, true},
        Case{blade, wall, 1.11, false}, Case{blade, blade, 1.11, false},
        Case{blade, blade, 1.11, true}, Case{ball, wall, 1.11, false, true},
        Case{blade, blade, 1.11, true, true}}) {
    SceneSource source;
    source.robots.push_back(turning_link("arm", tip, 1));
    if (follows) let_follow(source.robots[0]);
    if (moves)
      source.robots.push_back(turning_link("other", other, at));
    else
      source.obstacles.push_back({"other", {{other, Pose::translation({at, 0, 0}), ""}}, {}});
    const Scene whole = test::build(source);
    Rows rows;
    const double end = follows ? 2.9 / 3 : 2.9;
    rows.from = {-end}, rows.to = {end}, rows.count = 1;
    if (moves) rows.from.push_back(0), rows.to.push_back(0);
    const auto met = std::ranges::find_if(whole.pairs(), [&](const BodyPair& pair) {
      return whole.body(pair.a).name.ends_with("tip") || whole.body(pair.b).name.ends_with("tip");
    });
    ASSERT_NE(met, whole.pairs().end());
    const double d = least_distance(whole, rows.from, rows.to, *met);
    ASSERT_GT(d, 0.005);
    for (const double slack : {1e-5, 1e-4, -5e-3}) {
      source.clearances = {{whole.body(met->a).name, whole.body(met->b).name, d + slack}};
      const CheckModel model = covering(CheckModel::build(test::build(source)).value(), rows);
      const BatchModel flat(model.data().sweep());
      ASSERT_TRUE(flat.usable());
      Workers alone(1);
      const auto backend = batch::host_backend(flat, alone);
      const State state = ask(*backend, rows, true).states[0];
      EXPECT_EQ(state == State::free, slack < 0)
          << moves << " " << tip.index() << " " << slack << " " << static_cast<int>(state);
    }
  }
}

// A body that lies in another at the start touches no surface.
TEST(Batch, SeesWhatLiesInside) {
  SceneSource source;
  source.robots.push_back({});
  source.robots[0].name = "robot";
  Robot& robot = source.robots[0].robot;
  robot.links.resize(2);
  robot.links[0].name = "base";
  robot.links[1].name = "tip";
  robot.links[1].collision = {{Sphere{0.01}, {}, ""}};
  RobotJoint joint;
  joint.name = "slide";
  joint.type = JointType::prismatic;
  joint.parent_link = "base";
  joint.child_link = "tip";
  joint.limits.lower = -1, joint.limits.upper = 1;
  robot.joints = {joint};
  source.obstacles.push_back({"hollow", {{test::block_mesh({0.3, 0.3, 0.3}), {}, ""}}, {}});
  const Scene scene = test::build(source);
  BatchOptions wanted;
  wanted.device = BatchDevice::emulated;
  const auto checker = BatchChecker::build(CheckModel::build(scene).value(), wanted).value();
  ASSERT_EQ(checker.device(), BatchDevice::emulated);
  const std::vector<double> from = {-0.1, 0.5}, to = {0.1, 0.9};
  const auto result = checker.check({from, to, false}).value();
  EXPECT_EQ(result.verdicts[0], BatchVerdict::collision);
  EXPECT_EQ(result.verdicts[1], BatchVerdict::free);
}

TEST(Batch, SamplesAreVerified) {
  Random random(5);
  SceneSource source = test::random_scene(random, {.links = 3, .obstacles = 3});
  const Scene scene = test::build(source);
  const auto rows = random_rows(scene, random, 100, 0.2);
  BatchOptions wanted;
  wanted.device = BatchDevice::emulated;
  wanted.sample_every = 10;
  const auto checker =
      BatchChecker::build(covering(CheckModel::build(scene).value(), rows), wanted).value();
  const auto result = checker.check({rows.from, rows.to, false}).value();
  ASSERT_GE(result.samples.size(), 3u);
  const Verifier verifier(source, {});
  const auto row = static_cast<std::ptrdiff_t>(scene.home().size());
  for (const BatchResult::Sample& sample : result.samples) {
    EXPECT_EQ(result.verdicts[static_cast<std::size_t>(sample.segment)], BatchVerdict::free);
    const auto at = static_cast<std::ptrdiff_t>(sample.segment) * row;
    Motion motion;
    motion.waypoints = {{rows.from.begin() + at, rows.from.begin() + at + row},
                        {rows.to.begin() + at, rows.to.begin() + at + row}};
    EXPECT_TRUE(verifier.verify(motion, sample.certificate).accepted);
  }
}

// Motions of many segments: clear are those of which every segment is; small batches go to threads.
TEST(Batch, FindsWhichMotionsAreClear) {
  Random random(11);
  int free = 0, other = 0;
  for (int i = 0; i < test::cases(10); ++i) {
    const Scene scene = test::build(test::random_scene(random, {}));
    const CheckModel model = CheckModel::build(scene).value();
    std::vector<Motion> motions(12);
    std::vector<const Motion*> all;
    for (Motion& motion : motions) {
      for (int k = random.index(5); k >= 0; --k)
        motion.waypoints.push_back(test::random_segment(scene.tree(), random, 0.2)[0]);
      all.push_back(&motion);
    }
    motions[3].waypoints.clear();
    if (!motions[5].waypoints.empty()) motions[5].waypoints.back().push_back(0);
    for (const std::int64_t least : {std::int64_t{-1}, std::int64_t{1000}}) {
      const auto checker =
          BatchChecker::build(model,
                              {.device = BatchDevice::emulated, .threads = 2, .least = least})
              .value();
      const auto found = find_clear(checker, all);
      ASSERT_TRUE(found.ok());
      for (std::size_t k = 0; k < motions.size(); ++k) {
        Scratch scratch;
        const auto checked = model.check(motions[k], scratch);
        const bool moves = checked.ok() && motions[k].num_segments() > 0;
        const bool is_free = moves && checked.value().verdict == Verdict::free;
        if (checked.ok() && checked.value().verdict == Verdict::undecided) continue;
        EXPECT_EQ(found.value()[k] != 0, is_free) << i << ", " << k;
        ++(is_free ? free : other);
      }
      const auto ends = test::random_segment(scene.tree(), random, 0.2);
      const auto asked = checker.check({ends[0], ends[1], false});
      if (least > 0 && asked.ok()) {
        EXPECT_EQ(asked.value().stats.settled, 0);
      }
    }
  }
  EXPECT_GT(free, 10);
  EXPECT_GT(other, 10);
}

TEST(Batch, RefusesWhatItCannotAsk) {
  Random random(6);
  const Scene scene = test::build(test::random_scene(random, {}));
  BatchOptions wanted;
  wanted.device = BatchDevice::threads;
  const auto checker = BatchChecker::build(CheckModel::build(scene).value(), wanted).value();
  std::vector<double> row(scene.home().begin(), scene.home().end());
  const auto short_row = checker.check({std::span(row).first(row.size() - 1), row, false});
  ASSERT_FALSE(short_row.ok());
  EXPECT_NE(short_row.error().text().find("values in a row"), std::string::npos);
  std::vector<double> wrong = row;
  wrong.back() = NAN;
  const auto nan = checker.check({row, wrong, false});
  ASSERT_FALSE(nan.ok());
  EXPECT_NE(nan.error().text().find("row 0 is not finite"), std::string::npos);
  EXPECT_TRUE(checker.check({row, row, false}).ok());
}

// Beyond the ranges of the model its bounds do not hold: such segments go to the search, which
// makes a wider one.
TEST(Batch, LeavesWhatItsBoundsDoNotCover) {
  Random random(7);
  SceneSource source = test::random_scene(random, {.links = 2, .obstacles = 2});
  const Scene scene = test::build(source);
  const CheckModel model = CheckModel::build(scene).value();
  const BatchModel flat(model.data().sweep());
  ASSERT_TRUE(flat.usable());
  Rows rows;
  rows.from.assign(scene.home().begin(), scene.home().end());
  rows.to = rows.from;
  rows.to[0] = model.ranges()[0].upper + 0.5;
  rows.count = 1;
  Workers alone(1);
  const auto backend = batch::host_backend(flat, alone);
  EXPECT_EQ(ask(*backend, rows, false).states[0], State::host);
}

// What poses are bounded by: each sine and cosine is within 4 u, for all angles that are asked.
TEST(Batch, SinesAreWithinTheirBound) {
  Random random(9);
  double worst = 0;
  for (int i = 0; i < test::cases(300'000); ++i) {
    const double most = i % 3 == 0 ? 4 : i % 3 == 1 ? 1000 : batch::kLargestValue;
    double angle = random.uniform(-most, most);
    // Near the multiples of a right angle, where what is left is small and the quarter changes.
    if (i % 2 == 0) angle = std::round(angle / M_PI_4) * M_PI_4 + random.uniform(-1e-9, 1e-9);
    if (std::fabs(angle) > batch::kLargestValue) continue;
    double sine = 0, cosine = 0;
    batch::sine_cosine(angle, sine, cosine);
    const auto exact = static_cast<long double>(angle);
    worst = std::max({worst, static_cast<double>(std::fabs(sine - std::sin(exact))),
                      static_cast<double>(std::fabs(cosine - std::cos(exact)))});
  }
  EXPECT_LT(worst, 0x1p-51);
  EXPECT_GT(worst, 0x1p-54);
}

TEST(Batch, AGpuHasTheBitsOfTheHost) {
  Random random(8);
  bool any = false;
  for (int i = 0; i < test::cases(10); ++i) {
    const Scene scene = test::build(test::random_scene(random, {}));
    const auto rows = random_rows(scene, random, 2000, 0.5);
    const CheckModel model = covering(CheckModel::build(scene).value(), rows);
    const BatchModel flat(model.data().sweep());
    if (!flat.usable()) continue;
    auto gpu = batch::cuda_backend(flat);
    if (!gpu.ok()) GTEST_SKIP() << gpu.error().text();
    any = true;
    Workers workers(2);
    const auto host = batch::host_backend(flat, workers);
    for (const bool starts_free : {false, true}) {
      const Answers there = ask(*gpu.value(), rows, starts_free);
      const Answers here = ask(*host, rows, starts_free);
      for (std::size_t k = 0; k < here.states.size(); ++k)
        EXPECT_EQ(there.states[k], here.states[k]) << i << " " << k;
      if (i > 0) continue;
      // More than are under way together.
      Rows more;
      while (more.count < 600'000) {
        more.from.insert(more.from.end(), rows.from.begin(), rows.from.end());
        more.to.insert(more.to.end(), rows.to.begin(), rows.to.end());
        more.count += rows.count;
      }
      const Answers all = ask(*gpu.value(), more, starts_free);
      for (std::size_t k = 0; k < all.states.size(); ++k)
        ASSERT_EQ(all.states[k], here.states[k % here.states.size()]) << k;
    }
  }
  EXPECT_TRUE(any);
}

}  // namespace
}  // namespace proven
