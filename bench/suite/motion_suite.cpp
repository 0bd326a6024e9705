// Random motions of every kind: degrees 1 to 5, several pieces, all joint types, mimic joints, two
// robots, obstacles that move and grow by the clock. Every `free` is confirmed by dense samples of
// an evaluator written from the definitions, every `collision` by brute force at its witness, every
// certificate by the verifier; certificates are also tried on motions that they were not made for.
#include <fmt/format.h>

#include <mutex>

#include "bench/bench.h"
#include "bench/suite/brute_force.h"
#include "bench/suite/fcl_oracle.h"
#include "bench/suite/random_parts.h"
#include "bench/suite/twin.h"
#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/certify/check.h"
#include "proven/verify/verify.h"

namespace proven::bench {
namespace {

using Real = long double;

// ---- making cases

struct Case {
  SceneSource source;
  Motion motion;
  double clearance = 0;
  double tracking_error = 0;
};

constexpr double kBegin = 0.5, kEnd = 2.5;  // of timed motions, in seconds

// Nothing if the random parts make no scene.
std::optional<Case> random_case(Random& random) {
  Case result;
  SceneSource& source = result.source;
  for (int i = random.index(3) == 0 ? 2 : 1; i > 0; --i)
    source.robots.push_back(
        {fmt::format("r{}", i), random_robot(random), random_pose(random, 0.4)});
  for (int i = 1 + random.index(4); i > 0; --i)
    source.obstacles.push_back({fmt::format("o{}", i),
                                {{random_shape(random, 0.3), Pose{}, "o"}},
                                random_pose(random, 1.5)});
  const bool clock = random.index(3) == 0;
  if (clock) {
    static const std::vector<Coordinate> kFloating = [] {
      std::vector<Coordinate> all(7);
      for (std::size_t i = 3; i < 7; ++i) all[i].quaternion = true;
      return all;
    }();
    for (int i = 1 + random.index(2); i > 0; --i) {
      ObstacleSource mover{fmt::format("m{}", i),
                           {{random_shape(random, 0.2), Pose{}, "m"}},
                           random_pose(random, 1)};
      MotionMaker maker(kFloating, random, 0.5);
      if (random.index(4) > 0)
        mover.motion = std::make_shared<const Motion>(
            maker.make(random.uniform(-1, 1), random.uniform(1.5, 4), true));
      if (mover.motion && random.index(3) == 0) mover.late = random.uniform(0.01, 1.0);
      if (!mover.motion || random.index(3) == 0) mover.grows = random.uniform(0.01, 0.2);
      source.obstacles.push_back(std::move(mover));
    }
  }
  if (random.index(4) == 0) result.clearance = random.uniform(0.001, 0.05);
  if (random.index(6) == 0) result.tracking_error = random.uniform(0.0001, 0.01);
  const auto scene = build_scene(source);
  if (!scene.ok() || scene.value().pairs().empty()) return std::nullopt;
  MotionMaker maker(scene.value().tree().coordinates(), random,
                    std::pow(10.0, random.uniform(-2, -0.2)));
  result.motion = maker.make(kBegin, kEnd, clock);
  const auto home = scene.value().home();
  for (const TimedPart& part : scene.value().timed()) {
    const auto set = [&](std::vector<double>& q, bool control) {
      for (int i = part.first; i < part.first + part.count; ++i)
        q[static_cast<std::size_t>(i)] = control ? 0 : home[static_cast<std::size_t>(i)];
    };
    for (auto& q : result.motion.waypoints) set(q, false);
    for (auto& points : result.motion.inner)
      for (auto& q : points) set(q, true);
  }
  if (!clock && random.index(2) == 0) result.motion.times.clear();
  return result;
}

// All of a scene at a moment: a place on the motion, or a time by the clock.
class Evaluator {
 public:
  Evaluator(const Scene& scene, const Motion& motion) : scene_(scene), motion_(motion) {}

  std::vector<double> on_piece(std::size_t piece, Real s) const {
    std::vector<double> q(scene_.home().size());
    evaluate(scene_.tree().coordinates(), motion_, piece, s, q, 0);
    return q;
  }
  // `delays`: how late each timed part is; empty: not at all.
  std::vector<double> at_time(double time, std::span<const double> delays) const {
    const auto [piece, s] = place(motion_, time);
    std::vector<double> q = on_piece(piece, s);
    for (std::size_t i = 0; i < scene_.timed().size(); ++i) {
      const TimedPart& part = scene_.timed()[i];
      const Real delay = delays.empty() ? 0 : delays[i];
      const auto [own, share] = place(*part.motion, Real(time) - delay);
      evaluate(scene_.tree().coordinates().subspan(static_cast<std::size_t>(part.first),
                                                   static_cast<std::size_t>(part.count)),
               *part.motion, own, share, q, part.first);
    }
    return q;
  }

 private:
  static std::pair<std::size_t, Real> place(const Motion& motion, Real time) {
    const auto& times = motion.times;
    if (times.size() < 2 || time <= times.front()) return {0, 0};
    std::size_t i = 0;
    while (i + 2 < times.size() && times[i + 1] < time) ++i;
    return {i, std::min<Real>(1, (time - times[i]) / (Real(times[i + 1]) - times[i]))};
  }
  const Scene& scene_;
  const Motion& motion_;
};

// ---- judging

struct Tally {
  std::int64_t motions = 0, free = 0, collision = 0, undecided = 0, refused = 0;
  std::int64_t by_degree[kMaxDegree + 1] = {};
  std::int64_t clock = 0, late = 0, growing = 0, two_robots = 0;
  std::int64_t wrong_free = 0, wrong_collision = 0;
  std::int64_t certificates = 0, rejected = 0;
  std::int64_t misused = 0, misused_accepted = 0, misused_wrong = 0;
  std::vector<std::string> complaints;

  Tally& operator+=(const Tally& o) {
    motions += o.motions, free += o.free, collision += o.collision, undecided += o.undecided;
    refused += o.refused;
    for (int d = 0; d <= kMaxDegree; ++d) by_degree[d] += o.by_degree[d];
    clock += o.clock, late += o.late, growing += o.growing, two_robots += o.two_robots;
    wrong_free += o.wrong_free, wrong_collision += o.wrong_collision;
    certificates += o.certificates, rejected += o.rejected;
    misused += o.misused, misused_accepted += o.misused_accepted, misused_wrong += o.misused_wrong;
    complaints.insert(complaints.end(), o.complaints.begin(), o.complaints.end());
    return *this;
  }
};

class Judge {
 public:
  Judge(const Case& c, const Scene& scene, std::uint64_t seed, Tally& tally)
      : case_(c), scene_(scene), seed_(seed), tally_(tally), model_(scene), oracle_(model_) {}

  void run(Random& random) {
    CheckOptions options;
    options.limits = Limits::ignore;  // random values go where they like
    options.clearance = Clearances::everywhere(case_.clearance);
    options.tracking_error = case_.tracking_error;
    options.certificate = true;
    options.max_cells = 200'000;
    Scratch scratch;
    const auto result = check(scene_, case_.motion, options, scratch);
    ++tally_.motions;
    if (!result.ok()) {  // a turn that cannot be put on the clock
      ++tally_.refused;
      return;
    }
    ++tally_.by_degree[case_.motion.degree()];
    tally_.clock += !scene_.timed().empty();
    tally_.late += scene_.may_be_late();
    tally_.two_robots += case_.source.robots.size() > 1;
    tally_.growing +=
        std::ranges::any_of(scene_.bodies(), [](const Body& b) { return b.grows > 0; });
    const Verdict verdict = result.value().verdict;
    ++(verdict == Verdict::free        ? tally_.free
       : verdict == Verdict::collision ? tally_.collision
                                       : tally_.undecided);
    if (verdict == Verdict::undecided) return;
    if (verdict == Verdict::free) {
      if (const std::string where = sampled_contact(case_.motion); !where.empty())
        complain(tally_.wrong_free, where);
    } else if (!confirmed(*result.value().collision)) {
      complain(tally_.wrong_collision, "the witness does not hold");
    }
    verify(result.value(), random);
  }

 private:
  static constexpr int kSamples = 60, kCloseSamples = 8;

  double required(const BodyPair& pair, double time) const {
    const double asked = case_.clearance;
    return std::max(pair.clearance, asked) +
           (scene_.body(pair.a).grows + scene_.body(pair.b).grows) * time;
  }

  // Where the bodies meet, or are closer than required, at a sample; empty if nowhere.
  std::string sampled_contact(const Motion& motion) {
    const Evaluator evaluator(scene_, motion);
    const bool clock = !scene_.timed().empty();
    const std::size_t pieces = std::max<std::size_t>(1, motion.waypoints.size() - 1);
    const bool close = case_.clearance > 0 || clock;
    for (std::size_t piece = 0; piece < pieces; ++piece)
      for (int i = 0; i <= kSamples; ++i) {
        const double s = static_cast<double>(i) / kSamples;
        double time = 0;
        if (clock) time = motion.times[piece] + s * (motion.times[piece + 1] - motion.times[piece]);
        const std::vector<double> q =
            clock ? evaluator.at_time(time, some_start()) : evaluator.on_piece(piece, s);
        if (const int pair = oracle_.first_collision(q); pair >= 0 && !apart(q, pair, 0))
          return fmt::format("said free, but pair {} meets on piece {} at {}", pair, piece, s);
        if (!close || i % (kSamples / kCloseSamples) != 0) continue;
        for (int pair = 0; pair < static_cast<int>(scene_.pairs().size()); ++pair)
          if (const double c = required(scene_.pairs()[static_cast<std::size_t>(pair)], time);
              c > 0 && !apart(q, pair, c - 1e-8))
            return fmt::format("said free, but pair {} is closer than {} on piece {} at {}", pair,
                               c, piece, s);
      }
    return "";
  }

  // A start of all that may be late: now and then the first or the last one.
  std::vector<double> some_start() {
    std::vector<double> delays;
    for (const TimedPart& part : scene_.timed()) {
      const double share = starts_.uniform(-0.2, 1.2);
      delays.push_back(part.late * std::clamp(share, 0.0, 1.0));
    }
    return delays;
  }

  bool apart(const std::vector<double>& q, int pair, double clearance) const {
    const BodyPair& p = scene_.pairs()[static_cast<std::size_t>(pair)];
    return BruteForce(scene_, q, p.a, p.b).apart(clearance);
  }

  bool confirmed(const Witness& witness) const {
    const Evaluator evaluator(scene_, case_.motion);
    const bool clock = !scene_.timed().empty();
    const std::vector<double> q =
        clock ? evaluator.at_time(witness.time, witness.delays)
              : evaluator.on_piece(static_cast<std::size_t>(witness.segment), witness.t);
    std::vector<Frame<Real>> there, said;
    twin_poses<Real>(scene_.tree(), std::vector<Real>(q.begin(), q.end()), there);
    twin_poses<Real>(scene_.tree(),
                     std::vector<Real>(witness.configuration.begin(), witness.configuration.end()),
                     said);
    for (std::size_t i = 0; i < there.size(); ++i)
      if (!((there[i].matrix() - said[i].matrix()).norm() < 1e-10L)) return false;
    double c = 0;
    for (const BodyPair& pair : scene_.pairs())
      if (pair.a == witness.bodies[0] && pair.b == witness.bodies[1])
        c = required(pair, clock ? witness.time : 0);
    return meets(scene_, witness, c * (1 + 1e-12));
  }

  void verify(const CheckResult& result, Random& random) {
    VerifyOptions options;
    options.clearance = Clearances::everywhere(case_.clearance);
    options.tracking_error = result.verdict == Verdict::free ? case_.tracking_error : 0;
    Verifier verifier(case_.source, options);
    ++tally_.certificates;
    const VerifyReport report = verifier.verify(case_.motion, result.certificate);
    if (!report.accepted) complain(tally_.rejected, "the verifier says: " + report.reason);
    if (result.verdict != Verdict::free) return;
    // The same proof for another motion: if it is accepted, that one must be free, too.
    Motion other = case_.motion;
    const std::size_t piece =
        static_cast<std::size_t>(random.index(static_cast<int>(other.inner.size())));
    auto& row = other.inner[piece].empty()
                    ? other.waypoints[piece]
                    : other.inner[piece][static_cast<std::size_t>(
                          random.index(static_cast<int>(other.inner[piece].size())))];
    const auto i = static_cast<std::size_t>(random.index(static_cast<int>(row.size())));
    if (scene_.tree().coordinates()[i].quaternion || scene_.follows_clock(static_cast<int>(i)))
      return;
    row[i] += std::pow(10.0, random.uniform(-3, 0)) * (random.index(2) == 0 ? 1 : -1);
    ++tally_.misused;
    if (!verifier.verify(other, result.certificate).accepted) return;
    ++tally_.misused_accepted;
    if (const std::string where = sampled_contact(other); !where.empty())
      complain(tally_.misused_wrong, "another motion was accepted: " + where);
  }

  void complain(std::int64_t& count, const std::string& what) {
    ++count;
    tally_.complaints.push_back(fmt::format("seed {}: {}", seed_, what));
  }

  const Case& case_;
  const Scene& scene_;
  std::uint64_t seed_;
  Tally& tally_;
  FclModel model_;
  FclOracle oracle_;
  Random starts_{seed_};
};

Result<Report> run(const Options& options) {
  const int count = options.cases_or(400, 100'000);
  const int threads = options.threads > 0 ? options.threads : default_threads();
  std::vector<Tally> tallies(static_cast<std::size_t>(threads));
  std::mutex mutex;
  int done = 0;
  parallel_for(count, threads, [&](int item, int thread) {
    const std::uint64_t seed = options.seed * 1'000'003 + static_cast<std::uint64_t>(item);
    Random random(seed);
    std::optional<Case> c;
    while (!c) c = random_case(random);
    const auto scene = build_scene(c->source);
    Judge(*c, scene.value(), seed, tallies[static_cast<std::size_t>(thread)]).run(random);
    const std::scoped_lock lock(mutex);
    if (++done % 64 == 0) options.progress(static_cast<double>(done) / count);
  });
  Tally all;
  for (const Tally& tally : tallies) all += tally;
  Report report;
  Row& row = report.rows.emplace_back();
  row.add("motions", all.motions).add("free", all.free).add("collision", all.collision);
  row.add("undecided", all.undecided).add("refused", all.refused);
  for (int d = 1; d <= kMaxDegree; ++d) row.add(fmt::format("degree {}", d), all.by_degree[d]);
  row.add("by the clock", all.clock)
      .add("late", all.late)
      .add("growing", all.growing)
      .add("two robots", all.two_robots);
  row.add("wrong_free", all.wrong_free).add("wrong_collision", all.wrong_collision);
  row.add("certificates", all.certificates).add("rejected", all.rejected);
  row.add("misused", all.misused).add("misused, accepted", all.misused_accepted);
  row.add("misused, wrong", all.misused_wrong);
  report.notes = {
      "free is confirmed at samples by an evaluator of its own (Bernstein sums in long double), "
      "FCL "
      "and brute force; collision by brute force at the witness. misused: the certificate of a "
      "free "
      "motion with one control point of the motion changed; where it is accepted all the same, "
      "that "
      "motion is sampled."};
  for (const std::string& complaint : all.complaints) report.notes.push_back(complaint);
  report.failed = all.wrong_free + all.wrong_collision + all.rejected + all.misused_wrong > 0 ||
                  all.refused > all.motions / 1000 + 1;
  return report;
}

}  // namespace

Benchmark motion_suite() {
  return {"motion-suite", "random curved motions of all kinds with every verdict confirmed", run};
}

}  // namespace proven::bench
