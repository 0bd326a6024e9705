// Driving along a reference path among known traffic, in a receding horizon: in every cycle many
// candidates (ways to a lateral offset, speeds along them) are ranked by cost, and the first one
// that the vehicle can drive and that is proved free is driven for one cycle.
//
// What is promised: the driven trajectory is free, on the road and within the vehicle's model,
// since every cycle's part belongs to a candidate that is, as a whole; and until the goal is
// reached every candidate ends in a stop on the road. What is not: that a solution is found where
// one exists, or that the traffic will do what the scene says.
//
// A fail-safe drive does not rely on that: in every cycle it has a stop that is proved free
// whatever others do within their bounds (prediction.h), and drives it when no candidate with
// another such stop is found.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proven/spacetime/check.h"
#include "proven/spacetime/goal.h"
#include "proven/spacetime/prediction.h"
#include "proven/spacetime/reference_path.h"
#include "proven/spacetime/vehicle.h"

namespace proven::spacetime {

// From `s` on along the reference path nobody drives faster.
struct SpeedLimit {
  double s = 0, speed = 0;
};
// A line across the reference path at s.
struct StopPoint {
  double s = 0;
  bool must_stop = false;
  std::vector<TrafficLight> lights;
};

struct DriveTask {
  VehicleModel vehicle;
  ReferencePath path;  // for the rear axle
  Pose2 start;         // the middle of the outline
  double speed = 0, t_begin = 0, t_end = 0;
  Road road;
  std::vector<GoalState> goals;    // none: the drive goes on to t_end
  std::vector<Obstacle> border;    // of the road; none: it is ignored
  std::vector<SpeedLimit> limits;  // in the order of s
  std::vector<StopPoint> stops;
};

struct DriveOptions {
  int candidates = 10000;     // about so many per cycle
  double time_step = 0.1;     // seconds between the poses of a candidate
  double cycle = 0.1;         // seconds driven before the next decision: a multiple of time_step
  double horizon = 3;         // seconds that a candidate looks ahead
  double desired_speed = 10;  // m/s, where no goal says otherwise
  double max_lateral_offset = 3.5;
  double margin = 0.3;  // kept from obstacles beyond check.clearance where a candidate can
  double comfort_across = 4, comfort_along = 4;  // m/s^2, kept where a candidate can
  bool fail_safe = false;
  MoverBounds movers;  // fail_safe: what those who move in the scene keep
  TrafficOptions check;
};

struct DriveCycle {
  double t = 0;
  int candidates = 0, checked = 0, rank = -1;  // the rank of the driven one in the order of cost
  double margin = 0;                           // that it keeps
  bool hard = false;                           // beyond what is comfortable
  bool stopping = false;                       // the stop of a cycle before is driven
  double generate_ms = 0, check_ms = 0;        // processor time
};

enum class DriveEnd {
  goal,               // the last state is in a goal
  time,               // t_end
  no_free_candidate,  // and the last one that was proved free is driven to its end
  stopped,            // by the budget
};

// One cycle and the stop after it, and what it is proved free of.
struct ProvedStop {
  double t = 0;
  Trajectory motion;  // until it stands
  std::vector<Obstacle> regions;
};

struct DriveResult {
  Trajectory driven;           // of the middle of the outline
  std::vector<double> speeds;  // of the rear axle, one per sample
  std::vector<DriveCycle> cycles;
  DriveEnd end = DriveEnd::time;
  double margin_kept = 0;  // beyond check.clearance, in every cycle
  int hard_cycles = 0;
  std::string in_the_way;  // no_free_candidate: what the hardest braking meets
  // fail_safe: the stops that were proved, one for each cycle that is not part of one; how many
  // cycles are; and whether there was none at the start.
  std::vector<ProvedStop> stops;
  int stopping_cycles = 0;
  bool no_stop = false;
  std::optional<Stop> stopped;  // by the budget
  // Candidates of the cycle in the middle of the drive, for pictures.
  CandidateSet shown;
  std::vector<Verdict> shown_verdicts;
};

// What is known of others at a moment.
struct Observation {
  TrafficScene expected;          // what they are expected to do: candidates are free of it
  std::vector<Obstacle> regions;  // fail_safe: where they may be from `time` until `until`
  double time = 0, until = 0;
};
// Asked at the beginning of every cycle, with the state of the vehicle.
using Observe = std::function<Result<Observation>(const VehicleState& ego, double until)>;

// Regions are predicted in steps of this, in seconds.
inline constexpr double kRegionStep = 0.1;

Result<DriveResult> drive(const Observe& observe, const DriveTask& task,
                          const DriveOptions& options, const Budget& budget = {});
// Everything is known beforehand and does what the scene says; what else it might do is predicted
// for fail_safe.
Result<DriveResult> drive(const TrafficScene& scene, const DriveTask& task,
                          const DriveOptions& options, const Budget& budget = {});

}  // namespace proven::spacetime
