// A million edges for sweeps alone, at the tightest clearances: what is required is chosen from the
// smallest distance along the edge, so that the edge is just free or just not. What a sweep settles
// and where it says that bodies touch is judged by distances at many moments.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "bench/bench.h"
#include "bench/data.h"
#include "bench/suite/sweep_cases.h"
#include "bench/suite/sweep_judge.h"
#include "proven/base/parallel.h"
#include "proven/certify/check.h"

namespace proven::bench {
namespace {

constexpr int kEdges = 1'000'000, kQuickEdges = 3000;
// Per scene, of few edges and of many: what is prepared of a scene serves all of them.
constexpr int kMotions = 3, kMotionsOfMany = 40;
constexpr int kQuestions = 6;
constexpr int kWatched = 10;
// From so many edges on every kind of thing must have occurred.
constexpr int kManyEdges = 2500;
// A robot is not loaded for fewer.
constexpr int kFewEdges = 10;
// One edge in so many that is settled is given to the directional search, too.
constexpr int kSearched = 16;
// Tables for what moves against what moves are made anew for what is required of them. Therefore
// tubes of a scene have one width, and classes that are not asked about require nothing. One scene
// in so many has links that are close by design, of many edges and of few; of many edges most
// scenes are about the world alone. Of a real robot one motion in so many is about its links, which
// takes seconds for each question; one of more pairs than this is asked about the world alone,
// without tubes.
constexpr int kSelfEvery = 4, kSelfEveryOfMany = 64, kMovingEveryOfMany = 16;
constexpr int kRealSelfEvery = 160, kRealSelfEveryOfMany = 3200;
constexpr std::size_t kManyPairs = 500;
constexpr double kRealTube = 1e-3;
// Metres beyond the smallest distance along the edge: below zero the edge is just free.
constexpr double kBeyond[] = {1e-8, 1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3};
constexpr double kBelow[] = {1e-5, 1e-4, 1e-3, 1e-2};
constexpr double kTight = 1.1e-3;

struct Tally {
  std::int64_t edges = 0, settled = 0, open = 0, contacts = 0, unusable = 0;
  std::int64_t violated = 0, just_free = 0, tightly_settled = 0;
  std::int64_t searched = 0, wrong_settled = 0, wrong_contact = 0;
  std::map<std::string, std::int64_t> seen;  // by what is special about the edge
  std::vector<std::string> complaints;

  Tally& operator+=(const Tally& o) {
    edges += o.edges, settled += o.settled, open += o.open, contacts += o.contacts;
    unusable += o.unusable, violated += o.violated, just_free += o.just_free;
    tightly_settled += o.tightly_settled, searched += o.searched;
    wrong_settled += o.wrong_settled, wrong_contact += o.wrong_contact;
    for (const auto& [what, count] : o.seen) seen[what] += count;
    complaints.insert(complaints.end(), o.complaints.begin(), o.complaints.end());
    return *this;
  }
  std::int64_t wrong() const { return wrong_settled + wrong_contact; }
};

// What has to occur.
constexpr const char* kSpecial[] = {
    "degree 1", "degree 2",    "degree 3",     "degree 4", "degree 5",  "tube",     "starts free",
    "self",     "attached",    "world",        "robots",   "contained", "by class", "turns",
    "slides",   "ball joints", "mimic joints", "mesh",     "sphere",    "box",      "cylinder",
    "capsule",  "tight tube",  "shifted",      "2 parts",  "4 parts"};

struct Question {
  Clearances clearance;
  double tube = 0;
  double asked = 0;  // of the pair that is looked at
  bool violated = false;
};

class SceneRun {
 public:
  // `real_self_every`: of motions of a real robot, those about its own links.
  SceneRun(const std::string& name, const Scene& scene, bool real, int real_self_every,
           Tally& tally)
      : name_(name), scene_(scene), real_(real), real_self_every_(real_self_every), tally_(tally) {}

  // Asks about `edges` at most, of these motions or of so many random ones.
  void run(int edges, std::vector<Motion> motions, int any, Random& random) {
    if (motions.empty())
      for (int i = 0; i < any; ++i) motions.push_back(random_sweep_motion(scene_, real_, random));
    tube_ = many_pairs() ? 0 : real_ ? kRealTube : std::pow(10, random.uniform(-3.5, -2));
    find_ranges(motions);
    for (const Motion& motion : motions) {
      if (edges <= 0) return;
      edges -= ask_about(motion, std::min(edges, kQuestions), random);
    }
  }

 private:
  bool many_pairs() const { return scene_.pairs().size() > kManyPairs; }

  void find_ranges(std::span<const Motion> motions) {
    if (real_) return;  // the limits will do, and what is prepared for them is kept
    const auto coordinates = scene_.tree().coordinates();
    ranges_.assign(coordinates.size(), {-1, 1});
    const auto widen = [&](const std::vector<double>& q) {
      for (std::size_t i = 0; i < q.size(); ++i)
        if (!coordinates[i].quaternion)
          ranges_[i] = {std::min(ranges_[i].lower, q[i]), std::max(ranges_[i].upper, q[i])};
    };
    for (const Motion& motion : motions) {
      std::ranges::for_each(motion.waypoints, widen);
      for (const auto& piece : motion.inner) std::ranges::for_each(piece, widen);
    }
  }

  // The pair of a class that comes closest; now and then any that is near.
  std::size_t choose(std::span<const WatchedPair> near, Random& random) const {
    const auto any = static_cast<std::size_t>(random.index(static_cast<int>(near.size())));
    if (random.index(3) == 0) return any;
    std::size_t best = any;
    const auto kind = [&](std::size_t i) {
      return scene_.pairs()[static_cast<std::size_t>(near[i].pair)].kind;
    };
    for (std::size_t i = 0; i < near.size(); ++i)
      if (kind(i) == kind(any) && near[i].least.distance < near[best].least.distance) best = i;
    return best;
  }

  int ask_about(const Motion& motion, int questions, Random& random) {
    SweepTruth truth(scene_, motion);
    std::vector<WatchedPair> near = truth.nearest_pairs(kWatched);
    const std::size_t chosen = choose(near, random);
    const int pair = near[chosen].pair;
    const BodyPair& bodies = scene_.pairs()[static_cast<std::size_t>(pair)];
    const bool self = bodies.kind == PairClass::self;
    if (self && real_ && (many_pairs() || random.index(real_self_every_) != 0)) return 0;
    WatchedPair target = truth.follow(pair, {});
    Question question;
    if (tube_ > 0 && random.index(4) == 0) {
      question.tube = tube_;
      const auto shift = truth.worst_shift(pair, target.least.t, question.tube);
      const WatchedPair shifted = truth.follow(pair, shift);
      if (shifted.least.distance < target.least.distance) ++tally_.seen["shifted"];
      target.samples.insert(target.samples.end(), shifted.samples.begin(), shifted.samples.end());
      if (shifted.least.distance < target.least.distance) target.least = shifted.least;
    }
    near[chosen] = std::move(target);
    for (int i = 0; i < questions; ++i) {
      choose_clearance(near[chosen], bodies.kind, i, question, random);
      ask(motion, truth, near, chosen, question, random);
    }
    return questions;
  }

  static void choose_clearance(const WatchedPair& target, PairClass kind, int i, Question& question,
                               Random& random) {
    const double least = target.least.distance;
    if (i % 2 == 0)
      question.asked = least + kBeyond[random.index(static_cast<int>(std::size(kBeyond)))];
    else
      question.asked =
          std::max(0.0, least - kBelow[random.index(static_cast<int>(std::size(kBelow)))]);
    question.violated = question.asked > least || least == 0;
    const double c = question.asked;
    question.clearance = {random.index(2) == 0 ? 0.5 * c : c, 0, 0, 0};
    (kind == PairClass::world    ? question.clearance.world
     : kind == PairClass::robots ? question.clearance.robots
     : kind == PairClass::self   ? question.clearance.self
                                 : question.clearance.attached) = c;
  }

  double required(int pair, const Question& question) const {
    const BodyPair& p = scene_.pairs()[static_cast<std::size_t>(pair)];
    return std::max(p.clearance, question.clearance.of(p.kind));
  }

  void ask(const Motion& motion, SweepTruth& truth, std::span<const WatchedPair> near,
           std::size_t chosen, const Question& question, Random& random) {
    CheckOptions options;
    options.limits = Limits::ignore;  // random values go where they like
    options.clearance = question.clearance;
    options.tracking_error = question.tube;
    const auto model = CheckModel::build(scene_, options, ranges_);
    if (!model.ok()) return complain(tally_.wrong_settled, model.error().text());
    SegmentQuery segment{motion.waypoints[0], motion.waypoints[1]};
    if (!motion.inner.empty()) segment.inner = motion.inner[0];
    if (!model.value().covers(segment.from) || !model.value().covers(segment.to)) return;
    segment.from_is_free =
        random.index(3) == 0 &&
        model.value().check_configuration(segment.from, scratch_).verdict == Verdict::free;
    // As a whole, or in parts as long segments are.
    const int level =
        std::max(0, random.index(2 * SweepProbe::most_levels() + 1) - SweepProbe::most_levels());
    const SweepProbe::Answer answer = probe_.ask(model.value(), segment, level);
    count(motion, near[chosen], question, segment.from_is_free, answer);
    std::vector<double> needed;
    for (const WatchedPair& watched : near) needed.push_back(required(watched.pair, question));
    if (const std::string fault =
            find_fault(scene_, answer, near, needed, truth, segment.from_is_free);
        !fault.empty())
      complain(answer.contact ? tally_.wrong_contact : tally_.wrong_settled, fault);
    if (answer.settles_all() && random.index(kSearched) == 0) {
      ++tally_.searched;
      if (model.value().check_segment(segment, scratch_).verdict == Verdict::collision)
        complain(tally_.wrong_settled, "all is settled, but the search finds a contact");
    }
  }

  void count(const Motion& motion, const WatchedPair& target, const Question& question,
             bool starts_free, const SweepProbe::Answer& answer) {
    ++tally_.edges;
    tally_.violated += question.violated;
    tally_.just_free += !question.violated;
    const BodyPair& pair = scene_.pairs()[static_cast<std::size_t>(target.pair)];
    if (!answer.usable)
      ++tally_.unusable;
    else if (answer.contact)
      ++tally_.contacts;
    else
      ++(answer.open.empty() ? tally_.settled : tally_.open);
    const bool complete = answer.usable && !answer.contact;
    bool settled = complete;
    for (int part = 0; part < answer.parts; ++part)
      settled = settled && open_chords(answer, pair, part) == 0;
    if (settled && !question.violated && question.asked > target.least.distance - kTight) {
      ++tally_.tightly_settled;
      tally_.seen["tight tube"] += question.tube > 0;
    }
    tally_.seen[fmt::format("degree {}", motion.degree())] += 1;
    if (answer.parts > 1) ++tally_.seen[fmt::format("{} parts", answer.parts)];
    tally_.seen["tube"] += question.tube > 0;
    tally_.seen["starts free"] += starts_free;
    tally_.seen["contained"] += target.contained;
    const Clearances& c = question.clearance;
    tally_.seen["by class"] += c.world != c.robots || c.self > 0;
    count_parts(pair);
  }

  void count_parts(const BodyPair& pair) {
    constexpr const char* kClasses[] = {"world", "robots", "self", "attached"};
    ++tally_.seen[kClasses[static_cast<std::size_t>(pair.kind)]];
    for (const int b : {pair.a, pair.b}) {
      const Body& body = scene_.body(b);
      for (const CollisionElement& element : body.geometry->elements()) {
        constexpr const char* kShapes[] = {"box",  "sphere", "cylinder", "capsule",
                                           "hull", "mesh",   "cloud",    "voxels"};
        ++tally_.seen[kShapes[element.shape.index()]];
      }
      for (int l = body.link; l > 0; l = scene_.tree().link(l).parent) {
        const Joint& joint = scene_.tree().link(l).joint;
        tally_.seen["turns"] += joint.kind == JointKind::revolute;
        tally_.seen["slides"] += joint.kind == JointKind::prismatic;
        tally_.seen["ball joints"] += joint.kind == JointKind::ball;
        tally_.seen["mimic joints"] += joint.multiplier != 1 || joint.offset != 0;
      }
    }
  }

  void complain(std::int64_t& counter, const std::string& what) {
    ++counter;
    if (tally_.complaints.size() < 5) tally_.complaints.push_back(name_ + ": " + what);
  }

  const std::string& name_;
  const Scene& scene_;
  bool real_;
  int real_self_every_;
  Tally& tally_;
  std::vector<Interval> ranges_;
  double tube_ = 0;
  SweepProbe probe_;
  Scratch scratch_;
};

struct Part {
  std::string name;
  SweepKind kind;
  double share;
  std::function<Result<SuiteScene>()> load = {};  // of real robots
};

std::vector<Part> parts_of_suite() {
  std::vector<Part> parts = {{"balls", SweepKind::balls, 0.3},
                             {"arcs", SweepKind::arcs, 0.1},
                             {"trees", SweepKind::trees, 0.26},
                             {"contained", SweepKind::contained, 0.06},
                             {"far", SweepKind::far, 0.16}};
  for (SuiteEntry& robot : real_robot_entries(data_dir()))
    parts.push_back(
        {robot.name, SweepKind::real, robot.name == "pr2" ? 0.005 : 0.04, std::move(robot.load)});
  double sum = 0;
  for (const Part& part : parts) sum += part.share;
  for (Part& part : parts) part.share /= sum;
  return parts;
}

// `robot`: the scene of a real one, or null.
Tally run_part(const Part& part, const std::shared_ptr<const Scene>& robot, int edges,
               std::uint64_t seed, int threads, bool many,
               const std::function<void(int)>& progress) {
  const int motions = many ? kMotionsOfMany : kMotions;
  const int per_scene = motions * kQuestions;
  const int self_every = many ? kSelfEveryOfMany : kSelfEvery;
  std::vector<Tally> tallies(static_cast<std::size_t>(threads));
  std::mutex mutex;
  parallel_for((edges + per_scene - 1) / per_scene, threads, [&](int item, int thread) {
    Tally& tally = tallies[static_cast<std::size_t>(thread)];
    Random random(seed + 7919 * static_cast<std::uint64_t>(item));
    const int wanted = std::min(per_scene, edges - item * per_scene);
    const auto before = tally.edges;
    // Scenes without pairs, and motions that are passed over, ask less.
    for (int tries = 0; tries < 40 && tally.edges - before < wanted; ++tries) {
      SweepScene made{robot, {}};
      const bool with_self = item % self_every == 0 && tries == 0;
      const auto pairs = with_self                                ? SweepPairs::all
                         : many && item % kMovingEveryOfMany != 0 ? SweepPairs::world
                                                                  : SweepPairs::not_self;
      if (!made.scene) made = make_sweep_scene(part.kind, pairs, random);
      if (!made.scene) continue;
      SceneRun(part.name, *made.scene, robot != nullptr,
               many ? kRealSelfEveryOfMany : kRealSelfEvery, tally)
          .run(wanted - static_cast<int>(tally.edges - before), std::move(made.motions),
               with_self && !robot ? kMotions : motions, random);
    }
    const std::scoped_lock lock(mutex);
    progress(wanted);
  });
  Tally all;
  for (const Tally& tally : tallies) all += tally;
  return all;
}

Row row_of(const std::string& name, const Tally& tally) {
  Row row;
  row.add("edges of", name).add("edges", tally.edges);
  row.add("just violated", tally.violated).add("just free", tally.just_free);
  row.add("settled", tally.settled).add("open", tally.open).add("contacts", tally.contacts);
  row.add("unusable", tally.unusable);
  row.add("settled within 1.1 mm", tally.tightly_settled).add("searched", tally.searched);
  row.add("wrong: settled", tally.wrong_settled).add("wrong: contact", tally.wrong_contact);
  return row;
}

Result<Report> run(const Options& options) {
  const int total = options.cases_or(kQuickEdges, kEdges);
  const int threads = options.threads > 0 ? options.threads : default_threads();
  const bool many = total > 10 * kQuickEdges;
  const std::vector<Part> parts = parts_of_suite();
  Report report;
  Tally all;
  double done = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const int edges = std::max(1, static_cast<int>(std::lround(total * parts[i].share)));
    std::shared_ptr<const Scene> robot;
    if (parts[i].load) {
      if (edges < kFewEdges) continue;
      auto loaded = parts[i].load();
      if (!loaded.ok()) return loaded.error();
      robot = std::move(loaded.value().scene);
    }
    const Tally tally =
        run_part(parts[i], robot, edges, 1'000'003 * options.seed + 104'729 * i, threads, many,
                 [&](int n) { options.progress((done += n) / total); });
    report.rows.push_back(row_of(parts[i].name, tally));
    all += tally;
  }
  report.rows.push_back(row_of("all", all));
  std::string seen;
  for (const char* what : kSpecial) {
    seen += fmt::format("{}{} {}", seen.empty() ? "" : ", ", what, all.seen[what]);
    if (all.edges >= kManyEdges && all.seen[what] == 0) {
      report.notes.push_back(fmt::format("no edge was of the kind: {}", what));
      report.failed = true;
    }
  }
  report.notes.emplace_back(
      "What is required is chosen from the smallest distance of one pair along the edge: 1e-8 to "
      "1e-3 m more than that, or 1e-5 to 1e-2 m less. Wrong: a pair is settled on a chord where "
      "it is closer than required, or inside the other, at some sample (or at one of a motion in "
      "the tube, or as the directional search finds); a contact that is none. Motions and poses of "
      "samples are by an evaluator of its own in long double.");
  report.notes.push_back("Edges by kind, of the pair that was looked at: " + seen + ".");
  for (const std::string& complaint : all.complaints) report.notes.push_back(complaint);
  const bool both = all.settled > 0 && all.open > 0 && all.contacts > 0 && all.tightly_settled > 0;
  report.failed = report.failed || all.wrong() > 0 || (all.edges >= kManyEdges && !both);
  return report;
}

}  // namespace

Benchmark sweep_suite() {
  return {"sweep-suite", "a million edges for sweeps alone, at the tightest clearances", run};
}

}  // namespace proven::bench
