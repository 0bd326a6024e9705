// Arms of any number of joints for dynamic roadmaps, after Leven and Hutchinson (paper 004): their
// planar and spatial robots are not published, these have the same numbers of joints.
#pragma once

#include "proven/scene/scene.h"

namespace proven::scenes {

// A planar arm of reach 1 whose links lie at different heights, as on a table: they pass over each
// other, and only the outlines in the plane matter. The first joint is continuous, the others are
// limited to ± `bend`.
SceneSource make_planar_arm(int joints, double bend = 2.6);
// A spatial arm of reach 1 on a post: axes z, y, y, then x and y in turn.
SceneSource make_spatial_arm(int joints);

}  // namespace proven::scenes
