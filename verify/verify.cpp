// Chapter 12: the verifier as a whole, and the theorem that it prints.
#include "proven/verify/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <map>

#include "proven/base/floating_point.h"
#include "verify/kept.h"
#include "verify/walk.h"
#include "verify/witness.h"

namespace proven {
namespace verifier {
namespace {

const char* text_of(Reason reason) {
  switch (reason) {
    case Reason::rigid:
      return "they never move relative to each other";
    case Reason::adjacent:
      return "their links are joined by a joint";
    case Reason::touch:
      return "the attached object may touch it";
    case Reason::user:
      return "the scene file says so";
    case Reason::srdf_adjacent:
      return "the SRDF says Adjacent";
    case Reason::srdf_default:
      return "the SRDF says Default";
    case Reason::srdf_user:
      return "the SRDF says User";
    case Reason::srdf_never:
      return "the SRDF says Never, which is trusted and not proved";
    case Reason::srdf_proved:
      return "the SRDF says that they were proved never to meet within joint limits; that is not "
             "proved again here";
  }
  return "";
}

void check_options(const VerifyOptions& options) {
  std::vector<double> values = {options.clearance.world, options.clearance.robots,
                                options.clearance.self, options.clearance.attached,
                                options.tracking_error.general};
  for (const auto& [joint, error] : options.tracking_error.joints) values.push_back(error);
  for (const double value : values)
    if (!(value >= 0 && value <= kLargestNumber))
      throw Rejected{"clearance and tracking error must be numbers from 0 to 1e9"};
  // What interval.h rests on.
  if (const auto sane = check_floating_point_environment(); !sane.ok())
    throw Rejected{sane.error().text()};
}

// What the certificate says about itself must be so.
void compare(const Header& header, const Model& model, const VerifyReport& report,
             const VerifyOptions& options) {
  if (header.degree != report.degree)
    throw Rejected{fmt::format("the certificate is for a motion of degree {}, but this has {}",
                               header.degree, report.degree)};
  if (header.segments != report.segments)
    throw Rejected{fmt::format("the certificate is for {} segments, but the motion has {}",
                               header.segments, report.segments)};
  if (header.tested_pairs != model.pairs.size())
    throw Rejected{fmt::format("the certificate tests {} pairs, but the scene has {} to test",
                               header.tested_pairs, model.pairs.size())};
  const auto same = [](const Excluded& a, const Excluded& b) {
    return a.a == b.a && a.b == b.b && a.reason == b.reason;
  };
  if (!std::equal(header.excluded.begin(), header.excluded.end(), model.excluded.begin(),
                  model.excluded.end(), same))
    throw Rejected{"the certificate excludes other pairs than the scene does"};
  if (options.max_bytes < 0 || header.body_size > static_cast<std::uint64_t>(options.max_bytes))
    throw Rejected{
        fmt::format("the body has {} bytes; the limit is {}", header.body_size, options.max_bytes)};
}

const char* text_of(PairClass kind) {
  switch (kind) {
    case PairClass::world:
      return "against the world";
    case PairClass::robots:
      return "between robots";
    case PairClass::self:
      return "within a robot";
    case PairClass::attached:
      return "of held objects and who holds them";
  }
  return "";
}

// What is required of the pairs of each class, from the least to the most.
std::string clearances(const Model& model) {
  std::map<PairClass, std::pair<double, double>> required;
  for (const Pair& pair : model.pairs) {
    auto& [least, most] = required.try_emplace(pair.kind, INFINITY, -INFINITY).first->second;
    least = std::min(least, pair.clearance);
    most = std::max(most, pair.clearance);
  }
  std::string text;
  for (const auto& [kind, range] : required) {
    const auto& [least, most] = range;
    text +=
        fmt::format("{}{} m {}", text.empty() ? "" : ", ",
                    least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most),
                    text_of(kind));
  }
  return text.empty() ? "0 m" : text;
}

std::string tube(const TrackingError& error) {
  std::string text = fmt::format(
      " This holds for every motion whose joints stay within {} (rad or m) of the path's",
      error.general);
  for (const auto& [joint, own] : error.joints) text += fmt::format(", {} within {}", joint, own);
  return text + ".";
}

std::string describe(const Motion& motion) {
  if (motion.straight())
    return fmt::format("Path: {} waypoints, {} segments.", motion.waypoints.size(),
                       num_segments(motion));
  return fmt::format(
      "Motion: {} pieces of degree up to {}, polynomials by the control points as given.",
      num_segments(motion), motion.degree());
}

// What a sensor saw is taken at its word: the theorem is about these solids.
std::string describe_sensed(const Body& body) {
  if (const double radius = grain_radius(body); radius > 0)
    return fmt::format("Seen: {}, {} balls of radius {} m.", body.name, body.pieces.size(), radius);
  const auto& voxels = std::get<std::shared_ptr<const VoxelSet>>((*body.elements)[0].shape);
  return fmt::format("Seen: {}, cells of {} m in {} boxes.", body.name, voxels->size,
                     body.pieces.size());
}

std::vector<std::string> describe(const Model& model, const Motion& motion) {
  std::size_t pieces = 0;
  for (const Body& body : model.bodies) pieces += body.pieces.size();
  std::vector<std::string> lines = {
      fmt::format("Scene: {} bodies ({} still) of {} pieces, {} coordinates.", model.bodies.size(),
                  model.still.size(), pieces, model.num_coordinates),
      describe(motion)};
  constexpr int kMostNamed = 20;
  int sensed = 0;
  for (const Body& body : model.bodies)
    if (body.sensed() && ++sensed <= kMostNamed) lines.push_back(describe_sensed(body));
  if (sensed > kMostNamed)
    lines.push_back(fmt::format("Seen: {} bodies more.", sensed - kMostNamed));
  std::map<Reason, std::string> names;
  std::map<Reason, int> counts;
  for (const Excluded& pair : model.excluded) {
    ++counts[pair.reason];
    std::string& list = names[pair.reason];
    list += fmt::format("{}{} and {}", list.empty() ? "" : ", ",
                        model.bodies[static_cast<std::size_t>(pair.a)].name,
                        model.bodies[static_cast<std::size_t>(pair.b)].name);
  }
  lines.push_back(
      fmt::format("Tested: {} pairs. Not tested: {}.", model.pairs.size(), model.excluded.size()));
  for (const auto& [reason, list] : names)
    lines.push_back(
        fmt::format("Not tested, because {} ({}): {}.", text_of(reason), counts[reason], list));
  return lines;
}

std::string by_the_clock(const Model& model, const Motion& motion) {
  std::string text =
      fmt::format("On one clock, from {} to {} s, with", motion.times.front(), motion.times.back());
  for (const Timed& timed : model.timed)
    text += fmt::format("{} {}", &timed == model.timed.data() ? "" : ",", timed.name);
  text += ", each by its own motion.";
  for (const Timed& timed : model.timed)
    text += fmt::format(" {} moves from {} to {} s, and rests before and after.", timed.name,
                        timed.motion.times.front(), timed.motion.times.back());
  for (const Timed& timed : model.timed)
    if (timed.late > 0)
      text +=
          fmt::format(" {} starts at any time up to {} s later than that.", timed.name, timed.late);
  for (const Body& body : model.bodies)
    if (body.grows > 0)
      text += fmt::format(" {} grows by {} m/s from time 0: so much more is required.", body.name,
                          body.grows);
  return text;
}

// The motion together with all that moves by itself, in every run.
std::vector<Motion> make_runs(const Model& model, const Motion& given, std::uint32_t slots) {
  std::vector<Motion> runs;
  if (slots == 0) {
    runs.push_back(on_one_clock(model, given));
  } else {
    const std::size_t count = num_runs(model, slots);
    for (std::size_t run = 0; run < count; ++run)
      runs.push_back(on_one_clock(model, given, delays_in(model, slots, run)));
  }
  if (!model.timed.empty())
    for (const Motion& run : runs) check_motion(model, run);
  return runs;
}

std::string theorem_of_proof(const Model& model, const Motion& motion, const VerifyOptions& options,
                             const WalkCounts& counts) {
  std::string text = fmt::format(
      "At every time of every segment, every tested pair is farther apart than required ({}), and "
      "none "
      "lies inside the other; proved by {} leaves.",
      clearances(model), counts.leaves);
  if (!motion.straight())
    text +=
        " Control points of curved pieces may differ by 2^-45 of the largest of their coordinate "
        "in "
        "the piece, turns of ball joints by the angle 2^-45.";
  if (options.tracking_error.any()) text += tube(options.tracking_error);
  return text;
}

}  // namespace
}  // namespace verifier

using namespace verifier;

struct Verifier::State {
  VerifyOptions options;
  std::string bad_scene;  // why there is no model
  Model model;
};

Verifier::Verifier(const SceneSource& scene, const VerifyOptions& options)
    : Verifier(scene, options, nullptr) {}

Verifier::Verifier(const SceneSource& scene, const VerifyOptions& options, Verifier&& previous)
    : Verifier(scene, options, previous.state_.get()) {
  previous.state_->bad_scene = "what was prepared of it has been taken";
}

Verifier::Verifier(const SceneSource& scene, const VerifyOptions& options, State* previous)
    : state_(std::make_unique<State>()) {
  state_->options = options;
  try {
    check_options(options);
    state_->model = build_model(scene, options, previous ? &previous->model : nullptr);
  } catch (const Rejected& rejected) {
    state_->bad_scene = rejected.reason;
  }
}
Verifier::~Verifier() = default;
Verifier::Verifier(Verifier&&) noexcept = default;
Verifier& Verifier::operator=(Verifier&&) noexcept = default;

VerifyReport Verifier::verify(const Motion& given,
                              std::span<const std::uint8_t> certificate) const {
  const auto start = std::chrono::steady_clock::now();
  const Model& model = state_->model;
  const VerifyOptions& options = state_->options;
  VerifyReport report;
  WalkCounts counts;
  try {
    const Header header = read_header(certificate);
    report.kind = header.kind == 0 ? CertificateKind::free : CertificateKind::collision;
    report.scene_hash = header.scene_hash;
    report.path_hash = header.path_hash;
    report.claimed_clearance = header.clearance;
    report.claimed_tracking_error = header.tracking_error;
    check_options(options);
    if (!state_->bad_scene.empty()) throw Rejected{state_->bad_scene};
    report.tested_pairs = static_cast<std::int64_t>(model.pairs.size());
    report.excluded_pairs = static_cast<std::int64_t>(model.excluded.size());
    report.no_inside = bodies_without_inside(model);
    check_motion(model, given);
    if (model.sensed != header.sensed)
      throw Rejected{"the certificate and the scene do not agree whether a sensor saw something"};
    if (may_be_late(model) != (header.slots > 0))
      throw Rejected{"the certificate and the scene do not agree whether something may be late"};
    const std::vector<Motion> runs = make_runs(model, given, header.slots);
    const Motion& motion = runs[0];
    for (const Motion& run : runs) {
      report.degree = std::max(report.degree, run.degree());
      report.segments += static_cast<std::int64_t>(num_segments(run));
    }
    compare(header, model, report, options);
    BodyStream body(header.stored_body, header.body_size);
    std::string theorem, kept;
    if (report.kind == CertificateKind::free) {
      const auto errors = errors_of(model, options.tracking_error, header.slots);
      walk_proof(model, runs, errors, options, body, counts);
      // One moment tells for all times and starts, which are connected.
      check_solids(model, motion);
      theorem = theorem_of_proof(model, motion, options, counts);
      kept = check_kept(model, runs, errors, options);
    } else {
      theorem = confirm_witness(model, runs, body);
    }
    report.theorem = describe(model, motion);
    if (!model.timed.empty()) report.theorem.push_back(by_the_clock(model, motion));
    report.theorem.push_back(theorem);
    if (!kept.empty()) report.theorem.push_back(kept);
    if (!report.no_inside.empty() && report.kind == CertificateKind::free)
      report.theorem.push_back(fmt::format(
          "No well-defined inside, since a mesh is open: {}. Of these the theorem speaks of the "
          "surface, and of what they enclose almost wholly.",
          fmt::join(report.no_inside, ", ")));
    if (!model.ignored.empty())
      report.theorem.push_back(
          fmt::format("Left out of the robots' files, as asked, and no part of this theorem: {}.",
                      fmt::join(model.ignored, ", ")));
    report.accepted = true;
  } catch (const Rejected& rejected) {
    report.reason = rejected.reason;
  }
  report.leaves = counts.leaves;
  report.wide_leaves = counts.wide_leaves;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

VerifyReport verify(const SceneSource& scene, const Motion& motion,
                    std::span<const std::uint8_t> certificate, const VerifyOptions& options) {
  return Verifier(scene, options).verify(motion, certificate);
}

}  // namespace proven
