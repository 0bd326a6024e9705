// Sixteen moments of a segment at a time: poses, positions of balls, and the chords between
// neighbouring moments against solids and against each other, all in float
// (docs/algorithms/sweep.md).
#pragma once

#include <cstdint>

#include "proven/base/simd.h"

namespace proven {

inline constexpr int kMoments = 16;
inline constexpr int kChords = kMoments - 1;
inline constexpr std::uint32_t kAllChords = (1u << kChords) - 1;

// A joint that moves, with its axis along z.
struct SweepJoint {
  enum class Kind { turn, slide, ball };
  Kind kind = Kind::turn;
  int parent = -1;  // index of the joint above that moves; -1: the world
  // In the frame of that joint: the rotation row by row, then the position. Kernels call no
  // functions of other types.
  float X_PJ[12] = {};
  // Per column of the rotation: 1 + i or -(1 + i) for the unit vector i and its opposite, as far as
  // floats tell; else 0.
  std::int8_t unit[3] = {};
};

// The frame of a joint at every moment, in the world.
struct FrameLanes {
  alignas(64) float R[9][kMoments];  // row by row
  alignas(64) float p[3][kMoments];
};

// Positions of a ball's centre.
struct Track {
  alignas(64) float v[3][kMoments];
};

// Of a body's cover: how large it is, and the radius of a ball around its centre that lies inside
// the body; none if that is not above zero.
struct SweepBall {
  float radius = 0, depth = 0;
};

// A box with rounded edges, or a cylinder, that stands still.
struct SweepSolid {
  float R[9];     // from the world to the solid, row by row
  float c[3];     // its centre in the world
  float half[3];  // of a cylinder: radius, radius, half length
  float radius;   // of the rounding
  bool cylinder;
  bool whole;    // all of it is solid; else it only holds what is
  bool aligned;  // R is the identity
};

// Sixteen boxes: lo x, y, z, hi x, y, z of each.
struct BoxLanes {
  alignas(64) float v[6][kMoments];
};

// What balls tell of a solid.
struct SolidFound {
  std::uint32_t open = 0;  // chords on which some ball is not shown to keep away
  // Of balls with such chords the one whose ball inside is nearest to the solid: how near, or below
  // zero how deep; the first moment of it. -1: there is none.
  int ball = -1, moment = 0;
  float gap = __builtin_inff();
  bool contact = false;  // it is as near as was asked for, and no further ball was looked at
};

// Directions in the world, one per moment.
struct DirectionLanes {
  alignas(64) float v[3][kMoments];
};

// Points in the frame of a joint; x, y and z of each.
struct SweepPoints {
  const float* xyz;
  int count;
};

// The value of a joint on a straight segment, at moments t: multiplier (from + t by) + offset.
struct JointLine {
  double from = 0, by = 0, multiplier = 1, offset = 0;
};

struct SweepKernel {
  void (*line)(const JointLine& line, const double* t, double* values);
  // Sines and cosines of angles up to 2^19, each within 3 · 2^-24.
  void (*sincos)(const double* angles, float* sines, float* cosines);
  // Frame of one joint from the one above (null: the world), for turns and slides.
  void (*turn)(const FrameLanes* parent, const SweepJoint& joint, const double* angles,
               FrameLanes& out);
  void (*slide)(const FrameLanes* parent, const SweepJoint& joint, const double* values,
                FrameLanes& out);
  // The frame from the one above, with its own rotation at every moment.
  void (*place)(const FrameLanes* parent, const SweepJoint& joint, const float (*own)[kMoments],
                FrameLanes& out);
  // Positions of a point of a frame, and the box around them: lo x, y, z, hi x, y, z.
  void (*track)(const FrameLanes& frame, const float* point, Track& out, float* box);
  // Which of so many boxes come nearer to another one than `around`, a bit each, sixteen to a word;
  // whether any does. Lanes behind the last box have no bit, whatever is in them and however much
  // `around` is: where overlaps are allowed, it has no end.
  bool (*near)(const BoxLanes* boxes, int count, const float* box, float around,
               std::uint16_t* near);
  // Positions of several points of a frame: x, y and z of each.
  void (*tracks)(const FrameLanes& frame, const float* points, int count, Track* out);
  // Which chords are not shown to stay farther than `radius` from the solid, a bit each.
  std::uint32_t (*solid)(const Track& track, const SweepSolid& solid, float radius);
  // Which chords are not shown to keep two points farther apart than `radius`.
  std::uint32_t (*pair)(const Track& a, const Track& b, float radius);
  // Which balls, as many as are told, are not shown to keep farther than `need` and their radius
  // from a point on some of these chords.
  int (*near_track)(const Track* tracks, const SweepBall* balls, int count, const Track& other,
                    float need, std::uint32_t chords, int* near);
  // The least squared distance of two points over all moments, and the first moment of it.
  float (*nearest)(const Track& a, const Track& b, int& moment);
  // A direction that is fixed in the frame, at every moment.
  void (*carry)(const FrameLanes& frame, const float* direction, DirectionLanes& out);
  // How far the points of a frame reach along the directions, at every moment.
  void (*reach)(const FrameLanes& frame, const SweepPoints& points, const DirectionLanes& along,
                float* out);
  // Moments at which the sum of the two is below -gap, a bit each.
  std::uint32_t (*apart)(const float* reach, const float* other, float gap);
  // Of balls in lanes (x, y, z and radius; as many as a multiple of sixteen): how far the point is
  // from the nearest one, and which that is. Below zero: inside.
  float (*ball)(const float* const* balls, int count, const float* point, int& index);
  // Of points in lanes (x, y and z; as many as a multiple of sixteen): the first one that is
  // farthest along a direction.
  int (*farthest)(const float* const* points, int count, const float* along);
  // Balls on their tracks, one after the other, on these chords: each must keep farther than `need`
  // and its radius. A ball inside that comes nearer than `contact` ends it.
  void (*balls)(const Track* tracks, const SweepBall* balls, int count, const SweepSolid& solid,
                float need, std::uint32_t chords, float contact, SolidFound& found);
  // Of balls in lanes that are fixed in a frame (its rotation row by row, then its position), at
  // one moment: the least gap to the solid, below zero: how deep, and of which ball.
  float (*inside)(const float* frame, const float* const* balls, int count, const SweepSolid& solid,
                  int& index);
  // Which of sixteen balls come nearer to a box (lo x, y, z, hi x, y, z) than `around`, a bit each;
  // the frame is that of the balls, seen from the box.
  std::uint32_t (*in_box)(const float* frame, const float* const* balls, const float* box,
                          float around);
};

PROVEN_DECLARE_KERNEL(SweepKernel, sweep_kernel);

}  // namespace proven
