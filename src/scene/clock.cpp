// Motions on one clock: what is tested, and what moves by itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "foundation.h"
#include "proven/kinematics/bernstein.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/piece_turn.h"

namespace proven {
namespace {

// Turns whose control points are as parallel as this are of one axis: what is lost by cutting them
// is half of it.
constexpr double kOneAxis = 0x1p-47;
// A little less than half a turn, where the shorter way is sure.
constexpr double kLongestTurn = 3.14;

// Coordinates [first, first + count) of the tree, with the motion that moves them. `offset` leads
// from the tree's coordinates to those of the motion.
struct Part {
  const Motion* motion;
  std::vector<int> coordinates;  // of the tree; all four of a ball joint are there or none
  int offset = 0;
};

Result<void> check_times(const Motion& motion, const std::string& name) {
  if (motion.times.size() != motion.waypoints.size() || motion.waypoints.empty())
    return bad_input(fmt::format("{} needs a time for every waypoint", name));
  for (std::size_t i = 0; i < motion.times.size(); ++i) {
    if (!std::isfinite(motion.times[i]) || (i > 0 && !(motion.times[i] > motion.times[i - 1])))
      return bad_input(fmt::format("the times of {} must increase", name));
  }
  return {};
}

// Where a part is between two neighbouring times: a piece of its motion from s = begin to end, or
// at rest.
struct Stretch {
  MotionPiece piece;
  double begin = 0, end = 0;
  bool whole() const { return begin == 0 && end == 1; }
};

Stretch stretch_of(const Motion& motion, double from, double to) {
  const auto& times = motion.times;
  const auto next = std::upper_bound(times.begin(), times.end(), from);
  if (next == times.begin()) return {{motion.waypoints.front(), motion.waypoints.front()}, 0, 1};
  if (next == times.end()) return {{motion.waypoints.back(), motion.waypoints.back()}, 0, 1};
  const auto i = static_cast<std::size_t>(next - times.begin()) - 1;
  const double duration = times[i + 1] - times[i];
  const double end = to == times[i + 1] ? 1 : (to - times[i]) / duration;
  return {motion.piece(static_cast<int>(i)), (from - times[i]) / duration, end};
}

// Cuts one piece out of all parts.
class Cut {
 public:
  explicit Cut(const KinematicTree& tree) : tree_(tree) {}

  // The degree that this stretch needs: a line that is cut becomes a curve, and is covered as one.
  static int degree_of(const Stretch& stretch) {
    return stretch.whole() ? stretch.piece.degree() : std::max(2, stretch.piece.degree());
  }

  Result<void> write(const Part& part, const Stretch& stretch,
                     std::vector<std::vector<double>>& inner) const {
    const int degree = static_cast<int>(inner.size()) + 1;
    for (std::size_t n = 0; n < part.coordinates.size(); ++n) {
      const int c = part.coordinates[n];
      if (tree_.coordinates()[static_cast<std::size_t>(c)].quaternion) {
        if (auto done = write_turn(part, c, stretch, degree, inner); !done.ok()) return done;
        n += 3;
        continue;
      }
      Bernstein<double> p;
      p.degree = stretch.piece.degree();
      const auto i = static_cast<std::size_t>(c - part.offset);
      for (int k = 0; k <= p.degree; ++k) p.c[k] = stretch.piece.control(k)[i];
      p = p.part(stretch.begin, stretch.end).elevated(degree);
      for (int k = 1; k < degree; ++k)
        inner[static_cast<std::size_t>(k) - 1][static_cast<std::size_t>(c)] = p.c[k];
    }
    return {};
  }

 private:
  Result<void> write_turn(const Part& part, int c, const Stretch& stretch, int degree,
                          std::vector<std::vector<double>>& inner) const {
    Bernstein<Vec3> turn = piece_turn(stretch.piece, c - part.offset);
    if (!stretch.whole()) {
      const Vec3 whole = turn.c[turn.degree];
      for (int k = 1; k < turn.degree; ++k)
        if (norm(cross(turn.c[k], whole)) > kOneAxis)
          return bad_input(fmt::format(
              "'{}' turns about a changing axis while another motion begins or ends a piece: give "
              "both motions a waypoint at the same time there",
              tree_.coordinates()[static_cast<std::size_t>(c)].joint));
      const Vec3 start = turn.at(stretch.begin);
      turn = turn.part(stretch.begin, stretch.end);
      for (int k = 0; k <= turn.degree; ++k) turn.c[k] -= start;
      // Waypoints say where it ends, not how often it turned.
      if (!(norm(turn.c[turn.degree]) < kLongestTurn))
        return bad_input(
            fmt::format("'{}' turns by more than half a turn between two times: give "
                        "it a waypoint between",
                        tree_.coordinates()[static_cast<std::size_t>(c)].joint));
    }
    turn = turn.elevated(degree);
    for (int k = 1; k < degree; ++k) {
      auto& row = inner[static_cast<std::size_t>(k) - 1];
      for (int i = 0; i < 3; ++i)
        row[static_cast<std::size_t>(c) + static_cast<std::size_t>(i)] = turn.c[k][i];
      row[static_cast<std::size_t>(c) + 3] = 0;
    }
    return {};
  }

  const KinematicTree& tree_;
};

// The configuration of a part at a time, into q.
void place(const KinematicTree& tree, const Part& part, double time, std::span<double> q) {
  const Motion& motion = *part.motion;
  const auto& times = motion.times;
  const auto next = std::upper_bound(times.begin(), times.end(), time);
  std::vector<double> own;
  if (next == times.begin()) {
    own = motion.waypoints.front();
  } else {
    const auto i = static_cast<std::size_t>(next - times.begin()) - 1;
    own = motion.waypoints[i];
    if (time != times[i] && next != times.end()) {
      const double s = (time - times[i]) / (times[i + 1] - times[i]);
      const MotionPiece piece = motion.piece(static_cast<int>(i));
      // Coordinates of a part are evaluated as those of the tree that they are.
      std::vector<std::vector<double>> rows;
      const auto spread = [&](std::span<const double> values) {
        std::vector<double> row = tree.zero_configuration();
        for (const int c : part.coordinates)
          row[static_cast<std::size_t>(c)] = values[static_cast<std::size_t>(c - part.offset)];
        return row;
      };
      for (int k = 0; k <= piece.degree(); ++k) rows.push_back(spread(piece.control(k)));
      std::vector<double> full(rows[0].size());
      interpolate(tree,
                  {rows.front(), rows.back(),
                   std::span<const std::vector<double>>(rows).subspan(1, rows.size() - 2)},
                  s, full);
      for (const int c : part.coordinates)
        q[static_cast<std::size_t>(c)] = full[static_cast<std::size_t>(c)];
      return;
    }
  }
  for (const int c : part.coordinates)
    q[static_cast<std::size_t>(c)] = own[static_cast<std::size_t>(c - part.offset)];
}

std::vector<double> all_times(const Motion& motion, std::span<const Part> parts) {
  std::vector<double> times = motion.times;
  for (const Part& part : parts)
    for (const double time : part.motion->times)
      if (time > motion.times.front() && time < motion.times.back()) times.push_back(time);
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace

Result<void> check_motion(const KinematicTree& tree, const Motion& motion) {
  if (motion.waypoints.empty()) return bad_input("the motion has no waypoint");
  const std::size_t pieces = motion.waypoints.size() - 1;
  if (!motion.inner.empty() && motion.inner.size() != pieces)
    return bad_input(fmt::format("a motion of {} pieces needs control points for each, not for {}",
                                 pieces, motion.inner.size()));
  for (std::size_t i = 0; i < motion.waypoints.size(); ++i)
    if (auto valid = check_configuration(tree, motion.waypoints[i]); !valid.ok())
      return bad_input(fmt::format("waypoint {}: {}", i, valid.error().message));
  for (std::size_t i = 0; i < motion.inner.size(); ++i) {
    if (motion.inner[i].size() >= kMaxDegree)
      return bad_input(fmt::format("piece {} has degree {}; the most is {}", i,
                                   motion.inner[i].size() + 1, kMaxDegree));
    for (const auto& point : motion.inner[i])
      if (auto valid = check_control_point(tree, point); !valid.ok())
        return bad_input(fmt::format("piece {}: {}", i, valid.error().message));
  }
  return {};
}

Result<void> check_timed_part(const KinematicTree& tree, const TimedPart& part) {
  const std::string name = fmt::format("the motion of '{}'", part.name);
  if (auto valid = check_times(*part.motion, name); !valid.ok()) return valid;
  // As a motion of the whole tree, in which all else rests.
  Motion full = *part.motion;
  const auto spread = [&](std::vector<double>& q, std::vector<double> all) -> Result<void> {
    if (q.size() != static_cast<std::size_t>(part.count))
      return bad_input(fmt::format("{} has {} values; {} are needed", name, q.size(), part.count));
    std::ranges::copy(q, all.begin() + part.first);
    q = std::move(all);
    return {};
  };
  const std::vector<double> rest = tree.zero_configuration();
  for (auto& q : full.waypoints)
    if (auto done = spread(q, rest); !done.ok()) return done;
  for (auto& points : full.inner)
    for (auto& q : points)
      if (auto done = spread(q, std::vector<double>(rest.size(), 0.0)); !done.ok()) return done;
  if (auto valid = check_motion(tree, full); !valid.ok())
    return bad_input(fmt::format("{}: {}", name, valid.error().message));
  return {};
}

bool Scene::follows_clock(int coordinate) const {
  return std::ranges::any_of(timed(), [&](const TimedPart& part) {
    return coordinate >= part.first && coordinate < part.first + part.count;
  });
}

Result<void> Scene::require_no_clock() const {
  if (timed().empty()) return {};
  return bad_input(fmt::format(
      "'{}' moves or grows by the clock, so that only motions with times can be checked in this "
      "scene: plan without it, then time the path and check it here",
      timed()[0].name));
}

bool Scene::may_be_late() const {
  return std::ranges::any_of(timed(), [](const TimedPart& part) { return part.late > 0; });
}

Result<Motion> Scene::on_one_clock(const Motion& motion, std::span<const double> delays) const {
  if (timed().empty()) return motion;
  if (auto valid = check_times(motion, "a motion in a scene where things move by the clock");
      !valid.ok())
    return valid.error();
  if (auto valid = check_motion(tree(), motion); !valid.ok()) return valid.error();
  const bool grows = std::ranges::any_of(bodies_, [](const Body& body) { return body.grows > 0; });
  if (grows && motion.times.front() < 0)
    return bad_input("the motion begins before time 0, when things begin to grow");
  std::vector<Part> parts(1);
  parts[0].motion = &motion;
  std::vector<Motion> delayed(delays.size());
  for (std::size_t p = 0; p < timed().size(); ++p) {
    const TimedPart& timed_part = timed()[p];
    Part part{timed_part.motion.get(), {}, timed_part.first};
    if (!delays.empty() && delays[p] != 0) {
      delayed[p] = *timed_part.motion;
      for (double& time : delayed[p].times) time += delays[p];
      if (auto valid = check_times(delayed[p], fmt::format("'{}', late,", timed_part.name));
          !valid.ok())
        return valid.error();
      part.motion = &delayed[p];
    }
    for (int i = 0; i < timed_part.count; ++i) part.coordinates.push_back(timed_part.first + i);
    parts.push_back(std::move(part));
  }
  for (std::size_t i = 0; i < home_.size(); ++i) {
    if (!follows_clock(static_cast<int>(i))) {
      parts[0].coordinates.push_back(static_cast<int>(i));
      continue;
    }
    for (const auto& q : motion.waypoints)
      if (q[i] != home_[i])
        return bad_input(fmt::format("the motion sets '{}', which moves by the clock",
                                     tree().coordinates()[i].name));
  }
  Motion all;
  all.defaulted = motion.defaulted;
  all.times = all_times(motion, parts);
  for (const double time : all.times) {
    std::vector<double> q(home_.begin(), home_.end());
    for (const Part& part : parts) place(tree(), part, time, q);
    all.waypoints.push_back(std::move(q));
  }
  for (std::size_t i = 0; i + 1 < all.times.size(); ++i) {
    std::vector<Stretch> stretches;
    int degree = 1;
    for (const Part& part : parts) {
      stretches.push_back(stretch_of(*part.motion, all.times[i], all.times[i + 1]));
      degree = std::max(degree, Cut::degree_of(stretches.back()));
    }
    std::vector<std::vector<double>> inner(static_cast<std::size_t>(degree) - 1,
                                           std::vector<double>(home_.size()));
    const Cut cut(tree());
    for (std::size_t p = 0; p < parts.size(); ++p)
      if (auto done = cut.write(parts[p], stretches[p], inner); !done.ok()) return done.error();
    all.inner.push_back(std::move(inner));
  }
  return all;
}

}  // namespace proven
