#include "manipulation/library.h"

#include <fmt/format.h>

#include "proven/base/numbers.h"

namespace proven::manipulation {

Result<void> ModuleLibrary::set(const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  const auto number = parse_double(value);
  const bool counts = number && *number >= 0;
  if (key == "folder")
    folder_ = value;
  else if (key == "store")
    store_.start(value);
  else if (key == "planner" && !value.empty())
    options_.planner = value;
  else if (key == "seed" && counts)
    options_.seed = static_cast<std::uint64_t>(*number);
  else if (key == "seconds" && counts)
    seconds_ = *number;
  else if (key == "recompute" && counts)
    recompute_ = *number > 0;
  else if (key == "clock" && counts)
    clock_ = *number > 0;
  else
    return bad_input(fmt::format("cannot use '{}'", word));
  return {};
}

Result<void> ModuleLibrary::start(std::span<const std::string> settings) {
  folder_.clear();
  options_ = {};
  recompute_ = clock_ = false;
  store_.start({});
  for (const std::string& word : settings)
    if (auto done = set(word); !done.ok()) return done;
  return {};
}

Result<void> ModuleLibrary::open(std::span<const std::string> arguments) {
  store_.forget();
  auto world = open_world(folder_, arguments);
  if (!world.ok()) return world.error();
  if (world.value().arms.size() > 1 && !clock_)
    return bad_input(
        "motions of several arms overlap as facts allow; plan with `proven task`, which proves "
        "them "
        "together and gives them their times");
  world_ = std::make_unique<World>(std::move(world).value());
  for (const std::string& word : arguments.subspan(1))
    if (word.rfind("clearance=", 0) != 0)
      if (auto done = set(word); !done.ok()) return done;
  return {};
}

Result<ModuleReply> ModuleLibrary::ask(const ModuleCall& call, bool reuse) {
  if (!world_)
    return bad_input(
        "no world: the problem needs (:moduleoptions (manipulationInit@... world.json))");
  const MotionRequest request{call.kind, call.object, call.grasp, call.place, call.arm};
  const StateReader reader{[&](const std::string& object) {
                             const auto pose = read_pose(object, call.fluents);
                             return pose.ok() ? pose.value() : std::nullopt;
                           },
                           [&](const std::string& fixture) { return call.fluents("j", fixture); },
                           call.is_at};
  const auto refused = refuse_early(*world_, request, reader);
  if (!refused.ok()) return refused.error();
  if (refused.value()) return ModuleReply{Answer::no, {}, *refused.value()};
  const auto situation = read_situation(*world_, call.fluents);
  if (!situation.ok()) return situation.error();
  if (!call.rider.empty() && !situation.value().poses.contains(call.rider))
    return bad_input(fmt::format("object '{}' has no pose", call.rider));
  if (reuse || !recompute_)
    if (const auto known = store_.find(*world_, situation.value(), request))
      return reply(call, request, situation.value(), *known);
  const auto found = find_motion(*world_, situation.value(), request, call.seconds, options_);
  if (!found.ok()) return found.error();
  if (found.value().answer != Answer::yes)
    return ModuleReply{found.value().answer, {}, found.value().reason};
  store_.keep(situation.value(), request, found.value());
  return reply(call, request, situation.value(), found.value());
}

Result<ModuleReply> ModuleLibrary::reply(const ModuleCall& call, const MotionRequest& request,
                                         const Situation& before, FoundMotion motion) {
  if (!call.rider.empty())
    return ModuleReply{Answer::yes, pose_values(motion.after.poses.at(call.rider)), {}};
  if (!call.timed)
    return ModuleReply{Answer::yes, written_values(*world_, motion.after, request), {}};
  if (motion.path.times.empty()) {
    auto timed = timed_motion(*world_, before, request, motion, options_);
    if (!timed.ok()) return ModuleReply{Answer::unknown, {}, timed.error().text()};
    motion = std::move(timed).value();
    store_.keep(before, request, motion);
  }
  return ModuleReply{Answer::yes, {duration_of(motion.path)}, {}};
}

}  // namespace proven::manipulation
