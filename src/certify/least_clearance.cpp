#include "proven/certify/least_clearance.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "pair_distances.h"
#include "proven/certify/check.h"
#include "proven/kinematics/interpolation.h"

namespace proven {
namespace {

constexpr std::size_t kClasses = kPairClasses;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostPairs = 16;
constexpr int kMostTries = 48;  // of one stretch; a try halves what is open, or almost
constexpr double kFirstSlack = 0.0625, kEnoughSlack = 0.125;  // of the tolerance

double& value_of(Clearances& clearances, std::size_t kind) {
  switch (static_cast<PairClass>(kind)) {
    case PairClass::world:
      return clearances.world;
    case PairClass::robots:
      return clearances.robots;
    case PairClass::self:
      return clearances.self;
    case PairClass::attached:
      return clearances.attached;
  }
  return clearances.world;
}

// What is required of one class or pair while the largest that can be proved is sought.
struct Sought {
  double proved = 0;          // holds
  double failed = kInfinity;  // could not be proved
  double upper = kInfinity;   // measured
  double slack = 0;           // below `upper`, of the next try

  // How close the bounds should come, and how close the first try puts them.
  static double aim(const LeastClearanceOptions& options, double upper) {
    return std::max(options.tolerance, options.relative * upper);
  }
  // Small distances are sought more finely: of half a millimetre a millimetre says nothing.
  static double fine(const LeastClearanceOptions& options, double upper) {
    return std::min(aim(options, upper), std::max(0.25 * upper, 1e-5));
  }
  double next(const LeastClearanceOptions& options) const {
    if (!(upper < kInfinity)) return proved;
    const double want = fine(options, upper);
    if (upper - proved <= kEnoughSlack * want) return proved;
    const double c = upper - std::max(slack, kFirstSlack * want);
    if (c > proved && c < failed) return c;
    const bool enough = upper - proved <= want || failed - proved <= kEnoughSlack * want;
    return enough || !(failed < kInfinity) ? proved : proved + 0.5 * (failed - proved);
  }
  // The search did not prove `tried`; `measured` is the distance where it gave up.
  void fail(const LeastClearanceOptions& options, double tried, double measured) {
    failed = std::min(failed, tried);
    const double want = fine(options, upper);
    if (measured >= upper - 0.25 * want) slack = 2 * std::max(slack, kFirstSlack * want);
    upper = std::min(upper, measured);
  }
};

class Search {
 public:
  Search(const Scene& scene, const Motion& motion, const LeastClearanceOptions& options,
         const CheckModel& model, const Budget& budget)
      : scene_(scene),
        motion_(motion),
        options_(options),
        model_(model),
        budget_(budget),
        measured_(scene, model.data()) {
    required_.fill(kInfinity);
    for (const BodyPair& pair : scene.pairs()) {
      double& least = required_[index_of(pair.kind)];
      least = std::min(least, required_of(pair, options.check.clearance.of(pair.kind)));
    }
  }

  Result<LeastClearance> run() {
    const auto start = std::chrono::steady_clock::now();
    LeastClearance all;
    auto base = check(model_, motion_);
    if (!base.ok()) return base.error();
    all.verdict = base.value().verdict;
    if (all.verdict == Verdict::free && !scene_.pairs().empty()) {
      if (auto done = measure_and_prove(all); !done.ok()) return done.error();
      std::array<double, kClasses> proved;
      proved.fill(-kInfinity);
      for (const ClassClearance& of_class : all.classes)
        proved[index_of(of_class.kind)] = of_class.bounds.at_least;
      auto pairs = prove_pairs(nullptr, proved, kMostPairs);
      if (!pairs.ok()) return pairs.error();
      all.pairs = std::move(pairs).value();
      for (const ClearanceBounds& pair : all.pairs) {
        lower_measured(pair, all.least);
        lower_measured(pair, all.segments[static_cast<std::size_t>(pair.segment)]);
        for (ClassClearance& of_class : all.classes)
          if (of_class.kind == scene_.pair_class(pair.bodies[0], pair.bodies[1]))
            lower_measured(pair, of_class.bounds);
      }
    }
    finish(all);
    all.searches = searches_;
    all.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return all;
  }

 private:
  // What is required of a pair if its class must keep `asked`.
  static double required_of(const BodyPair& pair, double asked) {
    return asked > 0 ? std::max(pair.clearance, asked) : pair.clearance;
  }
  double required_of(std::size_t kind, double asked) const {
    double least = kInfinity;
    for (const BodyPair& pair : scene_.pairs())
      if (index_of(pair.kind) == kind) least = std::min(least, required_of(pair, asked));
    return least;
  }

  Result<CheckResult> check(const CheckModel& model, const Motion& motion) {
    ++searches_;
    return model.check(motion, scratch_, budget_);
  }

  // How long each segment is: in seconds, or by how far its joints move.
  std::vector<double> lengths() const {
    std::vector<double> all(static_cast<std::size_t>(std::max(1, motion_.num_segments())), 0);
    for (std::size_t i = 0; i + 1 < motion_.waypoints.size(); ++i) {
      if (!motion_.times.empty()) {
        all[i] = motion_.times[i + 1] - motion_.times[i];
        continue;
      }
      for (std::size_t c = 0; c < motion_.waypoints[i].size(); ++c)
        all[i] += std::fabs(motion_.waypoints[i + 1][c] - motion_.waypoints[i][c]);
    }
    return all;
  }

  // Into how many parts each segment is cut.
  std::vector<int> parts() const {
    const std::vector<double> length = lengths();
    const double whole = std::accumulate(length.begin(), length.end(), 0.0);
    std::vector<int> counts(length.size(), 1);
    const bool turns = std::ranges::any_of(scene_.tree().coordinates(), &Coordinate::quaternion);
    if (!scene_.timed().empty() || (turns && !motion_.straight()) || !(whole > 0)) return counts;
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] = std::clamp(static_cast<int>(std::lround(options_.stretches * length[i] / whole)),
                             1, options_.stretches);
    return counts;
  }

  Result<void> measure_and_prove(LeastClearance& all) {
    const std::vector<int> counts = parts();
    const int segments = static_cast<int>(counts.size());
    const int total = std::accumulate(counts.begin(), counts.end(), 0);
    const int samples = std::clamp(2 * options_.stretches / total, 2, 32);
    int done_parts = 0;
    all.segments.resize(counts.size());
    std::array<ClearanceBounds, kClasses> classes;
    for (int segment = 0; segment < segments; ++segment) {
      const int count = counts[static_cast<std::size_t>(segment)];
      for (int k = 0; k < count; ++k) {
        const MotionPart part =
            part_of(scene_.tree(), motion_, segment, static_cast<double>(k) / count,
                    k + 1 == count ? 1.0 : static_cast<double>(k + 1) / count);
        PairDistances::Nearest nearest;
        measured_.begin_part();
        if (auto done = sample(part, samples, nearest); !done.ok()) return done;
        if (auto done = prove(part, nearest); !done.ok()) return done;
        ClearanceStretch stretch{segment, part.begin, part.end, {}, {}};
        if (auto done = prove_nearest(part, nearest, stretch); !done.ok()) return done;
        for (std::size_t i = 0; i < kClasses; ++i) {
          lower_to(nearest[i], stretch.bounds);
          lower_to(nearest[i], classes[i]);
        }
        lower_to(stretch.bounds, all.segments[static_cast<std::size_t>(segment)]);
        lower_to(stretch.bounds, all.least);
        all.stretches.push_back(std::move(stretch));
        budget_.report("clearance", ++done_parts, total);
      }
    }
    for (std::size_t i = 0; i < kClasses; ++i)
      if (required_[i] < kInfinity) all.classes.push_back({static_cast<PairClass>(i), classes[i]});
    return {};
  }

  Result<void> prove_nearest(const MotionPart& part, PairDistances::Nearest& nearest,
                             ClearanceStretch& stretch) {
    if (options_.nearest <= 0) return {};
    std::array<double, kClasses> proved;
    for (std::size_t i = 0; i < kClasses; ++i)
      proved[i] = required_[i] < kInfinity ? nearest[i].at_least : -kInfinity;
    auto pairs = prove_pairs(&part, proved, static_cast<std::size_t>(options_.nearest));
    if (!pairs.ok()) return pairs.error();
    stretch.pairs = std::move(pairs).value();
    for (const ClearanceBounds& pair : stretch.pairs)
      lower_measured(pair, nearest[index_of(scene_.pair_class(pair.bodies[0], pair.bodies[1]))]);
    return {};
  }

  // Distances at both ends and between.
  Result<void> sample(const MotionPart& part, int samples, PairDistances::Nearest& nearest) {
    const auto full = scene_.on_one_clock(part.motion);
    if (!full.ok()) return full.error();
    const Motion& all = full.value();
    const int pieces = std::max(1, all.num_segments());
    const int each = std::max(2, samples / pieces);
    std::vector<double> q(scene_.home().size());
    for (int piece = 0; piece < pieces; ++piece)
      for (int k = 0; k <= each; ++k) {
        const double s = static_cast<double>(k) / each;
        interpolate(scene_.tree(), all.piece(piece), s, q);
        const auto i = static_cast<std::size_t>(piece);
        double time = 0;
        if (!all.times.empty())
          time = all.times[i] +
                 (i + 1 < all.times.size() ? s * (all.times[i + 1] - all.times[i]) : 0.0);
        measured_.sample(part, q, time, s, nearest);
        // One waypoint alone does not move.
        if (all.waypoints.size() == 1) return {};
      }
    return {};
  }

  CheckOptions search_options(const Clearances& clearance, double error, double finest) const {
    CheckOptions options = options_.check;
    options.certificate = options.first = options.explain = options.sweep = false;
    options.clearance = clearance;
    options.resolution = std::max(options.resolution, 0.1 * kFirstSlack * finest);
    // A part is proved with a tube of the width of its rounding, so that the proof is about the
    // motion itself.
    if (error > 0) {
      options.tracking_error.general += error;
      for (auto& [joint, own] : options.tracking_error.joints) own += error;
    }
    return options;
  }

  // Fills in what can be proved of every class along the part.
  Result<void> prove(const MotionPart& part, PairDistances::Nearest& nearest) {
    std::array<Sought, kClasses> sought;
    for (std::size_t i = 0; i < kClasses; ++i) {
      Clearances asked = options_.check.clearance;
      sought[i].proved = value_of(asked, i);
      sought[i].upper = nearest[i].at_most;
    }
    for (int tries = 0; tries < kMostTries && !budget_.stopped(); ++tries) {
      Clearances c;
      bool more = false;
      double finest = kInfinity;
      for (std::size_t i = 0; i < kClasses; ++i) {
        value_of(c, i) = sought[i].next(options_);
        more = more || value_of(c, i) > sought[i].proved;
        if (sought[i].upper < kInfinity)
          finest = std::min(finest, Sought::fine(options_, sought[i].upper));
      }
      if (!more) break;
      const auto model = CheckModel::build(scene_, search_options(c, part.error, finest));
      if (!model.ok()) return model.error();
      const auto result = check(model.value(), part.motion);
      if (!result.ok()) return result.error();
      if (result.value().verdict == Verdict::free) {
        for (std::size_t i = 0; i < kClasses; ++i) sought[i].proved = value_of(c, i);
        continue;
      }
      if (budget_.stopped()) break;
      lower_where(part, result.value(), c, sought, nearest);
    }
    for (std::size_t i = 0; i < kClasses; ++i)
      if (required_[i] < kInfinity) nearest[i].at_least = required_of(i, sought[i].proved);
    return {};
  }

  // The search could not prove what was tried: of the pair where it stopped less is required.
  void lower_where(const MotionPart& part, const CheckResult& result, Clearances tried,
                   std::array<Sought, kClasses>& sought, PairDistances::Nearest& nearest) {
    const Place place = place_of(result);
    const int pair = place.bodies[0] >= 0 ? measured_.find(place.bodies) : -1;
    if (pair < 0) {  // which it was is not known
      for (std::size_t i = 0; i < kClasses; ++i)
        if (value_of(tried, i) > sought[i].proved)
          sought[i].fail(options_, value_of(tried, i), kInfinity);
      return;
    }
    const double distance =
        measured_.look(part, pair, place.configuration, place.time, place.t, nearest);
    const std::size_t i = index_of(scene_.pairs()[static_cast<std::size_t>(pair)].kind);
    if (value_of(tried, i) > sought[i].proved) {
      sought[i].fail(options_, value_of(tried, i), distance);
      return;
    }
    // A tube that is wider by the rounding of a cut is all that can be in the way here.
    for (std::size_t k = 0; k < kClasses; ++k) sought[k].failed = sought[k].proved;
  }

  struct Place {
    std::array<int, 2> bodies = {-1, -1};
    std::span<const double> configuration;
    double t = 0, time = 0;
  };
  static Place place_of(const CheckResult& result) {
    if (const auto& w = result.collision) return {w->bodies, w->configuration, w->t, w->time};
    if (const auto& u = result.undecided) return {u->bodies, u->configuration, u->t, u->time};
    return {};
  }

  // Each of these pairs on its own, along one part or (null) the whole motion. All of a class are
  // known to keep what `proved` says of it.
  Result<std::vector<ClearanceBounds>> prove_pairs(const MotionPart* part,
                                                   const std::array<double, kClasses>& proved,
                                                   std::size_t most) {
    const std::vector<ClearanceBounds>& measured = part ? measured_.of_part() : measured_.pairs();
    const auto of = [&](int i) -> const ClearanceBounds& {
      return measured[static_cast<std::size_t>(i)];
    };
    std::vector<int> chosen(measured.size());
    std::iota(chosen.begin(), chosen.end(), 0);
    std::erase_if(chosen, [&](int i) { return !(of(i).at_most < kInfinity); });
    std::ranges::stable_sort(chosen, {}, [&](int i) { return of(i).at_most; });
    chosen.resize(std::min(chosen.size(), most));
    std::vector<Sought> sought;
    for (const int i : chosen) {
      const BodyPair& pair = scene_.pairs()[static_cast<std::size_t>(i)];
      const double required = required_of(pair, options_.check.clearance.of(pair.kind));
      sought.push_back({std::max(required, proved[index_of(pair.kind)]), kInfinity, of(i).at_most});
    }
    if (auto done = raise(part, chosen, sought); !done.ok()) return done.error();
    std::vector<ClearanceBounds> bounds;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      bounds.push_back(of(chosen[k]));
      bounds.back().at_least = sought[k].proved;
    }
    std::ranges::stable_sort(bounds, {}, &ClearanceBounds::at_most);
    return bounds;
  }

  Result<void> raise(const MotionPart* part, const std::vector<int>& chosen,
                     std::vector<Sought>& sought) {
    Scene scene = scene_;
    std::vector<double> tried(chosen.size(), -kInfinity);
    for (int tries = 0; tries < kMostTries && !budget_.stopped(); ++tries) {
      bool more = false;
      double finest = kInfinity;
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        const BodyPair& pair = scene_.pairs()[static_cast<std::size_t>(chosen[k])];
        const double c = sought[k].next(options_);
        finest = std::min(finest, Sought::fine(options_, sought[k].upper));
        more = more || c > sought[k].proved;
        const double wanted = std::max(c, pair.clearance);
        if (wanted == tried[k]) continue;
        auto edited =
            scene.with_pair_clearance(scene.body(pair.a).name, scene.body(pair.b).name, wanted);
        if (!edited.ok()) return edited.error();
        scene = std::move(edited).value();
        tried[k] = wanted;
      }
      if (!more) break;
      const double error = part ? part->error : 0;
      const auto model =
          CheckModel::build(scene, search_options(options_.check.clearance, error, finest));
      if (!model.ok()) return model.error();
      const auto result = check(model.value(), part ? part->motion : motion_);
      if (!result.ok()) return result.error();
      if (result.value().verdict == Verdict::free) {
        for (std::size_t k = 0; k < chosen.size(); ++k)
          sought[k].proved = std::max(sought[k].proved, tried[k]);
        continue;
      }
      if (budget_.stopped() || !lower_pair(part, result.value(), chosen, tried, sought)) break;
    }
    return {};
  }
  bool lower_pair(const MotionPart* part, const CheckResult& result, const std::vector<int>& chosen,
                  const std::vector<double>& tried, std::vector<Sought>& sought) {
    const Place place = place_of(result);
    const int pair = place.bodies[0] >= 0 ? measured_.find(place.bodies) : -1;
    const auto found = std::ranges::find(chosen, pair);
    if (found == chosen.end()) return false;
    const auto k = static_cast<std::size_t>(found - chosen.begin());
    PairDistances::Nearest unused;
    const MotionPart at = part ? MotionPart{} : place_on_motion(result);
    const double distance =
        measured_.look(part ? *part : at, pair, place.configuration, place.time, place.t, unused);
    if (!(tried[k] > sought[k].proved)) return false;
    sought[k].fail(options_, tried[k], distance);
    return true;
  }
  // On one clock pieces are others than those of the motion.
  MotionPart place_on_motion(const CheckResult& result) const {
    MotionPart at;
    at.segment = result.collision ? result.collision->segment : result.undecided->segment;
    const double time = result.collision ? result.collision->time : result.undecided->time;
    if (!motion_.times.empty()) at.motion.times = {motion_.times[0]};
    if (scene_.timed().empty() || motion_.times.size() < 2) return at;
    const auto next = std::upper_bound(motion_.times.begin() + 1, motion_.times.end() - 1, time);
    const auto i = static_cast<std::size_t>(next - motion_.times.begin()) - 1;
    at.segment = static_cast<int>(i);
    at.motion.times = {motion_.times[i], motion_.times[i + 1]};
    return at;
  }

  void finish(LeastClearance& all) const {
    if (all.verdict != Verdict::free) {
      all.note = budget_.stopped() ? "the budget ended before the motion was proved"
                                   : "the motion is not proved free";
      return;
    }
    const auto near = [&](const ClearanceBounds& b) {
      return !(b.at_most < kInfinity) || b.at_most - b.at_least <= Sought::aim(options_, b.at_most);
    };
    all.tight = near(all.least) && std::ranges::all_of(all.classes, near, &ClassClearance::bounds);
    if (options_.check.tracking_error.any())
      all.note =
          "the lower bound is of every motion within the tracking error, the upper one of the "
          "motion itself";
    else if (!all.tight)
      all.note = budget_.stopped() ? "the budget ended before the bounds met"
                                   : "the search could not prove more";
  }

  const Scene& scene_;
  const Motion& motion_;
  const LeastClearanceOptions& options_;
  const CheckModel& model_;
  const Budget& budget_;
  PairDistances measured_;
  std::array<double, kClasses> required_;
  Scratch scratch_;
  int searches_ = 0;
};

}  // namespace

Result<LeastClearance> least_clearance(const Scene& scene, const Motion& motion,
                                       const LeastClearanceOptions& options, const Budget& budget) {
  if (options.check.checker != Checker::directional)
    return bad_input("only the checker directional proves the least clearance");
  if (!(options.tolerance > 0 && std::isfinite(options.tolerance)) ||
      !(options.relative >= 0 && options.relative < 1) || options.stretches < 1)
    return bad_input(
        "the least clearance needs a tolerance above 0 metres, a share from 0 to below 1 and at "
        "least one stretch");
  if (scene.may_be_late())
    return bad_input(
        "where something may start late, the least clearance is that of many motions and is not "
        "computed: check with a larger clearance instead, or give every 'late' as 0");
  CheckOptions base = options.check;
  base.certificate = base.first = base.explain = base.sweep = false;
  const auto model = CheckModel::build(scene, base);
  if (!model.ok()) return model.error();
  return Search(scene, motion, options, model.value(), budget).run();
}

}  // namespace proven
