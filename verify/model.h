// Chapter 3: the model. What SCENE says, as links that hang on elementary joints, bodies made of
// pieces, and the pairs of bodies to test. Derived from the plain data alone; sections 2 and 3 of
// the certificate format say how things are numbered.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "proven/scene/motion.h"
#include "proven/scene/scene_source.h"
#include "proven/verify/verify.h"
#include "verify/algebra.h"
#include "verify/boxes.h"
#include "verify/sensed.h"
#include "verify/topology.h"

namespace proven::verifier {

// Thrown wherever something is found that is not as it must be; verify() turns it into a report.
struct Rejected {
  std::string reason;
};

// Throws if the caller wants no answer any more.
inline void stop_if_cancelled(const VerifyOptions& options) {
  if (options.cancel && options.cancel->load(std::memory_order_relaxed))
    throw Rejected{"stopped before all of it was verified"};
}

// Coordinates and lengths beyond this are refused, so that no product overflows.
inline constexpr double kLargestNumber = 1e9;

enum class JointKind { fixed, turn, slide, ball };
// A planar joint slides along two directions that its normal defines (format, section 2).
enum class Direction { axis, plane_x, plane_y };

struct Link {
  std::string name;  // "robot/link"; empty for the helpers of planar and floating joints
  int parent = -1;
  JointKind kind = JointKind::fixed;  // how it hangs on its parent
  GivenPose X_PJ;
  Vec3 axis = {};
  Direction direction = Direction::axis;
  int coordinate = -1;  // the (first) that it reads; -1: its value is always `offset`
  Interval multiplier = 1.0, offset = 0.0;

  bool can_move() const { return kind != JointKind::fixed && coordinate >= 0; }
};

struct Piece {
  int element = 0;
  int triangle = -1;  // of the element's mesh; -1: a convex piece
  int grain = -1;     // point of a cloud or box of voxels; -1: the piece is the element
};

// Around the root box of a body, in its frame.
struct NearBall {
  Vec3 centre;
  double radius = 0;  // rounded up
};

struct Body {
  std::string name;
  int link = 0;
  GivenPose X_LB;
  const std::vector<CollisionElement>* elements = nullptr;
  std::vector<GivenPose> X_BE;  // of the elements
  std::vector<Piece> pieces;
  std::vector<CellBox> cells;  // a voxel set: the boxes that are its pieces
  BoxTree tree;
  Box3 key;  // around the boxes that decide the shape of the tree
  Topology topology;
  bool still = false;
  bool held = false;  // by the robot of its link
  bool obstacle = false;
  double grows = 0;          // metres per second from time 0 on
  int moving_root = 0;       // the lowest link above that hangs on a joint that can move
  Placement<Interval> X_WB;  // of a still body

  // What the rule in doubles looks at (quick.h).
  NearBall ball;
  // S of each link of the chain from the world, where it is the same for all pieces of motions:
  // where nothing slides; else empty.
  std::vector<Interval> reaches;
  double size = 0;              // no point is farther from the origin of the body's frame
  std::vector<int> first_leaf;  // of each node of the tree: how many leaves come before it
  std::vector<int> items;       // of the leaves, in their order
  // Of the same: corners of triangles; centres and half extents of grains.
  std::vector<std::array<Vec3, 3>> corners;
  std::vector<std::vector<Vec3>> hulls;  // points of the elements that are hulls
  std::vector<Vec3> component_points;    // one of each component of the topology
  double piece_error = 0;                // corners, points and shapes are so near to the exact ones

  bool sensed() const { return !pieces.empty() && pieces[0].grain >= 0; }
  const GivenPose& pose_of(const Piece& piece) const {
    return X_BE[static_cast<std::size_t>(piece.element)];
  }
  const CollisionElement& element(const Piece& piece) const {
    return (*elements)[static_cast<std::size_t>(piece.element)];
  }
};

enum class Reason {
  rigid,
  adjacent,
  touch,
  user,
  srdf_adjacent,
  srdf_default,
  srdf_user,
  srdf_never,
  srdf_proved
};

struct Pair {
  int a = 0, b = 0;  // a < b
  double clearance = 0;
  PairClass kind = PairClass::world;
  double growth = 0;  // of the clearance, metres per second
};
struct Excluded {
  int a = 0, b = 0;
  Reason reason = Reason::rigid;
};

// What is required of a pair, or of several.
struct Asked {
  double clearance = 0;
  double growth = 0;  // metres per second
};

// What one walk proves: body a against body b, or against all still bodies (b = -1).
struct Unit {
  int a = 0, b = -1;
  std::vector<Pair> pairs;  // with a as the first body
  int ancestor = 0;         // the lowest common one of the bodies' links
  Asked largest;            // of all pairs
  // Against still bodies: what is asked of each, and which nodes of the tree over them count.
  std::vector<std::optional<Asked>> asked;
  std::vector<bool> counts;
};

// Coordinates that follow the clock (format, section 9).
struct Timed {
  std::string name;
  int first = 0, count = 0;
  Motion motion;    // of these coordinates
  double late = 0;  // seconds by which it may start later
};

struct Model {
  std::vector<Link> links;  // links[0] is the world; parents come first
  int num_coordinates = 0;
  std::vector<std::string> joints;  // per coordinate: "robot/joint"
  std::vector<Timed> timed;
  std::vector<Body> bodies;
  std::vector<Pair> pairs;
  std::vector<Excluded> excluded;
  std::vector<Unit> units;
  bool sensed = false;               // a body is a cloud or a voxel set
  std::vector<std::string> ignored;  // left out of robots' files since somebody said so
  std::vector<int> still;            // bodies
  BoxTree still_tree;                // items index `still`; empty if there are none

  // Links from below `ancestor` down to `link`.
  std::vector<int> chain(int ancestor, int link) const;
  int lowest_common_ancestor(int a, int b) const;
  // Whether a ball joint's quaternion begins at the coordinate.
  bool turns_at(int coordinate) const;
};

// `previous`: a model of another scene, which must still be there. Bodies of the same name and the
// same shapes are taken from it.
Model build_model(const SceneSource& scene, const VerifyOptions& options,
                  Model* previous = nullptr);
void check_motion(const Model& model, const Motion& motion);
// The motion with all that moves by the clock (clock.cpp); itself if nothing does.
// `delays`: how late each timed part is; empty: not at all.
Motion on_one_clock(const Model& model, const Motion& motion, std::span<const double> delays = {});
// Of a ball joint's exponential coordinates on a piece.
std::array<std::vector<double>, 3> turn_coefficients(const MotionPiece& piece, int column);

// What may start late (late.cpp). So many runs cover every start if lateness is cut into slots:
bool may_be_late(const Model& model);
std::size_t num_runs(const Model& model, std::uint32_t slots);
std::vector<double> delays_in(const Model& model, std::uint32_t slots, std::size_t run);
// How far each coordinate may be from its run, by the tracking error and by lateness within a slot;
// empty: not at all.
std::vector<double> errors_of(const Model& model, const TrackingError& tracking,
                              std::uint32_t slots);

// A vertex of a triangle or point of a hull, brought to its body's frame.
template <class T>
Vector<T> point_in_body(const GivenPose& X_BE, const Vec3& v);
// The centre of a grain and the half extents of a box of voxels (of balls: 0), in the frame of the
// element.
template <class T>
struct GrainSize {
  Vector<T> centre, half;
};
template <class T>
GrainSize<T> grain_of(const Body& body, const Piece& piece);
template <class T>
Vector<T> centre_in_body(const Body& body, const Piece& piece);
double grain_radius(const Body& body);  // of balls; else 0
// A point of a piece, in the body's frame.
Vector<Interval> point_of(const Body& body, const Piece& piece);
// The corners of a triangle as given, before the element's pose.
std::array<Vec3, 3> corners(const Body& body, const Piece& piece);

// Parts of build_model. Pieces and tree of a body (bodies.cpp):
void build_body(Body& body);
// The same, from a body with the same shapes; false, and nothing done, where they differ.
bool take_body(Body& from, Body& body);
void prepare_highest(Body& body);
void require_rigid(const Pose& X, const std::string& what);
// The tree over still bodies, how far joints reach (motion.cpp), and the pairs (pairs.cpp):
void build_still_tree(Model& model);
void find_reaches(Model& model);
void add_pairs(const SceneSource& scene, const VerifyOptions& options, Model& model);

}  // namespace proven::verifier
