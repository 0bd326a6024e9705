#include "manipulation/together.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proven/certify/check.h"
#include "proven/kinematics/bernstein.h"

namespace proven::manipulation {
namespace {

using Kind = MotionRequest::Kind;

// Starts are written with six decimals; an action that must wait tries again so much later.
constexpr double kTick = 1e-6, kNextTry = 0.1;
// A stretch that needs more counts as not proved; most need some thousand.
constexpr std::int64_t kMostCells = 1'000'000;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

std::vector<int> arms_of(const World& world, const ClockStep& step) {
  std::vector<int> arms = {world.find_arm(step.request.arm)};
  if (step.request.kind == Kind::handover) arms.push_back(step.before.held.at(step.request.object));
  return arms;
}

bool overlap(const ClockStep& a, const ClockStep& b) {
  return a.start < b.end() && b.start < a.end();
}

bool stands_at(const World& world, const ClockStep& step, const std::string& object) {
  const Place* place =
      step.request.kind == Kind::transfer ? world.find_place(step.request.place) : nullptr;
  return place && place->on == object;
}

// Why two steps must not overlap, whatever the geometry.
std::string conflict(const World& world, const ClockStep& a, const ClockStep& b) {
  if (a.request.kind == Kind::operation || b.request.kind == Kind::operation)
    return "a fixture is moved while nothing else is";
  for (const int arm : arms_of(world, a))
    for (const int other : arms_of(world, b))
      if (arm == other) return fmt::format("both move arm '{}'", world.arms[at(arm)].name);
  if (a.request.object == b.request.object)
    return fmt::format("both are about '{}'", a.request.object);
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (stands_at(world, *one, other->request.object))
      return fmt::format("'{}' is put on '{}'", one->request.object, other->request.object);
  return {};
}

// What the step did is done.
void finish(const World& world, const ClockStep& step, Situation& now) {
  // Nothing else moves while a fixture does, and all before it has ended.
  if (step.request.kind == Kind::operation) {
    now = step.after;
    return;
  }
  for (const int arm : arms_of(world, step)) now.q[at(arm)] = step.after.q[at(arm)];
  const std::string& object = step.request.object;
  if (const auto pose = step.after.poses.find(object); pose != step.after.poses.end())
    now.poses[object] = pose->second;
  now.held.erase(object);
  if (const auto hand = step.after.held.find(object); hand != step.after.held.end())
    now.held[object] = hand->second;
}

// The coordinates that a motion moves.
std::vector<int> moved_by(const Motion& motion) {
  std::vector<int> moved;
  const auto& first = motion.waypoints.front();
  for (std::size_t c = 0; c < first.size(); ++c) {
    bool rests = true;
    for (int i = 0; i < motion.num_segments(); ++i)
      for (int k = 0; k <= motion.piece(i).degree(); ++k)
        rests = rests && motion.piece(i).control(k)[c] == first[c];
    if (!rests) moved.push_back(static_cast<int>(c));
  }
  return moved;
}

// The piece of the step's motion that runs between two times of the clock, and which part of it.
struct Part {
  int piece = 0;
  double begin = 0, end = 1;
};
Part part_of(const ClockStep& step, double begin, double end) {
  const auto& times = step.motion.times;
  const double offset = step.start - times.front();
  Part part;
  while (part.piece + 1 < step.motion.num_segments() && offset + times[at(part.piece) + 1] <= begin)
    ++part.piece;
  const double from = times[at(part.piece)], to = times[at(part.piece) + 1];
  // Where knots meet the ends of a piece are its own.
  if (begin > offset + from)
    part.begin = std::clamp((begin - offset - from) / (to - from), 0.0, 1.0);
  if (end < offset + to) part.end = std::clamp((end - offset - from) / (to - from), 0.0, 1.0);
  return part;
}

// All knots of the steps within the stretch, and its ends.
std::vector<double> knots_of(const Stretch& stretch, std::span<const ClockStep> steps) {
  std::vector<double> knots = {stretch.begin, stretch.end};
  for (const int i : stretch.steps) {
    const ClockStep& step = steps[at(i)];
    for (const double time : step.motion.times) {
      const double knot = step.start - step.motion.times.front() + time;
      if (knot > stretch.begin && knot < stretch.end) knots.push_back(knot);
    }
  }
  std::sort(knots.begin(), knots.end());
  knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
  return knots;
}

// One motion of all that moves: between two knots each step runs one piece, of which a part is
// taken; all are brought to one degree. Rounding moves control points by some units in the last
// place; what is proved is the motion as it is written.
Motion composed(const Stretch& stretch, std::span<const ClockStep> steps,
                std::span<const double> rest) {
  Motion motion;
  motion.times = knots_of(stretch, steps);
  const std::size_t pieces = motion.times.size() - 1;
  motion.waypoints.assign(pieces + 1, {rest.begin(), rest.end()});
  motion.inner.resize(pieces);
  std::vector<std::vector<int>> moved;
  for (const int i : stretch.steps) moved.push_back(moved_by(steps[at(i)].motion));
  for (std::size_t n = 0; n < pieces; ++n) {
    std::vector<Part> parts;
    int degree = 1;
    for (const int i : stretch.steps) {
      parts.push_back(part_of(steps[at(i)], motion.times[n], motion.times[n + 1]));
      degree = std::max(degree, steps[at(i)].motion.piece(parts.back().piece).degree());
    }
    motion.inner[n].assign(at(degree) - 1, {rest.begin(), rest.end()});
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const MotionPiece piece = steps[at(stretch.steps[k])].motion.piece(parts[k].piece);
      for (const int c : moved[k]) {
        Bernstein<double> p;
        p.degree = piece.degree();
        for (int j = 0; j <= p.degree; ++j) p.c[j] = piece.control(j)[at(c)];
        p = p.part(parts[k].begin, parts[k].end).elevated(degree);
        motion.waypoints[n][at(c)] = p.c[0];
        for (int j = 1; j < degree; ++j) motion.inner[n][at(j) - 1][at(c)] = p.c[j];
        if (n + 1 == pieces) motion.waypoints[n + 1][at(c)] = p.c[degree];
      }
    }
  }
  return motion;
}

// Why the motion of a stretch is not proved free; empty: it is.
Result<std::string> refute_stretch(const Stretch& stretch) {
  const auto scene = build_scene(stretch.scene);
  if (!scene.ok()) return scene.error();
  CheckOptions options;
  options.max_cells = kMostCells;
  Scratch scratch;
  const auto checked = check(scene.value(), stretch.motion, options, scratch);
  if (!checked.ok()) return checked.error();
  if (checked.value().verdict == Verdict::free) return std::string();
  if (checked.value().verdict != Verdict::collision) return std::string("not proved free");
  const auto& bodies = checked.value().collision->bodies;
  return fmt::format("contact of {} and {}", scene.value().body(bodies[0]).name,
                     scene.value().body(bodies[1]).name);
}

}  // namespace

std::string refute_order(const World& world, std::span<const ClockStep> steps) {
  for (std::size_t j = 0; j < steps.size(); ++j) {
    if (!std::isfinite(steps[j].start) || steps[j].motion.times.empty())
      return fmt::format("'{}' has no times", to_text(steps[j].request));
    for (std::size_t i = 0; i < j; ++i) {
      if (!(steps[i].start <= steps[j].start)) return "they are not in the order of their starts";
      if (!overlap(steps[i], steps[j])) continue;
      if (auto why = conflict(world, steps[i], steps[j]); !why.empty())
        return fmt::format("'{}' and '{}' overlap: {}", to_text(steps[i].request),
                           to_text(steps[j].request), why);
    }
  }
  return {};
}

Result<std::vector<Stretch>> stretches_of(const World& world, std::span<const ClockStep> steps,
                                          double from) {
  std::vector<Stretch> stretches;
  std::vector<double> events;
  std::vector<std::uint8_t> overlaps(steps.size(), 0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    events.insert(events.end(), {steps[i].start, steps[i].end()});
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(steps[i], steps[j])) overlaps[i] = overlaps[j] = 1;
  }
  std::sort(events.begin(), events.end());
  events.erase(std::unique(events.begin(), events.end()), events.end());
  for (std::size_t n = 0; n + 1 < events.size(); ++n) {
    Stretch stretch;
    stretch.begin = events[n];
    stretch.end = events[n + 1];
    if (stretch.end <= from) continue;
    stretch.situation = steps[0].before;
    std::vector<Grip> grips;
    bool alone = true;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].end() <= stretch.begin) finish(world, steps[i], stretch.situation);
      if (steps[i].start > stretch.begin || steps[i].end() <= stretch.begin) continue;
      stretch.steps.push_back(static_cast<int>(i));
      for (Grip& grip : grips_of(world, steps[i].request)) grips.push_back(std::move(grip));
      alone = alone && !overlaps[i];
    }
    if (stretch.steps.empty() || alone) continue;
    stretch.scene = scene_with(world, stretch.situation, grips);
    const auto scene = build_scene(stretch.scene);
    if (!scene.ok()) return scene.error();
    stretch.motion = composed(stretch, steps, scene.value().home());
    stretches.push_back(std::move(stretch));
  }
  return stretches;
}

Result<std::string> refute_together(const World& world, std::span<const ClockStep> steps,
                                    double from) {
  if (auto why = refute_order(world, steps); !why.empty()) return why;
  const auto stretches = stretches_of(world, steps, from);
  if (!stretches.ok()) return stretches.error();
  for (const Stretch& stretch : stretches.value()) {
    const auto why = refute_stretch(stretch);
    if (!why.ok()) return why.error();
    if (why.value().empty()) continue;
    std::string names;
    for (const int i : stretch.steps)
      names += fmt::format("{}'{}'", names.empty() ? "" : " and ", to_text(steps[at(i)].request));
    return fmt::format("{} from {:.3f} s to {:.3f} s: {}", names, stretch.begin, stretch.end,
                       why.value());
  }
  return std::string();
}

Result<Timetable> tighten(const World& world, std::span<const ClockAction> actions,
                          std::vector<ClockStep> steps, double separation) {
  const auto tick = [](double time) { return std::ceil(time / kTick - 1e-3) / (1 / kTick) + 0.0; };
  Timetable table;
  std::size_t placed = 0;  // steps that have their time
  double ended = 0;        // when all so far have
  for (std::size_t j = 0; j < actions.size(); ++j) {
    const ClockAction& action = actions[j];
    double earliest = std::fmax(0, action.start);
    for (std::size_t i = 0; i < j; ++i) {
      const double start = table.entries[i].start, end = start + actions[i].duration;
      const double was = actions[i].start + actions[i].duration;
      if (action.start >= was - kTick) earliest = std::fmax(earliest, end + separation);
      if (action.start > actions[i].start + kTick)
        earliest = std::fmax(earliest, start + separation);
    }
    Timetable::Entry entry;
    entry.start = earliest = tick(earliest);
    const double latest = std::fmax(earliest, tick(ended + separation));
    while (action.step >= 0 && placed > 0 && entry.start < latest) {
      steps[placed].start = entry.start;
      const auto refuted = refute_together(world, std::span(steps).first(placed + 1), entry.start);
      if (!refuted.ok()) return refuted.error();
      if (refuted.value().empty()) break;
      if (entry.reason.empty()) entry.reason = refuted.value();
      entry.start = std::fmin(latest, tick(entry.start + kNextTry));
    }
    entry.waits = entry.start - earliest;
    if (action.step >= 0) steps[placed++].start = entry.start;
    ended = std::fmax(ended, entry.start + action.duration);
    table.entries.push_back(std::move(entry));
  }
  return table;
}

}  // namespace proven::manipulation
