// Robots that pass just beside clouds and voxel sets: no `free` may be refuted by a look at every
// ball and every cell at many moments, every collision is confirmed at its witness, every
// certificate is verified, and is rejected where the solids have grown into the way.
#include "bench/suite/sensed_suite.h"

#include <fmt/format.h>

#include <mutex>

#include "bench/bench.h"
#include "bench/suite/brute_force.h"
#include "proven/base/parallel.h"
#include "proven/certify/check.h"
#include "proven/verify/verify.h"

namespace proven::bench {
namespace {

constexpr int kCases = 10'000, kQuickCases = 300;
constexpr int kMoments = 64;
// Poses in long double, and positions of single roundings.
constexpr long double kTolerance = 1e-12L;
constexpr long double kTight = 1e-3L;
// From so many cases on, everything that is looked at must have occurred.
constexpr int kManyCases = 100;

struct Tally {
  std::int64_t cases = 0, free = 0, collision = 0, undecided = 0, tight = 0;
  std::int64_t refuted = 0, unconfirmed = 0, rejected = 0;
  std::int64_t grown = 0, grown_accepted = 0;
  std::vector<std::string> complaints;

  Tally& operator+=(const Tally& o) {
    cases += o.cases, free += o.free, collision += o.collision, undecided += o.undecided;
    tight += o.tight, refuted += o.refuted, unconfirmed += o.unconfirmed, rejected += o.rejected;
    grown += o.grown, grown_accepted += o.grown_accepted;
    complaints.insert(complaints.end(), o.complaints.begin(), o.complaints.end());
    return *this;
  }
  void complain(std::int64_t& counter, std::uint64_t seed, const std::string& what) {
    ++counter;
    if (complaints.size() < 5) complaints.push_back(fmt::format("case {}: {}", seed, what));
  }
};

// Balls and cells that reach into the way: an old certificate must not hold.
void try_grown(const SensedCase& given, const CheckResult& result, long double least,
               std::uint64_t seed, Tally& tally) {
  SensedCase grown = given;
  const double more = static_cast<double>(least) + 1e-3;
  for (ObstacleSource& obstacle : grown.source.obstacles) {
    const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&obstacle.elements[0].shape);
    if (!cloud) return;  // cells grow in one direction, perhaps away
    PointCloud larger = **cloud;
    larger.radius += more;
    obstacle.elements[0].shape = std::make_shared<const PointCloud>(std::move(larger));
  }
  ++tally.grown;
  VerifyOptions options;
  options.clearance = Clearances(given.clearance);
  if (verify(grown.source, given.motion, result.certificate, options).accepted)
    tally.complain(tally.grown_accepted, seed, "the certificate holds of larger balls");
}

void run_case(std::uint64_t seed, Tally& tally) {
  Random random(seed);
  const SensedCase made = random_sensed_case(random);
  const auto scene = build_scene(made.source);
  if (!scene.ok()) return tally.complain(tally.refuted, seed, scene.error().text());
  CheckOptions options;
  options.limits = Limits::ignore;  // random values go where they like
  options.clearance = Clearances(made.clearance);
  options.certificate = true;
  Scratch scratch;
  const auto checked = check(scene.value(), made.motion, options, scratch);
  if (!checked.ok()) return tally.complain(tally.refuted, seed, checked.error().text());
  const CheckResult& result = checked.value();
  ++tally.cases;
  if (result.verdict == Verdict::undecided) {
    ++tally.undecided;
    return;
  }
  VerifyOptions asked;
  asked.clearance = options.clearance;
  const VerifyReport report = verify(made.source, made.motion, result.certificate, asked);
  if (!report.accepted) tally.complain(tally.rejected, seed, report.reason);
  if (result.verdict == Verdict::collision) {
    ++tally.collision;
    if (!meets(scene.value(), *result.collision, made.clearance))
      tally.complain(tally.unconfirmed, seed, "the bodies do not meet at the witness");
    return;
  }
  ++tally.free;
  const long double least =
      least_sensed_distance(scene.value(), made.source, made.motion, kMoments) - made.clearance;
  tally.tight += least < kTight;
  if (!(least > -kTolerance))
    tally.complain(tally.refuted, seed,
                   fmt::format("free, but {:.3g} m are missing", static_cast<double>(-least)));
  else if (std::isfinite(least))
    try_grown(made, result, least, seed, tally);
}

Result<Report> run(const Options& options) {
  const int cases = options.cases_or(kQuickCases, kCases);
  const int threads = options.threads > 0 ? options.threads : default_threads();
  std::vector<Tally> of_threads(static_cast<std::size_t>(threads));
  std::mutex mutex;
  int done = 0;
  parallel_for(cases, threads, [&](int item, int thread) {
    run_case(options.seed * 1'000'003 + static_cast<std::uint64_t>(item),
             of_threads[static_cast<std::size_t>(thread)]);
    const std::lock_guard lock(mutex);
    options.progress(static_cast<double>(++done) / cases);
  });
  Tally all;
  for (const Tally& tally : of_threads) all += tally;
  Report report;
  report.rows.emplace_back()
      .add("cases", all.cases)
      .add("free", all.free)
      .add("tight", all.tight)
      .add("collision", all.collision)
      .add("undecided", all.undecided)
      .add("refuted", all.refuted)
      .add("unconfirmed", all.unconfirmed)
      .add("rejected", all.rejected)
      .add("grown", all.grown)
      .add("grown accepted", all.grown_accepted);
  report.notes.push_back(
      "tight: free by less than a millimetre. refuted: a ball or cell meets a link at one of many "
      "moments. grown: balls made as large as the gap and a millimetre more.");
  report.notes.insert(report.notes.end(), all.complaints.begin(), all.complaints.end());
  const bool all_seen =
      cases < kManyCases || (all.free > 0 && all.collision > 0 && all.tight > 0 && all.grown > 0);
  if (!all_seen) report.notes.push_back("not everything that is looked at has occurred");
  report.failed =
      !all_seen || all.refuted + all.unconfirmed + all.rejected + all.grown_accepted > 0;
  return report;
}

}  // namespace

Benchmark sensed_suite() {
  return {"sensed-suite",
          "robots just beside clouds and voxel sets: every free judged by all balls and cells",
          run};
}

}  // namespace proven::bench
