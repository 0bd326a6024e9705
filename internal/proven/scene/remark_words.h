// Words of readers' warnings that find_remarks (scene/remarks.h) knows them by.
#pragma once

#include <string_view>

namespace proven::remark_words {

// It says these itself, of all bodies and joints, whichever reader they came from.
inline constexpr std::string_view kMillimetres = ": in millimetres? try scale 0.001";
inline constexpr std::string_view kOtherUnit = ": in another unit? try scale 1000";
inline constexpr std::string_view kDegrees = ": in degrees? ";
inline constexpr std::string_view kVisualOnly = " has only visual geometry: it does not collide";
// These are about an SRDF.
inline constexpr std::string_view kUnknownNames = " names what the robot does not have (ignored): ";
inline constexpr std::string_view kOtherRobot = " is of robot ";

}  // namespace proven::remark_words
