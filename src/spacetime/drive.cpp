#include "proven/spacetime/drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "proven/base/processor_time.h"
#include "spacetime/candidate.h"

namespace proven::spacetime {
namespace {

// A candidate by its numbers; poses are made when its turn comes.
struct Plan {
  int way = 0;
  Profile profile;
  double cost = 0;
};

// What is asked of a candidate, the most pleasant first.
struct Demand {
  double margin = 0;
  bool hard = false;
};

constexpr double kNearLine = 4;  // metres: who stands so near before a line has stopped at it

struct Sampled {
  Trajectory motion;  // of the middle of the outline, to the horizon or to the goal
  Trajectory stop;    // from there on until it stands; empty behind a goal
  std::vector<double> speeds;
  std::vector<WayPoint> axle;
};

class Driver {
 public:
  Driver(const TrafficScene& scene, const TrafficScene& border, const DriveTask& task,
         const DriveOptions& options, const Budget& budget)
      : scene_(scene), border_(border), task_(task), options_(options), budget_(budget) {}

  Result<DriveResult> run() {
    const VehicleModel& vehicle = task_.vehicle;
    auto shape = Footprint::box(vehicle.length, vehicle.width);
    if (!shape.ok()) return shape.error();
    shape_ = std::move(shape).value();
    step_ = options_.time_step;
    cycle_steps_ = static_cast<int>(std::round(options_.cycle / step_));
    const Pose2& start = task_.start;
    state_.pose = {start.x - vehicle.rear_axle * std::cos(start.heading),
                   start.y - vehicle.rear_axle * std::sin(start.heading), start.heading};
    const Vec2 at = task_.path.locate({state_.pose.x, state_.pose.y});
    state_.along = at.x;
    // How the wheels are turned is not part of a start: as the road asks.
    state_.curvature = std::clamp(task_.path.at(at.x).curvature, -0.5 * vehicle.max_curvature(),
                                  0.5 * vehicle.max_curvature());
    progress_ = {0, task_.speed, 0};
    stopped_at_.assign(task_.stops.size(), false);
    find_goals();
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
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

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

  bool at_goal(int sample) const {
    const Trajectory& m = result_.driven;
    const auto i = index(sample);
    return in_some_goal({m.t[i], {m.x[i], m.y[i], m.heading[i]}, result_.speeds[i]}, false);
  }

  // A drive ends where it has arrived at a place; a goal that is only a time is waited for.
  bool in_some_goal(const VehicleState& state, bool ends) const {
    return std::ranges::any_of(task_.goals, [&](const GoalState& goal) {
      if (ends && !goal.has_place() && !(goal.time && state.t >= goal.time->high - 1e-6))
        return false;
      return reached(goal, task_.road, state);
    });
  }

  // Drives step k of the current plan. Returns whether that is in a goal.
  bool follow(int k, double t) {
    const auto i = index(offset_in_plan_ + k);
    const Sampled& plan = current_;
    const double time = t + k * step_;
    append(time, {plan.motion.x[i], plan.motion.y[i], plan.motion.heading[i]}, plan.speeds[i]);
    const WayPoint& axle = plan.axle[i];
    state_ = {axle.pose, axle.curvature, axle.along};
    const double start = current_profile_.at(0).p;
    progress_ = current_profile_.at((offset_in_plan_ + k) * step_);
    progress_.p -= start;
    for (std::size_t line = 0; line < task_.stops.size(); ++line) {
      const double ahead = task_.stops[line].s - front_of(axle.along);
      if (plan.speeds[i] < 0.1 && ahead >= -0.01 && ahead < kNearLine) stopped_at_[line] = true;
    }
    return in_some_goal(
        {time, {plan.motion.x[i], plan.motion.y[i], plan.motion.heading[i]}, plan.speeds[i]}, true);
  }

  double front_of(double along) const {
    return along + task_.vehicle.rear_axle + 0.5 * task_.vehicle.length;
  }

  // Where along the path each goal is, for a vehicle in the middle of its lane.
  struct GoalPlace {
    double begin = 0, end = 0;
    const GoalState* goal = nullptr;
  };
  void find_goals() {
    constexpr double kStep = 0.25;
    for (const GoalState& goal : task_.goals) {
      if (!goal.has_place()) continue;
      GoalPlace place{-1, -1, &goal};
      for (double s = state_.along; s < task_.path.length() + 5; s += kStep) {
        const PathPoint point = task_.path.at(s);
        const Vec2 middle = point.p + task_.vehicle.rear_axle *
                                          Vec2{std::cos(point.heading), std::sin(point.heading)};
        const bool in = at_place(goal, task_.road, middle);
        if (in && place.begin < 0) place.begin = s;
        if (in) place.end = s;
        if (!in && place.begin >= 0) break;
      }
      if (place.begin >= 0) places_.push_back(place);
    }
  }

  double limit_at(double along) const {
    double limit = task_.vehicle.max_speed;
    for (const SpeedLimit& part : task_.limits)
      if (part.s <= along) limit = part.speed;
    return std::min(limit, task_.vehicle.max_speed);
  }

  // Fills current_ with what is driven next. False: nothing is left.
  Result<bool> decide(double t, int steps_left, bool show) {
    const double start = 1e3 * processor_seconds();
    make_plans(t, steps_left);
    std::vector<int> order(plans_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return plans_[index(a)].cost < plans_[index(b)].cost; });
    DriveCycle cycle;
    cycle.t = t;
    cycle.candidates = static_cast<int>(plans_.size());
    check_ms_ = 0;
    const double m = options_.margin;
    bool found = false;
    for (const Demand& demand : {Demand{m, false}, Demand{m / 3, false}, Demand{m, true},
                                 Demand{m / 3, true}, Demand{0, true}}) {
      for (std::size_t rank = 0; rank < order.size() && !found; ++rank) {
        const auto taken = consider(plans_[index(order[rank])], demand, t, cycle);
        if (!taken.ok()) return taken.error();
        if (result_.stopped) return false;
        if (!taken.value()) continue;
        found = true;
        cycle.rank = static_cast<int>(rank);
        cycle.margin = demand.margin;
        cycle.hard = demand.hard;
      }
      if (found) break;
    }
    cycle.check_ms = check_ms_;
    cycle.generate_ms = 1e3 * processor_seconds() - start - check_ms_;
    if (show) show_candidates(t, order);
    // The plan before was proved free to its end.
    if (!found) {
      if (offset_in_plan_ + cycle_steps_ < current_.motion.size()) {
        cycle.margin = result_.margin_kept;
        result_.cycles.push_back(cycle);
        return true;
      }
      explain(t);
      return false;
    }
    offset_in_plan_ = 0;
    result_.margin_kept = std::min(result_.margin_kept, cycle.margin);
    result_.hard_cycles += cycle.hard;
    result_.cycles.push_back(cycle);
    return true;
  }

  // Takes a candidate if it can be driven and is proved free.
  Result<bool> consider(const Plan& plan, const Demand& demand, double t, DriveCycle& cycle) {
    Sampled sampled;
    if (!sample(plan, demand.hard, t, sampled)) return false;
    result_.stopped = budget_.stopped();
    if (result_.stopped) return false;
    const double start = 1e3 * processor_seconds();
    ++cycle.checked;
    const auto free = is_free(sampled, demand.margin);
    check_ms_ += 1e3 * processor_seconds() - start;
    if (!free.ok()) return free.error();
    if (!free.value()) return false;
    current_ = std::move(sampled);
    current_profile_ = plan.profile;
    return true;
  }

  Result<bool> is_free(const Sampled& sampled, double margin) {
    TrafficOptions check_options = options_.check;
    check_options.first = false;
    if (!task_.border.empty()) {
      check_options.clearance = kSeam + 0.5 * margin;
      for (const Trajectory* part : {&sampled.motion, &sampled.stop}) {
        if (part->size() < 2) continue;
        const auto found =
            check(border_, shape_, *part, check_options, border_scratch_, -1, budget_);
        if (!found.ok()) return found.error();
        if (found.value().verdict != Verdict::free) return false;
        check_options.clearance = kSeam;
      }
    }
    check_options.clearance = options_.check.clearance + margin;
    const auto found = check(scene_, shape_, sampled.motion, check_options, scratch_, -1, budget_);
    if (!found.ok()) return found.error();
    return found.value().verdict == Verdict::free;
  }

  // What the hardest braking on the way straight on meets.
  void explain(double t) {
    for (std::size_t i = plans_.size(); i-- > 0;) {
      Sampled sampled;
      if (!sample(plans_[i], true, t, sampled)) continue;
      const auto name = [&](const TrafficScene& scene, TrafficScratch& scratch) {
        TrafficOptions check_options = options_.check;
        const auto found =
            check(scene, shape_, sampled.motion, check_options, scratch, -1, budget_);
        if (!found.ok() || !found.value().contact) return std::string();
        return scene.obstacles()[index(found.value().contact->obstacle)].name;
      };
      result_.in_the_way = name(scene_, scratch_);
      if (result_.in_the_way.empty() && !task_.border.empty())
        result_.in_the_way = name(border_, border_scratch_);
      return;
    }
    result_.in_the_way = "what the vehicle can do";
  }

  // --- candidates

  void make_plans(double t, int steps_left) {
    plans_.clear();
    ways_.clear();
    horizon_steps_ = std::clamp(static_cast<int>(std::round(options_.horizon / step_)), 1,
                                std::max(1, steps_left));
    const double h = horizon_steps_ * step_;
    const VehicleModel& vehicle = task_.vehicle;
    const double v = progress_.v, brake = 0.7 * vehicle.max_acceleration;
    const double fastest =
        std::min(std::max({options_.desired_speed, v, wanted_speed(t)}) + 2, vehicle.max_speed);
    make_ways(fastest * h + fastest * fastest / (2 * brake) + 5);
    const Progress1 from{0, v, progress_.a};
    constexpr int kDurations = 3;
    const int speeds = std::clamp(
        options_.candidates / (kDurations * std::max<int>(1, static_cast<int>(ways_.size()))), 5,
        40);
    const double slowest = std::max(0.0, v - vehicle.max_acceleration * h);
    std::vector<Profile> profiles;
    std::vector<double> ends;
    const auto add = [&](const Profile& profile, double end) {
      profiles.push_back(profile);
      ends.push_back(end);
    };
    for (int d = 0; d < kDurations; ++d)
      for (int i = 0; i < speeds; ++i) {
        const double end = slowest + (fastest - slowest) * i / (speeds - 1);
        // Near the end of the drive, too, speeds take their time.
        add(Profile::to_speed(from, end, options_.horizon * (d + 1) / kDurations), end);
      }
    add(Profile::to_speed({0, v, 0}, v, h), v);
    add_stops(from, h, add);
    // Standing on the brakes is always among the candidates.
    for (const double share : {0.25, 0.375, 0.5, 0.625, 0.75, 0.85, 0.95})
      add(Profile::braking({0, v, 0}, share * vehicle.max_acceleration), 0);
    for (std::size_t k = 0; k < profiles.size(); ++k) profiles[k].brake_from(h, brake);
    for (int w = 0; w < static_cast<int>(ways_.size()); ++w)
      for (std::size_t k = 0; k < profiles.size(); ++k)
        plans_.push_back({w, profiles[k], cost_of(ways_[index(w)], profiles[k], ends[k], t, h)});
  }

  // Stops at lines and in goals ahead.
  template <class Add>
  void add_stops(const Progress1& from, double h, Add&& add) const {
    std::vector<double> places;
    for (const StopPoint& stop : task_.stops)
      places.push_back(stop.s - front_of(state_.along) - 0.5);
    for (const GoalPlace& place : places_)
      if (place.goal->speed && place.goal->speed->low <= 0)
        for (const double share : {0.2, 0.5, 0.8})
          places.push_back(place.begin + share * (place.end - place.begin) - state_.along);
    for (const double p : places) {
      if (!(p > 0.05)) continue;
      const double usual = 2 * p / std::max(0.5, from.v);
      for (const double T : {0.75 * usual, usual, 1.3 * usual, h})
        if (T > 0.3 && T < 3 * h) add(Profile::to_stop(from, p, T), 0);
    }
  }

  void make_ways(double reach) {
    const double v = progress_.v;
    const auto add = [&](double offset, double length) {
      Way way = way_to_offset(task_.path, state_, offset, length, reach);
      if (!way.empty()) ways_.push_back(std::move(way));
    };
    constexpr int kSide = 6;
    for (const double seconds : {1.5, 2.5, 4.0}) {
      const double length = std::max(6.0, v * seconds);
      for (int i = -kSide; i <= kSide; ++i) add(options_.max_lateral_offset * i / kSide, length);
    }
    const Vec2 at = task_.path.locate_near({state_.pose.x, state_.pose.y}, state_.along, 30);
    add(at.y, std::max(6.0, 2 * v));
    ways_.push_back(way_straight(task_.path, state_, task_.vehicle, v, reach));
  }

  // The speed that brings the vehicle to its goals in the middle of their time.
  double wanted_speed(double t) const {
    double wanted = 0;
    for (const GoalPlace& place : places_) {
      const double way = 0.5 * (place.begin + place.end) - state_.along;
      const double time = place.goal->time ? place.goal->time->middle() - t : 0;
      wanted = std::max(wanted, time > 0.1 ? way / time : options_.desired_speed);
    }
    return wanted;
  }

  // How far the candidate misses the goal, if it goes on as it ends: metres along and metres per
  // second, at the best moment.
  double goal_cost(const Way& way, const Profile& profile, double end, double t, double h) const {
    double best = 1e9;
    for (const GoalPlace& place : places_) {
      const double first = std::max(place.goal->time ? place.goal->time->low - t : 0.0, 0.0);
      const double last = place.goal->time ? place.goal->time->high - t : first + 20;
      constexpr int kMoments = 8;
      for (int k = 0; k <= kMoments; ++k) {
        const double u = first + (last - first) * k / kMoments;
        if (u < 0 || u > task_.t_end - t + 1e-6) continue;
        const Progress1 at_h = profile.at(std::min(u, h) * (1 - 1e-9));
        const double v = u > h ? std::max(0.0, end) : at_h.v;
        const double s = state_.along + at_h.p + (u > h ? v * (u - h) : 0);
        const double later = std::max(0.0, u - h);  // in which both can still be mended
        const double off = std::max({0.0, place.begin - s, s - place.end});
        double miss = std::max(0.0, off - 0.5 * later * later);
        double wrong = 0;
        if (place.goal->speed)
          wrong = std::max({0.0, place.goal->speed->low - v, v - place.goal->speed->high});
        wrong = std::max(0.0, wrong - 2 * later);
        const double aside = u < 4 ? std::fabs(way.offset) : 0;
        best = std::min(best, std::min(miss, 50.0) + 0.02 * off + 2 * wrong + 2 * aside);
      }
    }
    return best;
  }

  // Slow and just before a line at which it has not stood yet: time to stand, not to creep.
  bool must_halt() const {
    for (std::size_t i = 0; i < task_.stops.size(); ++i) {
      const double ahead = task_.stops[i].s - front_of(state_.along);
      if (task_.stops[i].must_stop && !stopped_at_[i] && ahead >= 0 && ahead < kNearLine &&
          progress_.v < 4)
        return true;
    }
    return false;
  }

  double cost_of(const Way& way, const Profile& profile, double end, double t, double h) const {
    const double hurry = (end - progress_.v) / h;
    const double swerve = way.offset * way.offset;
    double cost = 1.0 * swerve + 0.5 * hurry * hurry + 10 / std::max(1.0, way.length);
    if (must_halt()) return cost + end * end;
    if (!places_.empty()) return cost + 5 * goal_cost(way, profile, end, t, h);
    const double slower = end - std::min(options_.desired_speed, limit_at(state_.along));
    return cost + slower * slower;
  }

  // --- poses

  // Makes the poses of a plan. False: the vehicle cannot drive it, or may not.
  bool sample(const Plan& plan, bool hard, double t, Sampled& out) const {
    const Way& way = ways_[index(plan.way)];
    const double start = plan.profile.at(0).p;
    std::size_t node = 0;
    WayPoint before;
    const int stop_after = horizon_steps_ + 200;
    bool arrived = false;
    for (int k = 0; k <= stop_after; ++k) {
      const double u = k * step_;
      const Progress1 at = plan.profile.at(u);
      const double s = std::max(0.0, at.p - start);
      if (!(s <= way.end())) return false;
      const WayPoint point = point_on(way, s, node);
      const bool in_stop = k > horizon_steps_;
      // The brakes are hit at the horizon.
      const bool easy = !hard && k < horizon_steps_;
      const Progress1 between{at.p, at.v, plan.profile.at(std::max(0.0, u - 0.5 * step_)).a};
      if (!can_drive(point, at, easy) || !can_drive(point, between, easy) ||
          !may_drive(point, before, at, k, t, easy))
        return false;
      before = point;
      Trajectory& m = in_stop ? out.stop : out.motion;
      const auto add = [&](Trajectory& into) {
        const VehicleModel& vehicle = task_.vehicle;
        into.t.push_back(t + u);
        into.x.push_back(point.pose.x + vehicle.rear_axle * std::cos(point.pose.heading));
        into.y.push_back(point.pose.y + vehicle.rear_axle * std::sin(point.pose.heading));
        into.heading.push_back(point.pose.heading);
      };
      add(m);
      if (k == horizon_steps_) add(out.stop);
      if (in_stop) {
        if (u >= plan.profile.stands_at()) break;
        continue;
      }
      out.speeds.push_back(at.v);
      out.axle.push_back(point);
      arrived =
          k > 0 && in_some_goal({t + u, {m.x.back(), m.y.back(), m.heading.back()}, at.v}, true);
      if (arrived) break;
    }
    if (arrived) out.stop = {};
    if (out.motion.size() < 2) return false;
    pin_start(out.motion);
    return true;
  }

  // The first pose is where the vehicle is, to the last bit.
  void pin_start(Trajectory& m) const {
    const Trajectory& driven = result_.driven;
    const double turns = 2 * M_PI * std::round((m.heading[0] - driven.heading.back()) / (2 * M_PI));
    for (double& heading : m.heading) heading -= turns;
    m.x[0] = driven.x.back(), m.y[0] = driven.y.back(), m.heading[0] = driven.heading.back();
  }

  // The vehicle's model, with a share kept for what is between the samples.
  bool can_drive(const WayPoint& point, const Progress1& at, bool easy) const {
    constexpr double kShare = 0.93;
    const VehicleModel& vehicle = task_.vehicle;
    if (!(at.v >= -1e-9 && at.v <= vehicle.max_speed)) return false;
    if (!(std::fabs(point.curvature) <= kShare * vehicle.max_curvature())) return false;
    const double across = at.v * at.v * point.curvature;
    const double most = kShare * (vehicle.max_acceleration + 0.3);
    if (!(std::hypot(at.a, across) <= most)) return false;
    const double wheel = vehicle.wheelbase * point.curvature;
    const double rate =
        vehicle.wheelbase * std::fabs(point.sharpness) * std::fabs(at.v) / (1 + wheel * wheel);
    if (!(rate <= kShare * vehicle.max_steering_rate)) return false;
    return !easy || (std::fabs(across) <= options_.comfort_across &&
                     std::fabs(at.a) <= options_.comfort_along);
  }

  // Speed limits, lights and stops. Whoever was too fast slows down.
  bool may_drive(const WayPoint& point, const WayPoint& before, const Progress1& at, int k,
                 double t, bool easy) const {
    const double u = k * step_;
    const double allowed =
        std::max(limit_at(point.along), easy ? progress_.v - 1.5 * u : progress_.v);
    if (!(at.v <= allowed + 0.05)) return false;
    if (k == 0) return true;
    const double from = front_of(before.along), to = front_of(point.along);
    for (std::size_t i = 0; i < task_.stops.size(); ++i) {
      const StopPoint& stop = task_.stops[i];
      if (!(from < stop.s && to >= stop.s)) continue;
      if (stop.must_stop && !stopped_at_[i]) return false;
      for (const TrafficLight& light : stop.lights)
        if (!light.may_pass(t + u) || !light.may_pass(t + u - step_)) return false;
    }
    return true;
  }

  // For pictures: as many as fit, with their verdicts.
  void show_candidates(double t, const std::vector<int>& order) {
    constexpr std::size_t kShown = 400;
    result_.shown = {};
    result_.shown_verdicts.clear();
    result_.shown.footprint = shape_;
    const std::size_t stride = std::max<std::size_t>(1, order.size() / kShown);
    for (std::size_t i = 0; i < order.size(); i += stride) {
      Sampled sampled;
      if (!sample(plans_[index(order[i])], true, t, sampled)) continue;
      if (sampled.motion.size() != horizon_steps_ + 1) continue;
      const auto found = is_free(sampled, 0);
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

  const TrafficScene &scene_, &border_;
  const DriveTask& task_;
  const DriveOptions& options_;
  const Budget& budget_;
  Footprint shape_;
  double step_ = 0.1;
  int cycle_steps_ = 1, horizon_steps_ = 1;
  AxleState state_;
  Progress1 progress_;
  std::vector<bool> stopped_at_;
  std::vector<GoalPlace> places_;
  std::vector<Way> ways_;
  std::vector<Plan> plans_;
  Sampled current_;  // what is driven, and how far
  Profile current_profile_;
  int offset_in_plan_ = 0;
  double check_ms_ = 0;
  TrafficScratch scratch_, border_scratch_;
  DriveResult result_;
};

Result<void> validate(const DriveTask& task, const DriveOptions& options) {
  if (auto valid = validate(task.vehicle); !valid.ok()) return valid.error();
  const double steps = options.cycle / options.time_step;
  if (!(options.time_step > 0 && options.cycle >= 0.999 * options.time_step &&
        options.horizon >= 0.999 * options.cycle && options.candidates > 0))
    return bad_input("time step <= cycle <= horizon, all above 0, is needed");
  if (!(std::fabs(steps - std::round(steps)) < 1e-6))
    return bad_input(fmt::format("a cycle of {} s is no multiple of the time step of {} s",
                                 options.cycle, options.time_step));
  if (!(options.margin >= 0)) return bad_input("a margin is at least 0");
  if (!(task.t_end > task.t_begin)) return bad_input("the drive has no duration");
  if (!(task.speed >= 0)) return bad_input("a drive starts forwards");
  return {};
}

}  // namespace

Result<DriveResult> drive(const TrafficScene& scene, const DriveTask& task,
                          const DriveOptions& options, const Budget& budget) {
  if (auto valid = validate(task, options); !valid.ok()) return valid.error();
  const auto border = TrafficScene::build(task.border);
  if (!border.ok()) return border.error();
  return Driver(scene, border.value(), task, options, budget).run();
}

}  // namespace proven::spacetime
