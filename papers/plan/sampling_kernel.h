// Many samples of an edge at a time, one per lane: a robot of spheres among convex solids, in float
// arithmetic, each test in as few steps as sampling allows. Proves nothing.
#pragma once

#include <cstdint>

#include "proven/base/simd.h"

namespace proven {

inline constexpr int kMostLanes = 16;

// A joint whose axis is z of its frame.
struct SphereJoint {
  int parent = -1;      // -1: the world
  int coordinate = -1;  // which value it takes
  bool turns = true;    // else it slides
  float multiplier = 1, offset = 0;
  float R[9] = {}, p[3] = {};  // in the frame of the joint above; row by row
  // Per column of R: 1 + i or -(1 + i) if it is the unit vector i or its opposite; else 0.
  std::int8_t unit[3] = {};
};

struct SphereBody {
  int joint = -1;
  float centre[3] = {}, radius = 0;  // of a sphere around all of it
  int first = 0, count = 0;          // its spheres
};

// Boxes with rounded edges (spheres and capsules among them) and cylinders.
struct SphereSolid {
  float R[9] = {}, c[3] = {};  // from the world to the solid, row by row; its centre
  float half[3] = {};          // of a cylinder: radius, radius, half length
  float radius = 0;
  bool cylinder = false, aligned = false;  // aligned: R is the identity
};

// All of it in plain arrays; none of it is owned.
struct SphereWorld {
  const SphereJoint* joints = nullptr;
  int num_joints = 0;
  const SphereBody* bodies = nullptr;  // from the base to the tip
  int num_bodies = 0;
  const float* spheres = nullptr;  // x, y, z and radius of each, in the frame of the body's joint
  const SphereSolid* solids = nullptr;
  int num_solids = 0;
  // Boxes around the solids, kMostLanes of them at a time: lo x, y, z, hi x, y, z. Places behind
  // the last are empty boxes.
  const float* boxes = nullptr;
  const std::uint16_t* tested = nullptr;  // per body and kMostLanes of the boxes: a bit each
  const int* pairs = nullptr;             // bodies, two and two
  int num_pairs = 0;
  // To work in, of kMostLanes floats each: twelve per joint, three per body, three per sphere.
  float *frames = nullptr, *wholes = nullptr, *centres = nullptr;
  std::uint8_t* placed = nullptr;  // per body
};

struct SamplingKernel {
  int lanes;
  // Whether a sample collides, of `rows` times as many as there are lanes, evenly over the edge.
  // Samples of one row are spread over all of it; the ends of the edge are samples.
  bool (*collides)(const SphereWorld& world, const float* from, const float* to, int rows);
  // The nearest of points, which lie kMostLanes at a time, coordinate after coordinate; places
  // behind the last are at infinity.
  int (*nearest)(const float* points, int count, int dimension, const float* to);
};

PROVEN_DECLARE_KERNEL(SamplingKernel, sampling_kernel);

}  // namespace proven
