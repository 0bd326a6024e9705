#include "proven/io/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/configuration_reader.h"
#include "io/failure.h"
#include "io/frame.h"
#include "io/path_readers.h"
#include "io/scene_readers.h"
#include "io/sizes.h"
#include "io/text.h"
#include "proven/plan/plan.h"
#include "proven/scene/sensed.h"

namespace proven {
namespace io {
namespace {

// Ids are echoed as they came: a number or a text.
std::string read_id(const Node& node) {
  if (node.is(Node::Kind::string)) return nlohmann::json(node.string()).dump();
  return fmt::format("{}", node.integer(-(1L << 53), 1L << 53));
}

double read_budget(const Node& root, double otherwise) {
  const Node* budget = root.find("budget");
  return budget ? budget->nonnegative_number() : otherwise;
}

std::uint64_t read_seed(const Node& root) {
  const Node* seed = root.find("seed");
  return seed ? static_cast<std::uint64_t>(seed->integer(0, 1L << 53)) : 1;
}

bool read_flag(const Node& root, const char* key) {
  const Node* flag = root.find(key);
  return flag && flag->boolean();
}

Limits read_limits(const Node& root) {
  return read_flag(root, "ignore_limits") ? Limits::ignore : Limits::refuse;
}

void read_requirements(const Node& root, CheckOptions& options) {
  if (const Node* clearance = root.find("clearance"))
    options.clearance = read_clearances(*clearance);
  if (const Node* error = root.find("tracking_error"))
    options.tracking_error = error->nonnegative_number();
  if (const Node* resolution = root.find("resolution"))
    options.resolution = resolution->positive_number();
}

// Where something is attached says nothing of what is free.
const PathOptions kAnywhere{.ignore_limits = true};

// All coordinates in order, some by name, or a named configuration.
std::vector<double> read_full_configuration(const Node& node, const Scene& scene,
                                            const PathOptions& options) {
  return at_place([&] { return node.place(); },
                  [&] {
                    if (node.is(Node::Kind::object)) {
                      std::vector<std::string> names;
                      std::vector<double> values;
                      for (const Node& member : node.members()) {
                        names.push_back(member.key());
                        values.push_back(member.number());
                      }
                      return ConfigurationReader(scene, names, options).read(values);
                    }
                    if (node.is(Node::Kind::string))
                      return ConfigurationReader(scene, joints_of_state(scene, node.string()),
                                                 options)
                          .read(node.string());
                    return ConfigurationReader(scene, options).read(node.numbers());
                  });
}

class EditReader {
 public:
  EditReader(const Message& message, const Scene& scene, std::filesystem::path folder)
      : message_(message), scene_(scene), folder_(std::move(folder)) {}

  void read(const Node& node) {
    if (node.members().size() != 1)
      node.fail("an edit has exactly one key, which says what is done");
    node.allow_keys({"add", "put", "move", "remove", "attach", "detach", "clearance",
                     "pair_clearance", "home", "clear"});
    const Node& what = node.members()[0];
    const std::string& key = what.key();
    if (key == "add") set(what, scene_.with_obstacle(read_obstacle(what)));
    if (key == "put") put(what);
    if (key == "move") move(what);
    if (key == "remove") set(what, scene_.without(touch(what)));
    if (key == "attach") attach(what);
    if (key == "detach") detach(what);
    if (key == "clearance") set(what, scene_.with_clearance(read_clearances(what)));
    if (key == "pair_clearance") pair_clearance(what);
    if (key == "home") home(what);
    if (key == "clear") clear(what);
  }
  const Scene& scene() const { return scene_; }
  std::vector<std::string> take_touched() { return std::move(touched_); }

 private:
  void set(const Node& place, Result<Scene> edited) {
    if (!edited.ok()) place.fail(edited.error().text());
    scene_ = std::move(edited).value();
  }
  const std::string& touch(const Node& name) {
    touched_.push_back(name.string());
    return name.string();
  }

  // What stands there from now on.
  ObstacleSource read_obstacle(const Node& node) {
    node.allow_keys({"name", "pose", "box", "cylinder", "sphere", "capsule", "mesh", "hull",
                     "scale", "parts", "cloud", "voxels"});
    ObstacleSource obstacle;
    obstacle.name = touch(node.at("name"));
    if (obstacle.name.find('/') != std::string::npos)
      node.at("name").fail("names must not hold '/', which stands between robot and link");
    if (const std::string why = refuse_name(obstacle.name); !why.empty()) node.at("name").fail(why);
    if (const Node* pose = node.find("pose")) obstacle.X_WB = read_pose(*pose);
    obstacle.elements = read_elements(node);
    return obstacle;
  }

  // What a sensor's file leaves open is told with every verdict about its scene: here points and
  // cells come as they are.
  static void refuse_files(const Node& node) {
    for (const auto& [shape, numbers, size] :
         {std::array{"cloud", "points", "radius"}, std::array{"voxels", "cells", "size"}}) {
      const Node* given = node.find(shape);
      if (!given) continue;
      given->allow_keys({numbers, size});
      (void)given->at(size);
      if (given->at(numbers).is(Node::Kind::string))
        given->at(numbers).fail(
            "files of sensors belong into scene files; send what they hold as a list or a frame");
    }
    if (const Node* parts = node.find("parts"); parts && parts->is(Node::Kind::array))
      for (const Node& part : parts->array())
        for (const char* shape : {"cloud", "voxels", "octomap", "depth", "heights"})
          if (part.is(Node::Kind::object) && part.find(shape))
            part.fail(fmt::format(
                "a '{}' is no part: give clouds and voxels obstacles of their own", shape));
  }

  // As in a scene file; points and cells may stand in the frame.
  std::vector<CollisionElement> read_elements(const Node& node) {
    refuse_files(node);
    const auto in_frame = [&](const char* shape, const char* numbers) -> const Node* {
      const Node* given = node.find(shape);
      const Node* inner = given ? given->find(numbers) : nullptr;
      return inner && inner->is(Node::Kind::object) ? given : nullptr;
    };
    const Node *cloud = in_frame("cloud", "points"), *voxels = in_frame("voxels", "cells");
    if (!cloud && !voxels) return read_shapes(node, folder_, meshes_);
    const Node& shape = cloud ? *cloud : *voxels;
    for (const Node& member : node.members())
      if (member.key() != "name" && member.key() != "pose" && member.key() != "link" &&
          member.key() != "touch" && &member != &shape)
        member.fail(fmt::format("there is a '{}' already", shape.key()));
    CollisionElement element;
    element.shape = cloud ? read_cloud(shape) : read_voxels(shape);
    element.source = fmt::format("{}: {}", shape.place(), describe_sensed(element.shape));
    return {element};
  }

  Shape read_cloud(const Node& node) {
    auto cloud = std::make_shared<PointCloud>();
    cloud->radius = read_size(node.at("radius"));
    cloud->points = read_frame_points(node.at("points"), message_.frame());
    return Shape(std::shared_ptr<const PointCloud>(std::move(cloud)));
  }

  Shape read_voxels(const Node& node) {
    auto voxels = std::make_shared<VoxelSet>();
    voxels->size = read_size(node.at("size"));
    const Node& cells = node.at("cells");
    const auto numbers = read_triples(cells, message_.frame(), {FrameType::int32});
    constexpr double kMost = 1 << 20;
    for (std::size_t i = 0; i < numbers.size(); i += 3) {
      auto& cell = voxels->cells.emplace_back();
      for (std::size_t k = 0; k < 3; ++k) {
        if (!(numbers[i + k] >= -kMost && numbers[i + k] < kMost))
          cells.fail(fmt::format("cell {} is beyond -2^20 to 2^20 - 1", i / 3));
        cell[k] = static_cast<std::int32_t>(numbers[i + k]);
      }
    }
    return Shape(std::shared_ptr<const VoxelSet>(std::move(voxels)));
  }

  // As a sensor does: what has that name is replaced, and what was said of it still holds.
  void put(const Node& node) {
    std::vector<ObstacleSource> one;
    one.push_back(read_obstacle(node));
    set(node, scene_.with_obstacles(std::move(one)));
  }

  void move(const Node& node) {
    node.allow_keys({"name", "pose"});
    const Pose X = read_pose(node.at("pose"));
    set(node, scene_.with_pose(touch(node.at("name")), X));
  }

  void attach(const Node& node) {
    const std::string& name = touch(node.at("name"));
    const std::string& link = node.at("link").string();
    const Node* touching = node.find("touch");
    std::vector<std::string> others;
    if (touching) others = touching->strings();
    if (const Node* at = node.find("at")) {
      node.allow_keys({"name", "link", "touch", "at"});
      return set(node,
                 scene_.with_attached(name, link, read_full_configuration(*at, scene_, kAnywhere),
                                      std::move(others)));
    }
    node.allow_keys({"name", "link", "touch", "pose", "box", "cylinder", "sphere", "capsule",
                     "mesh", "hull", "scale", "parts", "cloud", "voxels"});
    AttachedSource object{name, link, read_elements(node), {}, std::move(others)};
    if (const Node* pose = node.find("pose")) object.X_LB = read_pose(*pose);
    set(node, scene_.with_attached(std::move(object)));
  }

  void detach(const Node& node) {
    node.allow_keys({"name", "at"});
    set(node, scene_.detached(touch(node.at("name")),
                              read_full_configuration(node.at("at"), scene_, kAnywhere)));
  }

  void pair_clearance(const Node& node) {
    const auto& parts = node.array_of(3);
    set(node, scene_.with_pair_clearance(touch(parts[0]), touch(parts[1]), read_metres(parts[2])));
  }

  void home(const Node& node) {
    if (node.members().empty()) node.fail("names no joint");
    for (const Node& value : node.members())
      set(value, scene_.with_home(value.key(), value.number()));
  }

  // Every obstacle; what is held stays.
  void clear(const Node& node) {
    if (!node.boolean()) node.fail("must be true");
    SceneSource source = scene_.description();
    for (const ObstacleSource& obstacle : source.obstacles)
      set(node, scene_.without(obstacle.name));
  }

  const Message& message_;
  Scene scene_;
  std::filesystem::path folder_;
  MeshCache meshes_;
  std::vector<std::string> touched_;
};

template <class T, class Read>
Result<T> read_message(Read&& read) {
  return guarded<T>("message", read);
}

int read_index(const Node& node) {
  return static_cast<int>(node.integer(0, std::numeric_limits<int>::max()));
}

void refuse_frame(const Message& message) {
  if (const Node* bytes = message.root().find("bytes"))
    bytes->fail("this kind of message has no frame");
}

}  // namespace
}  // namespace io

using io::Node;

Result<Message> Message::parse(std::string_view line, long number) {
  return io::read_message<Message>([&] {
    Message message;
    message.document_ = io::parse_json("message", line, number);
    const Node& root = message.root();
    (void)root.members();
    if (const Node* id = root.find("id")) message.id_ = io::read_id(*id);
    message.kind_ = root.at("do").word<MessageKind>();
    message.frame_bytes_ = io::read_frame_bytes(root);
    if (message.kind_ != MessageKind::edit) io::refuse_frame(message);
    return message;
  });
}

std::string id_of(std::string_view line) {
  const auto read = io::read_message<std::string>([&] {
    const io::Document document = io::parse_json("message", line, 1);
    const Node* id = document.root().find("id");
    return id ? io::read_id(*id) : std::string("null");
  });
  return read.ok() ? read.value() : "null";
}

Result<HelloMessage> read_hello(const Message& message) {
  return io::read_message<HelloMessage>([&] {
    message.root().allow_keys({"id", "do", "token"});
    const Node* token = message.root().find("token");
    return HelloMessage{token ? token->string() : ""};
  });
}

Result<void> read_plain(const Message& message) {
  return io::read_message<void>([&] { message.root().allow_keys({"id", "do"}); });
}

Result<std::string> read_name(const Message& message) {
  return io::read_message<std::string>([&] {
    message.root().allow_keys({"id", "do", "name"});
    return message.root().at("name").string();
  });
}

Result<std::string> read_cancel(const Message& message) {
  return io::read_message<std::string>([&] {
    message.root().allow_keys({"id", "do", "request"});
    return io::read_id(message.root().at("request"));
  });
}

Result<EditMessage> read_edit(const Message& message, const Scene& scene,
                              const std::filesystem::path& folder) {
  return io::read_message<EditMessage>([&] {
    const Node& root = message.root();
    root.allow_keys({"id", "do", "edits", "if_version", "bytes"});
    EditMessage edit;
    if (const Node* version = root.find("if_version"))
      edit.if_version = version->integer(0, std::numeric_limits<long>::max());
    const Node& edits = root.at("edits");
    if (edits.array().empty()) edits.fail("is empty");
    io::EditReader reader(message, scene, folder);
    for (const Node& node : edits.array()) reader.read(node);
    edit.scene = reader.scene();
    edit.touched = reader.take_touched();
    return edit;
  });
}

Result<CheckMessage> read_check(const Message& message, const Scene& scene) {
  return io::read_message<CheckMessage>([&] {
    const Node& root = message.root();
    root.allow_keys({"id", "do", "path", "clearance", "tracking_error", "resolution", "first",
                     "certificate", "ignore_limits", "budget"});
    CheckMessage check;
    check.motion = io::read_path_node(
        root.at("path"), scene, PathOptions{.ignore_limits = io::read_flag(root, "ignore_limits")});
    io::read_requirements(root, check.options);
    check.options.limits = io::read_limits(root);
    check.options.first = io::read_flag(root, "first");
    check.options.certificate = io::read_flag(root, "certificate");
    check.budget = io::read_budget(root, std::numeric_limits<double>::infinity());
    return check;
  });
}

Result<ConfigurationMessage> read_configuration_message(const Message& message,
                                                        const Scene& scene) {
  return io::read_message<ConfigurationMessage>([&] {
    const Node& root = message.root();
    root.allow_keys({"id", "do", "q", "ignore_limits"});
    const Limits limits = io::read_limits(root);
    return ConfigurationMessage{
        io::read_full_configuration(root.at("q"), scene, {limits == Limits::ignore}), limits};
  });
}

Result<PlanMessage> read_plan(const Message& message, const Scene& scene) {
  return io::read_message<PlanMessage>([&] {
    const Node& root = message.root();
    root.allow_keys({"id", "do", "query", "planner", "seed", "margin", "smooth", "clearance",
                     "tracking_error", "resolution", "certificate", "budget"});
    PlanMessage plan;
    plan.query = io::read_query_node(root.at("query"), scene, {});
    if (const Node* planner = root.find("planner")) {
      std::vector<std::string_view> names;
      for (const PlannerInfo& info : planners()) names.push_back(info.name);
      plan.planner = names[planner->index_in(names)];
    }
    plan.seed = io::read_seed(root);
    if (const Node* margin = root.find("margin")) plan.margin = margin->nonnegative_number();
    plan.smooth = io::read_flag(root, "smooth");
    plan.check = proving_check();
    io::read_requirements(root, plan.check);
    plan.check.certificate = io::read_flag(root, "certificate");
    plan.budget = io::read_budget(root, 10);
    return plan;
  });
}

Result<MonitorMessage> read_monitor(const Message& message, const Scene& scene) {
  return io::read_message<MonitorMessage>([&] {
    const Node& root = message.root();
    root.allow_keys({"id", "do", "name", "path", "clearance", "tracking_error", "resolution",
                     "ignore_limits", "budget"});
    MonitorMessage monitor;
    monitor.name = root.at("name").string();
    monitor.motion = io::read_path_node(
        root.at("path"), scene, PathOptions{.ignore_limits = io::read_flag(root, "ignore_limits")});
    io::read_requirements(root, monitor.options);
    monitor.options.limits = io::read_limits(root);
    monitor.budget = io::read_budget(root, std::numeric_limits<double>::infinity());
    return monitor;
  });
}

Result<AdvanceMessage> read_advance(const Message& message) {
  return io::read_message<AdvanceMessage>([&] {
    const Node& root = message.root();
    root.allow_keys({"id", "do", "name", "segment", "t"});
    AdvanceMessage advance{root.at("name").string(), io::read_index(root.at("segment")), 0};
    if (const Node* t = root.find("t")) advance.t = t->number();
    if (!(advance.t >= 0 && advance.t <= 1)) root.at("t").fail("must be from 0 to 1");
    return advance;
  });
}

Result<RepairMessage> read_repair(const Message& message) {
  return io::read_message<RepairMessage>([&] {
    const Node& root = message.root();
    root.allow_keys({"id", "do", "name", "seed", "take", "certificate", "budget"});
    RepairMessage repair;
    repair.name = root.at("name").string();
    repair.seed = io::read_seed(root);
    repair.take = io::read_flag(root, "take");
    repair.certificate = io::read_flag(root, "certificate");
    repair.budget = io::read_budget(root, 10);
    return repair;
  });
}

}  // namespace proven
