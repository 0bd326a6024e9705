// The third stage: two bodies on one chord that their outlines leave open, piece by piece. Node
// pairs of their trees are proved apart on an interval along one direction, or halved: in time
// where there is a gap, else in space (docs/algorithms/batch.md). It works on thirty-one parts of
// the chord; what it cannot settle there stays open.
#pragma once

#include "batch_outline.h"

namespace proven::batch {

// Two nodes on an interval of the chord.
struct Record {
  int a, b;
  int begin, end;  // moments
};

struct SearchRoom {
  double* poses;  // per moment: of the second body in the first, or of both in the world
  Record* stack;

  static constexpr int kPose = 12;
  static constexpr int kDepth = 96;
  static constexpr int kPoses = 2 * kPose * kLanes;
};

enum class Searched { free, contact, unknown };

struct SearchOutcome {
  Searched result = Searched::unknown;
  int moment = 0;  // of a contact that is likely, of kMoments
};

PROVEN_LANES Task task_of(const Tables& tables, const Entry& entry, int chord) {
  const bool pair = entry.kind == Entry::kPair;
  return {entry.segment, entry.body, pair ? entry.other : tables.solids[entry.other].still, chord,
          pair ? 1 : 0};
}

// The scene's index of the pair.
PROVEN_LANES int scene_pair(const Tables& tables, const Task& task) {
  if (task.pair != 0) return tables.pairs[task.other].pair;
  return tables.still_pairs[tables.bodies[task.body].first_still + task.other].pair;
}

// The moment i of a chord's thirty-two. Neighbouring chords share theirs, to the bit.
PROVEN_LANES double fine_moment(int chord, int i) {
  return static_cast<double>(chord * kChords + i) / kMoments;
}

class ChordSearch {
 public:
  static constexpr int kMostSteps = 2000;

  PROVEN_LANES ChordSearch(const Tables& tables, const SearchRoom& room)
      : t_(tables), room_(room) {}

  PROVEN_LANES SearchOutcome run(const Task& task, const Segment& segment) {
    SearchOutcome out;
    if (!begin(task, segment)) return out;
    int depth = 0;
    push(depth, {0, 0, 0, kChords});
    for (int step = 0; depth > 0; ++step) {
      if (step == kMostSteps || depth + 2 > SearchRoom::kDepth) return out;
      const Record r = room_.stack[--depth];
      together();
      const Node &a = t_.nodes[A_->first_node + r.a], &b = t_.nodes[B_->first_node + r.b];
      const bool leaves = a.first_child < 0 && b.first_child < 0;
      const Tested tested = leaves ? test_pieces(a.piece, b.piece, r) : test_boxes(a, b, r);
      if (tested == Tested::apart) continue;
      if (tested == Tested::gap) {
        if (r.end - r.begin == 1) return out;
        const int middle = (r.begin + r.end) / 2;
        push(depth, {r.a, r.b, middle, r.end});
        push(depth, {r.a, r.b, r.begin, middle});
      } else if (leaves) {
        out.result = Searched::contact;
        out.moment = task.chord * kChords + (r.begin + r.end) / 2;
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
  enum class Tested { apart, gap, unknown };

  PROVEN_LANES void push(int& depth, const Record& record) {
    once([&] { room_.stack[depth] = record; });
    ++depth;
  }
  PROVEN_LANES static double size(const Node& n) { return n.half[0] + n.half[1] + n.half[2]; }

  // Poses of both bodies at the moments of the chord, and what their points need along it.
  PROVEN_LANES bool begin(const Task& task, const Segment& segment) {
    const Doubles t = per_lane([&](int k) { return fine_moment(task.chord, k); });
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
      need_ = static_cast<double>(pair.need) + pair.fine_error;
      each(kLanes, [&](int k) { keep_relative(A_->X_FB, nullptr, f, k); });
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
    need_ = static_cast<double>(pair.need) + pair.fine_error;
    each(kLanes, [&](int k) {
      if (fixed_) {
        keep_relative(A_->X_FB, &f, g, k);
      } else {
        keep(room_.poses + k * SearchRoom::kPose, g, B_->X_FB, k);
        keep(room_.poses + (kLanes + k) * SearchRoom::kPose, f, A_->X_FB, k);
      }
    });
    return true;
  }

  // The pose of a body at the lane's moment.
  PROVEN_LANES static void keep(double* X, const Frame& f, const double* X_FB, int k) {
    for (int i = 0; i < 3; ++i) {
      const double a = own(f.R[3 * i], k), b = own(f.R[3 * i + 1], k), c = own(f.R[3 * i + 2], k);
      for (int j = 0; j < 3; ++j) X[3 * i + j] = a * X_FB[j] + b * X_FB[3 + j] + c * X_FB[6 + j];
      X[9 + i] = (a * X_FB[9] + b * X_FB[10] + c * X_FB[11]) + own(f.p[i], k);
    }
  }

  // Of the second body, seen from the first, which `f` carries; null: it stands still.
  PROVEN_LANES void keep_relative(const double* X_FA, const Frame* f, const Frame& g, int k) {
    double A[12], B[12], d[3];
    if (f != nullptr) {
      keep(A, *f, X_FA, k);
    } else {
      for (int i = 0; i < 12; ++i) A[i] = X_FA[i];
    }
    keep(B, g, B_->X_FB, k);
    double* X = room_.poses + k * SearchRoom::kPose;
    for (int i = 0; i < 3; ++i) d[i] = B[9 + i] - A[9 + i];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j)
        X[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
      X[9 + i] = A[i] * d[0] + A[3 + i] * d[1] + A[6 + i] * d[2];
    }
  }

  PROVEN_LANES const double* pose_b(int moment) const {
    return room_.poses + moment * SearchRoom::kPose;
  }
  PROVEN_LANES const double* pose_a(int moment) const {
    return room_.poses + (kLanes + moment) * SearchRoom::kPose;
  }

  PROVEN_LANES static V3 column(const double* X, int j) { return {X[j], X[3 + j], X[6 + j]}; }
  PROVEN_LANES static V3 position(const double* X, const double* c) {
    return {X[0] * c[0] + X[1] * c[1] + X[2] * c[2] + X[9],
            X[3] * c[0] + X[4] * c[1] + X[5] * c[2] + X[10],
            X[6] * c[0] + X[7] * c[1] + X[8] * c[2] + X[11]};
  }
  PROVEN_LANES static double box_reach(const Node& node, const double* X, const V3& n) {
    return fabs(dot(n, column(X, 0))) * node.half[0] + fabs(dot(n, column(X, 1))) * node.half[1] +
           fabs(dot(n, column(X, 2))) * node.half[2];
  }
  PROVEN_LANES V3 centre_a(const Node& a, int moment) const {
    return fixed_ ? V3{a.centre[0], a.centre[1], a.centre[2]} : position(pose_a(moment), a.centre);
  }

  // The gap of two boxes along n at a moment.
  PROVEN_LANES double box_gap(const Node& a, const Node& b, const V3& n, int moment) const {
    const double own_reach =
        fixed_ ? fabs(n.x) * a.half[0] + fabs(n.y) * a.half[1] + fabs(n.z) * a.half[2]
               : box_reach(a, pose_a(moment), n);
    return dot(n, position(pose_b(moment), b.centre) - centre_a(a, moment)) - own_reach -
           box_reach(b, pose_b(moment), n);
  }

  // What a gap at both ends of the interval must exceed.
  PROVEN_LANES double needed(const Record& r) const {
    const double width = static_cast<double>(r.end - r.begin) / kMoments;
    return (need_ + bend(second_, width)) * kLongest;
  }
  static constexpr double kLongest = 1 + 0x1p-19;  // directions may be longer than 1 by 2^-20

  // Each lane tries a direction of its own: across faces and edges of the boxes in the middle of
  // the interval, and between their centres.
  PROVEN_LANES Tested test_boxes(const Node& a, const Node& b, const Record& r) {
    const int middle = (r.begin + r.end) / 2;
    const double least = needed(r);
    const auto direction = [&](int k) {
      const double* X = pose_b(middle);
      const V3 between = position(X, b.centre) - centre_a(a, middle);
      V3 n = between;
      if (k < 15) {
        const auto axis = [&](int i) {
          if (!fixed_) return column(pose_a(middle), i);
          return V3{i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
        };
        n = k < 3   ? axis(k)
            : k < 6 ? column(X, k - 3)
                    : cross(axis((k - 6) / 3), column(X, (k - 6) % 3));
      } else if (k > 15) {
        // Towards corners and edges: the difference of the boxes' nearest points, seen from the
        // centre along some of the axes.
        const V3 u = unit(between);
        const V3 side = k & 1 ? column(X, 0) : column(X, 1);
        const V3 up = cross(u, side);
        const double x = 0.25 * static_cast<double>((k >> 1 & 3) - 1.5);
        const double y = 0.25 * static_cast<double>((k >> 3 & 1) - 0.5);
        n = u + x * side + y * up;
      }
      n = unit(n);
      return dot(n, between) < 0 ? -1 * n : n;
    };
    const std::uint32_t apart = where([&](int k) {
      const V3 n = direction(k);
      return box_gap(a, b, n, r.begin) > least && box_gap(a, b, n, r.end) > least;
    });
    if (apart != 0) return Tested::apart;
    if (r.end - r.begin == 1) {
      // No time is left to halve: smaller nodes need smaller gaps.
      return Tested::unknown;
    }
    const std::uint32_t gap =
        where([&](int k) { return box_gap(a, b, direction(k), middle) > need_; });
    return gap != 0 ? Tested::gap : Tested::unknown;
  }

  PROVEN_LANES V3 to_a(const V3& x, int moment) const {
    if (fixed_) return x;
    const double* X = pose_a(moment);
    return {X[0] * x.x + X[1] * x.y + X[2] * x.z + X[9],
            X[3] * x.x + X[4] * x.y + X[5] * x.z + X[10],
            X[6] * x.x + X[7] * x.y + X[8] * x.z + X[11]};
  }
  PROVEN_LANES V3 into(const double* X, const V3& n) const {
    return {X[0] * n.x + X[3] * n.y + X[6] * n.z, X[1] * n.x + X[4] * n.y + X[7] * n.z,
            X[2] * n.x + X[5] * n.y + X[8] * n.z};
  }

  // A point of the piece's core that reaches farthest along n, in its body's frame.
  PROVEN_LANES static V3 support(const Piece& piece, const V3& n) {
    if (piece.kind == Piece::kTriangle) {
      V3 best = {piece.v[0], piece.v[1], piece.v[2]};
      for (int i = 1; i < 3; ++i) {
        const V3 p = {piece.v[3 * i], piece.v[3 * i + 1], piece.v[3 * i + 2]};
        if (dot(n, p) > dot(n, best)) best = p;
      }
      return best;
    }
    const double* R = piece.v;
    double y[3];
    double along[3];
    for (int i = 0; i < 3; ++i) along[i] = R[i] * n.x + R[3 + i] * n.y + R[6 + i] * n.z;
    for (int i = 0; i < 3; ++i) y[i] = along[i] >= 0 ? piece.v[12 + i] : -piece.v[12 + i];
    if (piece.kind == Piece::kCylinder) {
      const double r = sqrt(along[0] * along[0] + along[1] * along[1]);
      const double share = r > 0 ? piece.v[12] / r : 0;
      y[0] = along[0] * share;
      y[1] = along[1] * share;
    }
    return {R[0] * y[0] + R[1] * y[1] + R[2] * y[2] + piece.v[9],
            R[3] * y[0] + R[4] * y[1] + R[5] * y[2] + piece.v[10],
            R[6] * y[0] + R[7] * y[1] + R[8] * y[2] + piece.v[11]};
  }

  PROVEN_LANES V3 farthest_a(const Piece& a, const V3& n, int moment) const {
    return to_a(support(a, fixed_ ? n : into(pose_a(moment), n)), moment);
  }
  PROVEN_LANES V3 lowest_b(const Piece& b, const V3& n, int moment) const {
    const double* X = pose_b(moment);
    const V3 p = support(b, -1 * into(X, n));
    const double c[3] = {p.x, p.y, p.z};
    return position(X, c);
  }

  PROVEN_LANES double piece_gap(const Piece& a, const Piece& b, const V3& n, int moment) const {
    return dot(n, lowest_b(b, n, moment) - farthest_a(a, n, moment)) -
           (a.radius + b.radius) * kLongest;
  }

  PROVEN_LANES Tested test_pieces(int piece_a, int piece_b, const Record& r) {
    const Piece &a = t_.pieces[A_->first_piece + piece_a],
                &b = t_.pieces[B_->first_piece + piece_b];
    const int middle = (r.begin + r.end) / 2;
    const double least = needed(r);
    const V3 up = {0, 0, 1};
    const V3 guess = lowest_b(b, up, middle) - farthest_a(a, up, middle);
    const Separation found =
        separate([&](const V3& n) { return farthest_a(a, n, middle); },
                 [&](const V3& n) { return lowest_b(b, n, middle); },
                 dot(guess, guess) > 0 ? guess : up, static_cast<double>(INFINITY));
    if (!found.found) return Tested::unknown;
    const V3& n = found.direction;
    if (piece_gap(a, b, n, r.begin) > least && piece_gap(a, b, n, r.end) > least)
      return Tested::apart;
    return piece_gap(a, b, n, middle) > need_ * kLongest ? Tested::gap : Tested::unknown;
  }

  const Tables& t_;
  const SearchRoom room_;
  const Shape* A_ = nullptr;
  const Shape* B_ = nullptr;
  bool fixed_ = true;
  double second_ = 0, need_ = 0;
};

}  // namespace proven::batch
