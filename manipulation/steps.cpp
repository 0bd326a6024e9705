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
  return std::nullopt;
}

// A plan's durations are those of its motions, but for the sums of their times.
constexpr double kSameSeconds = 1e-9;

std::string step_folder(std::size_t index) {
  return fmt::format("steps/{:02}", index + 1);
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
      !constraint_of(world, step.before, step.request, scene.value())) {
    const int fingers = index_arm(world, scene.value().tree()).fingers;
    auto path = shortened(scene.value(), motion->path, fingers, options.seed,
                          Budget::of_seconds(options.smooth_seconds));
    if (!path.ok()) return path.error();
    motion->path = std::move(path).value();
  }
  files.path = motion->path;
  CheckOptions checking;
  checking.certificate = true;
  Scratch scratch;
  auto checked = check(scene.value(), files.path, checking, scratch);
  if (!checked.ok()) return checked.error();
  files.check = std::move(checked).value();
  const VerifyReport report = verify(source, files.path, files.check.certificate);
  files.verified = report.accepted && report.kind == CertificateKind::free;
  files.reason = report.reason;
  if (auto saved = save_scene(source, folder); !saved.ok()) return saved.error();
  if (auto saved = save_path(folder / "path.json", files.path, scene.value()); !saved.ok())
    return saved.error();
  if (auto saved = save_certificate(folder / "path.proof", files.check.certificate); !saved.ok())
    return saved.error();
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
  const auto certificate = load_certificate(folder / "path.proof");
  if (!certificate.ok()) return certificate.error();
  const VerifyReport report = verify(source, path.value(), certificate.value());
  if (!report.accepted) return "its certificate is rejected: " + report.reason;
  if (report.kind != CertificateKind::free) return std::string("its certificate is of a collision");
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
  option.arguments = {"folder=" + settings.folder.string(), fmt::format("seed={}", settings.seed),
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
    seconds_[module->function.substr(4) + call.substr(words[0].size())] = *cost;
  return cost;
}

std::optional<std::vector<double>> StepRecorder::effect(const std::string& call, const State& state,
                                                        const Budget& budget) {
  auto values = modules_->effect(call, state, budget);
  const std::vector<std::string> words = words_of(call);
  const task::ModuleDeclaration* module = own_module(words[0]);
  const auto kind = module ? kind_of(module->function) : std::nullopt;
  if (!values || !kind || words.size() != 4) return values;
  PlanStep step;
  step.call = call;
  step.request = {*kind, words[1], words[3], words[2]};
  const FluentReader read = [&](const std::string& fluent,
                                const std::string& object) -> std::optional<double> {
    const auto found = state.numbers.find(object.empty() ? fluent : fluent + " " + object);
    return found == state.numbers.end() ? std::nullopt : std::optional(found->second);
  };
  const auto seconds = seconds_.extract(module->function.substr(5) + call.substr(words[0].size()));
  if (!seconds.empty()) step.seconds = seconds.mapped();
  const auto before = read_situation(world_, read);
  const auto after =
      before.ok() ? after_written(world_, before.value(), step.request, *values) : std::nullopt;
  if (!after) return values;
  step.before = before.value();
  step.after = *after;
  steps_.push_back(std::move(step));
  return values;
}

Result<std::vector<StepFiles>> write_steps(const World& world, const std::vector<PlanStep>& steps,
                                           const fs::path& store, const fs::path& folder,
                                           const StepOptions& options) {
  std::error_code error;
  fs::create_directories(folder / "motions", error);
  if (error)
    return Error{ErrorCode::not_found, "cannot be created: " + error.message(), folder.string()};
  MotionStore found, kept;
  found.start(store);
  kept.start(folder / "motions");
  std::vector<StepFiles> all;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto files = write_step(world, steps[i], found, kept, folder / step_folder(i), options);
    if (!files.ok()) return files.error();
    files.value().folder = step_folder(i);
    all.push_back(std::move(files).value());
  }
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
  return std::string();
}

}  // namespace proven::manipulation
