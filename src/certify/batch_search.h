// The third stage: two bodies that their outlines leave open, piece by piece. Node pairs of their
// trees are proved apart on an interval along one direction, or halved: in time where there is a
// gap, else in space (docs/algorithms/batch.md). It works on the thirty-one chords of the segment,
// and then on as many parts of a chord; what it cannot settle there stays open.
#pragma once

#include "batch_outline.h"

namespace proven::batch {

// Two nodes on an interval between moments of the task, and a direction that separated what holds
// them.
struct Record {
  int a, b;
  std::int16_t begin, end;
  float n[3];
};

struct SearchRoom {
  double* poses;  // per moment: of the second body in the first, or of both in the world
  Record* stack;
  Record* tested;    // those under test, a lane each
  Record* deferred;  // those that need parts of a chord

  static constexpr int kPose = 12;
  static constexpr int kPoses = 2 * kPose * kLanes;
  static constexpr int kDepth = 256, kDeferred = 256;
  static constexpr int kRecords = kDepth + kLanes + kDeferred;

  PROVEN_LANES SearchRoom(double* of_poses, Record* records)
      : poses(of_poses),
        stack(records),
        tested(records + kDepth),
        deferred(records + kDepth + kLanes) {}
};

enum class Searched { free, contact, likely, unknown };

struct SearchOutcome {
  Searched result = Searched::unknown;
  int moment = 0;  // of a contact, of kMoments
};

// What is left of an entry, from one chord that is open to the last: what lies between is looked at
// again, which costs less than a task for each.
PROVEN_LANES Task task_of(const Tables& tables, const Entry& entry, std::uint32_t open) {
  const bool pair = entry.kind == Entry::kPair;
  return {entry.segment, entry.body,     pair ? entry.other : tables.solids[entry.other].still,
          pair ? 1 : 0,  first_of(open), last_of(open) + 1};
}

// The scene's index of the pair.
PROVEN_LANES int scene_pair(const Tables& tables, const Task& task) {
  if (task.pair != 0) return tables.pairs[task.other].pair;
  return tables.still_pairs[tables.bodies[task.body].first_still + task.other].pair;
}

// Searches one task after the other, thirty-two records of it at a time: each lane tests one.
class PieceSearch {
 public:
  PROVEN_LANES PieceSearch(const Tables& tables, const SearchRoom& room)
      : t_(tables), room_(room) {}

  PROVEN_LANES SearchOutcome run(const Task& task, const Segment& segment, int most_steps) {
    SearchOutcome out;
    left_ = most_steps;
    num_deferred_ = 0;
    first_ = 0;
    step_ = kChords;
    if (!begin(task, segment)) return out;
    once([&] {
      room_.stack[0] = {0,
                        0,
                        static_cast<std::int16_t>(task.begin),
                        static_cast<std::int16_t>(task.end),
                        {0, 0, 0}};
    });
    out.result = search(1, out.moment);
    // Chord by chord, at finer moments.
    while (out.result == Searched::free && num_deferred_ > 0) {
      const int records = take_chord();
      if (!begin(task, segment)) break;
      out.result = search(records, out.moment);
    }
    return out;
  }

 private:
  // Apart on the whole interval; to be halved in time; in space; for finer moments; for none that
  // are here; pieces without a gap; pieces that surely overlap.
  enum Tested { kApart, kTime, kSpace, kFiner, kStuck, kMeet, kOverlap };

  // A moment of those that are posed, of kMoments.
  PROVEN_LANES int place(int i) const { return first_ + i * step_; }
  PROVEN_LANES static int middle(const Record& r) { return (r.begin + r.end) / 2; }
  PROVEN_LANES static double size(const Node& n) { return n.half[0] + n.half[1] + n.half[2]; }
  PROVEN_LANES const Node& node_a(const Record& r) const { return t_.nodes[A_->first_node + r.a]; }
  PROVEN_LANES const Node& node_b(const Record& r) const { return t_.nodes[B_->first_node + r.b]; }

  // So many records of the stack, and what comes of them.
  PROVEN_LANES Searched search(int depth, int& moment) {
    while (depth > 0) {
      if (left_-- <= 0 || depth + kLanes > SearchRoom::kDepth) return Searched::unknown;
      const int taken = depth < kLanes ? depth : kLanes;
      depth -= taken;
      each(taken, [&](int k) { room_.tested[k] = room_.stack[depth + k]; });
      std::uint32_t in_time = 0, in_space = 0, finer = 0, stuck = 0, overlap = 0;
      const std::uint32_t meeting = where([&](int k) {
        const Tested tested = k < taken ? test(room_.tested[k]) : kApart;
        if (tested == kTime) in_time |= mine(k);
        if (tested == kSpace) in_space |= mine(k);
        if (tested == kFiner) finer |= mine(k);
        if (tested == kStuck) stuck |= mine(k);
        if (tested == kOverlap) overlap |= mine(k);
        return tested == kMeet || tested == kOverlap;
      });
      if (meeting != 0) {
        const std::uint32_t sure = gathered(overlap);
        moment = place(middle(room_.tested[first_of(sure != 0 ? sure : meeting)]));
        return sure != 0 ? Searched::contact : Searched::likely;
      }
      if (any(stuck) || !defer(gathered(finer))) return Searched::unknown;
      depth = halve(depth, gathered(in_time), gathered(in_space));
    }
    return Searched::free;
  }

  // Whether there is room for them.
  PROVEN_LANES bool defer(std::uint32_t lanes) {
    if (num_deferred_ + count_of(lanes) > SearchRoom::kDeferred) return false;
    each(kLanes, [&](int k) {
      if ((lanes >> k & 1) != 0)
        room_.deferred[num_deferred_ + count_of(lanes & ((1u << k) - 1))] = room_.tested[k];
    });
    num_deferred_ += count_of(lanes);
    return true;
  }

  // Halves of records that were tested; the new depth of the stack.
  PROVEN_LANES int halve(int depth, std::uint32_t in_time, std::uint32_t in_space) {
    const std::uint32_t lanes = in_time | in_space;
    each(kLanes, [&](int k) {
      if ((lanes >> k & 1) == 0) return;
      const int at = depth + 2 * count_of(lanes & ((1u << k) - 1));
      Record x = room_.tested[k], y = x;
      const Node &a = node_a(x), &b = node_b(x);
      if ((in_time >> k & 1) != 0) {
        x.begin = y.end = static_cast<std::int16_t>(middle(x));
      } else if (b.first_child < 0 || (a.first_child >= 0 && size(a) > size(b))) {
        x.a = a.first_child;
        y.a = a.first_child + 1;
      } else {
        x.b = b.first_child;
        y.b = b.first_child + 1;
      }
      room_.stack[at] = x;
      room_.stack[at + 1] = y;
    });
    return depth + 2 * count_of(lanes);
  }

  // Deferred records of the last one's chord, on the whole of it: how many.
  PROVEN_LANES int take_chord() {
    const int chord = room_.deferred[num_deferred_ - 1].begin;
    int taken = 0, kept = 0;
    for (int first = 0; first < num_deferred_; first += kLanes) {
      const int count = num_deferred_ - first < kLanes ? num_deferred_ - first : kLanes;
      each(count, [&](int k) { room_.tested[k] = room_.deferred[first + k]; });
      const std::uint32_t same =
          where([&](int k) { return k < count && room_.tested[k].begin == chord; });
      each(count, [&](int k) {
        const std::uint32_t before = (1u << k) - 1;
        Record r = room_.tested[k];
        if ((same >> k & 1) == 0) {
          room_.deferred[kept + count_of(~same & before)] = r;
          return;
        }
        r.begin = 0;
        r.end = kChords;
        room_.stack[taken + count_of(same & before)] = r;
      });
      taken += count_of(same);
      kept += count - count_of(same);
    }
    num_deferred_ = kept;
    first_ = chord * kChords;
    step_ = 1;
    return taken;
  }

  // Poses of both bodies at the moments of the task, and what their points need.
  PROVEN_ALONE bool begin(const Task& task, const Segment& segment) {
    const Doubles t = per_lane([&](int k) { return static_cast<double>(place(k)) / kMoments; });
    Frame f, g;
    if (task.pair == 0) {
      const Body& body = t_.bodies[task.body];
      const StillPair& pair = t_.still_pairs[body.first_still + task.other];
      A_ = &t_.shapes[t_.stills[task.other].shape];
      B_ = &t_.shapes[body.shape];
      if (A_->first_node < 0 || B_->first_node < 0 || !(pair.need < INFINITY)) return false;
      fixed_ = true;
      place_body(t_, body, segment, t, f);
      second_ = bending(t_, body, segment, 0, &Lever::point_radius);
      error_ = pair.fine_error;
      need_ = static_cast<double>(pair.need) + error_;
      coarse_need_ = static_cast<double>(pair.need) + body.error;
      each(kLanes, [&](int k) { keep_relative(nullptr, f, k); });
      return true;
    }
    const Pair& pair = t_.pairs[task.other];
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
    error_ = pair.fine_error;
    need_ = static_cast<double>(pair.need) + error_;
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
    for (int i = 0; i < SearchRoom::kPose; ++i) room_.poses[place * SearchRoom::kPose + i] = X[i];
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
    const double width = static_cast<double>((r.end - r.begin) * step_) / kMoments;
    return (need + bend(second_, width)) * kLongest;
  }
  static constexpr double kLongest = 1 + 0x1p-19;

  // No time is left to halve.
  PROVEN_LANES bool is_last(const Record& r) const { return r.end - r.begin == 1; }
  PROVEN_LANES Tested halved_in_time(const Record& r) const {
    return !is_last(r) ? kTime : step_ > 1 ? kFiner : kStuck;
  }

  // What a lane says of its record, whose direction is then the best that it knows.
  PROVEN_LANES Tested test(Record& r) const {
    const Node &a = node_a(r), &b = node_b(r);
    const bool leaves = a.first_child < 0 && b.first_child < 0;
    const bool points = a.num_points > 0 && b.num_points > 0;
    if (points || leaves) {
      ConvexSet x, y;
      double radius = 0, need = coarse_need_;
      if (leaves) {
        const Piece &p = t_.pieces[A_->first_piece + a.piece],
                    &q = t_.pieces[B_->first_piece + b.piece];
        x = ConvexSet::of(p, nullptr);
        y = ConvexSet::of(q, nullptr);
        radius = p.radius + q.radius;
        need = need_;
      } else {
        x = ConvexSet::of(t_.node_points + 3 * a.first_point, a.num_points, nullptr);
        y = ConvexSet::of(t_.node_points + 3 * b.first_point, b.num_points, nullptr);
      }
      const Tested tested = test_sets(x, y, radius, r, need);
      if (tested == kTime) return is_last(r) && !leaves ? kSpace : halved_in_time(r);
      if (tested == kSpace && leaves) return overlap_surely(x, y, r) ? kOverlap : kMeet;
      return tested;
    }
    const Tested tested = test_boxes(a, b, r);
    return tested == kTime && is_last(r) ? kSpace : tested;
  }

  // A box at a moment: the gap of two along n is that of the centres less what both reach.
  struct PosedBox {
    float axis[9];  // column by column, times the half extents
    float c[3];
  };
  PROVEN_LANES static void pose_box(const Node& node, const double* X, PosedBox& box) {
    for (int i = 0; i < 3; ++i) {
      const double *c = node.centre, *h = node.half;
      if (X == nullptr) {
        box.c[i] = static_cast<float>(c[i]);
        for (int j = 0; j < 3; ++j) box.axis[3 * j + i] = i == j ? static_cast<float>(h[i]) : 0;
        continue;
      }
      box.c[i] = static_cast<float>((X[3 * i] * c[0] + X[3 * i + 1] * c[1] + X[3 * i + 2] * c[2]) +
                                    X[9 + i]);
      for (int j = 0; j < 3; ++j) box.axis[3 * j + i] = static_cast<float>(X[3 * i + j] * h[j]);
    }
  }
  PROVEN_LANES static float box_reach(const PosedBox& box, const float* n) {
    float sum = 0;
    for (int j = 0; j < 3; ++j)
      sum +=
          fabsf(n[0] * box.axis[3 * j] + n[1] * box.axis[3 * j + 1] + n[2] * box.axis[3 * j + 2]);
    return sum;
  }
  PROVEN_LANES static float box_gap(const PosedBox& a, const PosedBox& b, const float* n) {
    return n[0] * (b.c[0] - a.c[0]) + n[1] * (b.c[1] - a.c[1]) + n[2] * (b.c[2] - a.c[2]) -
           box_reach(a, n) - box_reach(b, n);
  }

  // Directions across faces and edges of the boxes, and between their centres.
  static constexpr int kDirections = 16;
  PROVEN_LANES static void direction(const PosedBox& a, const PosedBox& b, int k, float* n) {
    const float d[3] = {b.c[0] - a.c[0], b.c[1] - a.c[1], b.c[2] - a.c[2]};
    if (k == 0) {
      for (int i = 0; i < 3; ++i) n[i] = d[i];
    } else if (k < 7) {
      const float* axis = (k < 4 ? a.axis : b.axis) + 3 * ((k - 1) % 3);
      for (int i = 0; i < 3; ++i) n[i] = axis[i];
    } else {
      const float *x = a.axis + 3 * ((k - 7) / 3), *y = b.axis + 3 * ((k - 7) % 3);
      n[0] = x[1] * y[2] - x[2] * y[1];
      n[1] = x[2] * y[0] - x[0] * y[2];
      n[2] = x[0] * y[1] - x[1] * y[0];
    }
    const float largest = larger(larger(fabsf(n[0]), fabsf(n[1])), fabsf(n[2]));
    const float scale = 1 / largest;
    for (int i = 0; i < 3; ++i) n[i] *= scale;
    float length = 1 / square_root(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (n[0] * d[0] + n[1] * d[1] + n[2] * d[2] < 0) length = -length;
    for (int i = 0; i < 3; ++i) n[i] *= length;
  }

  // In float, along directions one after the other: first the one of the record.
  PROVEN_ALONE Tested test_boxes(const Node& a, const Node& b, Record& r) const {
    const float least = up(needed(r, coarse_need_)), need = static_cast<float>(coarse_need_);
    PosedBox a0, b0, a1, b1;
    pose_box(a, pose_a(r.begin), a0);
    pose_box(b, pose_b(r.begin), b0);
    pose_box(a, pose_a(r.end), a1);
    pose_box(b, pose_b(r.end), b1);
    float best = -INFINITY, between = -INFINITY;
    float kept[3] = {r.n[0], r.n[1], r.n[2]};
    for (int k = -1; k < kDirections; ++k) {
      float n[3] = {kept[0], kept[1], kept[2]};
      if (k >= 0) direction(a0, b0, k, n);
      const float g0 = box_gap(a0, b0, n), g1 = box_gap(a1, b1, n), low = smaller(g0, g1);
      if (low > best) {
        best = low;
        for (int i = 0; i < 3; ++i) r.n[i] = n[i];
      }
      between = larger(between, 0.5f * (g0 + g1));
      if (best > least) return kApart;
    }
    return between > need ? kTime : kSpace;
  }

  // The pose of either body at a moment; null: it stands still.
  PROVEN_LANES const double* pose_b(int moment) const {
    return room_.poses + moment * SearchRoom::kPose;
  }
  PROVEN_LANES const double* pose_a(int moment) const {
    return fixed_ ? nullptr : room_.poses + (kLanes + moment) * SearchRoom::kPose;
  }

  // The chord rule along a direction that separates two sets in the middle of the interval, any and
  // then the best one; where no time is left to halve, also those at its ends.
  PROVEN_ALONE Tested test_sets(ConvexSet a, ConvexSet b, double radius, Record& r,
                                double need) const {
    const auto go_to = [&](int moment) {
      a.pose = pose_a(moment);
      b.pose = pose_b(moment);
    };
    V3 guess = vector(r.n);
    if (!(dot(guess, guess) > 0.5)) guess = {0, 0, 1};
    const double least = needed(r, need) + radius * kLongest;
    for (int attempt = 0; attempt < (is_last(r) ? 3 : 2); ++attempt) {
      go_to(attempt < 2 ? middle(r) : r.end);
      const Separation found =
          separate<By::one>(a, b, guess, attempt == 0 ? 2 * least : static_cast<double>(INFINITY));
      if (!found.found) return attempt < 2 ? kSpace : kTime;
      const V3 n = guess = found.direction;
      if (attempt < 2 && !(gap_along<By::one>(a, b, n) > (need + radius) * kLongest)) return kSpace;
      go_to(r.begin);
      if (gap_along<By::one>(a, b, n) > least) {
        go_to(r.end);
        if (gap_along<By::one>(a, b, n) > least) return kApart;
      }
      r.n[0] = static_cast<float>(n.x);
      r.n[1] = static_cast<float>(n.y);
      r.n[2] = static_cast<float>(n.z);
    }
    return kTime;
  }

  // Six times the volume of a tetrahedron.
  PROVEN_LANES static double volume(const V3& a, const V3& b, const V3& c, const V3& p) {
    return dot(cross(b - a, c - a), p - a);
  }

  // Whether an edge of the second triangle passes through the first, whatever errs by rounding:
  // on both sides of its plane, and on the same side of all three edges.
  PROVEN_ALONE static bool pierces(const V3* t, const V3* s, double margin) {
    for (int i = 0; i < 3; ++i) {
      const V3 &p = s[i], &q = s[(i + 1) % 3];
      const double at_p = volume(t[0], t[1], t[2], p), at_q = volume(t[0], t[1], t[2], q);
      if (!((at_p > margin && at_q < -margin) || (at_p < -margin && at_q > margin))) continue;
      const double x = volume(p, q, t[0], t[1]), y = volume(p, q, t[1], t[2]),
                   z = volume(p, q, t[2], t[0]);
      if ((x > margin && y > margin && z > margin) || (x < -margin && y < -margin && z < -margin))
        return true;
    }
    return false;
  }

  // Of two triangles, in the middle of the interval.
  PROVEN_LANES bool overlap_surely(const ConvexSet& a, const ConvexSet& b, const Record& r) const {
    if (a.piece->kind != Piece::kTriangle || b.piece->kind != Piece::kTriangle) return false;
    const double *X_A = pose_a(middle(r)), *X_B = pose_b(middle(r));
    V3 x[3], y[3];
    double far = 0;
    for (int i = 0; i < 3; ++i) {
      const double *v = a.piece->v + 3 * i, *w = b.piece->v + 3 * i;
      x[i] = X_A != nullptr ? posed(X_A, {v[0], v[1], v[2]}) : V3{v[0], v[1], v[2]};
      y[i] = posed(X_B, {w[0], w[1], w[2]});
    }
    for (int i = 0; i < 3; ++i)
      for (const V3& p : {x[i] - x[0], y[i] - x[0]})
        far = larger(far, fabs(p.x) + fabs(p.y) + fabs(p.z));
    // Corners err by `error_` each: all differences, which are shorter than 2 far, by twice that.
    const double size = 2 * far, margin = size * size * (8 * error_ + 0x1p-46 * size);
    return pierces(x, y, margin) || pierces(y, x, margin);
  }

  const Tables& t_;
  const SearchRoom room_;
  int left_ = 0;  // steps
  int num_deferred_ = 0;
  int first_ = 0, step_ = kChords;
  const Shape* A_ = nullptr;
  const Shape* B_ = nullptr;
  bool fixed_ = true;
  double second_ = 0, need_ = 0, coarse_need_ = 0, error_ = 0;
};

}  // namespace proven::batch
