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

Result<Situation> read_situation(const World& world, const FluentReader& read) {
  Situation situation;
  for (std::size_t i = 0; i < world.arm.joints.size(); ++i) {
    const auto value = read(fmt::format("q{}", i), "");
    if (!value)
      return bad_input(
          fmt::format("(q{}) has no value; the arm has {} joints", i, world.arm.joints.size()));
    situation.q.push_back(*value);
  }
  for (const Object& object : world.objects) {
    const auto pose = read_pose(object.name, read);
    if (!pose.ok()) return pose.error();
    if (pose.value()) situation.poses[object.name] = *pose.value();
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
  std::vector<double> values = after.q;
  if (request.kind == MotionRequest::Kind::operation) {
    values.push_back(after.joints.at(request.object));
  } else if (!world.find_fixture(request.object)) {
    const std::vector<double> pose = pose_values(after.poses.at(request.object));
    values.insert(values.end(), pose.begin(), pose.end());
  }
  return values;
}

std::optional<Situation> after_written(const World& world, const Situation& before,
                                       const MotionRequest& request,
                                       std::span<const double> values) {
  const std::size_t joints = world.arm.joints.size();
  const Fixture* fixture = world.find_fixture(request.object);
  const bool operates = request.kind == MotionRequest::Kind::operation;
  if (values.size() != joints + (operates ? 1 : fixture ? 0 : 12)) return std::nullopt;
  Situation after = before;
  if (operates) after = with_joint(world, before, *fixture, values.back());
  after.q.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(joints));
  if (!fixture) after.poses[request.object] = pose_of_values(values.subspan(joints));
  return after;
}

}  // namespace proven::manipulation
