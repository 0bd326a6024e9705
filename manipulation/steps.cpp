#include "manipulation/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "manipulation/fluents.h"
#include "proven/certify/check.h"
#include "proven/io/certificate_file.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"
#include "proven/io/scene_writer.h"
#include "proven/verify/verify.h"

namespace proven::manipulation {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool is_own(const std::string& library) {
  return std::find(std::begin(kLibraries), std::end(kLibraries), library) != std::end(kLibraries);
}

// What the effect of a motion is called; nothing of other modules.
std::optional<MotionRequest::Kind> kind_of(const std::string& function) {
  if (function == "applyTransit") return MotionRequest::Kind::transit;
  if (function == "applyTransfer") return MotionRequest::Kind::transfer;
  if (function == "applyOperation") return MotionRequest::Kind::operation;
  if (function == "applyHandover") return MotionRequest::Kind::handover;
  return std::nullopt;
}

// A plan's durations are those of its motions, but for the sums of their times.
constexpr double kSameSeconds = 1e-9;

// A step starts when the plan says so, but for the last digit.
constexpr double kSameStart = 2e-6;

std::string step_folder(std::size_t index) {
  return fmt::format("steps/{:02}", index + 1);
}

std::string together_folder(std::size_t index) {
  return fmt::format("together/{:02}", index + 1);
}

// What a longer plan left in the folder would be taken for steps of this one.
Result<void> remove_from(const fs::path& folder, std::string (*name)(std::size_t),
                         std::size_t index) {
  std::error_code error;
  for (; fs::exists(folder / name(index), error); ++index)
    if (fs::remove_all(folder / name(index), error); error)
      return Error{ErrorCode::not_found, "cannot be removed: " + error.message(),
                   (folder / name(index)).string()};
  return {};
}

// "apply... object place grasp", of a handover "apply... object"; before them the arm, where there
// are several.
std::optional<MotionRequest> request_of(const World& world, MotionRequest::Kind kind,
                                        std::vector<std::string> words) {
  MotionRequest request;
  request.kind = kind;
  words.erase(words.begin());
  if (!words.empty() && !world.arms[0].name.empty()) {
    request.arm = words[0];
    words.erase(words.begin());
  }
  const bool handover = kind == MotionRequest::Kind::handover;
  if (words.size() != (handover ? 1 : 3)) return std::nullopt;
  request.object = words[0];
  if (handover) return request;
  request.place = words[1];
  request.grasp = words[2];
  return request;
}

// The proof of a motion and the verifier's word, and the files of both.
Result<void> prove_and_save(const SceneSource& source, const Scene& scene, const fs::path& folder,
                            StepFiles& files) {
  CheckOptions checking;
  checking.certificate = true;
  Scratch scratch;
  auto checked = check(scene, files.path, checking, scratch);
  if (!checked.ok()) return checked.error();
  files.check = std::move(checked).value();
  const VerifyReport report = verify(source, files.path, files.check.certificate);
  files.verified = report.accepted && report.kind == CertificateKind::free;
  files.reason = report.reason;
  if (auto saved = save_scene(source, folder); !saved.ok()) return saved;
  if (auto saved = save_path(folder / "path.json", files.path, scene); !saved.ok()) return saved;
  return save_certificate(folder / "path.proof", files.check.certificate);
}

// The certificate in the folder by the verifier: empty if it proves the motion free.
Result<std::string> refute_certificate(const SceneSource& source, const Motion& motion,
                                       const fs::path& folder) {
  const auto certificate = load_certificate(folder / "path.proof");
  if (!certificate.ok()) return certificate.error();
  const VerifyReport report = verify(source, motion, certificate.value());
  if (!report.accepted) return "its certificate is rejected: " + report.reason;
  if (report.kind != CertificateKind::free) return std::string("its certificate is of a collision");
  return std::string();
}

Result<StepFiles> write_step(const World& world, const PlanStep& step, MotionStore& found,
                             MotionStore& kept, const fs::path& folder,
                             const StepOptions& options) {
  auto motion = found.find(world, step.before, step.request);
  if (!motion)
    return Error{ErrorCode::not_found,
                 fmt::format("the motion '{}' is not in the store", to_text(step.request)),
                 {}};
  const SceneSource source = scene_of(world, step.before, step.request);
  const auto scene = build_scene(source);
  if (!scene.ok()) return scene.error();
  StepFiles files;
  if (options.smooth_seconds > 0 && motion->path.times.empty() &&
      !constraint_of(world, step.request, scene.value())) {
    const int fingers = index_arm(arm_of(world, step.request), scene.value().tree()).fingers;
    auto path = shortened(scene.value(), motion->path, fingers, options.seed,
                          Budget::of_seconds(options.smooth_seconds));
    if (!path.ok()) return path.error();
    motion->path = std::move(path).value();
  }
  files.path = motion->path;
  if (auto done = prove_and_save(source, scene.value(), folder, files); !done.ok())
    return done.error();
  kept.keep(step.before, step.request, *motion);
  return files;
}

// One step by its files.
Result<std::string> refute_step(const World& world, const PlanStep& step, const fs::path& folder) {
  const SceneSource source = scene_of(world, step.before, step.request);
  const auto scene = build_scene(source);
  if (!scene.ok()) return scene.error();
  const auto written = load_scene(folder / "scene.json");
  if (!written.ok()) return written.error();
  if (!(written.value().hash() == scene.value().hash()))
    return std::string("its scene is not that of the plan at this time");
  const auto path = load_path(folder / "path.json", scene.value());
  if (!path.ok()) return path.error();
  auto refuted = refute_motion(world, step.before, step.request, path.value());
  if (!refuted.ok() || !refuted.value().empty()) return refuted;
  if (!(situation_after(world, step.before, step.request, path.value()) == step.after))
    return std::string("it does not end as the plan says");
  const double seconds = duration_of(path.value());
  if (step.seconds && !(std::fabs(seconds - *step.seconds) <= kSameSeconds))
    return fmt::format("it takes {} s, the plan says {}", seconds, *step.seconds);
  return refute_certificate(source, path.value(), folder);
}

Error missing(const MotionRequest& request) {
  return {ErrorCode::not_found,
          fmt::format("the motion '{}' is not in the store", to_text(request)),
          {}};
}

// The steps on the clock. Where there are several arms each must say how long it takes.
Result<std::vector<ClockStep>> clock_of(const World& world, const std::vector<PlanStep>& steps,
                                        const std::function<Result<Motion>(std::size_t)>& motion) {
  std::vector<ClockStep> clock;
  for (std::size_t i = 0; i < steps.size() && world.arms.size() > 1; ++i) {
    if (!steps[i].seconds)
      return bad_input(
          fmt::format("'{}' has no seconds: where there are several arms, actions must "
                      "take as long as their motions (timeTransit, timeTransfer, ...)",
                      to_text(steps[i].request)));
    if (i > 0 && !(steps[i].before == steps[i - 1].after))
      return bad_input(fmt::format("'{}' does not start where '{}' ends", to_text(steps[i].request),
                                   to_text(steps[i - 1].request)));
    auto moved = motion(i);
    if (!moved.ok()) return moved.error();
    clock.push_back({steps[i].request, steps[i].before, steps[i].after, std::move(moved).value(),
                     steps[i].start});
  }
  return clock;
}

Result<std::vector<ClockStep>> clock_of(const World& world, const std::vector<PlanStep>& steps,
                                        const fs::path& store) {
  MotionStore found;
  found.start(store);
  return clock_of(world, steps, [&](std::size_t i) -> Result<Motion> {
    auto motion = found.find(world, steps[i].before, steps[i].request);
    if (!motion || motion->path.times.empty()) return missing(steps[i].request);
    return std::move(motion->path);
  });
}

Result<std::vector<TogetherFiles>> write_together(const World& world,
                                                  const std::vector<ClockStep>& clock,
                                                  const fs::path& folder) {
  std::vector<TogetherFiles> all;
  if (const std::string why = refute_order(world, clock); !why.empty()) return bad_input(why);
  auto stretches = stretches_of(world, clock);
  if (!stretches.ok()) return stretches.error();
  for (Stretch& stretch : stretches.value()) {
    TogetherFiles files;
    files.folder = together_folder(all.size());
    files.path = stretch.motion;
    const auto scene = build_scene(stretch.scene);
    if (!scene.ok()) return scene.error();
    auto done = prove_and_save(stretch.scene, scene.value(), folder / files.folder, files);
    if (!done.ok()) return done.error();
    files.stretch = std::move(stretch);
    all.push_back(std::move(files));
  }
  return all;
}

// What overlaps by the files of all steps: the same stretches, each with its scene, the motion of
// all arms, and a certificate that the verifier accepts.
Result<std::string> refute_together_files(const World& world, const std::vector<PlanStep>& steps,
                                          const fs::path& folder) {
  const auto clock = clock_of(world, steps, [&](std::size_t i) -> Result<Motion> {
    const auto scene = build_scene(scene_of(world, steps[i].before, steps[i].request));
    if (!scene.ok()) return scene.error();
    return load_path(folder / step_folder(i) / "path.json", scene.value());
  });
  if (!clock.ok()) return clock.error();
  if (auto why = refute_order(world, clock.value()); !why.empty()) return why;
  const auto stretches = stretches_of(world, clock.value());
  if (!stretches.ok()) return stretches.error();
  for (std::size_t i = 0; i < stretches.value().size(); ++i) {
    const Stretch& stretch = stretches.value()[i];
    const fs::path files = folder / together_folder(i);
    const auto scene = build_scene(stretch.scene);
    if (!scene.ok()) return scene.error();
    const auto written = load_scene(files / "scene.json");
    if (!written.ok()) return written.error();
    const auto motion = load_path(files / "path.json", scene.value());
    if (!motion.ok()) return motion.error();
    const Motion& read = motion.value();
    std::string why;
    if (!(written.value().hash() == scene.value().hash()))
      why = "its scene is not that of the plan at this time";
    else if (read.waypoints != stretch.motion.waypoints || read.times != stretch.motion.times ||
             read.inner != stretch.motion.inner)
      why = "its motion is not that of the steps at their times";
    if (why.empty()) {
      auto refuted = refute_certificate(stretch.scene, read, files);
      if (!refuted.ok()) return refuted.error();
      why = std::move(refuted).value();
    }
    if (!why.empty())
      return fmt::format("together {} ({:.3f} s to {:.3f} s): {}", i + 1, stretch.begin,
                         stretch.end, why);
  }
  if (fs::exists(folder / together_folder(stretches.value().size())))
    return fmt::format("there are more than the {} motions together that the plan has",
                       stretches.value().size());
  return std::string();
}

}  // namespace

std::vector<std::string> own_module_folders() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path beside = program.parent_path();
  return {beside.string(), (beside.parent_path() / PROVEN_MODULE_FOLDER).string()};
}

bool uses_manipulation(const task::Domain& domain) {
  return std::any_of(domain.modules.begin(), domain.modules.end(),
                     [](const task::ModuleDeclaration& m) { return is_own(m.library); });
}

Result<World> world_of(const task::Problem& problem, const fs::path& folder) {
  for (const task::ModuleOption& option : problem.module_options) {
    if (!is_own(option.library) || option.function != "manipulationInit") continue;
    auto world = open_world(folder, option.arguments);
    if (!world.ok() && world.error().context.empty())
      return bad_input(world.error().message, problem.file);
    return world;
  }
  return bad_input(
      fmt::format("no (:moduleoptions (manipulationInit@{} world.json))", kLibraries[0]),
      problem.file);
}

Result<Situation> first_situation(const World& world, const task::Problem& problem) {
  const auto read = [&](const std::string& fluent,
                        const std::string& object) -> std::optional<double> {
    for (const task::InitialValue& value : problem.initial)
      if (value.kind == task::InitialValue::Kind::number && value.name == fluent &&
          (object.empty() ? value.arguments.empty()
                          : value.arguments.size() == 1 && value.arguments[0] == object))
        return value.number;
    return std::nullopt;
  };
  auto situation = read_situation(world, read);
  if (!situation.ok()) return bad_input(situation.error().message, problem.file);
  if (const auto checked = check_start(world, situation.value()); !checked.ok())
    return bad_input(checked.error().message, problem.file);
  return situation;
}

void add_settings(const Settings& settings, task::Problem& problem) {
  task::ModuleOption option;
  option.function = "manipulationSettings";
  option.library = kLibraries[0];
  for (const task::ModuleOption& given : problem.module_options)
    if (is_own(given.library)) option.library = given.library;
  option.arguments = {"folder=" + settings.folder.string(), "clock=1",
                      fmt::format("seed={}", settings.seed),
                      fmt::format("recompute={}", settings.recompute ? 1 : 0)};
  if (!settings.store.empty()) option.arguments.push_back("store=" + settings.store.string());
  problem.module_options.insert(problem.module_options.begin(), std::move(option));
}

StepRecorder::StepRecorder(std::unique_ptr<task::ValidationModules> modules,
                           const task::Domain& domain, const manipulation::World& world)
    : modules_(std::move(modules)), domain_(domain), world_(world) {}

const task::ModuleDeclaration* StepRecorder::own_module(const std::string& name) const {
  for (const task::ModuleDeclaration& module : domain_.modules)
    if (module.name == name) return is_own(module.library) ? &module : nullptr;
  return nullptr;
}

std::optional<bool> StepRecorder::condition(const std::string& call, const State& state,
                                            const Budget& budget) {
  return modules_->condition(call, state, budget);
}

std::optional<double> StepRecorder::cost(const std::string& call, const State& state,
                                         const Budget& budget) {
  const auto cost = modules_->cost(call, state, budget);
  const std::vector<std::string> words = words_of(call);
  const task::ModuleDeclaration* module = own_module(words[0]);
  if (cost && module && module->function.rfind("time", 0) == 0)
    asked_[module->function.substr(4) + call.substr(words[0].size())] = {*cost, state.time};
  return cost;
}

std::optional<std::vector<double>> StepRecorder::effect(const std::string& call, const State& state,
                                                        const Budget& budget) {
  auto values = modules_->effect(call, state, budget);
  const std::vector<std::string> words = words_of(call);
  const task::ModuleDeclaration* module = own_module(words[0]);
  const auto kind = module ? kind_of(module->function) : std::nullopt;
  const auto request = kind ? request_of(world_, *kind, words) : std::nullopt;
  if (!values || !request) return values;
  PlanStep step;
  step.call = call;
  step.request = *request;
  const FluentReader read = [&](const std::string& fluent,
                                const std::string& object) -> std::optional<double> {
    const auto found = state.numbers.find(object.empty() ? fluent : fluent + " " + object);
    return found == state.numbers.end() ? std::nullopt : std::optional(found->second);
  };
  const auto asked = asked_.extract(module->function.substr(5) + call.substr(words[0].size()));
  if (!asked.empty()) {
    step.seconds = asked.mapped().seconds;
    step.start = asked.mapped().start;
  }
  const auto before = read_situation(world_, read);
  const auto after =
      before.ok() ? after_written(world_, before.value(), step.request, *values) : std::nullopt;
  if (!after) return values;
  step.before = before.value();
  step.after = *after;
  steps_.push_back(std::move(step));
  return values;
}

Result<PlanFiles> write_steps(const World& world, const std::vector<PlanStep>& steps,
                              const fs::path& store, const fs::path& folder,
                              const StepOptions& options) {
  std::error_code error;
  fs::create_directories(folder / "motions", error);
  if (error)
    return Error{ErrorCode::not_found, "cannot be created: " + error.message(), folder.string()};
  MotionStore found, kept;
  found.start(store);
  kept.start(folder / "motions");
  PlanFiles all;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto files = write_step(world, steps[i], found, kept, folder / step_folder(i), options);
    if (!files.ok()) return files.error();
    files.value().folder = step_folder(i);
    all.steps.push_back(std::move(files).value());
  }
  const auto clock =
      clock_of(world, steps, [&](std::size_t i) -> Result<Motion> { return all.steps[i].path; });
  if (!clock.ok()) return clock.error();
  auto together = write_together(world, clock.value(), folder);
  if (!together.ok()) return together.error();
  all.together = std::move(together).value();
  if (auto removed = remove_from(folder, step_folder, all.steps.size()); !removed.ok())
    return removed.error();
  if (auto removed = remove_from(folder, together_folder, all.together.size()); !removed.ok())
    return removed.error();
  return all;
}

Result<std::string> refute_steps(const World& world, const std::vector<PlanStep>& steps,
                                 const fs::path& folder) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i > 0 && !(steps[i].before == steps[i - 1].after))
      return fmt::format("step {} does not start where step {} ended", i + 1, i);
    const auto refuted = refute_step(world, steps[i], folder / step_folder(i));
    if (!refuted.ok()) return refuted.error();
    if (!refuted.value().empty())
      return fmt::format("step {} ({}): {}", i + 1, to_text(steps[i].request), refuted.value());
  }
  if (fs::exists(folder / step_folder(steps.size())))
    return fmt::format("there are more than the {} steps of the plan", steps.size());
  return refute_together_files(world, steps, folder);
}

Result<ClockedPlan> on_one_clock(const World& world, const std::vector<task::PlannedAction>& plan,
                                 const std::vector<PlanStep>& steps, const fs::path& store,
                                 double separation) {
  auto clock = clock_of(world, steps, store);
  if (!clock.ok()) return clock.error();
  ClockedPlan made{plan, {}, 0};
  std::vector<ClockAction> actions;
  std::size_t next = 0;
  for (const task::PlannedAction& action : plan) {
    const bool moves =
        next < steps.size() && std::fabs(action.start - steps[next].start) <= kSameStart;
    actions.push_back({action.start, moves ? *steps[next].seconds : action.duration,
                       moves ? static_cast<int>(next) : -1});
    next += moves ? 1 : 0;
    made.in_turn += actions.back().duration + (made.in_turn > 0 ? separation : 0);
  }
  if (next != steps.size()) return bad_input("a motion belongs to no action of the plan");
  const auto table = tighten(world, actions, std::move(clock).value(), separation);
  if (!table.ok()) return table.error();
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Timetable::Entry& entry = table.value().entries[i];
    made.plan[i].start = entry.start;
    if (entry.waits > 0)
      made.waits.push_back(
          fmt::format("'{}' waits {:.3f} s: {}",
                      to_text(steps[static_cast<std::size_t>(actions[i].step)].request),
                      entry.waits, entry.reason));
  }
  std::stable_sort(made.plan.begin(), made.plan.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  return made;
}

Result<std::string> refute_clock(const World& world, const std::vector<PlanStep>& steps,
                                 const fs::path& store) {
  const auto clock = clock_of(world, steps, store);
  if (!clock.ok()) return clock.error();
  return refute_together(world, clock.value());
}

}  // namespace proven::manipulation
