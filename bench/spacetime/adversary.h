// A road of several lanes, and movers on it that do their worst within their bounds. Shares no code
// with the prediction: places on lanes, motions, overlaps and who is to blame are computed here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "proven/base/random.h"
#include "proven/spacetime/drive.h"

namespace proven::bench {

// Lanes beside each other, straight or along a circle.
struct LaneRoad {
  struct Line {
    std::vector<spacetime::Vec2> left, right;  // corners, in the direction of travel
    std::vector<double> s;                     // along the middle
  };
  std::vector<Line> lanes;
  double width = 0, curvature = 0;
  spacetime::Road road;
};
LaneRoad random_road(Random& random);

// Somebody on a lane: progress, speed, how far to the left of the middle; or walking freely.
struct Mover {
  std::string name;
  int lane = -1;  // -1: walks
  double length = 0, width = 0;
  double s = 0, v = 0, aside = 0, aside_rate = 0;
  spacetime::Vec2 at, velocity;  // of who walks
  spacetime::MoverBounds bounds;
  int mood = 0;  // what it is up to
  double mood_until = 0;
};

struct Box {
  spacetime::Pose2 pose;
  double length = 0, width = 0;
};
bool overlap(const Box& a, const Box& b);

struct Situation {
  LaneRoad road;
  std::vector<Mover> movers;
  int lane = 0, target = 0;  // of the vehicle, and the one that it would like to be on
  double s = 0, speed = 0, desired = 0;
};
Situation random_situation(Random& random);

// The movers over time, in steps of 10 ms, each aware of the vehicle.
class Adversaries {
 public:
  Adversaries(const Situation& situation, std::uint64_t seed)
      : road_(situation.road), movers_(situation.movers), random_(seed) {
    record();
  }

  // Up to t; the vehicle goes straight on from where it was seen last.
  void advance(double t, const spacetime::VehicleState& seen);

  std::vector<spacetime::Sighting> sightings() const;
  // Everybody goes on as it does now.
  std::vector<spacetime::Obstacle> expected(double seconds) const;

  static constexpr double kStep = 0.01;
  const std::vector<Mover>& movers() const { return movers_; }
  // At step i of kStep.
  const std::vector<std::vector<Box>>& history() const { return history_; }
  const std::vector<std::vector<Mover>>& states() const { return states_; }

 private:
  void record();
  void decide(Mover& mover, double t);
  void move(Mover& mover, double t, const spacetime::VehicleState& ego);
  void walk(Mover& mover, const spacetime::VehicleState& ego);

  const LaneRoad& road_;
  std::vector<Mover> movers_;
  Random random_;
  std::vector<std::vector<Box>> history_;
  std::vector<std::vector<Mover>> states_;
};

Box box_of(const LaneRoad& road, const Mover& mover);
// Progress and offset to the left of a point, on a lane; false: not on it.
bool on_lane(const LaneRoad::Line& line, spacetime::Vec2 p, double& s, double& aside);

// What became of a drive among them.
struct Judgement {
  int caused = 0;      // the vehicle moved into somebody, or somebody who was not behind into it
  int standing = 0;    // it stood
  int rear_ended = 0;  // by who had to keep a distance
};
Judgement judge(const LaneRoad& road, const Adversaries& others,
                const spacetime::DriveResult& drive, const spacetime::VehicleModel& vehicle);

}  // namespace proven::bench
