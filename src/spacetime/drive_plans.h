// The candidates of one cycle of a drive, the most pleasant first: ways of the rear axle and speeds
// along them. Ways and poses are made when their turn comes.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "spacetime/candidate.h"

namespace proven::spacetime {

// Where a drive is.
struct DriveState {
  AxleState axle;
  Progress1 progress;
  std::vector<bool> stopped_at;  // of every line, whether it has stood there
};

// Who stands so near before a line has stopped at it, in metres.
inline constexpr double kNearLine = 4;

struct Plan {
  int way = 0, profile = 0;
  float cost = 0;
  bool never_easy = false, never = false;                        // sampling it failed
  double not_free_at = std::numeric_limits<double>::infinity();  // a margin that it does not keep
};

class PlanList {
 public:
  PlanList(const DriveTask& task, const DriveOptions& options, double along);

  // All candidates of a state; `horizon` is in seconds.
  void make(const DriveState& state, double t, double horizon);

  int size() const { return static_cast<int>(plans_.size()); }
  // By rank in the order of cost.
  Plan& ranked(int rank);
  const Profile& profile(const Plan& plan) const;
  // nullptr: the path bends too sharply for it.
  const Way* way(const Plan& plan);
  // The hardest braking straight on.
  Plan last_resort() const;

 private:
  struct GoalPlace {
    double begin = 0, end = 0;  // along the path, for a vehicle in the middle of its lane
    const GoalState* goal = nullptr;
  };
  struct LazyWay {
    double offset = 0, length = 0;
    bool straight = false, made = false;
    Way way;
  };
  // How far a speed profile misses the goals, at moments so near that being aside counts, and
  // later.
  struct Miss {
    double soon = 1e9, later = 1e9;
  };

  void find_goals(double along);
  void add_ways();
  void add_profiles(double t);
  void add_stops(const Progress1& from);
  void add(const Profile& profile, double end);
  double wanted_speed(double t) const;
  Miss goal_miss(const Profile& profile, double end, double t) const;
  bool must_halt() const;
  double limit_here() const;
  double front() const;

  const DriveTask& task_;
  const DriveOptions& options_;
  DriveState state_;
  double horizon_ = 0, reach_ = 0;
  std::vector<GoalPlace> places_;
  std::vector<LazyWay> ways_;
  std::vector<Profile> profiles_;
  std::vector<double> ends_;  // the speed at which each goes on
  std::vector<Plan> plans_;
  std::vector<int> order_;  // the first `sorted_` by cost, then a heap
  int sorted_ = 0;
};

double speed_limit_at(const DriveTask& task, double along);
double front_of(const DriveTask& task, double along);

}  // namespace proven::spacetime
