// What a manipulation task is about, besides facts and numbers: arms and their hands, objects that
// can be carried, places for them, and how they are gripped. Plain data; read from a JSON file
// (docs/tutorials/pick_and_place.md).
//
// Frames: O is an object's (that of its obstacle in the scene file); H is the link that carries the
// hand; T is the grip frame: z the way the hand approaches, x the way its fingers close.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proven/base/result.h"
#include "proven/scene/scene.h"

namespace proven::manipulation {

struct Arm {
  std::string name = {};            // empty: the only one
  std::vector<std::string> joints;  // "robot/joint", in the order of the fluents q0, q1, ...
  std::string hand;                 // link H
  Pose X_HT;
  std::string fingers;             // coordinate that opens and closes them; empty: there are none
  double open = 0;                 // its value while nothing is held
  std::vector<std::string> touch;  // links that a held object may touch, besides the hand
  double opening = 0;              // metres between open fingers, for grasps that are sampled
};

// What a hand can hold.
struct Graspable {
  std::string name;
  double grip = 0;  // value of the fingers' coordinate while they hold it
  // Ways to grip it, by the name of the grasp: poses X_OT. Those of one name count as one grasp.
  std::map<std::string, std::vector<Pose>> grasps = {};
};

// An obstacle of the scene.
struct Object : Graspable {
  // Radians that its z axis may be away from the world's while it is carried, at every time.
  std::optional<double> upright = {};
};

// Something with a joint that the arm moves by a handle, such as a drawer or a door: a robot of the
// scene. Its frame O is that of the link. What stands on the link moves with it.
struct Fixture : Graspable {
  std::string joint;                        // "robot/joint"
  std::string link;                         // that the joint moves
  std::vector<std::string> handle;          // bodies that the fingers touch while they hold it
  std::map<std::string, double> positions;  // of the joint, by name: "open", "closed"
};

// An object is let go of at one of the poses X_WO in `release`. Where `rest` has a pose for it, it
// falls to there, as through a hole. A place on an object or fixture moves with it: its poses are
// in that frame, and what is put there must be proved to stand (support.h).
//
// A surface is a place without poses of its own: the object's origin stands somewhere in a
// rectangle, turned about z in any way, where it is proved to stand.
struct Surface {
  double lower[2] = {}, upper[2] = {};  // x and y
  double height = 0;                    // z of the object's origin when it is let go of
};

// Where `meeting`, the hand does not let go: another one comes and takes the object over.
struct Place {
  std::string name;
  std::string on = {};              // an object or fixture; of a surface also another obstacle
  std::vector<Pose> release, rest;  // `rest` is empty or as long
  std::optional<Surface> surface = {};
  bool meeting = false;
};

struct World {
  SceneSource scene;      // robots, what never moves, and the objects as obstacles
  std::vector<Arm> arms;  // at least one; of several each has a name
  std::vector<Object> objects;
  std::vector<Fixture> fixtures = {};
  std::vector<Place> places;
  // Metres, kept by the links of robots from everything that stands still; not by the hand from
  // objects, which it must come close to, nor by what is carried, which stands close to its places.
  double clearance = 0;

  int find_arm(const std::string& name) const;  // -1: none
  const Object* find_object(const std::string& name) const;
  const Fixture* find_fixture(const std::string& name) const;
  const Graspable* find_graspable(const std::string& name) const;  // an object or a fixture
  // Shapes of an object or another obstacle, or of a fixture's link.
  const std::vector<CollisionElement>& elements_of(const std::string& name) const;
  const Place* find_place(const std::string& name) const;
};

// Errors name the file, the line and the element, names that the scene does not have included.
Result<World> load_world(const std::filesystem::path& file);
// The world that (manipulationInit world.json [clearance=METRES] ...) names; other words are passed
// over.
Result<World> open_world(const std::filesystem::path& folder,
                         std::span<const std::string> arguments);
// folder/world.json and the scene beside it.
Result<void> save_world(const World& world, const std::filesystem::path& folder);

}  // namespace proven::manipulation
