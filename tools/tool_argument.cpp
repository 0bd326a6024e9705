#include "tools/tool_argument.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "proven/base/numbers.h"

namespace proven::tools {
namespace {

Result<std::vector<double>> parse_numbers(const std::string& text, const std::string& option) {
  std::istringstream words(text);
  std::vector<double> values;
  for (std::string word; words >> word;) {
    const auto value = parse_double(word);
    if (!value) return bad_input(fmt::format("'{}' is not a number", word), option);
    values.push_back(*value);
  }
  return values;
}

}  // namespace

Result<Vec3> parse_point(const std::string& text, const std::string& option) {
  const auto values = parse_numbers(text, option);
  if (!values.ok()) return values.error();
  const std::vector<double>& v = values.value();
  if (v.size() != 3) return bad_input("expected \"x y z\"", option);
  return Vec3{v[0], v[1], v[2]};
}

Result<Pose> parse_pose(const std::string& text, const std::string& option, const Pose& rest) {
  const auto values = parse_numbers(text, option);
  if (!values.ok()) return values.error();
  const std::vector<double>& v = values.value();
  if (v.size() != 3 && v.size() != 6 && v.size() != 7)
    return bad_input("expected \"x y z\", \"x y z roll pitch yaw\" or \"x y z qx qy qz qw\"",
                     option);
  Pose pose{rest.R, {v[0], v[1], v[2]}};
  if (v.size() == 6) pose.R = rotation_from_rpy({v[3], v[4], v[5]});
  if (v.size() == 7) {
    constexpr double kUnit = 1e-3;  // as far as people round
    const double length = std::sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6]);
    if (std::fabs(length - 1) > kUnit)
      return bad_input(fmt::format("the quaternion has length {}, not 1", length), option);
    pose.R = rotation_from_quaternion({v[3] / length, v[4] / length, v[5] / length, v[6] / length});
  }
  return pose;
}

Result<ToolFrame> parse_tool(const Scene& scene, const std::string& link, const std::string& pose) {
  ToolFrame tool{scene.tree().find_link(link), {}};
  if (tool.link <= 0)
    return bad_input(fmt::format("there is no link '{}': give ROBOT/LINK", link), "--tool");
  if (pose.empty()) return tool;
  const auto X_LT = parse_pose(pose, "--tool-pose", {});
  if (!X_LT.ok()) return X_LT.error();
  tool.X_LT = X_LT.value();
  return tool;
}

}  // namespace proven::tools
