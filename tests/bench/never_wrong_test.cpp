// The short form of the suite, and proof that it notices wrong answers.
#include "bench/suite/brute_force.h"
#include "bench/suite/rail.h"
#include "bench/suite/suite.h"
#include "support.h"

namespace proven::bench {
namespace {

SuiteScene load(const std::string& name) {
  for (const SuiteEntry& entry : suite_entries({}))
    if (entry.name == name) {
      auto scene = entry.load();
      EXPECT_TRUE(scene.ok());
      return std::move(scene).value();
    }
  ADD_FAILURE() << "no scene " << name;
  return {};
}

Tally run(const std::vector<SuiteEntry>& entries, int per_scene, std::uint64_t seed,
          JudgeMotion judge = judge_all) {
  Tally all;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto scene = entries[i].load();
    EXPECT_TRUE(scene.ok()) << entries[i].name;
    if (!scene.ok()) continue;
    const int count = std::min(per_scene, std::max(1, entries[i].cases / 100));
    const Tally tally = run_suite_scene(
        scene.value(), {.count = test::cases(count), .seed = seed + i, .judge = judge});
    for (const std::string& complaint : tally.complaints)
      ADD_FAILURE() << entries[i].name << ": " << complaint;
    EXPECT_EQ(tally.wrong(), 0) << entries[i].name;
    all += tally;
  }
  return all;
}

TEST(NeverWrong, AdversarialScenesWithAnalyticAnswers) {
  const Tally all = run(adversarial_entries(), 150, 11);
  if (test::cases(100) < 100) return;
  EXPECT_GT(all.papers.free, 300);
  EXPECT_GT(all.papers.collision, 300);
  EXPECT_GT(all.papers.undecided, 3);
  EXPECT_GT(all.directional.free, 300);
  EXPECT_GT(all.directional.collision, 300);
  EXPECT_EQ(all.certificates, all.directional.free);
  EXPECT_GT(all.both, 500);
  // Sampling misses many of them, the more the coarser it is, and some even at 0.001.
  EXPECT_GT(all.rival_missed[2], 5);
  EXPECT_GT(all.rival_missed[1], 2 * all.rival_missed[2]);
  EXPECT_GT(all.rival_missed[0], all.rival_missed[1]);
}

TEST(NeverWrong, BuiltInScenes) {
  const Tally all = run(built_in_entries(), 80, 12);
  if (test::cases(100) < 100) return;
  EXPECT_GT(all.papers.free, 200);
  EXPECT_GT(all.papers.collision, 100);
  EXPECT_GT(all.directional.free, 200);
  EXPECT_GT(all.directional.collision, 100);
  EXPECT_GT(all.sampled, 150);
  EXPECT_GT(all.finely_sampled, 20);
}

TEST(NeverWrong, RealRobots) {
  PROVEN_REQUIRE_DATA("robots");
  const auto entries = robot_entries(test::data_dir());
  ASSERT_GE(entries.size(), 6u);
  const Tally all = run(entries, 10, 13);
  if (test::cases(100) < 100) return;
  EXPECT_GT(all.papers.free, 10);
  EXPECT_GT(all.papers.collision, 5);
  EXPECT_GT(all.certificates, 10);
}

TEST(NeverWrong, GlidesAtKnownGaps) {
  const Tally all = run(glide_entries(), 30, 14);
  if (test::cases(100) < 100) return;
  EXPECT_GT(all.directional.free, 200);
  EXPECT_GT(all.directional.collision, 50);
  EXPECT_GT(all.roomy, 150);
  EXPECT_EQ(all.roomy_undecided, 0);
}

TEST(DirectionalSuite, GlidesAreDecidedAndConfirmed) {
  const Tally all = run(glide_entries(), 40, 15, judge_directional);
  if (test::cases(100) < 100) return;
  EXPECT_GT(all.directional.free, 250);
  EXPECT_GT(all.directional.collision, 80);
  EXPECT_GT(all.sampled, 8);
  EXPECT_EQ(all.certificates, all.directional.free);
  EXPECT_EQ(all.roomy_undecided, 0);
}

TEST(DirectionalSuite, AgreesWithClassicInBuiltInScenes) {
  const Tally all = run(built_in_entries(), 20, 16, judge_directional);
  if (test::cases(100) < 100) return;
  EXPECT_GT(all.directional.free, 50);
  EXPECT_GT(all.directional.collision, 20);
  EXPECT_GT(all.roomy, 50);
}

// Checkers that lie.
CheckResult always_free(const Scene&, const SuiteCase&, Checker, Scratch&) {
  CheckResult result;
  result.verdict = Verdict::free;
  return result;
}

Outcome judge_with(const SuiteScene& scene, const SuiteCase& motion, const Ask& ask,
                   JudgeMotion judge = judge_all) {
  const FclModel model(*scene.scene);
  Instruments instruments(scene, model);
  return judge(motion, 0, instruments, ask);
}

TEST(NeverWrong, NoticesAFalseFreeBySamplingAndByTheAnalyticAnswer) {
  const SuiteScene scene = load("bar through plates");
  SuiteCase motion{{{0.2}, {0.4}}, Truth::unknown, 0, 1e-3, 1000};  // the plate of 5 mm is at 0.3
  EXPECT_FALSE(judge_with(scene, motion, ask_checker).wrong_free);
  EXPECT_TRUE(judge_with(scene, motion, always_free).wrong_free);
  motion.truth = Truth::collision;
  EXPECT_TRUE(judge_with(scene, motion, always_free).wrong_free);
  motion.waypoints = {{0.4}, {1.0}};
  motion.truth = Truth::unknown;
  EXPECT_FALSE(judge_with(scene, motion, always_free).wrong_free);
}

std::vector<CollisionElement> cube(double half) {
  auto mesh = std::make_shared<TriangleMesh>();
  for (int i = 0; i < 8; ++i)
    mesh->vertices.push_back({i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half});
  mesh->triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return {{std::shared_ptr<const TriangleMesh>(mesh), Pose{}, ""}};
}

// A cube of 0.2 m slides inside a closed mesh of 4 m: no surfaces meet.
SuiteScene cube_in_a_hall() {
  Robot robot;
  robot.name = "slider";
  robot.links = {{"base", {}, false, nullptr}, {"cube", cube(0.1), false, nullptr}};
  RobotJoint joint;
  joint.name = "x";
  joint.type = JointType::prismatic;
  joint.parent_link = "base";
  joint.child_link = "cube";
  robot.joints = {joint};
  SceneSource source;
  source.robots = {{"slider", robot, Pose{}}};
  source.obstacles = {{"hall", cube(2), Pose{}}};
  auto scene = make_suite_scene(std::move(source), nullptr);
  EXPECT_TRUE(scene.ok());
  return std::move(scene).value();
}

TEST(NeverWrong, NoticesWrongWordsAboutABodyInsideAnother) {
  const SuiteScene scene = cube_in_a_hall();
  const SuiteCase inside{{{-0.5}, {0.7}}, Truth::unknown, 0, 1e-3, 1000};
  const SuiteCase outside{{{2.5}, {3.5}}, Truth::unknown, 0, 1e-3, 1000};
  EXPECT_TRUE(judge_with(scene, inside, always_free).wrong_free);
  EXPECT_FALSE(judge_with(scene, outside, always_free).wrong_free);
  const Outcome honest = judge_with(scene, inside, ask_checker);
  EXPECT_EQ(honest.verdict, Verdict::collision);
  EXPECT_FALSE(honest.wrong_collision);
  const auto misplaced = [](const Scene& s, const SuiteCase& m, Checker c, Scratch& w) {
    CheckResult result = ask_checker(s, m, c, w);
    result.collision->points[0] += Vec3{0.3, 0.3, 0.3};
    return result;
  };
  EXPECT_TRUE(judge_with(scene, inside, misplaced).wrong_collision);
}

TEST(NeverWrong, NoticesAWitnessThatDoesNotHold) {
  for (const char* name : {"bar through plates", "bar through plates, meshes"}) {
    const SuiteScene scene = load(name);
    const SuiteCase motion{{{0.2}, {0.4}}, Truth::unknown, 0, 1e-3, 1000};
    const auto changed = [&](const std::function<void(Witness&)>& change) {
      return judge_with(scene, motion,
                        [&](const Scene& s, const SuiteCase& m, Checker c, Scratch& w) {
                          CheckResult result = ask_checker(s, m, c, w);
                          change(*result.collision);
                          return result;
                        });
    };
    EXPECT_FALSE(changed([](Witness&) {}).wrong_collision);
    // Where there is no contact, off the path, and between other pieces or bodies.
    EXPECT_TRUE(changed([](Witness& w) { w.t = 0, w.configuration = {0.2}; }).wrong_collision);
    EXPECT_TRUE(changed([](Witness& w) { w.configuration[0] += 1e-9; }).wrong_collision);
    EXPECT_TRUE(changed([](Witness& w) { w.bodies = {0, 3}; }).wrong_collision);
    EXPECT_TRUE(changed([](Witness& w) { w.kind = ContactKind::too_close; }).wrong_collision);
  }
}

TEST(NeverWrong, NoticesAFlippedVerdict) {
  const SuiteScene scene = load("bar through plates");
  const SuiteCase motion{{{0.4}, {1.0}}, Truth::free, 0, 1e-3, 1000};
  const auto lie = [](const Scene& s, const SuiteCase& m, Checker c, Scratch& w) {
    CheckResult result = ask_checker(s, m, c, w);
    if (c == Checker::refined) result.verdict = Verdict::collision;
    return result;
  };
  const Outcome outcome = judge_with(scene, motion, lie);
  EXPECT_TRUE(outcome.wrong_collision);
  EXPECT_TRUE(outcome.conflict);
  EXPECT_FALSE(judge_with(scene, motion, ask_checker).wrong_collision);
}

// The others tell the truth.
CheckResult directional_always_free(const Scene& scene, const SuiteCase& motion, Checker checker,
                                    Scratch& scratch) {
  if (checker == Checker::directional) return always_free(scene, motion, checker, scratch);
  return ask_checker(scene, motion, checker, scratch);
}

TEST(NeverWrong, NoticesAFalseFreeOfDirectionalAlone) {
  const SuiteScene scene = load("bar through plates");
  SuiteCase motion{{{0.2}, {0.4}}, Truth::unknown, 0, 1e-3, 1000};
  for (const Truth truth : {Truth::unknown, Truth::collision}) {
    motion.truth = truth;
    for (const JudgeMotion judge : {&judge_all, &judge_directional}) {
      const Outcome honest = judge_with(scene, motion, ask_checker, judge);
      EXPECT_FALSE(honest.wrong_free || honest.conflict || honest.rejected) << honest.complaint;
      EXPECT_EQ(honest.directional, Verdict::collision);
      const Outcome lie = judge_with(scene, motion, directional_always_free, judge);
      EXPECT_TRUE(lie.wrong_free);
      EXPECT_TRUE(lie.rejected);  // there is no certificate
      EXPECT_EQ(lie.conflict, judge == &judge_all || truth == Truth::unknown);
      EXPECT_TRUE(lie.complaint.find("directional") != std::string::npos);
    }
  }
  // Classic's word is enough where nothing is sampled.
  motion.truth = Truth::unknown;
  const FclModel model(*scene.scene);
  Instruments instruments(scene, model);
  const Outcome unsampled = judge_directional(motion, 7, instruments, directional_always_free);
  EXPECT_FALSE(unsampled.wrong_free);
  EXPECT_TRUE(unsampled.conflict);
}

TEST(NeverWrong, NoticesACertificateThatProvesNothing) {
  const SuiteScene scene = load("bar through plates");
  const SuiteCase motion{{{0.4}, {1.0}}, Truth::free, 0, 1e-3, 1000};
  const Outcome honest = judge_with(scene, motion, ask_checker);
  EXPECT_TRUE(honest.verified);
  EXPECT_FALSE(honest.rejected) << honest.complaint;
  const auto truncated = [&](const Scene& s, const SuiteCase& m, Checker c, Scratch& w) {
    CheckResult result = ask_checker(s, m, c, w);
    if (c == Checker::directional) result.certificate.resize(result.certificate.size() / 2);
    return result;
  };
  for (const JudgeMotion judge : {&judge_all, &judge_directional})
    EXPECT_TRUE(judge_with(scene, motion, truncated, judge).rejected);
  Tally tally;
  tally.rejected = 1;
  EXPECT_EQ(tally.wrong(), 1);
}

TEST(DirectionalSuite, CountsTheUndecidedWhereThereIsRoom) {
  const SuiteScene scene = load("bar through plates");
  const SuiteCase motion{{{0.4}, {1.0}}, Truth::unknown, 0, 1e-3, 1000};
  const auto shy = [](const Scene& s, const SuiteCase& m, Checker c, Scratch& w) {
    return c == Checker::directional ? CheckResult{} : ask_checker(s, m, c, w);
  };
  const Outcome outcome = judge_with(scene, motion, shy, judge_directional);
  EXPECT_TRUE(outcome.roomy);
  EXPECT_EQ(outcome.directional, Verdict::undecided);
  const SuiteCase colliding{{{0.2}, {0.4}}, Truth::unknown, 0, 1e-3, 1000};
  EXPECT_FALSE(judge_with(scene, colliding, shy, judge_directional).roomy);
}

TEST(NeverWrong, KnowsTheTruthOnARail) {
  const Rail rail{{{1, 2}, {3, 3.5}}, 0, 5, 0};
  EXPECT_EQ(truth_on_rail(rail, {0, 0.9}), Truth::free);
  EXPECT_EQ(truth_on_rail(rail, {2.9, 2.1}), Truth::free);
  EXPECT_EQ(truth_on_rail(rail, {0, 5}), Truth::collision);
  EXPECT_EQ(truth_on_rail(rail, {1.5}), Truth::collision);
  EXPECT_EQ(truth_on_rail(rail, {2.5, 2.5, 2.6, 3.1}), Truth::collision);
  EXPECT_EQ(truth_on_rail(rail, {0, 1}), Truth::unknown);
  EXPECT_EQ(truth_on_rail(rail, {4, 4}), Truth::free);
}

}  // namespace
}  // namespace proven::bench
