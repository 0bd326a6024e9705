#include <fmt/format.h>

#include "io/failure.h"
#include "io/scene_readers.h"
#include "io/text.h"
#include "io/traffic_readers.h"
#include "proven/io/bodies_file.h"
#include "proven/io/document.h"

namespace proven {
namespace io {
namespace {

using spacetime::BodyTrajectory;
using spacetime::MovingBody;

void add_pose(const Node& node, BodyTrajectory& motion) {
  const std::vector<double> v = node.numbers();
  if (v.size() != 3 && v.size() != 7)
    node.fail(fmt::format("expected x, y, z, or these and a quaternion x, y, z, w; got {} numbers",
                          v.size()));
  motion.position.push_back({v[0], v[1], v[2]});
  motion.rotation.push_back(v.size() == 3 ? Quaternion{} : Quaternion{v[3], v[4], v[5], v[6]});
}

BodyTrajectory read_motion(const Node& node) {
  BodyTrajectory motion;
  if (node.find("times") || node.find("poses")) {
    if (node.find("pose")) node.fail("\"pose\" is for bodies that stand; give \"poses\" alone");
    motion.t = node.at("times").numbers();
    for (const Node& pose : node.at("poses").array()) add_pose(pose, motion);
    if (motion.t.size() < 2) node.at("times").fail("a motion needs at least two samples");
  } else {
    refuse_keys(node, {"max_step"}, "is for bodies with \"times\" and \"poses\"");
    motion.t = {0};
    add_pose(node.at("pose"), motion);
  }
  const Node* max_step = node.find("max_step");
  at_place([&] { return node.place(); },
           [&] {
             unwrap(validate(motion));
             refuse_gaps(motion.t, max_step ? max_step->positive_number() : kLargestTimeStep);
           });
  return motion;
}

std::vector<MovingBody> read_bodies(const std::filesystem::path& file) {
  const Document document = read_document(file);
  const Node& root = document.root();
  root.allow_keys({"proven", "name", "bodies"});
  root.require_version();
  MeshCache meshes;
  std::vector<MovingBody> bodies;
  for (const Node& node : root.at("bodies").array()) {
    allow_shape_keys(node, {"name", "pose", "times", "poses", "max_step"});
    MovingBody body;
    body.name = node.at("name").string();
    for (const MovingBody& other : bodies)
      if (other.name == body.name)
        node.at("name").fail(fmt::format("two bodies are called {}", quote(body.name)));
    auto elements = read_shapes(node, file.parent_path(), meshes);
    body.geometry = at_place([&] { return node.place(); },
                             [&] { return unwrap(BodyGeometry::build(std::move(elements))); });
    body.motion = read_motion(node);
    bodies.push_back(std::move(body));
  }
  if (bodies.empty()) root.at("bodies").fail("no body");
  return bodies;
}

}  // namespace
}  // namespace io

Result<bool> holds_bodies(const std::filesystem::path& file) {
  return io::guarded<bool>(file, [&] {
    if (io::extension(file) != ".json") return false;
    const io::Document document = io::read_document(file);
    return document.root().is(io::Node::Kind::object) && document.root().find("bodies") != nullptr;
  });
}

Result<std::vector<spacetime::MovingBody>> load_bodies(const std::filesystem::path& file) {
  return io::guarded<std::vector<spacetime::MovingBody>>(file,
                                                         [&] { return io::read_bodies(file); });
}

}  // namespace proven
