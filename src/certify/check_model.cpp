#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "known_configuration.h"
#include "model_data.h"
#include "path_search.h"
#include "proven/base/parallel.h"
#include "proven/certify/check.h"
#include "proven/kinematics/interpolation.h"
#include "proven/scene/late_starts.h"
#include "runs.h"

namespace proven {
namespace {

// Segments of the caller's scratch memory that one run is about.
class Segments {
 public:
  Segments(const ModelData& model, const CheckOptions& options, Scratch::State& scratch,
           std::size_t count)
      : model_(model), options_(options), scratch_(scratch) {
    if (scratch.segments.size() < count) scratch.segments.resize(count);
    scratch.list.clear();
    for (std::size_t i = 0; i < count; ++i) {
      scratch.segments[i].reset(static_cast<int>(i));
      scratch.list.push_back(&scratch.segments[i]);
    }
  }
  ~Segments() {
    for (SegmentWork* segment : scratch_.list) segment->reset(0);
    // A long path must not keep its memory for ever.
    if (scratch_.segments.size() > kMostKept) scratch_.segments.resize(kMostKept);
    scratch_.list.clear();
  }
  Segments(const Segments&) = delete;
  Segments& operator=(const Segments&) = delete;

  SegmentWork& operator[](std::size_t i) { return scratch_.segments[i]; }
  void set(std::size_t i, const SegmentQuery& query) {
    SegmentWork& work = scratch_.segments[i];
    static_cast<MotionPiece&>(work.motion) = {query.from, query.to, query.inner};
    work.from_is_free = query.from_is_free;
    if (!measures_ends(options_)) return;
    work.from = add_end(query.from);
    work.to = add_end(query.to);
  }
  KnownConfiguration* add_end(std::span<const double> q) {
    ends_.push_back(std::make_unique<KnownConfiguration>(
        model_, std::vector<double>(q.begin(), q.end()), options_.checker == Checker::refined));
    return ends_.back().get();
  }
  // The pieces of a motion, as the segments from `first` on; returns where they end. A motion of
  // one waypoint is a segment of no length.
  std::size_t add(const Motion& motion, std::size_t first) {
    const std::size_t count = std::max<std::size_t>(1, motion.waypoints.size() - 1);
    const auto end_of = [&](std::size_t waypoint) {
      return measures_ends(options_) ? add_end(motion.waypoints[waypoint]) : nullptr;
    };
    KnownConfiguration* last = end_of(0);
    for (std::size_t i = 0; i < count; ++i) {
      SegmentWork& work = scratch_.segments[first + i];
      static_cast<MotionPiece&>(work.motion) = motion.piece(static_cast<int>(i));
      if (!motion.times.empty()) {
        work.motion.time = motion.times[i];
        work.motion.duration =
            i + 1 < motion.times.size() ? motion.times[i + 1] - motion.times[i] : 0;
      }
      work.from = last;
      work.to = last = i + 1 == motion.waypoints.size() ? last : end_of(i + 1);
    }
    return first + count;
  }
  CheckResult run(const Budget& budget) {
    return PathSearch(model_, options_, scratch_).run(scratch_.list, budget);
  }

 private:
  static constexpr std::size_t kMostKept = 256;

  const ModelData& model_;
  const CheckOptions& options_;
  Scratch::State& scratch_;
  std::vector<std::unique_ptr<KnownConfiguration>> ends_;
};

// Where a tube cannot be proved, some motion in it may collide. The path itself is one of them:
// `of_path` is what the search says of it alone.
CheckResult judge_tube(CheckResult in_tube, CheckResult of_path) {
  of_path.stats += in_tube.stats;
  if (of_path.verdict == Verdict::collision) return of_path;
  const Witness& near = *in_tube.collision;
  CheckResult result;
  result.verdict = Verdict::undecided;
  result.undecided =
      Undecided{UndecidedReason::tube, near.segment, near.t,        near.configuration,
                near.bodies,           near.points,  near.distance, near.time};
  result.stats = of_path.stats;
  result.efforts = std::move(in_tube.efforts);
  return result;
}

Result<void> validate(const CheckOptions& options, const Scene& scene) {
  if (auto valid = proven::validate(options); !valid.ok()) return valid.error();
  if (options.checker != Checker::directional && !scene.timed().empty())
    return bad_input("only the checker directional knows what moves or grows by the clock");
  if (options.first && scene.may_be_late())
    return bad_input("where something may be late, the earliest contact depends on its start");
  for (const auto& [joint, error] : options.tracking_error.joints)
    if (std::ranges::none_of(scene.tree().coordinates(),
                             [&name = joint](const Coordinate& c) { return c.joint == name; }))
      return bad_input(fmt::format(
          "the tracking error names '{}', which is no joint of the scene that moves by itself",
          joint));
  return {};
}

// The run that a segment of all belongs to; the segment becomes one of that run.
int find_run(std::span<const Motion> runs, int& segment) {
  int run = 0;
  for (const Motion& motion : runs) {
    const int count = std::max(1, motion.num_segments());
    if (segment < count) break;
    segment -= count;
    ++run;
  }
  return run;
}

CheckResult cancelled_at(std::span<const double> q) {
  CheckResult result;
  result.undecided.emplace();
  result.undecided->reason = UndecidedReason::cancelled;
  result.undecided->configuration.assign(q.begin(), q.end());
  return result;
}

}  // namespace

Result<CheckModel> CheckModel::build(const Scene& scene, const CheckOptions& options,
                                     std::span<const Interval> ranges) {
  if (auto valid = validate(options, scene); !valid.ok()) return valid.error();
  Reach reach(scene);
  if (!ranges.empty()) {
    if (ranges.size() != scene.home().size())
      return bad_input("a model needs one range per coordinate, or none");
    std::vector<double> lower, upper;
    for (const Interval& range : ranges) {
      if (!std::isfinite(range.lower) || !std::isfinite(range.upper) || range.lower > range.upper)
        return bad_input("the ranges of a model must be finite and not reversed");
      lower.push_back(range.lower);
      upper.push_back(range.upper);
    }
    reach.cover(scene.tree(), lower, upper);
  }
  return CheckModel(std::make_shared<ModelData>(scene, Requirement::of(options, scene.tree()),
                                                std::move(reach), nullptr),
                    options);
}

const Scene& CheckModel::scene() const {
  return data_->scene();
}

std::span<const Interval> CheckModel::ranges() const {
  return data_->reach().ranges();
}

bool CheckModel::covers(std::span<const double> q) const {
  return data_->reach().covers(q, q);
}

bool CheckModel::sweeps() const {
  return options_.sweep && data_->has_sweep();
}

void CheckModel::prepare_sweeps() const {
  data_->prepare_sweep();
}

bool CheckModel::told_to_sweep() const {
  return options_.sweep && options_.checker == Checker::directional && data_->told_to_sweep();
}

CheckModel CheckModel::covering(std::span<const double> lower,
                                std::span<const double> upper) const {
  if (data_->reach().covers(lower, upper)) return *this;
  Reach reach = data_->reach();
  reach.cover(scene().tree(), lower, upper);
  return {std::make_shared<ModelData>(scene(), data_->requirement(), std::move(reach), nullptr),
          options_};
}

CheckModel CheckModel::with_scene(const Scene& scene) const {
  Reach reach(scene);
  const auto ranges = this->ranges();
  if (reach.ranges().size() == ranges.size()) {
    std::vector<double> lower, upper;
    for (const Interval& range : ranges) {
      lower.push_back(range.lower);
      upper.push_back(range.upper);
    }
    reach = data_->reach().covers(scene.home(), scene.home()) ? data_->reach() : reach;
    reach.cover(scene.tree(), lower, upper);
  }
  return {std::make_shared<ModelData>(scene, Requirement::of(options_, scene.tree()),
                                      std::move(reach), data_.get()),
          options_};
}

Result<CheckModel> CheckModel::with_options(const CheckOptions& options) const {
  if (auto valid = validate(options, scene()); !valid.ok()) return valid.error();
  const Requirement requirement = Requirement::of(options, scene().tree());
  if (requirement == data_->requirement()) return CheckModel(data_, options);
  return CheckModel(std::make_shared<ModelData>(scene(), requirement, data_->reach(), nullptr),
                    options);
}

// Whether a collision that was found may be one of the tube alone.
bool CheckModel::may_be_tube(const CheckResult& result) const {
  return result.verdict == Verdict::collision && data_->without_tube();
}

CheckModel CheckModel::without_tube() const {
  CheckOptions options = options_;
  options.tracking_error = {};
  return {data_->without_tube(), options};
}

void CheckModel::require(std::span<const double> q) const {
  if (!scene().timed().empty())
    throw std::invalid_argument(
        "in a scene where things move by the clock only timed motions mean anything");
  if (q.size() != scene().home().size())
    throw std::invalid_argument(fmt::format("a configuration of this scene has {} values, not {}",
                                            scene().home().size(), q.size()));
  for (const double value : q)
    if (!std::isfinite(value))
      throw std::invalid_argument("a value of the configuration is not finite");
}

void CheckModel::require(const SegmentQuery& query) const {
  require(query.from);
  require(query.to);
  for (const auto& point : query.inner) require(point);
  if (query.inner.size() >= kMaxDegree)
    throw std::invalid_argument(fmt::format("a piece has at most degree {}", kMaxDegree));
}

bool CheckModel::covers(const SegmentQuery& query) const {
  return covers(query.from) && covers(query.to) &&
         std::ranges::all_of(query.inner, [&](const auto& point) { return covers(point); });
}

CheckModel CheckModel::covering(const SegmentQuery& query) const {
  CheckModel wider = covering(query.from, query.from).covering(query.to, query.to);
  for (const auto& point : query.inner) wider = wider.covering(point, point);
  return wider;
}

CheckResult CheckModel::decide(std::span<const double> q, std::span<const int> likely_pairs,
                               Evidence evidence, Scratch& scratch, const Budget& budget) const {
  require(q);
  if (!covers(q)) return covering(q, q).decide(q, likely_pairs, evidence, scratch, budget);
  Scratch::State& s = scratch.state();
  const SegmentMotion still{{q, q}, -1};
  PathSearch search(*data_, options_, s, evidence == Evidence::sweeps_too);
  CheckResult result;
  if (measures_ends(options_)) {
    KnownConfiguration configuration(*data_, {q.begin(), q.end()}, false);
    result = search.run_by_distances(configuration);
  } else {
    result = search.run_alone(still, false, likely_pairs, budget);
  }
  if (!may_be_tube(result)) return result;
  return judge_tube(std::move(result),
                    without_tube().decide(q, likely_pairs, evidence, scratch, budget));
}

CheckResult CheckModel::decide(const SegmentQuery& segment, Evidence evidence, Scratch& scratch,
                               const Budget& budget) const {
  require(segment);
  if (!covers(segment)) return covering(segment).decide(segment, evidence, scratch, budget);
  CheckResult result;
  PathSearch search(*data_, options_, scratch.state(), evidence == Evidence::sweeps_too);
  if (search.can_run_alone()) {
    const SegmentMotion motion{{segment.from, segment.to, segment.inner}, -1};
    result = search.run_alone(motion, segment.from_is_free, {}, budget);
  } else {
    Segments segments(*data_, options_, scratch.state(), 1);
    segments.set(0, segment);
    result = segments.run(budget);
  }
  if (!may_be_tube(result)) return result;
  return judge_tube(std::move(result), without_tube().decide(segment, evidence, scratch, budget));
}

CheckResult CheckModel::check_configuration(std::span<const double> q, Scratch& scratch,
                                            const Budget& budget) const {
  return decide(q, {}, Evidence::search, scratch, budget);
}

CheckResult CheckModel::check_configuration(std::span<const double> q,
                                            std::span<const int> likely_pairs, Scratch& scratch,
                                            const Budget& budget) const {
  return decide(q, likely_pairs, Evidence::search, scratch, budget);
}

CheckResult CheckModel::check_segment(const SegmentQuery& segment, Scratch& scratch,
                                      const Budget& budget) const {
  return decide(segment, Evidence::search, scratch, budget);
}

namespace {

PreCheck pre_check_of(const CheckResult& result) {
  PreCheck made;
  made.stats = result.stats;
  if (result.collision) {
    made.verdict = PreVerdict::contact;
    made.bodies = result.collision->bodies;
    made.t = result.collision->t;
  } else if (!result.undecided || result.undecided->reason == UndecidedReason::sampled_only) {
    made.verdict = PreVerdict::clear;
  }
  return made;
}

}  // namespace

PreCheck CheckModel::pre_check(std::span<const double> q, std::span<const int> likely_pairs,
                               Scratch& scratch, const Budget& budget) const {
  return pre_check_of(decide(q, likely_pairs, Evidence::sweeps_too, scratch, budget));
}

PreCheck CheckModel::pre_check(const SegmentQuery& segment, Effort effort, Scratch& scratch,
                               const Budget& budget) const {
  switch (effort) {
    case Effort::sweeps_alone:
      return sweep_alone(segment, scratch);
    case Effort::thorough:
      break;
  }
  return pre_check_of(decide(segment, Evidence::sweeps_too, scratch, budget));
}

PreCheck CheckModel::sweep_alone(const SegmentQuery& segment, Scratch& scratch) const {
  require(segment);
  if (!covers(segment)) return {};
  const SegmentMotion motion{{segment.from, segment.to, segment.inner}, -1};
  const PreCheck swept =
      PathSearch(*data_, options_, scratch.state()).run_sweeps(motion, segment.from_is_free);
  // A contact may be of the tube alone.
  return swept.verdict == PreVerdict::contact && data_->without_tube() ? PreCheck{} : swept;
}

std::vector<CheckResult> CheckModel::check_segments(std::span<const SegmentQuery> segments,
                                                    int threads, const Budget& budget) const {
  if (threads <= 0) threads = default_threads();
  std::vector<CheckResult> results(segments.size());
  std::vector<Scratch> scratch(static_cast<std::size_t>(threads));
  parallel_for(static_cast<int>(segments.size()), threads, [&](int item, int thread) {
    const auto i = static_cast<std::size_t>(item);
    results[i] = check_segment(segments[i], scratch[static_cast<std::size_t>(thread)], budget);
  });
  return results;
}

CheckResult CheckModel::check_together(std::span<const SegmentQuery> queries, Scratch& scratch,
                                       const Budget& budget) const {
  CheckModel wider = *this;
  for (const SegmentQuery& query : queries) {
    require(query);
    if (!wider.covers(query)) wider = wider.covering(query);
  }
  CheckResult result;
  {
    Segments segments(*wider.data_, options_, scratch.state(), queries.size());
    for (std::size_t i = 0; i < queries.size(); ++i) segments.set(i, queries[i]);
    result = segments.run(budget);
  }
  if (!may_be_tube(result)) return result;
  return judge_tube(std::move(result),
                    wider.without_tube().check_together(queries, scratch, budget));
}

Result<CheckResult> CheckModel::check(const Motion& motion, Scratch& scratch,
                                      const Budget& budget) const {
  // Of many motions, those after the stop must not even be prepared.
  if (!motion.waypoints.empty() && budget.cancelled()) return cancelled_at(motion.waypoints[0]);
  if (auto valid = check_motion(scene().tree(), motion); !valid.ok()) return valid.error();
  const auto one = [](const Motion& all) { return Runs{{&all, 1}, 0, &all}; };
  if (scene().timed().empty()) return check_valid(one(motion), scratch, budget);
  if (scene().may_be_late()) return check_every_start(motion, scratch, budget);
  const auto all = scene().on_one_clock(motion);
  if (!all.ok()) return all.error();
  return check_valid(one(all.value()), scratch, budget);
}

// More slots make narrower tubes, as long as a tube alone is in the way.
Result<CheckResult> CheckModel::check_every_start(const Motion& motion, Scratch& scratch,
                                                  const Budget& budget) const {
  const auto on_time = scene().on_one_clock(motion);
  if (!on_time.ok()) return on_time.error();
  CheckStats spent;
  for (int slots = 1;; slots *= 2) {
    const LateStarts starts(scene(), slots);
    std::vector<Motion> motions;
    for (int run = 0; run < starts.num_runs(); ++run) {
      auto all = scene().on_one_clock(motion, starts.delays(run));
      if (!all.ok()) return all.error();
      motions.push_back(std::move(all.value()));
    }
    Requirement requirement = data_->requirement();
    const std::vector<double> errors = starts.errors();
    requirement.errors.resize(errors.size());
    for (std::size_t i = 0; i < errors.size(); ++i) requirement.errors[i] += errors[i];
    const CheckModel model(
        std::make_shared<ModelData>(scene(), requirement, data_->reach(), nullptr), options_);
    CheckResult result = model.check_valid({motions, slots, &on_time.value()}, scratch, budget);
    result.stats += spent;
    spent = result.stats;
    if (Witness* w = result.collision ? &*result.collision : nullptr)
      w->delays = starts.delays(find_run(motions, w->segment));
    if (result.undecided) find_run(motions, result.undecided->segment);
    const bool tube =
        result.verdict == Verdict::undecided && result.undecided->reason == UndecidedReason::tube;
    if (!tube || LateStarts(scene(), 2 * slots).num_runs() > LateStarts::kMostRuns) return result;
  }
}

CheckResult CheckModel::check_valid(const Runs& runs, Scratch& scratch,
                                    const Budget& budget) const {
  Reach reach = data_->reach();
  for (const Motion& motion : runs.motions) {
    for (const auto& q : motion.waypoints) reach.cover(scene().tree(), q, q);
    for (const auto& points : motion.inner)
      for (const auto& q : points) reach.cover(scene().tree(), q, q);
  }
  if (!(reach == data_->reach())) {
    const CheckModel wider(
        std::make_shared<ModelData>(scene(), data_->requirement(), std::move(reach), nullptr),
        options_);
    return wider.check_valid(runs, scratch, budget);
  }
  CheckResult result = check_covered(runs, scratch, budget);
  if (!may_be_tube(result)) return result;
  return judge_tube(std::move(result), without_tube().check_covered(runs, scratch, budget));
}

CheckResult CheckModel::check_covered(const Runs& runs, Scratch& scratch,
                                      const Budget& budget) const {
  Segments segments(*data_, options_, scratch.state(), runs.num_segments());
  std::size_t count = 0;
  for (const Motion& motion : runs.motions) count = segments.add(motion, count);
  CheckResult result = segments.run(budget);
  if (!options_.certificate) return result;
  if (result.verdict == Verdict::free) {
    std::vector<std::span<const std::uint8_t>> proofs;
    for (std::size_t i = 0; i < count; ++i) proofs.emplace_back(segments[i].proof);
    result.certificate = make_certificate(scene(), runs, options_, proofs);
  } else if (result.verdict == Verdict::collision) {
    result.certificate = make_certificate(scene(), runs, options_, *result.collision);
  }
  return result;
}

}  // namespace proven
