#include "manipulation/fluents.h"

#include <fmt/format.h>

#include <array>

namespace proven::manipulation {

Result<std::optional<Pose>> read_pose(const std::string& object, const FluentReader& read) {
  std::array<double, 12> values{};
  std::size_t known = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto value = read(fmt::format("p{}", i), object)) {
      values[i] = *value;
      ++known;
    }
  if (known == 0) return std::optional<Pose>();
  if (known != values.size())
    return bad_input(
        fmt::format("object '{}' has {} of the 12 numbers of its pose", object, known));
  return std::optional(pose_of_values(values));
}

namespace {

// False unless the number is that of an arm, or 0.
bool set_hand(const World& world, const std::string& object, double number, Situation& situation) {
  if (!(number >= 0 && number <= static_cast<double>(world.arms.size()))) return false;
  const int arm = static_cast<int>(number);
  if (static_cast<double>(arm) != number) return false;
  situation.held.erase(object);
  if (arm > 0) situation.held[object] = arm - 1;
  return true;
}

double hand_of(const Situation& situation, const std::string& object) {
  const auto held = situation.held.find(object);
  return held == situation.held.end() ? 0 : held->second + 1;
}

// Whether (hand ?object) is written.
bool writes_hand(const World& world, const MotionRequest& request) {
  return request.kind == MotionRequest::Kind::handover ||
         (request.kind == MotionRequest::Kind::transfer && world.arms.size() > 1);
}

}  // namespace

Result<Situation> read_situation(const World& world, const FluentReader& read) {
  Situation situation;
  for (const Arm& arm : world.arms) {
    auto& q = situation.q.emplace_back();
    for (std::size_t i = 0; i < arm.joints.size(); ++i) {
      const auto value = read(fmt::format("q{}", i), arm.name);
      if (!value)
        return bad_input(fmt::format("(q{}{}{}) has no value; the arm has {} joints", i,
                                     arm.name.empty() ? "" : " ", arm.name, arm.joints.size()));
      q.push_back(*value);
    }
  }
  for (const Object& object : world.objects) {
    const auto pose = read_pose(object.name, read);
    if (!pose.ok()) return pose.error();
    if (!pose.value()) continue;
    situation.poses[object.name] = *pose.value();
    if (world.arms.size() == 1) continue;
    const auto hand = read("hand", object.name);
    if (!hand || !set_hand(world, object.name, *hand, situation))
      return bad_input(
          fmt::format("(hand {}) is no number from 0, in no hand, to {}, that of an arm",
                      object.name, world.arms.size()));
  }
  for (const Fixture& fixture : world.fixtures) {
    const auto value = read("j", fixture.name);
    if (!value) return bad_input(fmt::format("(j {}) has no value", fixture.name));
    situation.joints[fixture.name] = *value;
  }
  return situation;
}

std::vector<double> pose_values(const Pose& X) {
  std::vector<double> values;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) values.push_back(X.R(i, j));
    values.push_back(X.p[i]);
  }
  return values;
}

Pose pose_of_values(std::span<const double> values) {
  Pose X;
  for (std::size_t i = 0; i < 3; ++i) {
    X.R.row[i] = {values[4 * i], values[4 * i + 1], values[4 * i + 2]};
    X.p[static_cast<int>(i)] = values[4 * i + 3];
  }
  return X;
}

std::vector<double> written_values(const World& world, const Situation& after,
                                   const MotionRequest& request) {
  if (request.kind == MotionRequest::Kind::handover) return {hand_of(after, request.object)};
  std::vector<double> values = after.q[static_cast<std::size_t>(world.find_arm(request.arm))];
  if (request.kind == MotionRequest::Kind::operation) {
    values.push_back(after.joints.at(request.object));
  } else if (!world.find_fixture(request.object)) {
    const std::vector<double> pose = pose_values(after.poses.at(request.object));
    values.insert(values.end(), pose.begin(), pose.end());
  }
  if (writes_hand(world, request)) values.push_back(hand_of(after, request.object));
  return values;
}

std::optional<Situation> after_written(const World& world, const Situation& before,
                                       const MotionRequest& request,
                                       std::span<const double> values) {
  const int arm = world.find_arm(request.arm);
  if (arm < 0) return std::nullopt;
  Situation after = before;
  if (writes_hand(world, request)) {
    if (values.empty() || !set_hand(world, request.object, values.back(), after))
      return std::nullopt;
    values = values.first(values.size() - 1);
  }
  if (request.kind == MotionRequest::Kind::handover)
    return values.empty() ? std::optional(after) : std::nullopt;
  const std::size_t joints = world.arms[static_cast<std::size_t>(arm)].joints.size();
  const Fixture* fixture = world.find_fixture(request.object);
  const bool operates = request.kind == MotionRequest::Kind::operation;
  if (values.size() != joints + (operates ? 1 : fixture ? 0 : 12)) return std::nullopt;
  if (operates) after = with_joint(world, before, *fixture, values.back());
  after.q[static_cast<std::size_t>(arm)].assign(
      values.begin(), values.begin() + static_cast<std::ptrdiff_t>(joints));
  if (!fixture) after.poses[request.object] = pose_of_values(values.subspan(joints));
  return after;
}

}  // namespace proven::manipulation
