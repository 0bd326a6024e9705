// What a reader made of a file, as one number per file: two files that mean the same have the same
// digest.
#pragma once

#include <string>

#include "manipulation/world.h"
#include "proven/io/bodies_file.h"
#include "proven/io/obstacles_file.h"
#include "proven/io/problem_set.h"
#include "proven/io/traffic_file.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene_source.h"

namespace proven::bench {

std::string digest(const SceneSource& scene);
std::string digest(const Path& path);
std::string digest(const Query& query);
std::string digest(const ObstacleChange& change);
std::string digest(const manipulation::World& world);
std::string digest(const TrafficFile& traffic);
std::string digest(const std::vector<NamedTrajectory>& trajectories);
std::string digest(const std::vector<spacetime::MovingBody>& bodies);
std::string digest(const ProblemSet& problems);

}  // namespace proven::bench
