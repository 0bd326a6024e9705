// What others may do: every motion within stated bounds, as regions that grow with time.
//
// A mover that keeps its lane goes forwards on it, anywhere between its borders, with bounded speed
// and acceleration along it; one that does not goes where it likes within these bounds. Whatever
// keeps the bounds stays in the predicted regions: docs/algorithms/spacetime.md, "What others may
// do".
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "proven/spacetime/goal.h"
#include "proven/spacetime/vehicle.h"

namespace proven::spacetime {

struct MoverBounds {
  double max_speed = 50;        // m/s; who is faster already stays below what it has
  double max_acceleration = 8;  // m/s^2
  bool keeps_lane = true;       // false, or beside all lanes: in every direction
};
Result<void> validate(const MoverBounds& bounds);

// A mover at a moment.
struct Sighting {
  std::string name;
  Footprint footprint;
  Pose2 pose;
  Vec2 velocity;                                       // of the frame's origin
  double position_deviation = 0, speed_deviation = 0;  // the truth is within these
  MoverBounds bounds;
};

class Predictor {
 public:
  // Keeps the road, which must outlive it.
  explicit Predictor(const Road& road) : road_(&road) {}

  // All that the mover may occupy from t to t_end: one list of regions per `step` seconds, each for
  // its own time. What the outline sticks out of its lane now, it may go on to stick out.
  Result<Obstacle> occupancies(const Sighting& seen, double t, double t_end, double step) const;

  // How far the vehicle is ahead of a mover that keeps its lane, along the lane; nothing where it
  // is not ahead, or not on that lane: wholly, or at least partly.
  struct Ahead {
    double gap = 0;
    bool wholly = false;
  };
  std::optional<Ahead> ahead_of(const Sighting& seen, const Footprint& vehicle,
                                const Pose2& pose) const;

 private:
  const Road* road_;
};

// Who answers for what: a mover behind the vehicle on the same lane has to keep its distance, if
// the vehicle was there from the start or came with room to stop behind it, and as long as it is
// partly there. Everybody else's regions are for the vehicle to avoid.
class Watchman {
 public:
  Watchman(const Road& road, const VehicleModel& vehicle);

  // The regions of all who are not followers, until t_end.
  Result<std::vector<Obstacle>> regions(std::span<const Sighting> seen, const VehicleState& ego,
                                        double t_end, double step);
  const std::set<std::string>& followers() const { return followers_; }

 private:
  Predictor predictor_;
  VehicleModel vehicle_;
  Footprint shape_;
  std::set<std::string> followers_;
  bool first_ = true;
};

// What is seen of a scene's moving obstacles at a time: places as they are, speeds from the step
// before.
std::vector<Sighting> sightings(const TrafficScene& scene, double t, const MoverBounds& bounds);

// How long a follower may take to react before it brakes as hard as it can.
inline constexpr double kReaction = 0.6;  // seconds

}  // namespace proven::spacetime
