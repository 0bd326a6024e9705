// Tools, poses and configurations as the command line names them.
#pragma once

#include <string>
#include <vector>

#include "proven/base/result.h"
#include "proven/plan/tool_motion.h"
#include "proven/scene/scene.h"

namespace proven::tools {

Result<Vec3> parse_point(const std::string& text, const std::string& option);

// "x y z", "x y z roll pitch yaw" or "x y z qx qy qz qw", in metres and radians; without a turn
// that of `rest`.
Result<Pose> parse_pose(const std::string& text, const std::string& option, const Pose& rest);

// What --tool and --tool-pose say.
Result<ToolFrame> parse_tool(const Scene& scene, const std::string& link, const std::string& pose);

}  // namespace proven::tools
