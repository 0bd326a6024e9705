// What a person should know of a scene before trusting what is said of it: what its readers
// noticed, and what the scene itself shows. Everything that loads a scene says the same.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "proven/scene/scene.h"

namespace proven {

// Something that is not wrong, but may not be meant.
enum class RemarkCode {
  note,         // what a reader passed over, or took in its own way
  size,         // a body that is far longer or smaller than bodies are
  place,        // a body far from its frame, or from every robot
  visual_only,  // a link that only looks like something: it does not collide
  srdf,         // an SRDF that names what the robot does not have
  degrees,      // limits that look like degrees
  range,        // limits that leave a joint no room
};

struct Remark {
  RemarkCode code = RemarkCode::note;
  std::string text;
  std::string where;  // the link, joint, body or robot; empty if it is about all
};

// What readers noticed first (Scene::warnings()), then what is seen of links, bodies and joints as
// they are now. In the time that it takes to look at every body.
std::vector<Remark> find_remarks(const Scene& scene);

// The joints whose values are outside their limits, mimic joints included: "arm/elbow = 0 (limits 1
// to 2)".
std::vector<std::string> outside_limits(const KinematicTree& tree, std::span<const double> q);

}  // namespace proven
