// Chapter 6: the rule (format, sections 5 and 8). A direction keeps two nodes apart for a while.
#pragma once

#include "verify/motion.h"

namespace proven::verifier {

// A node of a body's tree, or (no body) of the tree over still bodies.
struct Node {
  const Body* body = nullptr;
  const BoxTree* tree = nullptr;
  int index = 0;
  // Small nodes (format, section 5) by their pieces rather than by their box: narrower, and slower.
  bool by_pieces = false;

  const BoxNode& get() const { return (*tree)[static_cast<std::size_t>(index)]; }
};

// The largest d · y over the node, in the frame of its body.
template <class T>
T highest(const Node& node, const Vector<T>& d);

// For all points of a body, on a side of length h of the motion's anchor: bounds on the speed, on
// the acceleration along n (times |n| = length) beyond that of the kappas, and on the latter.
template <class T>
struct Bounds {
  T speed, acceleration, bend;
};
template <class T>
Bounds<T> bounds(const BodyMotion<T>& motion, std::size_t side, const Vector<T>& n, const T& length,
                 const T& h);

inline constexpr int kSmallNode = 16;  // pieces

struct Leaf : Around {
  Vec3 direction;  // integers
};

// What is required at the anchor, and how fast that grows per unit of t.
template <class T>
struct Required {
  T clearance;
  T growth = 0.0;
};

// Whether B stays farther from A than required, along the direction, at all times of the leaf.
template <class T>
bool holds(const Leaf& leaf, const Node& A, const BodyMotion<T>& motion_A, const Node& B,
           const BodyMotion<T>& motion_B, const Required<T>& required);

// What a leaf proves beyond its clearance: lower bounds on the distance of the nodes at the begin,
// at the anchor and at the end, linear in between. (On a side both forms of the rule start from the
// gap at the anchor; one is linear, the other is above its chord less what c' adds to c.)
struct LeafBounds {
  double begin = 0, anchor = 0, end = 0;
  double plane_a = 0, plane_b = 0;  // near the largest n · x of A and the least of B, |n| = 1
};
LeafBounds measure(const Leaf& leaf, const Node& A, const BodyMotion<Interval>& motion_A,
                   const Node& B, const BodyMotion<Interval>& motion_B);

}  // namespace proven::verifier
