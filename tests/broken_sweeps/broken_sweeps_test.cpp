// Sweeps choose what to try, the search decides what is free. Here each stage of the sweeps is
// broken on purpose: it settles whatever reaches it. Nothing that leaves the library may then be
// called free unless it is.
#include <gtest/gtest.h>

#include <map>

#include "audit/audit_support.h"
#include "audit/rows.h"
#include "audit/summary.h"
#include "broken_sweeps/broken_stage.h"
#include "certify/check_support.h"
#include "certify/random_scenes.h"
#include "proven/certify/batch.h"
#include "proven/certify/monitor.h"
#include "proven/certify/prover.h"
#include "proven/plan/plan.h"
#include "proven/plan/repair.h"
#include "proven/plan/smooth.h"
#include "proven/plan/timing.h"
#include "proven/verify/verify.h"

namespace proven::test {
namespace {

constexpr BrokenStage kStages[] = {
    BrokenStage::everything, BrokenStage::solids,   BrokenStage::pairs, BrokenStage::balls,
    BrokenStage::tables,     BrokenStage::outlines, BrokenStage::parts, BrokenStage::leave};
constexpr BrokenStage kBatchStages[] = {BrokenStage::batch, BrokenStage::batch_outlines,
                                        BrokenStage::batch_search};

// A motion that collides, and that sweeps with a broken stage let pass.
struct Fooled {
  Scene scene;
  SceneSource source;
  std::vector<double> from, to;
};

CheckOptions sweeping() {
  CheckOptions options;
  options.sweep = true;
  return options;
}

Path path_of(const Fooled& fooled) {
  return {{fooled.from, fooled.to}, {}, {}};
}

// Judged by the search alone, without the broken stage.
Verdict truth(const Scene& scene, const Motion& motion) {
  Scratch scratch;
  const auto checked = check(scene, motion, {}, scratch);
  EXPECT_TRUE(checked.ok());
  return checked.ok() ? checked.value().verdict : Verdict::undecided;
}

class BrokenSweeps : public AuditTest {
 protected:
  void TearDown() override {
    set_broken_stage(BrokenStage::none);
    AuditTest::TearDown();
  }
};

// Motions that the stage lets pass although they collide: at most `wanted`, in scenes of all kinds.
std::vector<Fooled> find_fooled(BrokenStage stage, int wanted) {
  Random random(7);
  std::vector<Fooled> all;
  for (int i = 0; i < 400 && std::ssize(all) < wanted; ++i) {
    set_broken_stage(BrokenStage::none);
    SceneSource source =
        random_scene(random, {.links = 4, .obstacles = 6, .meshes_only = i % 2 == 0});
    const Scene scene = build(source);
    const CheckModel model = CheckModel::build(scene, sweeping()).value();
    model.prepare_sweeps();
    Scratch scratch;
    for (int k = 0; k < 30; ++k) {
      const auto rows = random_segment(scene.tree(), random, random.uniform(0.05, 2));
      if (!model.within_limits({rows[0], rows[1]})) continue;
      if (truth(scene, Path{rows, {}, {}}) != Verdict::collision) continue;
      set_broken_stage(stage);
      const auto found = model.pre_check({rows[0], rows[1]}, CheckModel::Effort::thorough, scratch);
      set_broken_stage(BrokenStage::none);
      if (found.verdict != PreVerdict::clear) continue;
      all.push_back({scene, source, rows[0], rows[1]});
      break;
    }
  }
  return all;
}

bool is_free(const Scene& scene, const std::vector<double>& q) {
  Scratch scratch;
  return CheckModel::build(scene).value().check_configuration(q, scratch).verdict == Verdict::free;
}

void expect_proved(const Fooled& fooled, const Motion& motion, const Certificate& certificate) {
  const Verifier verifier(fooled.source, {});
  const VerifyReport report = verifier.verify(motion, certificate);
  EXPECT_TRUE(report.accepted) << report.reason;
  EXPECT_EQ(truth(fooled.scene, motion), Verdict::free);
}

TEST_F(BrokenSweeps, ChecksStayRight) {
  for (const BrokenStage stage : kStages) {
    SCOPED_TRACE(static_cast<int>(stage));
    const std::vector<Fooled> all = find_fooled(stage, 3);
    ASSERT_FALSE(all.empty());
    set_broken_stage(stage);
    for (const Fooled& fooled : all) {
      const CheckModel model = CheckModel::build(fooled.scene, sweeping()).value();
      model.prepare_sweeps();
      Scratch scratch;
      const SegmentQuery segment{fooled.from, fooled.to};
      EXPECT_EQ(model.check_segment(segment, scratch).verdict, Verdict::collision);
      EXPECT_EQ(model.check(path_of(fooled), scratch).value().verdict, Verdict::collision);
      EXPECT_EQ(model.check_together({&segment, 1}, scratch).verdict, Verdict::collision);
      EXPECT_EQ(model.check_segments({&segment, 1}, 2)[0].verdict, Verdict::collision);
      const auto configurations = {fooled.from, fooled.to};
      for (const std::vector<double>& q : configurations)
        EXPECT_EQ(model.check_configuration(q, scratch).verdict == Verdict::free,
                  is_free(fooled.scene, q));
      Prover prover(model);
      EXPECT_FALSE(prover.is_free(segment));
      const auto monitor = Monitor::build(fooled.scene, path_of(fooled), sweeping(), scratch);
      EXPECT_EQ(monitor.value().verdict(), Verdict::collision);
    }
  }
}

TEST_F(BrokenSweeps, PlansAndPathsStayRight) {
  int solved = 0, repaired = 0;
  for (const BrokenStage stage : kStages) {
    SCOPED_TRACE(static_cast<int>(stage));
    const std::vector<Fooled> all = find_fooled(stage, 3);
    ASSERT_FALSE(all.empty());
    set_broken_stage(stage);
    for (const Fooled& fooled : all) {
      const Path path = path_of(fooled);
      SmoothOptions smoothing;
      smoothing.check.certificate = true;
      const auto smoothed = smooth(fooled.scene, path, smoothing).value();
      EXPECT_EQ(smoothed.input.verdict, Verdict::collision);
      EXPECT_TRUE(smoothed.certificate.empty());
      smoothing.input_is_proved = true;  // which is not so
      EXPECT_NE(smooth(fooled.scene, path, smoothing).value().input.verdict, Verdict::free);
      EXPECT_EQ(time_path(fooled.scene, path, {}, {}, {}).value().input.verdict,
                Verdict::collision);
      if (!is_free(fooled.scene, fooled.from) || !is_free(fooled.scene, fooled.to)) continue;
      Query query;
      query.start = fooled.from;
      query.goal = fooled.to;
      for (const char* planner : {"rrt-connect", "a-sbl", "lazy-prm"}) {
        PlanOptions options;
        options.planner = planner;
        options.check.certificate = true;
        options.max_iterations = 2000;
        const auto planned = plan(fooled.scene, query, options);
        ASSERT_TRUE(planned.ok()) << planned.error().text();
        if (planned.value().status != PlanStatus::solved) continue;
        EXPECT_TRUE(planned.value().proved);
        expect_proved(fooled, planned.value().path, planned.value().certificate);
        ++solved;
      }
      Scratch scratch;
      const Monitor monitor = Monitor::build(fooled.scene, path, {}, scratch).value();
      RepairOptions repairing;
      repairing.plan.check.certificate = true;
      repairing.plan.max_iterations = 2000;
      const auto way = repair(monitor, repairing);
      ASSERT_TRUE(way.ok()) << way.error().text();
      if (way.value().status != PlanStatus::solved) continue;
      expect_proved(fooled, way.value().motion, way.value().certificate);
      ++repaired;
    }
  }
  EXPECT_GT(solved, 10);
  EXPECT_GT(repaired, 3);
}

// Shortcuts that sweeps let pass and that collide are no part of what is returned.
TEST_F(BrokenSweeps, SmoothedPathsStayRight) {
  const Scene scene = built_in("demo");
  const SceneSource source = make_scene("demo").value();
  Query query;
  query.start = find_scene("demo")->query.start;
  query.goal = find_scene("demo")->query.goal;
  int returned = 0;
  for (const BrokenStage stage : kStages) {
    SCOPED_TRACE(static_cast<int>(stage));
    set_broken_stage(BrokenStage::none);
    PlanOptions planning;
    planning.seed = 5;
    const auto planned = plan(scene, query, planning).value();
    ASSERT_EQ(planned.status, PlanStatus::solved);
    set_broken_stage(stage);
    SmoothOptions options;
    options.check.certificate = true;
    options.margin = 0.002;
    const auto alone = smooth(scene, planned.path, options).value();
    const CheckModel model = CheckModel::build(scene).value();
    const auto together = smooth_all(model, {&planned.path, 1}, options,
                                     {.device = BatchDevice::emulated, .least = 0});
    for (const SmoothResult& smoothed : {alone, together.value()[0].value()}) {
      ASSERT_EQ(smoothed.input.verdict, Verdict::free);
      expect_proved({scene, source, {}, {}}, smoothed.path, smoothed.certificate);
      CheckOptions with = with_margin({}, smoothed.margin_kept);
      EXPECT_EQ(must_check(scene, smoothed.path.waypoints, with).verdict, Verdict::free);
      ++returned;
    }
  }
  EXPECT_EQ(returned, 2 * std::ssize(kStages));
}

TEST_F(BrokenSweeps, BatchesStayRight) {
  std::map<BatchDevice, std::vector<BrokenStage>> devices;
  devices[BatchDevice::threads].assign(std::begin(kStages), std::end(kStages));
  devices[BatchDevice::emulated].assign(std::begin(kBatchStages), std::end(kBatchStages));
  for (const auto& [device, stages] : devices)
    for (const BrokenStage stage : stages) {
      SCOPED_TRACE(static_cast<int>(stage));
      Random random(3);
      int fooled = 0, free = 0;
      for (int i = 0; i < (device == BatchDevice::emulated ? 40 : 10); ++i) {
        set_broken_stage(BrokenStage::none);
        const Scene scene =
            build(random_scene(random, {.links = 4, .obstacles = 6, .meshes_only = i % 2 == 0}));
        std::vector<double> from, to;
        std::vector<Verdict> truths;
        for (int k = 0; k < 20; ++k) {
          const auto rows = random_segment(scene.tree(), random, random.uniform(0.05, 1));
          if (!CheckModel::build(scene).value().within_limits({rows[0], rows[1]})) continue;
          from.insert(from.end(), rows[0].begin(), rows[0].end());
          to.insert(to.end(), rows[1].begin(), rows[1].end());
          truths.push_back(truth(scene, Path{rows, {}, {}}));
        }
        const CheckModel model = CheckModel::build(scene).value();
        model.prepare_sweeps();
        set_broken_stage(stage);
        for (const bool prove : {false, true}) {
          const auto checker = BatchChecker::build(model, {.device = device,
                                                           .threads = 2,
                                                           .prove = prove,
                                                           .sample_every = 1'000'000'000,
                                                           .least = 0})
                                   .value();
          ASSERT_EQ(checker.device(), device);
          const auto result = checker.check({from, to, false});
          // The first segment that a GPU's programs find clear is proved: that may tell.
          if (!result.ok()) {
            EXPECT_NE(result.error().text().find("the search finds a contact"), std::string::npos);
            ++fooled;
            continue;
          }
          for (std::size_t k = 0; k < truths.size(); ++k) {
            const BatchVerdict verdict = result.value().verdicts[k];
            fooled += verdict == BatchVerdict::clear && truths[k] == Verdict::collision;
            EXPECT_FALSE(verdict == BatchVerdict::free && truths[k] != Verdict::free);
            free += verdict == BatchVerdict::free;
          }
        }
      }
      EXPECT_GT(fooled, 0);
      EXPECT_GT(free, 10);
    }
}

// Large sets are swept, and small ones as well with `swept`.
TEST_F(BrokenSweeps, AuditsStayRight) {
  const Scene demo = built_in("demo");
  const fs::path paths = write_paths("paths.jsonl", demo, random_paths(demo, 2000, 5));
  const auto set = DataSet::open(paths, "demo");
  ASSERT_TRUE(set.ok());
  must_run(set.value(), {}, {}, {folder_ / "right", {}}, 2);
  const std::vector<Json> right = rows_of(folder_ / "right");
  int fooled = 0;
  std::int64_t refuted = 0;
  for (const BrokenStage stage :
       {BrokenStage::everything, BrokenStage::balls, BrokenStage::leave}) {
    SCOPED_TRACE(static_cast<int>(stage));
    set_broken_stage(stage);
    must_run(set.value(), {}, {}, {folder_ / "broken", {}}, 2);
    const std::vector<Json> broken = rows_of(folder_ / "broken");
    fs::remove(folder_ / "broken");
    ASSERT_EQ(broken.size(), right.size());
    for (std::size_t i = 1; i < right.size(); ++i)
      EXPECT_EQ(broken[i]["verdict"], right[i]["verdict"]) << right[i];
    audit::AuditOptions options;
    options.swept = true;
    must_run(set.value(), options, {}, {folder_ / "swept", {}}, 2);
    const std::vector<Json> swept = rows_of(folder_ / "swept");
    const auto summary = audit::summarise(folder_ / "swept");
    fs::remove(folder_ / "swept");
    for (std::size_t i = 1; i < right.size(); ++i) {
      if (swept[i]["verdict"] == "free") {
        EXPECT_EQ(right[i]["verdict"], "free");
      }
      fooled += swept[i]["verdict"] == audit::kSwept && right[i]["verdict"] == "collision";
    }
    refuted += summary.value().refuted;
  }
  EXPECT_GT(fooled, 100);
  EXPECT_GT(refuted, 0);  // the sample finds out
}

}  // namespace
}  // namespace proven::test
