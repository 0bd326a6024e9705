#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "io/configuration_reader.h"
#include "io/failure.h"
#include "io/frame.h"
#include "io/scene_readers.h"
#include "io/text.h"
#include "proven/io/obstacles_file.h"
#include "proven/scene/sensed.h"

namespace proven {
namespace io {
namespace {

// A point of a cloud is a ball of at least this radius, in metres: a scene knows no points.
constexpr double kPointRadius = 1e-6;

class ChangeReader {
 public:
  // `frame`: the bytes that follow the line, if any.
  ChangeReader(const Node& root, std::filesystem::path folder,
               std::span<const std::uint8_t> frame = {})
      : root_(root), folder_(std::move(folder)), frame_(frame) {
    if (root_.find("proven")) root_.require_version();
  }

  // What is there from now on.
  void read_obstacles() {
    if (root_.find("obstacles") && root_.find("add"))
      root_.at("add").fail("means the same as \"obstacles\": give only one of them");
    for (const Node& node : list("obstacles")) read_shape(node);
    for (const Node& node : list("add")) read_shape(node);
    for (const Node& node : list("points")) read_points(node);
    for (const Node& node : list("cells")) read_cells(node);
  }

  void read_others(const Scene& scene) {
    if (const Node* clear = root_.find("clear")) change_.clear = clear->boolean();
    for (const Node& name : list("remove")) {
      if (std::ranges::count(change_.remove, name.string()) > 0)
        name.fail(fmt::format("{} is removed twice", quote(name.string())));
      change_.remove.push_back(name.string());
    }
    for (const Node& node : list("move")) {
      node.allow_keys({"name", "pose"});
      change_.move.emplace_back(claim_name(node), read_pose(node.at("pose")));
    }
    const ConfigurationReader reader(scene, PathOptions{.ignore_limits = true});
    const auto read_end = [&](const char* key, auto& end) {
      if (const Node* node = root_.find(key))
        end = at_place([&] { return node->place(); }, [&] { return reader.read(node->numbers()); });
    };
    read_end("start", change_.start);
    read_end("goal", change_.goal);
  }

  ObstacleChange take() {
    if (!frame_.empty() && !frame_used_) root_.at("bytes").fail("no points stand in the frame");
    return std::move(change_);
  }

 private:
  std::span<const Node> list(const char* key) const {
    const Node* node = root_.find(key);
    return node ? std::span<const Node>(node->array()) : std::span<const Node>();
  }

  std::string claim_name(const Node& node) {
    const Node& name = node.at("name");
    if (name.string().find('/') != std::string::npos)
      name.fail("names must not hold '/', which stands between robot and link");
    if (const std::string why = refuse_name(name.string()); !why.empty()) name.fail(why);
    if (!names_.insert(name.string()).second)
      name.fail(fmt::format("the name {} is used twice", quote(name.string())));
    return name.string();
  }

  void read_shape(const Node& node) {
    allow_shape_keys(node, {"name", "pose"});
    ObstacleSource obstacle;
    obstacle.name = claim_name(node);
    if (const Node* pose = node.find("pose")) obstacle.X_WB = read_pose(*pose);
    obstacle.elements = read_shapes(node, folder_, meshes_);
    change_.add.push_back(std::move(obstacle));
  }

  void read_points(const Node& node) {
    node.allow_keys({"name", "xyz", "radius"});
    ObstacleSource obstacle;
    obstacle.name = claim_name(node);
    PointCloud cloud;
    const Node* radius = node.find("radius");
    cloud.radius = std::max(radius ? radius->nonnegative_number() : 0.0, kPointRadius);
    const Node& xyz = node.at("xyz");
    if (xyz.is(Node::Kind::object))
      cloud.points = read_frame_points(xyz, frame_), frame_used_ = true;
    else
      for (const Node& point : xyz.array()) cloud.points.push_back(read_position(point));
    if (cloud.points.empty()) xyz.fail("is empty");
    CollisionElement element{std::make_shared<const PointCloud>(std::move(cloud)), Pose{}, {}};
    element.source = fmt::format("{}: {}", node.place(), describe_sensed(element.shape));
    obstacle.elements = {std::move(element)};
    change_.add.push_back(std::move(obstacle));
  }

  void read_cells(const Node& node) {
    node.allow_keys({"name", "index"});
    CellObstacle obstacle{claim_name(node), {}};
    for (const Node& index : node.at("index").array())
      obstacle.cells.push_back(static_cast<int>(index.integer(0, std::numeric_limits<int>::max())));
    if (obstacle.cells.empty()) node.at("index").fail("is empty");
    change_.cells.push_back(std::move(obstacle));
  }

  const Node& root_;
  std::filesystem::path folder_;
  std::span<const std::uint8_t> frame_;
  bool frame_used_ = false;
  MeshCache meshes_;
  std::set<std::string> names_;
  ObstacleChange change_;
};

}  // namespace
}  // namespace io

Result<ObstacleChange> load_obstacles(const std::filesystem::path& file) {
  return io::guarded<ObstacleChange>(file, [&] {
    const io::Document document = io::read_document(file);
    document.root().allow_keys({"proven", "obstacles", "add", "points", "cells"});
    io::ChangeReader reader(document.root(), file.parent_path());
    reader.read_obstacles();
    return reader.take();
  });
}

Result<ObstacleChange> parse_change(std::string_view text, const Scene& scene,
                                    const std::filesystem::path& name, long line,
                                    const FrameSource& frame_of) {
  return io::guarded<ObstacleChange>(name, [&] {
    const io::Document document = io::parse_json(name, text, line);
    const io::Node& root = document.root();
    // Before anything is refused: what follows begins after the frame.
    std::vector<std::uint8_t> frame;
    if (const std::size_t bytes = io::read_frame_bytes(root); bytes > 0) {
      if (frame_of) frame = frame_of(bytes);
      if (frame.size() != bytes)
        root.at("bytes").fail("the frame ends before its bytes have come; nothing was done");
    }
    root.allow_keys({"proven", "obstacles", "add", "points", "cells", "move", "remove", "clear",
                     "start", "goal", "bytes"});
    io::ChangeReader reader(root, "", frame);
    reader.read_obstacles();
    reader.read_others(scene);
    return reader.take();
  });
}

}  // namespace proven
