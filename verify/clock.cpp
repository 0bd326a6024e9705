// Chapter 5, continued: one clock. The motion that was asked for, together with what moves by
// itself (format, section 9). Control points of cut pieces are values of the blossom; they round by
// less than the tube around curved pieces.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proven/base/elementary.h"
#include "verify/model.h"

namespace proven::verifier {
namespace {

constexpr double kParallel = 0x1p-47, kLessThanHalfATurn = 3.14;

using Row = std::vector<double>;

std::size_t place_of(int first, int i) {
  return static_cast<std::size_t>(first) + static_cast<std::size_t>(i);
}

// One part of the whole: which columns it fills, and with what.
struct Part {
  const Motion* motion = nullptr;
  std::vector<int> columns;  // of the whole
  int shift = 0;             // from a column of the whole to one of the motion
};

// A piece of a part between two times of the clock.
struct Cut {
  MotionPiece piece;
  double from = 0, to = 1;
  bool whole() const { return from == 0 && to == 1; }
};

Cut cut_out(const Motion& motion, double begin, double end) {
  std::size_t i = 0;
  while (i < motion.times.size() && motion.times[i] <= begin) ++i;
  if (i == 0 || i == motion.times.size()) {
    const Row& rest = i == 0 ? motion.waypoints.front() : motion.waypoints.back();
    return {{rest, rest}, 0, 1};
  }
  const double t0 = motion.times[i - 1], t1 = motion.times[i];
  return {motion.piece(static_cast<int>(i) - 1), (begin - t0) / (t1 - t0),
          end == t1 ? 1 : (end - t0) / (t1 - t0)};
}

// The blossom of Bernstein coefficients: its value at k times `to` and the others `from` is the
// control point k of the stretch between.
double blossom(std::vector<double> c, int k, double from, double to) {
  const int degree = static_cast<int>(c.size()) - 1;
  for (int level = 0; level < degree; ++level) {
    const double s = level < k ? to : from;
    for (int i = 0; i < degree - level; ++i)
      c[static_cast<std::size_t>(i)] =
          (1 - s) * c[static_cast<std::size_t>(i)] + s * c[static_cast<std::size_t>(i) + 1];
  }
  return c[0];
}

std::vector<double> stretch(const std::vector<double>& c, const Cut& cut, int degree) {
  std::vector<double> out;
  for (std::size_t k = 0; k < c.size(); ++k)
    out.push_back(cut.whole() ? c[k] : blossom(c, static_cast<int>(k), cut.from, cut.to));
  while (static_cast<int>(out.size()) <= degree) {
    const auto n = static_cast<double>(out.size());
    std::vector<double> raised = {out.front()};
    for (std::size_t k = 1; k < out.size(); ++k) {
      const double share = static_cast<double>(k) / n;
      raised.push_back(share * out[k - 1] + (1 - share) * out[k]);
    }
    raised.push_back(out.back());
    out = std::move(raised);
  }
  return out;
}

Vec3 rotation_vector(const double* a, const double* b) {
  const Vec3 av{a[0], a[1], a[2]}, bv{b[0], b[1], b[2]};
  double w = a[3] * b[3] + dot(av, bv);
  Vec3 v = a[3] * bv - b[3] * av - cross(av, bv);
  if (w < 0) w = -w, v = -v;
  const double size = norm(v);
  return size == 0 ? Vec3{} : (2 * arc_tangent(size, w) / size) * v;
}

class Merger {
 public:
  Merger(const Model& model, const Motion& motion, std::span<const double> delays)
      : model_(model), given_(motion) {
    for (const Link& link : model.links)
      if (link.kind == JointKind::ball) turns_.push_back(link.coordinate);
    collect_parts(delays);
  }

  Motion run() {
    Motion all;
    all.defaulted = given_.defaulted;
    all.times = given_.times;
    for (const Part& part : parts_)
      for (const double time : part.motion->times)
        if (time > given_.times.front() && time < given_.times.back()) all.times.push_back(time);
    std::sort(all.times.begin(), all.times.end());
    all.times.erase(std::unique(all.times.begin(), all.times.end()), all.times.end());
    for (std::size_t i = 0; i < all.times.size(); ++i) {
      Row q(static_cast<std::size_t>(model_.num_coordinates));
      for (const Part& part : parts_) place(part, all.times[i], q);
      all.waypoints.push_back(std::move(q));
    }
    for (std::size_t i = 0; i + 1 < all.times.size(); ++i)
      all.inner.push_back(between(all.times[i], all.times[i + 1]));
    return all;
  }

 private:
  void collect_parts(std::span<const double> delays) {
    late_.reserve(delays.size());
    std::vector<bool> follows(static_cast<std::size_t>(model_.num_coordinates), false);
    parts_.resize(1);
    parts_[0].motion = &given_;
    for (std::size_t p = 0; p < model_.timed.size(); ++p) {
      const Timed& timed = model_.timed[p];
      Part part{&timed.motion, {}, timed.first};
      if (!delays.empty() && delays[p] != 0)
        part.motion = &late_.emplace_back(later(timed, delays[p]));
      for (int i = 0; i < timed.count; ++i) {
        part.columns.push_back(timed.first + i);
        follows[place_of(timed.first, i)] = true;
        for (const Row& q : given_.waypoints)
          if (q[place_of(timed.first, i)] != timed.motion.waypoints[0][static_cast<std::size_t>(i)])
            throw Rejected{"the motion moves " + timed.name + ", which moves by the clock"};
      }
      parts_.push_back(std::move(part));
    }
    for (int i = 0; i < model_.num_coordinates; ++i)
      if (!follows[static_cast<std::size_t>(i)]) parts_[0].columns.push_back(i);
  }

  static Motion later(const Timed& timed, double delay) {
    Motion motion = timed.motion;
    for (std::size_t i = 0; i < motion.times.size(); ++i) {
      motion.times[i] += delay;
      if (i > 0 && !(motion.times[i] > motion.times[i - 1]))
        throw Rejected{"the times of " + timed.name + ", late, do not increase"};
    }
    return motion;
  }

  bool is_turn(int column) const {
    return std::find(turns_.begin(), turns_.end(), column) != turns_.end();
  }

  // Coefficients of one scalar of a piece.
  static std::vector<double> coefficients(const MotionPiece& piece, int column) {
    std::vector<double> c;
    for (int k = 0; k <= piece.degree(); ++k)
      c.push_back(piece.control(k)[static_cast<std::size_t>(column)]);
    return c;
  }
  void place(const Part& part, double time, Row& q) const {
    const Motion& motion = *part.motion;
    for (std::size_t i = 0; i < motion.times.size(); ++i)
      if (motion.times[i] == time) return copy(part, motion.waypoints[i], q);
    const Cut cut = cut_out(motion, time, time);
    for (std::size_t n = 0; n < part.columns.size(); ++n) {
      const int column = part.columns[n];
      const auto at = static_cast<std::size_t>(column);
      if (!is_turn(column)) {
        const auto c = coefficients(cut.piece, column - part.shift);
        q[at] = blossom(c, 0, cut.from, 0);
        continue;
      }
      const double* a = cut.piece.from.data() + (column - part.shift);
      Vec3 phi;
      const auto c = turn_coefficients(cut.piece, column - part.shift);
      for (int i = 0; i < 3; ++i) phi[i] = blossom(c[static_cast<std::size_t>(i)], 0, cut.from, 0);
      const double angle = norm(phi), s = angle == 0 ? 0.5 : std::sin(0.5 * angle) / angle;
      const Vec3 av{a[0], a[1], a[2]}, bv = s * phi;
      const double bw = std::cos(0.5 * angle);
      const Vec3 v = a[3] * bv + bw * av + cross(av, bv);
      const double w = a[3] * bw - dot(av, bv), size = std::sqrt(dot(v, v) + w * w);
      q[at] = v.x / size, q[at + 1] = v.y / size, q[at + 2] = v.z / size, q[at + 3] = w / size;
      n += 3;
    }
  }
  static void copy(const Part& part, const Row& from, Row& q) {
    for (const int column : part.columns)
      q[static_cast<std::size_t>(column)] = from[static_cast<std::size_t>(column - part.shift)];
  }

  std::vector<Row> between(double begin, double end) const {
    std::vector<Cut> cuts;
    int degree = 1;
    for (const Part& part : parts_) {
      cuts.push_back(cut_out(*part.motion, begin, end));
      degree = std::max({degree, cuts.back().piece.degree(), cuts.back().whole() ? 1 : 2});
    }
    std::vector<Row> rows(static_cast<std::size_t>(degree) - 1,
                          Row(static_cast<std::size_t>(model_.num_coordinates)));
    const auto write = [&](int column, const std::vector<double>& c, double less) {
      for (std::size_t k = 0; k < rows.size(); ++k)
        rows[k][static_cast<std::size_t>(column)] = c[k + 1] - less;
    };
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (std::size_t n = 0; n < parts_[p].columns.size(); ++n) {
        const int column = parts_[p].columns[n], own = column - parts_[p].shift;
        if (!is_turn(column)) {
          write(column, stretch(coefficients(cuts[p].piece, own), cuts[p], degree), 0);
          continue;
        }
        const auto c = turn_coefficients(cuts[p].piece, own);
        if (!cuts[p].whole()) check_turn(c, cuts[p]);
        for (int i = 0; i < 3; ++i) {
          const auto part = stretch(c[static_cast<std::size_t>(i)], cuts[p], degree);
          write(column + i, part, cuts[p].whole() ? 0 : part[0]);
        }
        write(column + 3, std::vector<double>(static_cast<std::size_t>(degree) + 1, 0.0), 0);
        n += 3;
      }
    return rows;
  }

  // A turn that is cut must be about one axis, and by less than half a turn.
  static void check_turn(const std::array<std::vector<double>, 3>& c, const Cut& cut) {
    const auto at = [&](std::size_t k) { return Vec3{c[0][k], c[1][k], c[2][k]}; };
    const std::size_t last = c[0].size() - 1;
    Vec3 turned;
    for (int i = 0; i < 3; ++i) {
      const auto& own = c[static_cast<std::size_t>(i)];
      turned[i] = blossom(own, 0, cut.to, 0) - blossom(own, 0, cut.from, 0);
    }
    for (std::size_t k = 1; k < last; ++k)
      if (!(norm(cross(at(k), at(last))) <= kParallel))
        throw Rejected{"a turn about a changing axis is cut by the time of another motion"};
    if (!(norm(turned) < kLessThanHalfATurn))
      throw Rejected{"something turns by more than half a turn between two times"};
  }

  const Model& model_;
  const Motion& given_;
  std::vector<Part> parts_;
  std::vector<Motion> late_;  // of parts that are
  std::vector<int> turns_;    // first columns of ball joints
};

}  // namespace

std::array<std::vector<double>, 3> turn_coefficients(const MotionPiece& piece, int column) {
  const Vec3 whole = rotation_vector(piece.from.data() + column, piece.to.data() + column);
  std::array<std::vector<double>, 3> c;
  for (int i = 0; i < 3; ++i) {
    auto& own = c[static_cast<std::size_t>(i)];
    own.push_back(0);
    for (int k = 1; k < piece.degree(); ++k) own.push_back(piece.control(k)[place_of(column, i)]);
    own.push_back(whole[i]);
  }
  return c;
}

Motion on_one_clock(const Model& model, const Motion& motion, std::span<const double> delays) {
  if (model.timed.empty()) return motion;
  bool increasing = motion.times.size() == motion.waypoints.size();
  for (std::size_t i = 0; increasing && i < motion.times.size(); ++i)
    increasing = std::fabs(motion.times[i]) <= kLargestNumber &&
                 (i == 0 || motion.times[i] > motion.times[i - 1]);
  if (!increasing)
    throw Rejected{"things move by the clock, but the motion has no increasing times"};
  for (const Body& body : model.bodies)
    if (body.grows > 0 && motion.times[0] < 0)
      throw Rejected{"the motion begins before time 0, when things begin to grow"};
  return Merger(model, motion, delays).run();
}

}  // namespace proven::verifier
