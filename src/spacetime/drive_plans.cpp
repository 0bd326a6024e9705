#include "spacetime/drive_plans.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace proven::spacetime {
namespace {

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

double speed_limit_at(const DriveTask& task, double along) {
  double limit = task.vehicle.max_speed;
  for (const SpeedLimit& part : task.limits)
    if (part.s <= along) limit = part.speed;
  return std::min(limit, task.vehicle.max_speed);
}

double front_of(const DriveTask& task, double along) {
  return along + task.vehicle.rear_axle + 0.5 * task.vehicle.length;
}

PlanList::PlanList(const DriveTask& task, const DriveOptions& options, double along)
    : task_(task), options_(options) {
  find_goals(along);
}

double PlanList::limit_here() const {
  return speed_limit_at(task_, state_.axle.along);
}

double PlanList::front() const {
  return front_of(task_, state_.axle.along);
}

void PlanList::find_goals(double along) {
  constexpr double kStep = 0.25;
  for (const GoalState& goal : task_.goals) {
    if (!goal.has_place()) continue;
    GoalPlace place{-1, -1, &goal};
    for (double s = along; s < task_.path.length() + 5; s += kStep) {
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

void PlanList::make(const DriveState& state, double t, double horizon) {
  state_ = state;
  horizon_ = horizon;
  plans_.clear(), ways_.clear(), profiles_.clear(), ends_.clear();
  add_ways();
  add_profiles(t);
  // What the speeds cost is computed once, not once per way.
  std::vector<double> own(profiles_.size());
  std::vector<Miss> misses(profiles_.size());
  const bool halt = must_halt();
  for (std::size_t k = 0; k < profiles_.size(); ++k) {
    const double hurry = (ends_[k] - state_.progress.v) / horizon_;
    own[k] = 0.5 * hurry * hurry;
    if (halt) {
      own[k] += ends_[k] * ends_[k];
    } else if (places_.empty()) {
      const double slower = ends_[k] - std::min(options_.desired_speed, limit_here());
      own[k] += slower * slower;
    } else {
      misses[k] = goal_miss(profiles_[k], ends_[k], t);
    }
  }
  const bool to_goal = !halt && !places_.empty();
  for (std::size_t w = 0; w < ways_.size(); ++w) {
    const double offset = ways_[w].offset;
    const double swerve = offset * offset + 10 / std::max(1.0, ways_[w].length);
    for (std::size_t k = 0; k < profiles_.size(); ++k) {
      double cost = swerve + own[k];
      if (to_goal) cost += 5 * std::min(misses[k].soon + 2 * std::fabs(offset), misses[k].later);
      plans_.push_back({static_cast<int>(w), static_cast<int>(k), static_cast<float>(cost)});
    }
  }
  order_.resize(plans_.size());
  std::iota(order_.begin(), order_.end(), 0);
  sorted_ = 0;
  // Most drives take one of the first.
  std::ranges::make_heap(order_, [&](int a, int b) {
    const float x = plans_[index(a)].cost, y = plans_[index(b)].cost;
    return x > y || (x == y && a > b);
  });
}

Plan& PlanList::ranked(int rank) {
  const auto worse = [&](int a, int b) {
    const float x = plans_[index(a)].cost, y = plans_[index(b)].cost;
    return x > y || (x == y && a > b);
  };
  // The heap lies at the front, what was taken from it behind it, the cheapest last.
  const auto n = static_cast<std::ptrdiff_t>(order_.size());
  for (; sorted_ <= rank; ++sorted_)
    std::pop_heap(order_.begin(), order_.begin() + (n - sorted_), worse);
  return plans_[index(order_[order_.size() - 1 - index(rank)])];
}

const Profile& PlanList::profile(const Plan& plan) const {
  return profiles_[index(plan.profile)];
}

const Way* PlanList::way(const Plan& plan) {
  LazyWay& lazy = ways_[index(plan.way)];
  if (!lazy.made) {
    lazy.made = true;
    lazy.way = lazy.straight
                   ? way_straight(task_.path, state_.axle, task_.vehicle, state_.progress.v, reach_)
                   : way_to_offset(task_.path, state_.axle, lazy.offset, lazy.length, reach_);
  }
  return lazy.way.empty() ? nullptr : &lazy.way;
}

Plan PlanList::last_resort() const {
  return {static_cast<int>(ways_.size()) - 1, static_cast<int>(profiles_.size()) - 1};
}

void PlanList::add_ways() {
  const double v = state_.progress.v;
  const auto add = [&](double offset, double length) {
    ways_.push_back({offset, length, false, false, {}});
  };
  constexpr int kSide = 6;
  for (const double seconds : {1.5, 2.5, 4.0}) {
    const double length = std::max(6.0, v * seconds);
    for (int i = -kSide; i <= kSide; ++i) add(options_.max_lateral_offset * i / kSide, length);
  }
  const Pose2& pose = state_.axle.pose;
  const Vec2 at = task_.path.locate_near({pose.x, pose.y}, state_.axle.along, 30);
  add(at.y, std::max(6.0, 2 * v));
  ways_.push_back({at.y, straightening_length(state_.axle, task_.vehicle, v), true, false, {}});
}

void PlanList::add(const Profile& profile, double end) {
  profiles_.push_back(profile);
  ends_.push_back(end);
}

void PlanList::add_profiles(double t) {
  const VehicleModel& vehicle = task_.vehicle;
  const double v = state_.progress.v, brake = 0.7 * vehicle.max_acceleration;
  const double fastest =
      std::min(std::max({options_.desired_speed, v, wanted_speed(t)}) + 2, vehicle.max_speed);
  reach_ = fastest * horizon_ + fastest * fastest / (2 * brake) + 5;
  const Progress1 from{0, v, state_.progress.a};
  constexpr int kDurations = 3;
  const int speeds =
      std::clamp(options_.candidates / (kDurations * static_cast<int>(ways_.size())), 5, 40);
  const double slowest = std::max(0.0, v - vehicle.max_acceleration * horizon_);
  for (int d = 0; d < kDurations; ++d)
    for (int i = 0; i < speeds; ++i) {
      const double end = slowest + (fastest - slowest) * i / (speeds - 1);
      // Near the end of the drive, too, speeds take their time.
      add(Profile::to_speed(from, end, options_.horizon * (d + 1) / kDurations), end);
    }
  add(Profile::to_speed({0, v, 0}, v, horizon_), v);
  add_stops(from);
  // Standing on the brakes is always among the candidates.
  for (const double share : {0.25, 0.375, 0.5, 0.625, 0.75, 0.85, 0.95})
    add(Profile::braking({0, v, 0}, share * vehicle.max_acceleration), 0);
  for (Profile& profile : profiles_) profile.brake_from(horizon_, brake);
}

// Stops at lines and in goals ahead.
void PlanList::add_stops(const Progress1& from) {
  std::vector<double> places;
  for (const StopPoint& stop : task_.stops) places.push_back(stop.s - front() - 0.5);
  for (const GoalPlace& place : places_)
    if (place.goal->speed && place.goal->speed->low <= 0)
      for (const double share : {0.2, 0.5, 0.8})
        places.push_back(place.begin + share * (place.end - place.begin) - state_.axle.along);
  for (const double p : places) {
    if (!(p > 0.05)) continue;
    const double usual = 2 * p / std::max(0.5, from.v);
    for (const double T : {0.75 * usual, usual, 1.3 * usual, horizon_})
      if (T > 0.3 && T < 3 * horizon_) add(Profile::to_stop(from, p, T), 0);
  }
}

// The speed that brings the vehicle to its goals in the middle of their time.
double PlanList::wanted_speed(double t) const {
  double wanted = 0;
  for (const GoalPlace& place : places_) {
    const double way = 0.5 * (place.begin + place.end) - state_.axle.along;
    const double time = place.goal->time ? place.goal->time->middle() - t : 0;
    wanted = std::max(wanted, time > 0.1 ? way / time : options_.desired_speed);
  }
  return wanted;
}

// Metres along and metres per second by which the goal is missed at the best moment, if the
// candidate goes on as it ends.
PlanList::Miss PlanList::goal_miss(const Profile& profile, double end, double t) const {
  Miss best;
  const double h = horizon_;
  for (const GoalPlace& place : places_) {
    const double first = std::max(place.goal->time ? place.goal->time->low - t : 0.0, 0.0);
    const double last = place.goal->time ? place.goal->time->high - t : first + 20;
    constexpr int kMoments = 8;
    for (int k = 0; k <= kMoments; ++k) {
      const double u = first + (last - first) * k / kMoments;
      if (u < 0 || u > task_.t_end - t + 1e-6) continue;
      const Progress1 at_h = profile.at(std::min(u, h) * (1 - 1e-9));
      const double v = u > h ? std::max(0.0, end) : at_h.v;
      const double s = state_.axle.along + at_h.p + (u > h ? v * (u - h) : 0);
      const double later = std::max(0.0, u - h);  // in which both can still be mended
      const double off = std::max({0.0, place.begin - s, s - place.end});
      const double miss = std::max(0.0, off - 0.5 * later * later);
      double wrong = 0;
      if (place.goal->speed)
        wrong = std::max({0.0, place.goal->speed->low - v, v - place.goal->speed->high});
      wrong = std::max(0.0, wrong - 2 * later);
      double& least = u < 4 ? best.soon : best.later;
      least = std::min(least, std::min(miss, 50.0) + 0.02 * off + 2 * wrong);
    }
  }
  return best;
}

// Slow and just before a line at which it has not stood yet: time to stand, not to creep.
bool PlanList::must_halt() const {
  for (std::size_t i = 0; i < task_.stops.size(); ++i) {
    const double ahead = task_.stops[i].s - front();
    if (task_.stops[i].must_stop && !state_.stopped_at[i] && ahead >= 0 && ahead < kNearLine &&
        state_.progress.v < 4)
      return true;
  }
  return false;
}

}  // namespace proven::spacetime
