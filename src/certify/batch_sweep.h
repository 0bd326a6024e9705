// The first stage: balls that hold the bodies, swept along thirty-one chords of a segment. It does
// what `Sweep` does with balls and tables (docs/algorithms/sweep.md); what stays open is listed.
#pragma once

#include "batch_poses.h"

namespace proven::batch {

// What a warp keeps of the segment under work.
struct SweepRoom {
  float* frames;  // per joint: R row by row and p, of all lanes
  double* slots;  // frames that others branch off from
  float* boxes;   // per body: lo x, y, z, hi x, y, z of its whole ball's centre
  float* bends;   // per body

  static constexpr int kFrame = 12 * kLanes;
};

// What the first stage says of a segment; entries are listed as they come.
struct Outcome {
  State state = State::open;
  int entries = 0;
  Found found = {-1, 0};
};

// What is required, rounded down: it was rounded up to a float.
inline constexpr float kNeedDown = 1 - 0x1p-20f;

PROVEN_LANES double moment(int k) {
  return static_cast<double>(k) / kChords;
}

// From the nearest point of a solid's core to y, both in the frame of the solid.
PROVEN_LANES Floats beyond(const Floats& y, float half) {
  return most(y - all(half), all(0)) + least(y + all(half), all(0));
}

PROVEN_LANES Vectors enter(const Vectors& p, const Solid& s) {
  const Vectors d = {p.x - all(s.c[0]), p.y - all(s.c[1]), p.z - all(s.c[2])};
  return {all(s.R[0]) * d.x + all(s.R[1]) * d.y + all(s.R[2]) * d.z,
          all(s.R[3]) * d.x + all(s.R[4]) * d.y + all(s.R[5]) * d.z,
          all(s.R[6]) * d.x + all(s.R[7]) * d.y + all(s.R[8]) * d.z};
}

PROVEN_LANES Vectors excess(const Vectors& p, const Solid& s) {
  const Floats z = beyond(p.z, s.half[2]);
  if (s.cylinder == 0) return {beyond(p.x, s.half[0]), beyond(p.y, s.half[1]), z};
  const Floats r = root(p.x * p.x + p.y * p.y);
  // The middle has no direction, and needs none: it is in the core.
  const Floats share = most(r - all(s.half[0]), all(0)) / most(r, all(s.half[0]));
  return {p.x * share, p.y * share, z};
}

// Chords that are not shown to stay farther than `radius` from the solid; the solid is convex and
// does not reach beyond the plane across its nearest point. `distance`: at every moment.
PROVEN_LANES std::uint32_t solid_chords(const Vectors& track, const Solid& s, float radius,
                                        Floats& distance) {
  const Vectors y = enter(track, s), e = excess(y, s);
  const Floats d = root(dot(e, e)), need = all(radius + s.radius);
  distance = d - all(s.radius);
  const std::uint32_t far = bits(above(d, need));
  if (far == 0) return kAllChords;
  const Vectors step = next(y) - y;
  const Floats here = d * (d - need) + dot(e, step);
  const Floats end = next(d), there = end * (end - need) - dot(next(e), step);
  return ~(far & far >> 1 & (bits(above(here, all(0))) | bits(above(there, all(0))))) & kAllChords;
}

// Chords that are not shown to keep two points farther apart than `radius`.
PROVEN_LANES std::uint32_t pair_chords(const Vectors& a, const Vectors& b, float radius,
                                       Floats& square) {
  const Vectors e = a - b;
  square = dot(e, e);
  const Floats r = all(radius);
  const Floats shorter = root(least(square, next(square)));
  return ~(bits(above(shorter, r)) & bits(above(dot(e, next(e)), r * shorter))) & kAllChords;
}

struct FrameOf {
  Floats R[9], p[3];
};

PROVEN_LANES FrameOf frame_of(const SweepRoom& room, int joint) {
  FrameOf f;
  const float* from = room.frames + joint * SweepRoom::kFrame;
  for (int i = 0; i < 9; ++i) f.R[i] = load(from + i * kLanes);
  for (int i = 0; i < 3; ++i) f.p[i] = load(from + (9 + i) * kLanes);
  return f;
}

PROVEN_LANES Vectors place(const FrameOf& f, const float* c) {
  return {(f.R[0] * all(c[0]) + f.R[1] * all(c[1]) + f.R[2] * all(c[2])) + f.p[0],
          (f.R[3] * all(c[0]) + f.R[4] * all(c[1]) + f.R[5] * all(c[2])) + f.p[1],
          (f.R[6] * all(c[0]) + f.R[7] * all(c[1]) + f.R[8] * all(c[2])) + f.p[2]};
}

// Works on one segment after the other. `List` takes what stays open: list(Entry).
template <class List>
class BallSweep {
 public:
  PROVEN_LANES BallSweep(const Tables& tables, const SweepRoom& room, bool starts_free, List& list)
      : t_(tables), room_(room), starts_free_(starts_free), list_(list) {}

  PROVEN_LANES Outcome run(const Segment& segment) {
    s_ = segment;
    out_ = {};
    if (!place_joints()) {
      out_.state = State::host;
      return out_;
    }
    place_bodies();
    for (int b = t_.num_bodies - 1; b >= 0 && out_.state == State::open; --b) look_at_solids(b);
    for (int first = 0; first < t_.num_pairs && out_.state == State::open; first += kLanes)
      look_at_pairs(first);
    return out_;
  }

 private:
  PROVEN_LANES bool place_joints() {
    const Doubles t = per_lane([](int k) { return moment(k); });
    const std::uint32_t wild = where([&](int k) {
      for (int c = k; c < t_.num_coordinates; c += kLanes)
        for (const double q : {s_.from[c], s_.to[c]})
          if (!(q >= t_.ranges[2 * c] && q <= t_.ranges[2 * c + 1])) return true;
      for (int j = k; j < t_.num_joints; j += kLanes)
        if (!(fabs(joint_value(t_.joints[j], s_, 0)) <= kLargestValue) ||
            !(fabs(joint_value(t_.joints[j], s_, 1)) <= kLargestValue))
          return true;
      return false;
    });
    if (wild != 0) return false;
    Frame f;
    for (int j = 0; j < t_.num_joints; ++j) {
      const Joint& joint = t_.joints[j];
      if (joint.parent_slot >= 0) take(joint.parent_slot, f);
      go_down(joint, s_, t, joint.parent < 0, f);
      if (joint.slot >= 0) keep(joint.slot, f);
      float* to = room_.frames + j * SweepRoom::kFrame;
      for (int i = 0; i < 9; ++i) store(to + i * kLanes, to_floats(f.R[i]));
      for (int i = 0; i < 3; ++i) store(to + (9 + i) * kLanes, to_floats(f.p[i]));
    }
    return true;
  }

  PROVEN_LANES void keep(int slot, const Frame& f) {
    double* to = room_.slots + slot * SweepRoom::kFrame;
    for (int i = 0; i < 9; ++i) store(to + i * kLanes, f.R[i]);
    for (int i = 0; i < 3; ++i) store(to + (9 + i) * kLanes, f.p[i]);
  }
  PROVEN_LANES void take(int slot, Frame& f) {
    const double* from = room_.slots + slot * SweepRoom::kFrame;
    for (int i = 0; i < 9; ++i) f.R[i] = load(from + i * kLanes);
    for (int i = 0; i < 3; ++i) f.p[i] = load(from + (9 + i) * kLanes);
  }

  PROVEN_LANES void place_bodies() {
    each(t_.num_bodies, [&](int b) {
      room_.bends[b] = up(bend(bending(t_, t_.bodies[b], s_, 0, &Lever::radius), 1.0 / kChords));
    });
    for (int b = 0; b < t_.num_bodies; ++b) {
      const Body& body = t_.bodies[b];
      const Vectors p = place(frame_of(room_, body.joint), body.centre);
      const float box[6] = {least_of(p.x), least_of(p.y), least_of(p.z),
                            most_of(p.x),  most_of(p.y),  most_of(p.z)};
      once([&] {
        for (int i = 0; i < 6; ++i) room_.boxes[6 * b + i] = box[i];
      });
    }
  }

  // Thirty-two solids at a time: which come near at all.
  PROVEN_LANES void look_at_solids(int b) {
    const Body& body = t_.bodies[b];
    if (starts_free_ && !moves(t_, body, s_, 0)) return;
    const float around = body.radius + room_.bends[b] + body.error + body.most_needed;
    const float* box = room_.boxes + 6 * b;
    const FrameOf frame = frame_of(room_, body.joint);
    const Vectors whole = place(frame, body.centre);
    Standing still;
    for (int first = 0; first < t_.num_solids; first += kLanes) {
      std::uint32_t near = where([&](int k) {
        // Lanes without a solid are near nothing, even where nothing is too far.
        if (first + k >= t_.num_solids) return false;
        const float* bounds = t_.solid_bounds + first + k;
        for (int i = 0; i < 3; ++i)
          if (bounds[i * t_.solid_row] > box[3 + i] + around ||
              box[i] - around > bounds[(3 + i) * t_.solid_row])
            return false;
        return true;
      });
      for (; near != 0; near &= near - 1) {
        look_at_solid(b, frame, whole, first + first_of(near), still);
        if (out_.state != State::open) return;
      }
    }
    leave_link(b, still);
    if (!starts_free_) ask_hollows(b, whole);
  }

  // Solids of one still body come one after the other: what a link of the robot leaves open is one
  // entry, and whether a body holds another is asked once.
  struct Standing {
    int still = -1, solid = -1, ball = -1;
    std::uint32_t table = 0, open = 0;
    bool asked = false;
  };

  PROVEN_LANES void leave_link(int b, const Standing& still) {
    if (still.open != 0)
      leave({s_.index, b, still.solid, still.open, still.ball, -1, Entry::kLink});
  }

  PROVEN_LANES void look_at_solid(int b, const FrameOf& frame, const Vectors& whole, int solid,
                                  Standing& still) {
    const Body& body = t_.bodies[b];
    const Solid& shape = t_.solids[solid];
    const StillPair& pair = t_.still_pairs[body.first_still + shape.still];
    if (pair.pair < 0) return;
    if (still.still != shape.still) {
      leave_link(b, still);
      still = {};
      still.still = shape.still;
      still.table = kAllChords;
      if (pair.link >= 0) {
        const StillLink& link = t_.still_links[pair.link];
        still.table = ask_table(link.table, &frame, nullptr, pair.need, body.error, pair.pair);
        if (out_.state != State::open) return;
      }
    }
    const std::uint32_t left = still.table & ~still.open;
    if (left == 0) return;
    Floats distance;
    const float need = pair.need + room_.bends[b] + body.error;
    std::uint32_t open = solid_chords(whole, shape, need + body.radius, distance) & left;
    if (open == 0) return;
    if (!starts_free_ && !still.asked) {
      still.asked = true;
      if (still_inside(body, frame, shape.still)) return leave_all();
    }
    int ball = -1;
    open = test_balls(body, frame, shape, pair, need, open, ball);
    if (open == 0 || out_.state != State::open) return;
    if (pair.link >= 0) {
      still.open |= open;
      still.solid = solid;
      still.ball = ball;
    } else {
      leave({s_.index, b, solid, open, ball, -1, Entry::kSolid});
    }
  }

  PROVEN_LANES std::uint32_t test_balls(const Body& body, const FrameOf& frame, const Solid& shape,
                                        const StillPair& pair, float need, std::uint32_t chords,
                                        int& near) {
    std::uint32_t open = 0;
    for (int i = body.first_ball; i < body.first_ball + body.num_balls; ++i) {
      const Ball& ball = t_.balls[i];
      const Vectors track = place(frame, ball.centre);
      Floats distance;
      const std::uint32_t own_open =
          solid_chords(track, shape, need + ball.radius, distance) & chords;
      if (own_open == 0) continue;
      open |= own_open;
      near = i;
      if (shape.whole == 0 || !(ball.depth > 0) || !(pair.need < INFINITY)) continue;
      const float least = least_of(distance);
      if (least - ball.depth + body.error < pair.need * kNeedDown) {
        meet(pair.pair, lane_of_least(distance));
        return open;
      }
    }
    return open;
  }

  // Meshes that stand still: the body may lie in one and touch none of its boxes.
  PROVEN_LANES void ask_hollows(int b, const Vectors& whole) {
    const Body& body = t_.bodies[b];
    const float around = body.radius + body.error;
    const float x[3] = {at(whole.x, 0), at(whole.y, 0), at(whole.z, 0)};
    for (int first = 0; first < t_.num_stills; first += kLanes) {
      const std::uint32_t inside = where([&](int k) {
        if (first + k >= t_.num_stills) return false;
        const Still& still = t_.stills[first + k];
        if (still.hollow == 0 || t_.still_pairs[body.first_still + first + k].pair < 0)
          return false;
        for (int i = 0; i < 3; ++i)
          if (x[i] + around < still.lo[i] || x[i] - around > still.hi[i]) return false;
        return true;
      });
      if (inside != 0) return leave_all();
    }
  }

  PROVEN_LANES void look_at_pairs(int first) {
    std::uint32_t near = where([&](int k) {
      if (first + k >= t_.num_pairs) return false;
      const Pair& pair = t_.pairs[first + k];
      const Body &a = t_.bodies[pair.a], &b = t_.bodies[pair.b];
      const float around = a.radius + room_.bends[pair.a] + a.error + b.radius +
                           room_.bends[pair.b] + b.error + pair.need;
      const float *x = room_.boxes + 6 * pair.a, *y = room_.boxes + 6 * pair.b;
      for (int i = 0; i < 3; ++i)
        if (x[i] - around > y[3 + i] || y[i] - around > x[3 + i]) return false;
      return true;
    });
    for (; near != 0 && out_.state == State::open; near &= near - 1)
      look_at_pair(first + first_of(near));
  }

  PROVEN_LANES void look_at_pair(int index) {
    const Pair& pair = t_.pairs[index];
    const Body &A = t_.bodies[pair.a], &B = t_.bodies[pair.b];
    const int shared = pair.shared < 0 ? 0 : pair.shared;
    if (starts_free_ && !moves(t_, A, s_, shared) && !moves(t_, B, s_, shared)) return;
    const FrameOf a = frame_of(room_, A.joint), b = frame_of(room_, B.joint);
    const Vectors whole_a = place(a, A.centre), whole_b = place(b, B.centre);
    const float need = pair.need + room_.bends[pair.a] + room_.bends[pair.b] + A.error + B.error;
    Floats square;
    std::uint32_t open = pair_chords(whole_a, whole_b, need + A.radius + B.radius, square);
    if (open == 0) return;
    // Where a table says free at any time, neither lies inside the other.
    const std::uint32_t table =
        ask_table(pair.table, &a, &b, pair.need, A.error + B.error, pair.pair);
    if (table == 0 || out_.state != State::open) return;
    open &= table;
    if (open == 0) return;
    if (!starts_free_ && may_hold_either(A, a, B, b)) return leave_all();
    int ball_a = -1, ball_b = -1;
    open = test_balls(A, a, B, b, whole_b, pair, need, open, ball_a, ball_b);
    if (open == 0 || out_.state != State::open) return;
    leave({s_.index, pair.a, index, open, ball_a, ball_b, Entry::kPair});
  }

  PROVEN_LANES std::uint32_t test_balls(const Body& A, const FrameOf& a, const Body& B,
                                        const FrameOf& b, const Vectors& whole_b, const Pair& pair,
                                        float need, std::uint32_t chords, int& near_a,
                                        int& near_b) {
    std::uint32_t open = 0;
    for (int i = A.first_ball; i < A.first_ball + A.num_balls; ++i) {
      const Ball& x = t_.balls[i];
      const Vectors track = place(a, x.centre);
      Floats square;
      const std::uint32_t row =
          pair_chords(track, whole_b, need + x.radius + B.radius, square) & chords;
      if (row == 0) continue;
      for (int j = B.first_ball; j < B.first_ball + B.num_balls; ++j) {
        const Ball& y = t_.balls[j];
        const std::uint32_t both =
            pair_chords(track, place(b, y.centre), need + x.radius + y.radius, square) & row;
        if (both == 0) continue;
        open |= both;
        near_a = i;
        near_b = j;
        if (x.depth > 0 && y.depth > 0 && pair.need < INFINITY) {
          const Floats length = root(square);
          if (least_of(length) - x.depth - y.depth + (A.error + B.error) < pair.need * kNeedDown) {
            meet(pair.pair, lane_of_least(length));
            return open;
          }
        }
      }
      if (open == chords) return open;
    }
    return open;
  }

  // Chords that the table leaves open. In cells that are not free it names two balls: each moment
  // looks at its own.
  PROVEN_LANES std::uint32_t ask_table(int index, const FrameOf* a, const FrameOf* b, float need,
                                       float error, int pair) {
    if (index < 0) return kAllChords;
    const Table& table = t_.tables[index];
    if (!has_cells(table)) return kAllChords;
    const std::uint32_t open = where([&](int k) {
      return k < kChords && !free_between(table, cell(table, 0, k), cell(table, 0, k + 1),
                                          cell(table, 1, k), cell(table, 1, k + 1));
    });
    if (open == 0 || table.first_place < 0 || !(need < INFINITY)) return open;
    const std::uint32_t meeting = where([&](int k) {
      if (((open | open << 1) >> k & 1) == 0) return false;
      const int place = named(table, cell(table, 0, k), cell(table, 1, k));
      if (place < 0) return false;
      const TableContact& contact = t_.contacts[table.first_contact + place];
      const float *x = contact.a, *y = contact.b;
      float square = 0;
      for (int i = 0; i < 3; ++i) {
        const float d = coordinate(a, x, i, k) - coordinate(b, y, i, k);
        square += d * d;
      }
      return square_root(square) - x[3] - y[3] + error < need * kNeedDown;
    });
    if (meeting != 0) meet(pair, first_of(meeting));
    return open;
  }

  // In the world, where the frame has it; null: as it is.
  PROVEN_LANES static float coordinate(const FrameOf* f, const float* c, int i, int k) {
    if (f == nullptr) return c[i];
    return (own(f->R[3 * i], k) * c[0] + own(f->R[3 * i + 1], k) * c[1] +
            own(f->R[3 * i + 2], k) * c[2]) +
           own(f->p[i], k);
  }

  // Whether both ends of the segment, and so all of it, are near enough for cells: farther values
  // have none (PairTable::kFarthest), and what is no number is too far.
  PROVEN_LANES bool has_cells(const Table& table) const {
    for (int a = 0; a < 2; ++a)
      for (const double end : {0.0, 1.0})
        if (!(fabs(in_cells(table, a, end)) < kFarthest)) return false;
    return true;
  }
  PROVEN_LANES double in_cells(const Table& table, int axis, double t) const {
    if (table.coordinate[axis] < 0) return 0;
    const double from = s_.from[table.coordinate[axis]], to = s_.to[table.coordinate[axis]];
    return (from + t * (to - from) - table.lower[axis]) * table.per_width[axis];
  }
  // Of segments with cells.
  PROVEN_LANES int cell(const Table& table, int axis, int k) const {
    return static_cast<int>(floor(in_cells(table, axis, moment(k))));
  }

  // What the cell names, or -1.
  PROVEN_LANES int named(const Table& table, int x, int y) const {
    int place[2] = {x, y};
    for (int a = 0; a < 2; ++a) {
      const int count = table.count[a];
      if (table.whole[a] != 0) place[a] = (place[a] % count + count) % count;
      if (place[a] < 0 || place[a] >= count) return -1;
    }
    return t_.contact_places[table.first_place + place[1] * table.count[0] + place[0]];
  }

  // Whether all cells between are free. Beyond a whole turn the table begins again; a chord across
  // that place stays open.
  PROVEN_LANES bool free_between(const Table& table, int x0, int x1, int y0, int y1) const {
    int lo[2] = {x0 < x1 ? x0 : x1, y0 < y1 ? y0 : y1};
    int hi[2] = {x0 < x1 ? x1 : x0, y0 < y1 ? y1 : y0};
    for (int a = 0; a < 2; ++a) {
      const int count = table.count[a];
      if (table.whole[a] != 0) {
        const int turns = (lo[a] >= 0 ? lo[a] : lo[a] - count + 1) / count;
        lo[a] -= turns * count;
        hi[a] -= turns * count;
      }
      if (lo[a] < 0 || hi[a] >= count) return false;
    }
    for (int row = lo[1]; row <= hi[1]; ++row)
      for (int i = lo[0]; i <= hi[0]; ++i)
        if ((t_.table_bits[table.first_word + kRowWords * row + i / 64] >> (i % 64) & 1) == 0)
          return false;
    return true;
  }

  // Whether a part of `inner` may lie inside `outer`: one of its points is in the box of the other.
  PROVEN_LANES bool may_hold(const Shape& outer, const double* X_WO, const Shape& inner,
                             const double* X_WI) const {
    if (outer.has_inside == 0) return false;
    if (inner.num_components < 0) return true;
    for (int first = 0; first < inner.num_components; first += kLanes) {
      const std::uint32_t found = where([&](int k) {
        if (first + k >= inner.num_components) return false;
        const double* p = t_.components + 3 * (inner.first_component + first + k);
        double w[3], d[3];
        for (int i = 0; i < 3; ++i)
          w[i] = X_WI[3 * i] * p[0] + X_WI[3 * i + 1] * p[1] + X_WI[3 * i + 2] * p[2] +
                 X_WI[9 + i] - X_WO[9 + i];
        for (int i = 0; i < 3; ++i) {
          d[i] = X_WO[i] * w[0] + X_WO[3 + i] * w[1] + X_WO[6 + i] * w[2];
          if (d[i] < outer.lo[i] - outer.slack || d[i] > outer.hi[i] + outer.slack) return false;
        }
        return true;
      });
      if (found != 0) return true;
    }
    return false;
  }

  // The body's frame in the world at the start. Positions in float err by much less than the slack
  // of boxes.
  PROVEN_LANES void start_pose(const Body& body, const FrameOf& f, double* X_WB) const {
    const double* X = t_.shapes[body.shape].X_FB;
    for (int i = 0; i < 3; ++i) {
      const double a = static_cast<double>(at(f.R[3 * i], 0)),
                   b = static_cast<double>(at(f.R[3 * i + 1], 0)),
                   c = static_cast<double>(at(f.R[3 * i + 2], 0));
      for (int j = 0; j < 3; ++j) X_WB[3 * i + j] = a * X[j] + b * X[3 + j] + c * X[6 + j];
      X_WB[9 + i] = a * X[9] + b * X[10] + c * X[11] + static_cast<double>(at(f.p[i], 0));
    }
  }

  PROVEN_LANES bool still_inside(const Body& body, const FrameOf& f, int still) const {
    double X_WB[12];
    start_pose(body, f, X_WB);
    const Shape& other = t_.shapes[t_.stills[still].shape];
    return may_hold(t_.shapes[body.shape], X_WB, other, other.X_FB);
  }

  PROVEN_LANES bool may_hold_either(const Body& A, const FrameOf& a, const Body& B,
                                    const FrameOf& b) const {
    double X_WA[12], X_WB[12];
    start_pose(A, a, X_WA);
    start_pose(B, b, X_WB);
    const Shape &x = t_.shapes[A.shape], &y = t_.shapes[B.shape];
    return may_hold(x, X_WA, y, X_WB) || may_hold(y, X_WB, x, X_WA);
  }

  static constexpr int kRowWords = 4;
  static constexpr double kFarthest = 0x1p13;  // PairTable::kFarthest

  PROVEN_LANES void meet(int pair, int k) {
    out_.state = State::contact;
    out_.found = {pair, k * kChords};
  }
  PROVEN_LANES void leave_all() { out_.state = State::host; }
  PROVEN_LANES void leave(const Entry& entry) {
    ++out_.entries;
    if (!list_(entry)) leave_all();
  }

  const Tables& t_;
  const SweepRoom room_;
  bool starts_free_;
  List& list_;
  Segment s_ = {};
  Outcome out_;
};

}  // namespace proven::batch
