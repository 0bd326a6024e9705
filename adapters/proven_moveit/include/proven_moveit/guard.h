// What the MoveIt plugins of this package ask: a robot, what stands around it as somebody else
// keeps it, and exact answers about states, motions between two states, and whole trajectories.
//
// Nothing here knows ROS: names are those of links and objects, everything else is Proven's own. A
// Guard is asked by any number of threads; it keeps the scenes of the last few questions prepared.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "proven/base/budget.h"
#include "proven/certify/options.h"
#include "proven/certify/verdict.h"
#include "proven/io/trajectory.h"
#include "proven/scene/scene.h"

namespace proven::adapters {

// Which pairs of bodies a question is about.
enum class PairScope {
  all,
  self,   // of the robot with itself and what it holds
  world,  // of the robot, with what it holds, and the objects around it
};

// The state of the world in which something is asked. Two are the same if all their numbers are,
// and meshes, hulls and clouds by identity: whoever fills this in keeps them.
struct Surroundings {
  std::vector<ObstacleSource> objects;
  std::vector<AttachedSource> held;  // `link` and `touch` name links, or objects
  // Pairs of links, held things and objects that may touch, the smaller name first. Two links that
  // are joined must be among them: contacts between those cannot be told from the joint itself.
  std::set<std::pair<std::string, std::string>> allowed;
  // Metres to be kept, of links and held things: from objects, and among each other (the sum).
  std::map<std::string, double> world_padding, self_padding;
  // Pairs without any of these links, or things that they hold, do not count. None: all count.
  std::optional<std::set<std::string>> active;
  PairScope scope = PairScope::all;
};

// A place where two bodies meet, are closer than they may be, or cannot be told apart.
struct Contact {
  std::array<std::string, 2> bodies;  // of links without the robot's name
  std::array<Vec3, 2> points;         // in the world
  double distance = 0;                // 0 where they overlap
  bool proved = true;                 // false: it stayed undecided there
  int segment = 0;                    // from point `segment` to the next, t in [0, 1] on the way
  double t = 0, time = 0;
  std::vector<double> configuration;
};

struct Answer {
  Verdict verdict = Verdict::undecided;
  std::string text;               // one sentence for people
  std::vector<Contact> contacts;  // none if it is free; else the one that decided comes first
};

struct RepairedTrajectory {
  std::optional<Trajectory> trajectory;  // proved free as these numbers; nothing: see `text`
  std::string text;
  int stretches = 0;  // that go another way now
};

// The nearest pair, by names.
struct NamedDistance {
  std::array<std::string, 2> bodies;
  std::array<Vec3, 2> points;
  double distance = 0;
};

class Guard {
 public:
  // Prepares the geometry of all links. `options` are about every question; those about one answer
  // alone (certificate, explain, first) are refused.
  static Result<std::shared_ptr<const Guard>> build(const Robot& robot,
                                                    const CheckOptions& options = {});
  ~Guard();

  // The robot alone: whose coordinates configurations have, in their order.
  const Scene& robot() const;

  // Up to `most` contacts, each of another pair. Undecided, as where a gap is smaller than the
  // resolution, is not free.
  Result<Answer> check_state(const Surroundings& around, std::span<const double> q,
                             std::size_t most = 1) const;
  // The whole straight way from one to the other; joints without limits turn the shorter way.
  Result<Answer> check_between(const Surroundings& around, std::span<const double> from,
                               std::span<const double> to, std::size_t most = 1) const;
  // What a controller makes of the points. Joints that are not named stay at `rest`. Limits of
  // joints are not looked at: that is the planner's part.
  Result<Answer> check(const Surroundings& around, std::span<const double> rest,
                       const Trajectory& trajectory, std::size_t most = 1,
                       Interpolation interpolation = Interpolation::as_given,
                       const Budget& budget = {}) const;
  // Another way around each stretch that is not free, along the points' straight lines, timed anew
  // by the joints' limits times `speed` (within (0, 1]) and proved once more as it is returned and
  // interpolated. Joints that are not named do not move. The same seed finds the same way.
  Result<RepairedTrajectory> repair(const Surroundings& around, std::span<const double> rest,
                                    const Trajectory& trajectory, double speed = 1,
                                    Interpolation interpolation = Interpolation::as_given,
                                    std::uint64_t seed = 1, const Budget& budget = {}) const;
  // Of all pairs that count.
  Result<std::vector<NamedDistance>> distances(const Surroundings& around,
                                               std::span<const double> q) const;

 private:
  struct State;
  explicit Guard(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace proven::adapters
