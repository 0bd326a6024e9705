#include "proven/spacetime/drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proven/base/processor_time.h"
#include "spacetime/drive_poses.h"

namespace proven::spacetime {
namespace {

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

// What is asked of a candidate, the most pleasant first.
struct Demand {
  double margin = 0;
  bool hard = false;
};

class Driver {
 public:
  Driver(const Observe& observe, const TrafficScene& border, const DriveTask& task,
         const DriveOptions& options, const Budget& budget)
      : observe_(observe),
        border_(border),
        task_(task),
        options_(options),
        budget_(budget),
        sampler_(task, options) {}

  Result<DriveResult> run() {
    const VehicleModel& vehicle = task_.vehicle;
    auto shape = Footprint::box(vehicle.length, vehicle.width);
    if (!shape.ok()) return shape.error();
    shape_ = std::move(shape).value();
    step_ = options_.time_step;
    cycle_steps_ = static_cast<int>(std::round(options_.cycle / step_));
    const Pose2& start = task_.start;
    AxleState& axle = state_.axle;
    axle.pose = {start.x - vehicle.rear_axle * std::cos(start.heading),
                 start.y - vehicle.rear_axle * std::sin(start.heading), start.heading};
    axle.along = task_.path.locate({axle.pose.x, axle.pose.y}).x;
    // How the wheels are turned is not part of a start: as the road asks.
    axle.curvature = std::clamp(task_.path.at(axle.along).curvature, -0.5 * vehicle.max_curvature(),
                                0.5 * vehicle.max_curvature());
    state_.progress = {0, task_.speed, 0};
    state_.stopped_at.assign(task_.stops.size(), false);
    plans_.emplace(task_, options_, axle.along);
    result_.margin_kept = options_.margin;
    append(task_.t_begin, start, task_.speed);
    const auto steps = static_cast<int>(std::floor((task_.t_end - task_.t_begin) / step_ + 1e-6));
    for (int done = 0; done < steps;) {
      budget_.report("steps", done, steps);
      const double t = task_.t_begin + done * step_;
      const bool show = done <= steps / 2 && done + cycle_steps_ > steps / 2;
      auto chosen = decide(t, steps - done, show);
      if (!chosen.ok()) return chosen.error();
      if (result_.stopped) return finish(DriveEnd::stopped);
      if (!chosen.value()) return finish(DriveEnd::no_free_candidate);
      const int count = std::min(cycle_steps_, steps - done);
      for (int k = 1; k <= count; ++k) {
        const bool arrived = follow(k, t);
        ++done;
        if (arrived) return finish(DriveEnd::goal);
      }
      offset_in_plan_ += count;
    }
    return finish(at_goal(result_.driven.size() - 1) ? DriveEnd::goal : DriveEnd::time);
  }

 private:
  Result<DriveResult> finish(DriveEnd end) {
    result_.end = end;
    // A goal without a place is reached wherever the drive ends in its time.
    if (end == DriveEnd::no_free_candidate && at_goal(result_.driven.size() - 1))
      result_.end = DriveEnd::goal;
    return std::move(result_);
  }

  void append(double t, const Pose2& pose, double speed) {
    Trajectory& m = result_.driven;
    m.t.push_back(t), m.x.push_back(pose.x), m.y.push_back(pose.y),
        m.heading.push_back(pose.heading);
    result_.speeds.push_back(speed);
  }

  VehicleState driven_state(int sample) const {
    const Trajectory& m = result_.driven;
    const auto i = index(sample);
    return {m.t[i], {m.x[i], m.y[i], m.heading[i]}, result_.speeds[i]};
  }
  bool at_goal(int sample) const { return sampler_.in_some_goal(driven_state(sample), false); }

  // Drives step k of the current plan. Returns whether that is in a goal.
  bool follow(int k, double t) {
    const auto i = index(offset_in_plan_ + k);
    const Sampled& plan = current_;
    append(t + k * step_, {plan.motion.x[i], plan.motion.y[i], plan.motion.heading[i]},
           plan.speeds[i]);
    const WayPoint& axle = plan.axle[i];
    state_.axle = {axle.pose, axle.curvature, axle.along};
    const double start = current_profile_.at(0).p;
    state_.progress = current_profile_.at((offset_in_plan_ + k) * step_);
    state_.progress.p -= start;
    for (std::size_t line = 0; line < task_.stops.size(); ++line) {
      const double ahead = task_.stops[line].s - front_of(task_, axle.along);
      if (plan.speeds[i] < 0.1 && ahead >= -0.01 && ahead < kNearLine)
        state_.stopped_at[line] = true;
    }
    return sampler_.in_some_goal(driven_state(result_.driven.size() - 1), true);
  }

  // How long others' motions have to be known for every stop to end.
  double until(double t) const {
    const double a = task_.vehicle.max_acceleration;
    return t + options_.cycle + (state_.progress.v + a * options_.cycle) / (kGentlest * a) +
           2 * step_;
  }

  // Fills current_ with what is driven next. False: nothing is left.
  Result<bool> decide(double t, int steps_left, bool show) {
    VehicleState ego = driven_state(result_.driven.size() - 1);
    ego.t = t;  // not what steps add up to
    auto seen = observe_(ego, until(t));
    if (!seen.ok()) return seen.error();
    now_.emplace(std::move(seen).value());
    const double start = 1e3 * processor_seconds();
    horizon_steps_ = std::clamp(static_cast<int>(std::round(options_.horizon / step_)), 1,
                                std::max(1, steps_left));
    plans_->make(state_, t, horizon_steps_ * step_);
    sampler_.start(state_, t, ego.pose, horizon_steps_);
    DriveCycle cycle;
    cycle.t = t;
    cycle.candidates = plans_->size();
    check_ms_ = 0;
    const auto found = search(cycle);
    if (!found.ok()) return found.error();
    if (result_.stopped) return false;
    cycle.check_ms = check_ms_;
    cycle.generate_ms = 1e3 * processor_seconds() - start - check_ms_;
    if (show) show_candidates();
    if (!found.value()) return go_on(cycle);
    offset_in_plan_ = 0;
    result_.margin_kept = std::min(result_.margin_kept, cycle.margin);
    result_.hard_cycles += cycle.hard;
    result_.cycles.push_back(cycle);
    if (options_.fail_safe) result_.stops.push_back({t, fallback_.motion, now_->regions});
    return true;
  }

  Result<bool> search(DriveCycle& cycle) {
    const double m = options_.margin;
    for (const Demand& demand : {Demand{m, false}, Demand{m / 3, false}, Demand{m, true},
                                 Demand{m / 3, true}, Demand{0, true}})
      for (int rank = 0; rank < plans_->size(); ++rank) {
        const auto taken = consider(plans_->ranked(rank), demand, cycle);
        if (!taken.ok()) return taken.error();
        if (result_.stopped) return false;
        if (!taken.value()) continue;
        cycle.rank = rank;
        cycle.margin = demand.margin;
        cycle.hard = demand.hard;
        return true;
      }
    return false;
  }

  // Nothing new was found: the plan before was proved free to its end, its stop whatever others do.
  Result<bool> go_on(DriveCycle& cycle) {
    cycle.margin = result_.margin_kept;
    if (!options_.fail_safe) {
      if (offset_in_plan_ + cycle_steps_ < current_.motion.size()) {
        result_.cycles.push_back(cycle);
        return true;
      }
      explain(now_->expected);
      return false;
    }
    if (result_.stops.empty()) {
      const auto regions = TrafficScene::build(now_->regions);
      if (!regions.ok()) return regions.error();
      explain(regions.value());
      result_.no_stop = true;
      return false;
    }
    current_ = fallback_;
    current_profile_ = fallback_profile_;
    stand_still(offset_in_plan_ + cycle_steps_);
    cycle.stopping = true;
    result_.cycles.push_back(cycle);
    ++result_.stopping_cycles;
    return true;
  }

  // A stop goes on as long as it is driven.
  void stand_still(int last) {
    Trajectory& m = current_.motion;
    while (m.size() <= last) {
      m.t.push_back(m.t.back() + step_), m.x.push_back(m.x.back()), m.y.push_back(m.y.back()),
          m.heading.push_back(m.heading.back());
      current_.speeds.push_back(0);
      current_.axle.push_back(current_.axle.back());
    }
  }

  // Takes a candidate if it can be driven and is proved free.
  Result<bool> consider(Plan& plan, const Demand& demand, DriveCycle& cycle) {
    if (plan.never || (plan.never_easy && !demand.hard) || plan.not_free_at <= demand.margin)
      return false;
    const Way* way = plans_->way(plan);
    Sampled sampled;
    const Profile& profile = plans_->profile(plan);
    if (!way || !sampler_.sample(*way, profile, demand.hard, sampled)) {
      (demand.hard || !way ? plan.never : plan.never_easy) = true;
      return false;
    }
    result_.stopped = budget_.stopped();
    if (result_.stopped) return false;
    const double start = 1e3 * processor_seconds();
    ++cycle.checked;
    double kept = 0;
    const auto free = is_free(sampled, demand.margin, kept);
    Result<bool> stops = true;
    if (free.ok() && free.value() && options_.fail_safe) stops = find_stop(*way, profile);
    check_ms_ += 1e3 * processor_seconds() - start;
    if (!free.ok()) return free.error();
    if (!stops.ok()) return stops.error();
    if (!free.value()) plan.not_free_at = kept;
    if (!stops.value()) plan.never = true;
    if (!free.value() || !stops.value()) return false;
    current_ = std::move(sampled);
    current_profile_ = profile;
    return true;
  }

  // Whether it keeps the margin; if not, `kept` is one that it does not keep either.
  Result<bool> is_free(const Sampled& sampled, double margin, double& kept) {
    TrafficOptions check_options = options_.check;
    check_options.first = false;
    check_options.clearance = options_.check.clearance + margin;
    kept = margin;
    // Others first: there are fewer of them than pieces of the border.
    const auto found =
        check(now_->expected, shape_, sampled.motion, check_options, scratch_, -1, budget_);
    if (!found.ok()) return found.error();
    if (const auto& contact = found.value().contact)
      kept = std::clamp(contact->distance - options_.check.clearance, 0.0, margin);
    if (found.value().verdict != Verdict::free || task_.border.empty())
      return found.value().verdict == Verdict::free;
    const auto on_road = stays_on_road(sampled.motion, 0.5 * margin);
    if (!on_road.ok() || !on_road.value() || sampled.stop.size() < 2) return on_road;
    const auto stops = stays_on_road(sampled.stop, 0);
    if (stops.ok() && !stops.value()) kept = 0;
    return stops;
  }

  Result<bool> stays_on_road(const Trajectory& motion, double margin) {
    TrafficOptions check_options = options_.check;
    check_options.first = false;
    check_options.clearance = kSeam + margin;
    const auto found = check(border_, shape_, motion, check_options, border_scratch_, -1, budget_);
    if (!found.ok()) return found.error();
    return found.value().verdict == Verdict::free;
  }

  // One cycle of the candidate, then the brakes until it stands: on the road, and free whatever
  // others do.
  Result<bool> find_stop(const Way& way, const Profile& profile) {
    if (!regions_of_ || *regions_of_ != now_->time) {
      auto regions = TrafficScene::build(now_->regions);
      if (!regions.ok()) return regions.error();
      regions_.emplace(std::move(regions).value());
      regions_of_ = now_->time;
    }
    for (const double share : {0.7, 0.94, kGentlest}) {
      Profile braking = profile;
      braking.brake_from(options_.cycle, share * task_.vehicle.max_acceleration);
      Sampled stop;
      if (!sampler_.sample_stop(way, braking, stop)) continue;
      if (!(stop.motion.t.back() <= now_->until)) continue;
      if (!task_.border.empty()) {
        const auto on_road = stays_on_road(stop.motion, 0);
        if (!on_road.ok()) return on_road.error();
        if (!on_road.value()) continue;
      }
      TrafficOptions check_options = options_.check;
      check_options.first = false;
      const auto found =
          check(*regions_, shape_, stop.motion, check_options, regions_scratch_, -1, budget_);
      if (!found.ok()) return found.error();
      if (found.value().verdict != Verdict::free) continue;
      fallback_ = std::move(stop);
      fallback_profile_ = braking;
      return true;
    }
    return false;
  }

  // What the hardest braking on the way straight on meets.
  void explain(const TrafficScene& scene) {
    const Plan plan = plans_->last_resort();
    const Way* way = plans_->way(plan);
    Sampled sampled;
    result_.in_the_way = "what the vehicle can do";
    if (!way || !sampler_.sample_stop(*way, plans_->profile(plan), sampled)) return;
    const auto name = [&](const TrafficScene& among, double clearance) {
      TrafficOptions check_options = options_.check;
      check_options.clearance = clearance;
      TrafficScratch scratch;
      const auto found = check(among, shape_, sampled.motion, check_options, scratch, -1, budget_);
      if (!found.ok()) return std::string();
      const TrafficResult& r = found.value();
      const int o = r.contact ? r.contact->obstacle : r.doubt ? r.doubt->obstacle : -1;
      return o < 0 ? std::string() : among.obstacles()[index(o)].name;
    };
    result_.in_the_way = name(scene, options_.check.clearance);
    if (result_.in_the_way.empty() && !task_.border.empty())
      result_.in_the_way = name(border_, kSeam);
  }

  // For pictures: as many as fit, with their verdicts.
  void show_candidates() {
    constexpr int kShown = 400;
    result_.shown = {};
    result_.shown_verdicts.clear();
    result_.shown.footprint = shape_;
    const int stride = std::max(1, plans_->size() / kShown);
    for (int rank = 0; rank < plans_->size(); rank += stride) {
      Sampled sampled;
      const Plan& plan = plans_->ranked(rank);
      const Way* way = plans_->way(plan);
      if (!way || !sampler_.sample(*way, plans_->profile(plan), true, sampled)) continue;
      if (sampled.motion.size() != horizon_steps_ + 1) continue;
      double kept = 0;
      const auto found = is_free(sampled, 0, kept);
      if (!found.ok()) continue;
      CandidateSet& set = result_.shown;
      set.t = sampled.motion.t;
      const auto take = [](std::vector<double>& to, const std::vector<double>& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      take(set.x, sampled.motion.x), take(set.y, sampled.motion.y);
      take(set.heading, sampled.motion.heading);
      result_.shown_verdicts.push_back(found.value() ? Verdict::free : Verdict::undecided);
    }
  }

  static constexpr double kGentlest = 0.5;  // of what the tyres bear, in a stop

  const Observe& observe_;
  const TrafficScene& border_;
  const DriveTask& task_;
  const DriveOptions& options_;
  const Budget& budget_;
  Footprint shape_;
  double step_ = 0.1;
  int cycle_steps_ = 1, horizon_steps_ = 1;
  DriveState state_;
  std::optional<Observation> now_;
  std::optional<TrafficScene> regions_;
  std::optional<double> regions_of_;
  std::optional<PlanList> plans_;
  Sampler sampler_;
  Sampled current_, fallback_;  // what is driven, and the stop that goes with it
  Profile current_profile_, fallback_profile_;
  int offset_in_plan_ = 0;
  double check_ms_ = 0;
  TrafficScratch scratch_, border_scratch_, regions_scratch_;
  DriveResult result_;
};

Result<void> validate(const DriveTask& task, const DriveOptions& options) {
  if (auto valid = validate(task.vehicle); !valid.ok()) return valid.error();
  if (auto valid = validate(options.movers); !valid.ok()) return valid.error();
  const double steps = options.cycle / options.time_step;
  if (!(options.time_step > 0 && options.cycle >= 0.999 * options.time_step &&
        options.horizon >= 0.999 * options.cycle && options.candidates > 0))
    return bad_input("time step <= cycle <= horizon, all above 0, is needed");
  if (!(std::fabs(steps - std::round(steps)) < 1e-6))
    return bad_input(fmt::format("a cycle of {} s is no multiple of the time step of {} s",
                                 options.cycle, options.time_step));
  if (!(options.margin >= 0)) return bad_input("a margin is at least 0");
  if (!(task.t_end > task.t_begin)) return bad_input("the drive has no duration");
  constexpr double kMostSteps = 1e6;
  if (!((task.t_end - task.t_begin) / options.time_step <= kMostSteps &&
        options.horizon / options.time_step <= kMostSteps))
    return bad_input(fmt::format(
        "the drive, or its horizon, has more than a million time steps of {} s: take longer ones",
        options.time_step));
  if (!(task.speed >= 0)) return bad_input("a drive starts forwards");
  return {};
}

}  // namespace

Result<DriveResult> drive(const Observe& observe, const DriveTask& task,
                          const DriveOptions& options, const Budget& budget) {
  if (auto valid = validate(task, options); !valid.ok()) return valid.error();
  const auto border = TrafficScene::build(task.border);
  if (!border.ok()) return border.error();
  return Driver(observe, border.value(), task, options, budget).run();
}

Result<DriveResult> drive(const TrafficScene& scene, const DriveTask& task,
                          const DriveOptions& options, const Budget& budget) {
  Watchman watchman(task.road, task.vehicle);
  std::vector<Obstacle> known;  // what stands, and what is given as a set
  for (const Obstacle& o : scene.obstacles())
    if (!o.moves()) known.push_back(o);
  const Observe observe = [&](const VehicleState& ego, double until) -> Result<Observation> {
    Observation now{scene, {}, ego.t, until};
    if (!options.fail_safe) return now;
    auto regions =
        watchman.regions(sightings(scene, ego.t, options.movers), ego, until, kRegionStep);
    if (!regions.ok()) return regions.error();
    now.regions = std::move(regions).value();
    now.regions.insert(now.regions.end(), known.begin(), known.end());
    return now;
  };
  return drive(observe, task, options, budget);
}

}  // namespace proven::spacetime
