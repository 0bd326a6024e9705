// What a batch of segments is asked of, as flat arrays that a GPU can hold: the prepared sweep of a
// model, and the trees and pieces of its bodies (docs/algorithms/batch.md).
//
// Plain data of plain types: this header is read by CUDA's compiler, too.
#pragma once

#include <cstdint>

#include "proven/base/lanes.h"

namespace proven::batch {

using namespace lanes;
using lanes::kLanes;  // moments of a segment, or things to test

inline constexpr int kChords = kLanes - 1;  // between neighbouring moments
inline constexpr std::uint32_t kAllChords = (1u << kChords) - 1;

// A joint that moves, with its axis along z, below the joint with that index or the world (-1).
struct Joint {
  double X_PJ[12];  // the rotation row by row, then the position
  double multiplier, offset;
  int coordinate;
  int slides;
  int parent;
  int slot;         // where the frame is kept for joints that branch off; -1: nowhere
  int parent_slot;  // where the frame above is found; -1: it is the joint before, or the world
};

struct Lever {
  int joint;
  int turns;
  double radius, point_radius;  // of the balls' centres, of all points
};

struct Ball {
  float centre[3];  // in the frame of the body's joint
  float radius, depth;
};

// Points of a hull, in the joint's frame or, of a body that stands still, in the world.
struct Outline {
  int first_point, num_points;
  float radius;
  float middle[3];
};

// Balls inside a body.
struct Inner {
  int first, count;
};

struct Body {
  int joint;
  int shape;  // index of its Shape
  float centre[3], radius;
  int first_ball, num_balls;
  int first_lever, num_levers;
  Outline outline;
  Inner inner;
  float error;        // of positions in float, and of all tests that use them
  float most_needed;  // of what stands still
  int first_still;    // its row of StillPair
};

// A body that moves and one that stands still.
struct StillPair {
  int pair;  // of the scene; -1: not tested
  float need;
  int link;           // of StillLink, or -1
  double fine_error;  // of distances in double
};

// A link of the same robot that stands still.
struct StillLink {
  int table;  // or -1; its contacts name the body that moves first
  Outline outline;
  Inner inner;
};

struct Still {
  int shape;
  int hollow;  // something may lie inside it that touches none of its solids
  float lo[3], hi[3];
};

struct Solid {
  float R[9], c[3], half[3], radius;  // as SweepSolid
  int cylinder, whole;
  int still;
};

struct Pair {
  int pair, a, b;
  float need;
  int table;          // or -1
  int shared;         // one carries the other: how many joints move both; else -1
  double fine_error;  // of distances in double
};

// Where one or two coordinates keep two links apart (PairTable).
struct Table {
  int coordinate[2];
  double lower[2], per_width[2];  // cells begin there; in a unit
  int whole[2], count[2];
  int first_word;     // of `table_bits`: four words of 64 bits for each stripe
  int first_place;    // of `contact_places`, a value for each cell; -1: none are named
  int first_contact;  // of `contacts`
};

// Two balls inside of the bodies, in the frames of their joints or in the world.
struct TableContact {
  float a[4], b[4];  // the centre, the radius
};

// The pieces of a body in its own frame, under their tree of boxes.
struct Shape {
  double X_FB[12];  // in the frame of its joint, or in the world
  int first_node;   // -1: it cannot be searched here
  int first_piece;
  int first_component, num_components;  // -1: too many to ask
  int has_inside;
  double lo[3], hi[3];  // of the body's box
  double slack;
};

struct Node {
  double centre[3], half[3];
  int first_child;              // -1: a leaf
  int piece;                    // of the leaf
  int first_point, num_points;  // of few triangles: their corners; else none
};

struct Piece {
  enum Kind { kTriangle, kBox, kCylinder };  // spheres and capsules are boxes with rounded edges
  int kind;
  double radius;  // of the rounding
  double v[15];   // three corners; or R_BS row by row, the centre, half extents
};

struct Tables {
  int num_coordinates, num_joints, num_slots, num_bodies, num_stills, num_solids, num_pairs;
  const double* ranges;  // of every coordinate: lower, upper; bounds hold within
  const Joint* joints;
  const Lever* levers;
  const Ball* balls;
  const float* points;  // x, y and z of each
  const float* inner;   // x, y, z and radius of each
  const Body* bodies;
  const StillPair* still_pairs;
  const StillLink* still_links;
  const Still* stills;
  const Solid* solids;
  const float* solid_bounds;  // lo x of all, lo y, ..., hi z: six rows of `solid_row` each
  int solid_row;
  const Pair* pairs;
  const Table* tables;
  const std::uint64_t* table_bits;
  const int* contact_places;  // of a table's contacts, or -1
  const TableContact* contacts;
  const Shape* shapes;
  const Node* nodes;
  const float* node_points;  // x, y and z of each
  const Piece* pieces;
  const double* components;  // x, y and z of each
};

// Gives every pointer of the tables to f.
template <class F>
void each_array(Tables& t, const F& f) {
  f(t.ranges), f(t.joints), f(t.levers), f(t.balls), f(t.points), f(t.inner), f(t.bodies),
      f(t.still_pairs);
  f(t.still_links), f(t.stills), f(t.solids), f(t.solid_bounds), f(t.pairs), f(t.tables);
  f(t.table_bits), f(t.contact_places), f(t.contacts), f(t.shapes), f(t.nodes), f(t.node_points),
      f(t.pieces), f(t.components);
}

// What is known of a segment; what stands later wins.
enum class State : std::int32_t {
  free,
  open,     // so far
  host,     // nothing here can settle it
  likely,   // a contact where Found says is likely
  contact,  // it is proved there
};

struct Found {
  std::int32_t pair;
  std::int32_t moment;  // of kMoments
};
// Contacts are told at these moments of the segment: i / kMoments.
inline constexpr int kMoments = kChords * kChords;

// Something of a segment that balls leave open, on some of the chords.
struct Entry {
  int segment;
  int body;
  int other;  // a solid, or with `pair` the index of a Pair
  std::uint32_t chords;
  int ball, other_ball;  // that come near; the latter of pairs
  int kind;
  enum Kind { kSolid, kLink, kPair };
};

// Two bodies between two moments k / kChords, for the search.
struct Task {
  int segment;
  int body;   // that moves
  int other;  // with `pair` an index of a Pair; else a still body
  int pair;   // whether it is
  int begin, end;
};

}  // namespace proven::batch
