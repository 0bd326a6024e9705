#include "proven/plan/smooth.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "plan/final_proof.h"
#include "plan/margin.h"
#include "plan/other_paths.h"
#include "plan/shortcut_path.h"
#include "plan/smooth_stages.h"
#include "plan/smoother.h"
#include "proven/certify/check.h"

namespace proven {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

JointSpace space_of(const Scene& scene, const Path& path) {
  return JointSpace(scene, {path.waypoints.front(), path.waypoints.back(), {}, {}});
}

// The path as a query: what moves along it may move on others, too.
Query query_of(const Scene& scene, const Path& path) {
  Query query;
  query.start = path.waypoints.front();
  query.goal = path.waypoints.back();
  for (int c = 0; c < scene.tree().num_coordinates(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    const bool moves = std::ranges::any_of(
        path.waypoints, [&](const std::vector<double>& q) { return q[i] != query.start[i]; });
    if (moves || scene.tree().coordinates()[i].quaternion) query.planned.push_back(c);
  }
  return query;
}

}  // namespace

double path_length(const Scene& scene, const Path& path) {
  if (path.num_segments() == 0) return 0;
  const JointSpace space = space_of(scene, path);
  double sum = 0;
  for (std::size_t i = 1; i < path.waypoints.size(); ++i)
    sum += space.distance(path.waypoints[i - 1], path.waypoints[i]);
  return sum;
}

Result<void> validate(const SmoothOptions& options) {
  if (options.check.checker == Checker::fixed)
    return bad_input("the checker fixed proves nothing: smooth with another one");
  if (auto valid = validate(options.check); !valid.ok()) return valid;
  if (auto valid = validate_margin(options.margin); !valid.ok()) return valid;
  if (!(options.waypoint_cost >= 0)) return bad_input("the cost of a waypoint is at least 0");
  return {};
}

namespace {

ConstraintResult check_constraints(const Scene& scene, const Path& path,
                                   const SmoothOptions& options) {
  if (options.constraints.empty()) return {};
  ConstraintProver prover(scene.tree(), options.constraints, options.check.tracking_error);
  return prover.check(path);
}

}  // namespace

Result<void> require_smoothable(const Scene& scene, const Path& path,
                                const SmoothOptions& options) {
  if (path.waypoints.empty()) return bad_input("the path has no waypoint");
  if (!path.straight())
    return bad_input("only straight paths are smoothed: this one is a curve already");
  if (auto still = scene.require_no_clock(); !still.ok()) return still;
  if (auto valid = check_motion(scene.tree(), path); !valid.ok()) return valid;
  if (auto valid = validate(scene.tree(), options.constraints); !valid.ok()) return valid;
  const ConstraintResult kept = check_constraints(scene, path, options);
  if (kept.verdict == ConstraintVerdict::kept) return {};
  return bad_input("the path as given does not keep its constraints: " +
                   describe(scene.tree(), options.constraints, kept));
}

SmoothResult begin_smoothing(const Scene& scene, const Path& path, const SmoothOptions& options) {
  SmoothResult result;
  if (options.input_is_proved) {
    result.input.verdict = Verdict::free;
    result.margin_kept = options.margin;
  }
  result.path = Path{path.waypoints, {}, path.defaulted};
  result.length_before = result.length_after = path_length(scene, path);
  return result;
}

CheckOptions for_input(CheckOptions check) {
  check = for_planning(std::move(check));
  check.resolution = std::min(check.resolution, CheckOptions{}.resolution);
  check.max_cells = std::max(check.max_cells, CheckOptions{}.max_cells);
  return check;
}

std::string describe_closest(const Scene& scene, const CheckResult& result) {
  const auto say = [&](const auto& place) {
    if (place.bodies[0] < 0) return std::string("the path as given was not proved to keep more");
    return fmt::format("the path as given comes within {:.3g} m: {} and {}, segment {}",
                       std::max(place.distance, 0.0), scene.body(place.bodies[0]).name,
                       scene.body(place.bodies[1]).name, place.segment);
  };
  return result.collision ? say(*result.collision) : say(*result.undecided);
}

CheckOptions for_shortcuts(const SmoothOptions& options, double margin) {
  CheckOptions check = with_margin(for_planning(options.check), margin);
  check.max_cells = std::min(check.max_cells, options.max_cells_per_shortcut);
  return check;
}

void take_shortened(const ShortcutPath& shorter, SmoothResult& result) {
  result.path.waypoints = shorter.waypoints();
  result.length_after = shorter.length();
  result.tried = shorter.tried();
  result.taken = shorter.taken();
}

namespace {

// Proves what is returned, with the margin; the certificate is about what is required.
Result<CheckResult> prove_smoothed(const CheckModel& model, const Path& path,
                                   const SmoothOptions& options, double margin,
                                   const Budget& budget) {
  const CheckOptions stricter = with_margin(options.check, margin);
  if (stricter.clearance == options.check.clearance)
    return prove_finally(model, path, options.check, budget);
  auto proof = prove_finally(model, path, without_certificate(stricter), budget);
  if (!options.check.certificate || !proof.ok() || proof.value().verdict != Verdict::free)
    return proof;
  return prove_finally(model, path, options.check, budget);
}

}  // namespace

Result<void> end_smoothing(const CheckModel& model, const Path& path, const SmoothOptions& options,
                           const Budget& budget, SmoothResult& result) {
  auto proof = prove_smoothed(model, result.path, options, result.margin_kept, budget);
  if (!proof.ok()) return proof.error();
  if (proof.value().verdict != Verdict::free ||
      check_constraints(model.scene(), result.path, options).verdict != ConstraintVerdict::kept) {
    result.path.waypoints = path.waypoints;
    result.length_after = result.length_before;
    result.taken = 0;
    proof = prove_smoothed(model, path, options, result.margin_kept, budget);
    if (!proof.ok()) return proof.error();
    // The margin was the pre-check's word.
    if (proof.value().verdict != Verdict::free) {
      result.margin_kept = margins_to_try(options.margin, options.check.clearance).back();
      result.margin_reason = describe_closest(model.scene(), proof.value());
      proof = prove_finally(model, path, options.check, budget);
      if (!proof.ok()) return proof.error();
    }
    if (proof.value().verdict == Verdict::collision) result.input = proof.value();
  }
  result.certificate = std::move(proof.value().certificate);
  return {};
}

bool seems_free(Prover& prover, const Path& path, const Budget& budget) {
  for (int i = 0; i < path.num_segments(); ++i) {
    const MotionPiece piece = path.piece(i);
    if (!prover.seems_free({piece.from, piece.to, i > 0, piece.inner}, budget)) return false;
  }
  return path.num_segments() > 0 || prover.seems_free(path.waypoints.front(), budget);
}

namespace {

Result<CheckResult> check_input(const CheckModel& prepared, const Path& path,
                                const CheckOptions& check, const Budget& budget) {
  const auto model = prepared.with_options(for_input(check));
  if (!model.ok()) return model.error();
  Scratch scratch;
  return model.value().check(path, scratch, budget);
}

// What the path as given keeps of the margin, as the pre-check sees it; that it is free is known.
Result<void> find_margin(const CheckModel& model, const Path& path, const SmoothOptions& options,
                         const Budget& budget, SmoothResult& result) {
  for (const double margin : margins_to_try(options.margin, options.check.clearance)) {
    result.margin_kept = margin;
    const CheckOptions stricter = with_margin(options.check, margin);
    if (stricter.clearance == options.check.clearance) return {};
    const auto with_it = model.with_options(for_input(stricter));
    if (!with_it.ok()) return with_it.error();
    Prover prover(with_it.value());
    const bool keeps = seems_free(prover, path, budget);
    result.check += prover.counts().check;
    if (keeps) return {};
    auto checked = check_input(model, path, stricter, budget);
    if (!checked.ok()) return checked.error();
    result.check += checked.value().stats;
    if (checked.value().verdict == Verdict::free) return {};
    result.margin_reason = describe_closest(model.scene(), checked.value());
  }
  return {};
}

// Shortcuts between the ends of a path that is free and keeps the margin.
Result<void> shorten(const CheckModel& prepared, const Path& path, const SmoothOptions& options,
                     const Budget& budget, SmoothResult& result) {
  const Scene& scene = prepared.scene();
  const JointSpace space =
      options.rounds > 0 ? JointSpace(scene, query_of(scene, path)) : space_of(scene, path);
  auto model = prepared.with_options(for_shortcuts(options, result.margin_kept));
  if (!model.ok()) return model.error();
  CoveredValues values;
  values.add(space);
  values.add(path);
  Prover prover(values.cover(model.value()), options.constraints);
  ShortcutPath shorter(space, path.waypoints, options.waypoint_cost);
  Shortcuts shortcuts(options, space, budget, shorter);
  ask_alone(shortcuts, prover, budget);
  result.steps = shortcuts.steps();
  result.converged = shortcuts.converged();
  if (options.rounds > 0) {
    const Query query = query_of(scene, path);
    try_other_paths({query, options, space, prover, budget}, shorter, result);
  }
  if (options.waypoint_cost > 0) {
    Drops drops(space, budget, shorter);
    ask_alone(drops, prover, budget);
  }
  take_shortened(shorter, result);
  result.check += prover.counts().check;
  return {};
}

}  // namespace

Result<SmoothResult> smooth(const Scene& scene, const Path& path, const SmoothOptions& options,
                            const Budget& budget) {
  if (auto valid = validate(options.check); !valid.ok()) return valid.error();
  const auto model = CheckModel::build(scene, for_planning(options.check));
  if (!model.ok()) return model.error();
  return smooth(model.value(), path, options, budget);
}

Result<SmoothResult> smooth(const CheckModel& model, const Path& path, const SmoothOptions& options,
                            const Budget& budget) {
  const auto start = Clock::now();
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  if (auto able = require_smoothable(model.scene(), path, options); !able.ok()) return able.error();
  SmoothResult result = begin_smoothing(model.scene(), path, options);
  if (!options.input_is_proved) {
    auto input = check_input(model, path, options.check, budget);
    if (!input.ok()) return input.error();
    result.input = std::move(input).value();
    result.check = result.input.stats;
  }
  if (result.input.verdict == Verdict::free) {
    if (!options.input_is_proved)
      if (auto found = find_margin(model, path, options, budget, result); !found.ok())
        return found.error();
    if (path.num_segments() > 1)
      if (auto done = shorten(model, path, options, budget, result); !done.ok())
        return done.error();
    // What was found before the rounds were cancelled is kept.
    const Budget& last = options.rounds > 0 ? Budget{} : budget;
    if (auto ended = end_smoothing(model, path, options, last, result); !ended.ok())
      return ended.error();
  }
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace proven
