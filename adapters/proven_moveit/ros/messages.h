// What the guard found, as MoveIt's contacts and as markers.
#pragma once

#include <moveit/collision_detection/collision_common.hpp>
#include <string>
#include <vector>
#include <visualization_msgs/msg/marker_array.hpp>

#include "proven_moveit/guard.h"

namespace proven_moveit {

// `object` tells which names are objects of the world, `held` which are held.
collision_detection::Contact to_contact(const proven::adapters::Contact& contact,
                                        const proven::adapters::Surroundings& around);

// First one that deletes all earlier ones; then a ball at every contact, red where it is proved and
// yellow where it stayed undecided, with the names of the two.
visualization_msgs::msg::MarkerArray to_markers(
    const std::vector<proven::adapters::Contact>& contacts, const std::string& frame);

}  // namespace proven_moveit
