// Random questions far from zero: turns by the million, limits up to 1e9, couplings of any factor,
// clearances of both signs, tubes wider than the room to a limit. Each is put to the search alone,
// to sweeps before the search, to sweeps alone, and to a batch as a GPU would run it; now and then
// to a planner. Where one says free and another collision, one of them is wrong; a share of all
// answers is judged by distances at many moments as well.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <numbers>

#include "bench/bench.h"
#include "bench/data.h"
#include "bench/suite/suite.h"
#include "bench/suite/sweep_cases.h"
#include "bench/suite/sweep_judge.h"
#include "bench/suite/windings_cases.h"
#include "proven/base/parallel.h"
#include "proven/certify/batch.h"
#include "proven/certify/check.h"
#include "proven/plan/plan.h"

namespace proven::bench {
namespace {

constexpr int kQuestions = 1'000'000, kQuickQuestions = 1200;
// Of one scene: tables are made once for all of them.
constexpr int kPerScene = 400, kPerSceneOfFew = 75;
// Real robots take seconds to prepare.
constexpr int kRealQuestions = 2000, kRealFrom = 50'000;
constexpr int kCurvedEvery = 4, kKnownStartEvery = 4, kSampledEvery = 25, kPlannedEvery = 100;
constexpr int kManyQuestions = 500;
// The search gives up after so many cells.
constexpr std::int64_t kMostCells = 5000;
constexpr int kWatched = 4;
// Positions of samples err by less, as long as no joint's value is larger than this.
constexpr double kSampleError = 1e-9, kLargestSampled = 1e9;

struct Tally {
  std::int64_t scenes = 0, questions = 0, curved = 0, batched = 0, sampled = 0, planned = 0;
  std::int64_t free = 0, collision = 0, undecided = 0;  // by the search alone
  std::int64_t far_free = 0, far_collision = 0, too_far = 0;
  std::int64_t overlaps = 0, tubes = 0, settled = 0, batch_settled = 0;
  std::int64_t different = 0, wrong = 0;
  std::vector<std::string> complaints;

  Tally& operator+=(const Tally& o) {
    scenes += o.scenes, questions += o.questions, curved += o.curved, batched += o.batched;
    sampled += o.sampled, planned += o.planned;
    free += o.free, collision += o.collision, undecided += o.undecided;
    far_free += o.far_free, far_collision += o.far_collision, too_far += o.too_far;
    overlaps += o.overlaps, tubes += o.tubes, settled += o.settled;
    batch_settled += o.batch_settled, different += o.different, wrong += o.wrong;
    complaints.insert(complaints.end(), o.complaints.begin(), o.complaints.end());
    return *this;
  }
};

struct Question {
  WindingMotion motion;
  bool starts_free = false;
  Verdict search = Verdict::undecided, swept = Verdict::undecided, alone = Verdict::undecided,
          batch = Verdict::undecided;
  std::optional<Witness> witness = {};  // of `swept`
};

Verdict verdict_of(PreVerdict verdict) {
  switch (verdict) {
    case PreVerdict::clear:
      return Verdict::free;
    case PreVerdict::contact:
      return Verdict::collision;
    case PreVerdict::open:
      break;
  }
  return Verdict::undecided;
}

Verdict verdict_of(BatchVerdict verdict) {
  switch (verdict) {
    case BatchVerdict::free:
    case BatchVerdict::clear:
      return Verdict::free;
    case BatchVerdict::collision:
      return Verdict::collision;
    case BatchVerdict::undecided:
      break;
  }
  return Verdict::undecided;
}

bool contradict(Verdict a, Verdict b) {
  return (a == Verdict::free && b == Verdict::collision) ||
         (a == Verdict::collision && b == Verdict::free);
}

class SceneRun {
 public:
  SceneRun(const std::string& name, const WindingScene& scene, Tally& tally)
      : name_(name), scene_(scene), tally_(tally) {}

  void run(int questions, Random& random) {
    CheckOptions options = scene_.options;
    options.max_cells = kMostCells;
    options.limits = Limits::ignore;  // random values go where they like
    auto search = CheckModel::build(scene_.scene, options, scene_.intervals());
    if (!search.ok()) return complain(tally_.wrong, search.error().text());
    search_ = std::move(search).value();
    options.sweep = true;
    swept_ = search_->with_options(options).value();
    swept_->prepare_sweeps();
    ++tally_.scenes;
    std::vector<Question> asked;
    for (int i = 0; i < questions; ++i) asked.push_back(ask(random));
    for (const bool starts_free : {false, true}) ask_batch(asked, starts_free);
    for (std::size_t i = 0; i < asked.size(); ++i) judge(asked[i], random);
  }

 private:
  SegmentQuery query_of(const Question& question) const {
    const Motion& motion = question.motion.motion;
    SegmentQuery query{motion.waypoints[0], motion.waypoints[1], question.starts_free};
    if (!motion.inner.empty()) query.inner = motion.inner[0];
    return query;
  }

  Question ask(Random& random) {
    Question question;
    question.motion = make_winding_motion(scene_, random.index(kCurvedEvery) == 0, random);
    question.starts_free =
        random.index(kKnownStartEvery) == 0 &&
        search_->check_configuration(question.motion.motion.waypoints[0], scratch_).verdict ==
            Verdict::free;
    const SegmentQuery query = query_of(question);
    question.search = search_->check_segment(query, scratch_).verdict;
    question.swept =
        verdict_of(swept_->pre_check(query, CheckModel::Effort::thorough, scratch_).verdict);
    question.witness = swept_->check_segment(query, scratch_).collision;
    question.alone =
        verdict_of(swept_->pre_check(query, CheckModel::Effort::sweeps_alone, scratch_).verdict);
    return question;
  }

  // All that are straight, as a GPU would answer them.
  void ask_batch(std::vector<Question>& asked, bool starts_free) {
    BatchOptions options;
    options.device = BatchDevice::emulated;
    options.threads = 1;
    options.sample_every = kSampledEvery;
    options.prove = false;
    auto checker = BatchChecker::build(*swept_, options);
    if (!checker.ok()) return complain(tally_.wrong, checker.error().text());
    std::vector<double> from, to;
    std::vector<Question*> rows;
    for (Question& question : asked) {
      const Motion& motion = question.motion.motion;
      if (!motion.inner.empty() || question.starts_free != starts_free) continue;
      rows.push_back(&question);
      from.insert(from.end(), motion.waypoints[0].begin(), motion.waypoints[0].end());
      to.insert(to.end(), motion.waypoints[1].begin(), motion.waypoints[1].end());
    }
    if (rows.empty()) return;
    const auto answered = checker.value().check({from, to, starts_free});
    if (!answered.ok()) return complain(tally_.wrong, answered.error().text());
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i]->batch = verdict_of(answered.value().verdicts[i]);
    tally_.batched += static_cast<std::int64_t>(rows.size());
    tally_.batch_settled += answered.value().stats.settled;
  }

  void judge(const Question& question, Random& random) {
    count(question);
    const Verdict said[] = {question.search, question.swept, question.alone, question.batch};
    constexpr const char* kWho[] = {"the search", "sweeps and search", "sweeps alone", "the batch"};
    for (std::size_t a = 0; a < std::size(said); ++a)
      for (std::size_t b = a + 1; b < std::size(said); ++b)
        if (contradict(said[a], said[b]))
          complain(tally_.different,
                   fmt::format("{} says {}, {} says {}{}", kWho[a], to_string(said[a]), kWho[b],
                               to_string(said[b]), text_of(question)));
    if (random.index(kSampledEvery) == 0) sample(question, said);
    if (random.index(kPlannedEvery) == 0) plan_it(question, random);
  }

  void count(const Question& question) {
    ++tally_.questions;
    tally_.curved += !question.motion.motion.inner.empty();
    tally_.free += question.search == Verdict::free;
    tally_.collision += question.search == Verdict::collision;
    tally_.undecided += question.search == Verdict::undecided;
    tally_.far_free += question.motion.far && question.search == Verdict::free;
    tally_.far_collision += question.motion.far && question.search == Verdict::collision;
    tally_.too_far += question.motion.too_far;
    tally_.settled += question.alone != Verdict::undecided;
    tally_.tubes += scene_.options.tracking_error.any();
    tally_.overlaps += std::ranges::any_of(scene_.scene.pairs(),
                                           [](const BodyPair& p) { return p.clearance < 0; });
  }

  // What a pair must keep, without the tube.
  double required(int pair) const {
    const BodyPair& p = scene_.scene.pairs()[static_cast<std::size_t>(pair)];
    const double asked = scene_.options.clearance.of(p.kind);
    return asked > 0 ? std::max(p.clearance, asked) : p.clearance;
  }

  bool too_large_for_samples(const Motion& motion) const {
    for (const Link& link : scene_.scene.tree().links()) {
      const Joint& joint = link.joint;
      if (joint.kind == JointKind::fixed) continue;
      for (const auto& q : motion.waypoints) {
        const double value =
            std::fabs(joint.multiplier) * std::fabs(q[static_cast<std::size_t>(joint.coordinate)]);
        if (!(value + std::fabs(joint.offset) <= kLargestSampled)) return true;
      }
    }
    return false;
  }

  // By poses of an evaluator of its own, in long double.
  void sample(const Question& question, std::span<const Verdict> said) {
    const Motion& motion = question.motion.motion;
    if (too_large_for_samples(motion)) return;
    ++tally_.sampled;
    SweepTruth truth(scene_.scene, motion);
    if (std::ranges::find(said, Verdict::free) != said.end())
      for (const WatchedPair& near : truth.nearest_pairs(kWatched)) {
        const double needed = required(near.pair);
        if (needed < 0) continue;  // an overlap, of which distances say nothing
        const WatchedPair followed = truth.follow(near.pair, {});
        if (followed.contained || followed.least.distance < needed - kSampleError)
          complain(
              tally_.wrong,
              fmt::format("free, but two bodies are {} apart at {} where {} is required{}",
                          followed.least.distance, followed.least.t, needed, text_of(question)));
      }
    if (!question.witness) return;
    const auto& bodies = question.witness->bodies;
    const auto pairs = scene_.scene.pairs();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (pairs[i].a != std::min(bodies[0], bodies[1]) ||
          pairs[i].b != std::max(bodies[0], bodies[1]))
        continue;
      const int pair = static_cast<int>(i);
      if (required(pair) < 0) continue;
      const double t = question.witness->t;
      const double apart = truth.distance(pair, t);
      if (apart > required(pair) + kSampleError && !truth.contained(pair, t))
        complain(tally_.wrong,
                 fmt::format("collision, but the two bodies are {} apart where {} is required{}",
                             apart, required(pair), text_of(question)));
    }
  }

  // A path of a planner that sweeps is free by the search alone.
  void plan_it(const Question& question, Random& random) {
    const Motion& motion = question.motion.motion;
    PlanOptions options;
    options.check = swept_->options();
    options.seed = static_cast<std::uint64_t>(random.index(1000));
    options.max_iterations = 30;
    const auto found = plan(*swept_, {motion.waypoints[0], motion.waypoints[1]}, options);
    if (!found.ok() || found.value().status != PlanStatus::solved) return;
    ++tally_.planned;
    const auto proof = search_->check(found.value().path, scratch_);
    if (!proof.ok() || proof.value().verdict == Verdict::collision)
      complain(tally_.different, "a planner's path collides" + text_of(question));
  }

  std::string text_of(const Question& question) const {
    std::string text = fmt::format(", from known free {}:", question.starts_free);
    const Motion& motion = question.motion.motion;
    for (const auto& q : motion.waypoints) text += fmt::format(" [{:.17g}]", fmt::join(q, ", "));
    if (!motion.inner.empty())
      for (const auto& q : motion.inner[0]) text += fmt::format(" ({:.17g})", fmt::join(q, ", "));
    return text;
  }

  void complain(std::int64_t& counter, const std::string& what) {
    ++counter;
    if (tally_.complaints.size() < 3) tally_.complaints.push_back(name_ + ": " + what);
  }

  const std::string& name_;
  const WindingScene& scene_;
  Tally& tally_;
  std::optional<CheckModel> search_, swept_;
  Scratch scratch_;
};

constexpr const char* name_of(WindingKind kind) {
  switch (kind) {
    case WindingKind::turret:
      return "turret";
    case WindingKind::chain:
      return "chain";
    case WindingKind::coupled:
      return "coupled";
    case WindingKind::stones:
      return "stones";
  }
  return "";
}

Tally run_kind(WindingKind kind, int questions, std::uint64_t seed, int threads, bool many,
               const std::function<void(int)>& progress) {
  const int per_scene = many ? kPerScene : kPerSceneOfFew;
  const std::string name = name_of(kind);
  std::vector<Tally> tallies(static_cast<std::size_t>(threads));
  parallel_for((questions + per_scene - 1) / per_scene, threads, [&](int item, int thread) {
    Random random(seed + 7919 * static_cast<std::uint64_t>(item));
    const int wanted = std::min(per_scene, questions - item * per_scene);
    std::optional<WindingScene> scene;
    for (int tries = 0; tries < 40 && !scene; ++tries) scene = make_winding_scene(kind, random);
    if (scene)
      SceneRun(name, *scene, tallies[static_cast<std::size_t>(thread)]).run(wanted, random);
    progress(wanted);
  });
  Tally all;
  for (const Tally& tally : tallies) all += tally;
  return all;
}

Row row_of(const std::string& name, const Tally& t) {
  Row row;
  row.add("questions of", name).add("scenes", t.scenes).add("questions", t.questions);
  row.add("free", t.free).add("collision", t.collision).add("undecided", t.undecided);
  row.add("28 turns and more, free", t.far_free).add("collision ", t.far_collision);
  row.add("beyond 2^19", t.too_far).add("curves", t.curved).add("tubes", t.tubes);
  row.add("overlaps allowed", t.overlaps).add("settled by sweeps", t.settled);
  row.add("in batches", t.batched).add("settled there", t.batch_settled);
  row.add("sampled", t.sampled).add("planned", t.planned);
  row.add("different", t.different).add("wrong", t.wrong);
  return row;
}

Result<Report> run(const Options& options) {
  const int total = options.cases_or(kQuickQuestions, kQuestions);
  const int threads = options.threads > 0 ? options.threads : default_threads();
  const bool many = total >= 40 * kManyQuestions;
  Report report;
  Tally all;
  std::atomic<int> done = 0;
  const auto progress = [&](int n) { options.progress((done += n) / static_cast<double>(total)); };
  std::uint64_t seed = 1'000'003 * options.seed;
  for (const WindingKind kind : kWindingKinds) {
    if (!options.set.empty() && options.set != name_of(kind)) continue;
    const int share =
        options.set.empty() ? total / static_cast<int>(std::size(kWindingKinds)) : total;
    const Tally tally =
        run_kind(kind, std::max(1, share), seed += 104'729, threads, many, progress);
    report.rows.push_back(row_of(name_of(kind), tally));
    all += tally;
  }
  for (SuiteEntry& robot : real_robot_entries(data_dir())) {
    const bool wanted = options.set.empty() ? total >= kRealFrom : options.set == robot.name;
    if (!wanted || (robot.name != "ur5" && robot.name != "panda")) continue;
    auto loaded = robot.load();
    if (!loaded.ok()) return loaded.error();
    Random random(seed += 104'729);
    const WindingScene scene = unlimited(*loaded.value().scene, random);
    Tally tally;
    SceneRun(robot.name, scene, tally).run(std::min(total, kRealQuestions), random);
    report.rows.push_back(row_of(robot.name, tally));
    all += tally;
  }
  report.rows.push_back(row_of("all", all));
  report.notes.emplace_back(
      "The same question to the search alone, to sweeps before it, to sweeps alone and to a batch "
      "as a GPU would run it. Different: one says free and another collision, or a planner's path "
      "collides. Wrong: free although two bodies are closer than required at some moment, or a "
      "collision where the two bodies are apart, by poses of an evaluator of its own in long "
      "double.");
  for (const std::string& complaint : all.complaints) report.notes.push_back(complaint);
  const bool both = all.far_free > 0 && all.far_collision > 0 && all.overlaps > 0 &&
                    all.tubes > 0 && all.too_far > 0 && all.settled > 0 && all.batch_settled > 0;
  report.failed = all.different + all.wrong > 0 ||
                  (options.set.empty() && all.questions >= kManyQuestions && !both);
  return report;
}

}  // namespace

Benchmark windings() {
  return {"windings",
          "values far from zero: search, sweeps and batches answer random questions alike", run,
          true};
}

}  // namespace proven::bench
