// The third stage: two bodies that their outlines leave open, piece by piece. Node pairs of their
// trees are proved apart on an interval along one direction, or halved: in time where there is a
// gap, else in space (docs/algorithms/batch.md). It works on the thirty-one chords of the segment,
// and then on as many parts of a chord; what it cannot settle there stays open.
#pragma once

#include "batch_outline.h"

namespace proven::batch {

// Two nodes on an interval between moments of the task.
struct Record {
  int a, b;
  int begin, end;
};

struct SearchRoom {
  double* poses;  // per moment: of the second body in the first, or of both in the world
  float* rounded;
  Record* stack;

  static constexpr int kPose = 12;
  static constexpr int kDepth = 64;
  static constexpr int kPoses = 2 * kPose * kLanes;
};

enum class Searched { free, contact, unknown };

struct SearchOutcome {
  Searched result = Searched::unknown;
  int moment = 0;  // of a contact that is likely, of kMoments
  int steps = 0;
};

// What is left of an entry, from one chord that is open to the last: what lies between is looked at
// again, which costs less than a task for each.
PROVEN_LANES Task task_of(const Tables& tables, const Entry& entry, std::uint32_t open) {
  const bool pair = entry.kind == Entry::kPair;
  Task task = {};
  task.segment = entry.segment;
  task.body = entry.body;
  task.other = pair ? entry.other : tables.solids[entry.other].still;
  task.pair = pair ? 1 : 0;
  task.step = kChords;
  task.begin = first_of(open);
  task.end = last_of(open) + 1;
  return task;
}

// The scene's index of the pair.
PROVEN_LANES int scene_pair(const Tables& tables, const Task& task) {
  if (task.pair != 0) return tables.pairs[task.other].pair;
  return tables.still_pairs[tables.bodies[task.body].first_still + task.other].pair;
}

// Searches one task after the other. `List` takes what needs finer moments: list(Task).
template <class List>
class PieceSearch {
 public:
  PROVEN_LANES PieceSearch(const Tables& tables, const SearchRoom& room, List& list)
      : t_(tables), room_(room), list_(list) {}

  PROVEN_LANES SearchOutcome run(const Task& task, const Segment& segment, int most_steps) {
    SearchOutcome out;
    task_ = task;
    if (!begin(segment)) return out;
    int depth = 0;
    push(depth, {task.node_a, task.node_b, task.begin, task.end});
    while (depth > 0) {
      if (out.steps++ == most_steps || depth + 2 > SearchRoom::kDepth) return out;
      const Record r = room_.stack[--depth];
      together();
      const Node &a = t_.nodes[A_->first_node + r.a], &b = t_.nodes[B_->first_node + r.b];
      const Tested tested = test(a, b, r);
      if (tested == Tested::apart) continue;
      if (tested == Tested::gap) {
        if (!split_time(r, depth)) return out;
      } else if (tested == Tested::meet) {
        out.result = Searched::contact;
        out.moment = place(middle(r));
        return out;
      } else if (b.first_child < 0 || (a.first_child >= 0 && size(a) > size(b))) {
        push(depth, {a.first_child, r.b, r.begin, r.end});
        push(depth, {a.first_child + 1, r.b, r.begin, r.end});
      } else {
        push(depth, {r.a, b.first_child, r.begin, r.end});
        push(depth, {r.a, b.first_child + 1, r.begin, r.end});
      }
    }
    out.result = Searched::free;
    return out;
  }

 private:
  // Apart on the whole interval; apart in its middle; nothing is known; pieces without a gap.
  enum class Tested { apart, gap, unknown, meet };

  // A moment of the task, of kMoments.
  PROVEN_LANES int place(int i) const { return task_.first + i * task_.step; }
  PROVEN_LANES static int middle(const Record& r) { return (r.begin + r.end) / 2; }
  PROVEN_LANES static double size(const Node& n) { return n.half[0] + n.half[1] + n.half[2]; }

  PROVEN_LANES void push(int& depth, const Record& record) {
    once([&] { room_.stack[depth] = record; });
    ++depth;
  }

  // Whether it could be split.
  PROVEN_LANES bool split_time(const Record& r, int& depth) {
    if (r.end - r.begin > 1) {
      push(depth, {r.a, r.b, middle(r), r.end});
      push(depth, {r.a, r.b, r.begin, middle(r)});
      return true;
    }
    if (task_.step == 1) return false;
    Task finer = task_;
    finer.first = place(r.begin);
    finer.step = 1;
    finer.begin = 0;
    finer.end = kChords;
    finer.node_a = r.a;
    finer.node_b = r.b;
    return list_(finer);
  }

  // Poses of both bodies at the moments of the task, and what their points need.
  PROVEN_ALONE bool begin(const Segment& segment) {
    const Doubles t = per_lane([&](int k) { return static_cast<double>(place(k)) / kMoments; });
    Frame f, g;
    if (task_.pair == 0) {
      const Body& body = t_.bodies[task_.body];
      const StillPair& pair = t_.still_pairs[body.first_still + task_.other];
      A_ = &t_.shapes[t_.stills[task_.other].shape];
      B_ = &t_.shapes[body.shape];
      if (A_->first_node < 0 || B_->first_node < 0 || !(pair.need < INFINITY)) return false;
      fixed_ = true;
      place_body(t_, body, segment, t, f);
      second_ = bending(t_, body, segment, 0, &Lever::point_radius);
      need_ = static_cast<double>(pair.need) + pair.fine_error;
      coarse_need_ = static_cast<double>(pair.need) + body.error;
      each(kLanes, [&](int k) { keep_relative(nullptr, f, k); });
      return true;
    }
    const Pair& pair = t_.pairs[task_.other];
    const Body *a = &t_.bodies[pair.a], *b = &t_.bodies[pair.b];
    if (a->num_levers > b->num_levers) {
      const Body* body = a;
      a = b;
      b = body;
    }
    A_ = &t_.shapes[a->shape];
    B_ = &t_.shapes[b->shape];
    if (A_->first_node < 0 || B_->first_node < 0 || !(pair.need < INFINITY)) return false;
    fixed_ = pair.shared >= 0;
    place_body(t_, *a, segment, t, f);
    place_body(t_, *b, segment, t, g);
    second_ = bending(t_, *b, segment, fixed_ ? pair.shared : 0, &Lever::point_radius);
    if (!fixed_) second_ += bending(t_, *a, segment, 0, &Lever::point_radius);
    need_ = static_cast<double>(pair.need) + pair.fine_error;
    coarse_need_ = static_cast<double>(pair.need) + a->error + b->error;
    each(kLanes, [&](int k) {
      if (fixed_) {
        keep_relative(&f, g, k);
      } else {
        double X[12];
        body_pose(X, g, B_->X_FB, k);
        keep(X, k);
        body_pose(X, f, A_->X_FB, k);
        keep(X, kLanes + k);
      }
    });
    return true;
  }

  PROVEN_LANES void keep(const double* X, int place) {
    for (int i = 0; i < SearchRoom::kPose; ++i) {
      room_.poses[place * SearchRoom::kPose + i] = X[i];
      room_.rounded[place * SearchRoom::kPose + i] = static_cast<float>(X[i]);
    }
  }

  // The pose of a body at the lane's moment.
  PROVEN_ALONE static void body_pose(double* X, const Frame& f, const double* X_FB, int k) {
    for (int i = 0; i < 3; ++i) {
      const double a = own(f.R[3 * i], k), b = own(f.R[3 * i + 1], k), c = own(f.R[3 * i + 2], k);
      for (int j = 0; j < 3; ++j) X[3 * i + j] = a * X_FB[j] + b * X_FB[3 + j] + c * X_FB[6 + j];
      X[9 + i] = (a * X_FB[9] + b * X_FB[10] + c * X_FB[11]) + own(f.p[i], k);
    }
  }

  // Of the second body, seen from the first, which `f` carries; null: it stands still.
  PROVEN_ALONE void keep_relative(const Frame* f, const Frame& g, int k) {
    double A[12], B[12], X[12], d[3];
    if (f != nullptr) {
      body_pose(A, *f, A_->X_FB, k);
    } else {
      for (int i = 0; i < 12; ++i) A[i] = A_->X_FB[i];
    }
    body_pose(B, g, B_->X_FB, k);
    for (int i = 0; i < 3; ++i) d[i] = B[9 + i] - A[9 + i];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j)
        X[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
      X[9 + i] = A[i] * d[0] + A[3 + i] * d[1] + A[6 + i] * d[2];
    }
    keep(X, k);
  }

  // What a gap at both ends of the interval must exceed; `need` with the error of how it is
  // computed. Directions may be longer than 1 by 2^-20.
  PROVEN_LANES double needed(const Record& r, double need) const {
    const double width = static_cast<double>((r.end - r.begin) * task_.step) / kMoments;
    return (need + bend(second_, width)) * kLongest;
  }
  static constexpr double kLongest = 1 + 0x1p-19;

  PROVEN_LANES Tested test(const Node& a, const Node& b, const Record& r) {
    if (a.num_points > 0 && b.num_points > 0) {
      const Tested tested = test_points(a, b, r);
      const bool leaves = a.first_child < 0 && b.first_child < 0;
      return tested == Tested::unknown && leaves ? test_pieces(a.piece, b.piece, r) : tested;
    }
    if (a.first_child < 0 && b.first_child < 0) return test_pieces(a.piece, b.piece, r);
    return test_boxes(a, b, r);
  }

  // A box at a moment, in float: where fabs(n·axis) half is how far it reaches.
  struct FloatBox {
    float axis[9];  // column by column, times the half extents
    float c[3];
  };
  PROVEN_LANES static void pose_box(const Node& node, const float* X, FloatBox& box) {
    const float c[3] = {static_cast<float>(node.centre[0]), static_cast<float>(node.centre[1]),
                        static_cast<float>(node.centre[2])};
    for (int i = 0; i < 3; ++i) {
      box.c[i] = (X[3 * i] * c[0] + X[3 * i + 1] * c[1] + X[3 * i + 2] * c[2]) + X[9 + i];
      for (int j = 0; j < 3; ++j)
        box.axis[3 * j + i] = X[3 * i + j] * static_cast<float>(node.half[j]);
    }
  }
  PROVEN_LANES static void plain_box(const Node& node, FloatBox& box) {
    for (int i = 0; i < 9; ++i) box.axis[i] = 0;
    for (int i = 0; i < 3; ++i) {
      box.axis[4 * i] = static_cast<float>(node.half[i]);
      box.c[i] = static_cast<float>(node.centre[i]);
    }
  }
  PROVEN_LANES static float box_reach(const FloatBox& box, const float* n) {
    float sum = 0;
    for (int j = 0; j < 3; ++j)
      sum +=
          fabsf(n[0] * box.axis[3 * j] + n[1] * box.axis[3 * j + 1] + n[2] * box.axis[3 * j + 2]);
    return sum;
  }
  PROVEN_LANES static float box_gap(const FloatBox& a, const FloatBox& b, const float* n) {
    return n[0] * (b.c[0] - a.c[0]) + n[1] * (b.c[1] - a.c[1]) + n[2] * (b.c[2] - a.c[2]) -
           box_reach(a, n) - box_reach(b, n);
  }
  PROVEN_LANES void pose_boxes(const Node& a, const Node& b, int moment, FloatBox& A,
                               FloatBox& B) const {
    pose_box(b, room_.rounded + moment * SearchRoom::kPose, B);
    if (fixed_)
      plain_box(a, A);
    else
      pose_box(a, room_.rounded + (kLanes + moment) * SearchRoom::kPose, A);
  }

  // Directions across faces and edges of the boxes, between their centres, and around that.
  PROVEN_LANES static void direction(const FloatBox& a, const FloatBox& b, int k, float* n) {
    const float d[3] = {b.c[0] - a.c[0], b.c[1] - a.c[1], b.c[2] - a.c[2]};
    if (k < 6) {
      const float* axis = (k < 3 ? a.axis : b.axis) + 3 * (k % 3);
      for (int i = 0; i < 3; ++i) n[i] = axis[i];
    } else if (k < 15) {
      const float *x = a.axis + 3 * ((k - 6) / 3), *y = b.axis + 3 * ((k - 6) % 3);
      for (int i = 0; i < 3; ++i)
        n[i] = x[(i + 1) % 3] * y[(i + 2) % 3] - x[(i + 2) % 3] * y[(i + 1) % 3];
    } else {
      // The difference of the centres, less some of the extents.
      const float share = k == 15 ? 0 : 0.5f * static_cast<float>(1 + (k & 1));
      const float* axis = ((k >> 1 & 1) != 0 ? a.axis : b.axis) + 3 * ((k >> 2) % 3);
      const float sign = d[0] * axis[0] + d[1] * axis[1] + d[2] * axis[2] > 0 ? -share : share;
      for (int i = 0; i < 3; ++i) n[i] = d[i] + sign * axis[i];
    }
    float largest = 0;
    for (int i = 0; i < 3; ++i) largest = larger(largest, fabsf(n[i]));
    const float scale = 1 / largest;
    for (int i = 0; i < 3; ++i) n[i] *= scale;
    float length = 1 / square_root(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (n[0] * d[0] + n[1] * d[1] + n[2] * d[2] < 0) length = -length;
    for (int i = 0; i < 3; ++i) n[i] *= length;
  }

  // Each lane tries a direction of its own.
  PROVEN_ALONE Tested test_boxes(const Node& a, const Node& b, const Record& r) {
    const float least = up(needed(r, coarse_need_)), need = static_cast<float>(coarse_need_);
    FloatBox a0, b0, a1, b1;
    pose_boxes(a, b, r.begin, a0, b0);
    pose_boxes(a, b, r.end, a1, b1);
    std::uint32_t between = 0;
    const std::uint32_t apart = where([&](int k) {
      float n[3];
      direction((k & 1) != 0 ? a0 : a1, (k & 1) != 0 ? b0 : b1, k, n);
      const float g0 = box_gap(a0, b0, n), g1 = box_gap(a1, b1, n);
      if (0.5f * (g0 + g1) > need) between = 1;
      return g0 > least && g1 > least;
    });
    if (apart != 0) return Tested::apart;
    // Where no time is left to halve, smaller nodes may do.
    if (task_.step == 1 && r.end - r.begin == 1) return Tested::unknown;
    return any(between) ? Tested::gap : Tested::unknown;
  }

  // The pose of either body at a moment; null: it stands still.
  PROVEN_LANES const double* pose_b(int moment) const {
    return room_.poses + moment * SearchRoom::kPose;
  }
  PROVEN_LANES const double* pose_a(int moment) const {
    return fixed_ ? nullptr : room_.poses + (kLanes + moment) * SearchRoom::kPose;
  }

  // The chord rule along a direction that separates two sets in the middle of the interval.
  PROVEN_ALONE Tested test_sets(ConvexSet a, ConvexSet b, double radius, const Record& r,
                                double need) const {
    const auto go_to = [&](int moment) {
      a.pose = pose_a(moment);
      b.pose = pose_b(moment);
    };
    go_to(middle(r));
    const V3 up = {0, 0, 1}, guess = support(b, -1 * up) - support(a, up);
    const Separation found =
        separate(a, b, dot(guess, guess) > 0 ? guess : up, static_cast<double>(INFINITY));
    if (!found.found) return Tested::unknown;
    const V3& n = found.direction;
    const bool gap = gap_along(a, b, n) - radius * kLongest > need * kLongest;
    const double least = needed(r, need) + radius * kLongest;
    go_to(r.begin);
    if (gap_along(a, b, n) > least) {
      go_to(r.end);
      if (gap_along(a, b, n) > least) return Tested::apart;
    }
    return gap ? Tested::gap : Tested::unknown;
  }

  // Few pieces by their corners, in float.
  PROVEN_LANES Tested test_points(const Node& a, const Node& b, const Record& r) {
    const auto set = [&](const Node& node) {
      return ConvexSet::of(t_.node_points + 3 * node.first_point, node.num_points, nullptr);
    };
    const Tested tested = test_sets(set(a), set(b), 0, r, coarse_need_);
    const bool last = task_.step == 1 && r.end - r.begin == 1;
    return tested == Tested::gap && last ? Tested::unknown : tested;
  }

  PROVEN_LANES Tested test_pieces(int piece_a, int piece_b, const Record& r) {
    const Piece &a = t_.pieces[A_->first_piece + piece_a],
                &b = t_.pieces[B_->first_piece + piece_b];
    const Tested tested = test_sets(ConvexSet::of(a, nullptr), ConvexSet::of(b, nullptr),
                                    a.radius + b.radius, r, need_);
    return tested == Tested::unknown ? Tested::meet : tested;
  }

  const Tables& t_;
  const SearchRoom room_;
  List& list_;
  Task task_ = {};
  const Shape* A_ = nullptr;
  const Shape* B_ = nullptr;
  bool fixed_ = true;
  double second_ = 0, need_ = 0, coarse_need_ = 0;
};

}  // namespace proven::batch
