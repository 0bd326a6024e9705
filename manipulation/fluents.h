// Situations as numeric fluents, as in paper 003: (q0), (q1), ... for the joints, (p0 ?object) ...
// (p11 ?object) for the first three rows of the object's transformation matrix; and (j ?fixture)
// for the joint of a fixture. In a world of several arms (q0 ?arm), ..., and (hand ?object) is 0,
// or the number of the arm whose closed hand it is in, counted from 1.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "manipulation/motions.h"

namespace proven::manipulation {

// The value of a fluent, "q3" or "p7" of an object; nothing if it has none.
using FluentReader =
    std::function<std::optional<double>(const std::string& fluent, const std::string& object)>;

// Nothing if the object has none; fails if it has only part of one.
Result<std::optional<Pose>> read_pose(const std::string& object, const FluentReader& read);
// Objects without a pose are left out. Fails if a joint has no value, or an object only part of a
// pose.
Result<Situation> read_situation(const World& world, const FluentReader& read);

std::vector<double> pose_values(const Pose& X);  // 12, row by row
Pose pose_of_values(std::span<const double> values);
// What effects of motions write: the arm's joints, then the pose of the object, or the joint of a
// fixture that was moved; of several arms a transfer writes (hand ?object) too, and a handover
// nothing else.
std::vector<double> written_values(const World& world, const Situation& after,
                                   const MotionRequest& request);
// The situation after a motion that wrote these values; nothing if they are not as many.
std::optional<Situation> after_written(const World& world, const Situation& before,
                                       const MotionRequest& request,
                                       std::span<const double> values);

}  // namespace proven::manipulation
