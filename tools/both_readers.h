// Scenes and paths as two readers read them, the checker's and the verifier's own. Where these
// differ, nothing is accepted.
#pragma once

#include <string>

#include "proven/scene/scene.h"
#include "proven/verify/readers.h"
#include "proven/verify/verify.h"
#include "tools/scene_argument.h"

namespace proven::tools {

Error by_own_reader(const Error& error);

// A scene as both readers read it.
struct Scenes {
  SceneSource source, own;
  Scene scene;
  std::string difference;  // empty if there is none
};
Result<Scenes> read_by_both(const SceneArgument& argument);

// In what two readings differ; empty if in nothing.
std::string difference(const SceneSource& own, const SceneSource& other, const std::string& file);
std::string difference(const Motion& own, const Motion& other, const std::string& file);

// A rejection for this reason.
VerifyReport rejected(const std::string& reason);

// What `check` refuses is refused here too.
Result<void> check_waypoints(const Scene& scene, const Path& path);

verifier::PathReading own_reading(const PathOptions& options);

}  // namespace proven::tools
