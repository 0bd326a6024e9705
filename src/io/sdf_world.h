// SDF worlds, of which one model is a robot.
#pragma once

#include <string>

#include "io/sdf_element.h"

namespace proven::io {

struct WorldModel {
  SdfElement at;     // <model> or <include>
  std::string name;  // an <include> without <name>: the last part of its <uri>
  int others = 0;    // models of the world besides it
};

// The model of that name; without a name the only one. Fails, with all names, if there is none, and
// on what moves it elsewhere than its own elements say.
WorldModel find_world_model(const SdfElement& world, const std::string& name);

}  // namespace proven::io
