// SDF to URDF: a link for each link, at the link's frame.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "io/converted_robot.h"
#include "io/failure.h"
#include "io/included_models.h"
#include "io/model_readers.h"
#include "io/sdf_frames.h"
#include "io/sdf_world.h"
#include "io/sizes.h"
#include "io/text.h"

namespace proven::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 1000;
constexpr int kMaxDepth = 20;       // of models in each other
constexpr double kNoLimit = 1e16;   // SDF's word for none
constexpr double kFarSlide = 1000;  // metres, where a file gives no limit
constexpr const char* kRoot = "__model__";

// What a model may hold. Looks, masses, forces and sensors do not change what collides.
const std::vector<XmlFile::Rule>& sdf_rules() {
  static const std::vector<XmlFile::Rule> kRules = {
      {"sdf", {"version"}, {"model", "world"}, {}, {"light", "actor"}},
      {"model",
       {"name", "canonical_link", "placement_frame"},
       {"static", "frame", "pose", "link", "joint", "include", "model"},
       {"allow_auto_disable", "enable_wind"},
       {"self_collide", "plugin", "gripper"}},
      {"include", {"merge"}, {"uri", "pose", "name", "static", "placement_frame"}, {}, {"plugin"}},
      {"frame", {"name", "attached_to"}, {"pose"}, {}, {}},
      {"link",
       {"name"},
       {"pose", "collision"},
       {"gravity", "enable_wind", "kinematic", "must_be_base_link", "velocity_decay", "inertial",
        "visual", "light"},
       {"self_collide", "sensor", "projector", "audio_sink", "audio_source", "battery",
        "particle_emitter"}},
      {"collision", {"name"}, {"pose", "geometry", "surface"}, {"laser_retro", "max_contacts"}, {}},
      {"geometry",
       {},
       {"box", "sphere", "cylinder", "capsule", "mesh", "empty", "plane", "ellipsoid", "heightmap",
        "polyline", "image", "cone"},
       {},
       {}},
      {"box", {}, {"size"}, {}, {}},
      {"sphere", {}, {"radius"}, {}, {}},
      {"cylinder", {}, {"radius", "length"}, {}, {}},
      {"capsule", {}, {"radius", "length"}, {}, {}},
      {"mesh", {}, {"uri", "scale", "submesh"}, {}, {}},
      {"surface", {}, {"contact"}, {"bounce", "friction", "soft_contact"}, {}},
      {"contact",
       {},
       {"collide_bitmask", "category_bitmask", "collide_without_contact",
        "collide_without_contact_bitmask"},
       {"ode", "bullet", "poissons_ratio", "elastic_modulus"},
       {}},
      {"joint",
       {"name", "type"},
       {"parent", "child", "pose", "axis", "axis2", "thread_pitch", "screw_thread_pitch",
        "gearbox_ratio", "gearbox_reference_body", "drake:mimic"},
       {"physics"},
       {"sensor"}},
      {"axis",
       {},
       {"xyz", "limit", "use_parent_model_frame", "mimic"},
       {"dynamics"},
       {"initial_position"}},
      {"limit", {}, {"lower", "upper", "velocity"}, {"effort", "stiffness", "dissipation"}, {}},
      {"mimic", {"joint", "axis"}, {"multiplier", "offset", "reference"}, {}, {}},
      {"drake:mimic", {"joint", "multiplier", "offset"}, {}, {}, {}},
  };
  return kRules;
}

// A link or a joint, with the scope that its names are in.
struct Part {
  SdfElement at;
  std::string scope, name;
};

class SdfReader {
 public:
  SdfReader(const fs::path& file, const ConvertOptions& options) : options_(options) {
    search_.packages = options.packages;
    search_.used_packages = options.used_packages;
    files_.push_back(std::make_unique<XmlFile>(file, "sdf"));
  }

  ConvertedRobot read() {
    const SdfElement model = read_root(*files_[0]);
    out_.link_names.insert("world");
    out_.add_link("world");
    for (const Part& link : links_) out_.link_names.insert(link.name);
    for (const Part& joint : joints_) out_.joint_names.insert(joint.name);
    for (const Part& link : links_) read_link(link);
    for (const Part& joint : joints_) read_joint(joint);
    frames_.check();
    hang_roots(model);
    add_notes();
    return std::move(out_);
  }

 private:
  // The model of the file, or that of its world; its frames are those of the robot.
  SdfElement read_root(const XmlFile& file) {
    if (!file.root().FirstChildElement("world")) {
      const SdfElement model = open(file);
      if (const std::string& wanted = options_.model;
          !wanted.empty() && model.text("name") != wanted)
        model.fail(fmt::format("--model {}: the file is of model {}", wanted, model.text("name")));
      out_.robot.name = model.text("name");
      read_model(model, "", kRoot, 0);
      return model;
    }
    note(file.require(sdf_rules()));
    check_sdf_version(file);
    if (const XmlElement* model = file.root().FirstChildElement("model"))
      file.fail(*model, "a model beside a world is not read; put it into a file of its own");
    const SdfElement in{&file, file.child(file.root(), "world")};
    refuse_couplings(in);
    const WorldModel chosen = find_world_model(in, options_.model);
    out_.robot.name = chosen.name;
    if (chosen.others > 0)
      out_.robot.ignored.push_back(fmt::format("<model> in <world> ({})", chosen.others));
    note(file.require(*chosen.at.xml, sdf_rules()));
    if (std::string_view(chosen.at.xml->Name()) == "include")
      return include(chosen.at, "", 0, true);
    read_model(chosen.at, "", kRoot, 0);
    return chosen.at;
  }

  void note(const XmlFile::PassedOver& passed) {
    for (const auto& [what, times] : passed.noted) noted_[what] += times;
  }

  void add_notes() {
    std::vector<std::string>& notes = out_.robot.warnings;
    if (noted_.erase("<self_collide>"))
      notes.push_back(
          "links that share no joint are tested against each other, whatever <self_collide> says");
    if (noted_.erase("<initial_position>"))
      notes.push_back(
          "<initial_position> is not read: say where joints stand in a scene or a path");
    if (!noted_.empty())
      notes.push_back(fmt::format("not read, as it moves and collides with nothing: {}",
                                  fmt::join(counted(noted_), ", ")));
  }

  // The one model of a file whose elements are all known.
  SdfElement open(const XmlFile& file) {
    note(file.require(sdf_rules()));
    check_sdf_version(file);
    if (const XmlElement* world = file.root().FirstChildElement("world"))
      file.fail(*world, "a world is not one robot; convert the file of the model");
    return {&file, &file.required_child(file.root(), "model")};
  }

  // A pose, and the frame that it is relative to, if it says one.
  struct Placed {
    Pose X;
    std::string relative_to;
  };
  static Placed read_pose(const SdfElement& parent) {
    const auto at = parent.child("pose");
    if (!at) return {};
    at->file->require_attributes(
        *at->xml, {"pose", {"relative_to", "rotation_format", "degrees", "frame"}, {}, {}, {}});
    if (!at->name_of("frame").empty())
      at->fail("'frame' of <pose> is not read; say 'relative_to', with version=\"1.7\"");
    Placed placed;
    placed.relative_to = at->name_of("relative_to");
    if (at->content().empty()) return placed;
    const std::string format =
        at->file->find_text(*at->xml, "rotation_format").value_or("euler_rpy");
    const auto degrees = at->file->find_text(*at->xml, "degrees");
    const bool in_degrees = degrees && at->flag(*degrees);
    if (format == "quat_xyzw") {
      const auto v = at->numbers(7);
      if (in_degrees) at->fail("a quaternion is not in degrees; remove 'degrees'");
      if (!(std::fabs(std::hypot(std::hypot(v[3], v[4]), std::hypot(v[5], v[6])) - 1) <= 1e-3))
        at->fail("the quaternion is not of length 1");
      placed.X = {rotation_from_quaternion({v[3], v[4], v[5], v[6]}), {v[0], v[1], v[2]}};
    } else if (format == "euler_rpy") {
      const auto v = at->numbers(6);
      const double unit = in_degrees ? std::numbers::pi / 180 : 1;
      placed.X = {rotation_from_rpy(unit * Vec3{v[3], v[4], v[5]}), {v[0], v[1], v[2]}};
    } else {
      at->fail(fmt::format("'rotation_format' is euler_rpy or quat_xyzw, not {}", quote(format)));
    }
    if (const std::string refusal = refuse_position(placed.X.p); !refusal.empty())
      at->fail(refusal);
    return placed;
  }

  // Adds the frames, links and joints of a model and of those inside it.
  void read_model(const SdfElement& at, const std::string& scope, const std::string& frame_name,
                  int depth) {
    if (depth > kMaxDepth) at.fail("models are nested more than 20 deep");
    if (const auto is_static = at.child("static"); is_static && is_static->is_true())
      static_ = *is_static;
    const Placed placed = read_pose(at);
    const std::string placement = at.name_of("placement_frame");
    add_model_frame(at, scope, frame_name, placed, placement);
    read_contents(at, scope, depth);
  }

  void add_model_frame(const SdfElement& at, const std::string& scope,
                       const std::string& frame_name, const Placed& placed,
                       const std::string& placement) {
    SdfFrame frame;
    frame.at = at;
    frame.X = placed.X;
    frame.placement = placement;
    frame.attached_scope = scope;
    frame.attached_to = canonical_link(at);
    if (frame_name != kRoot) {
      frame.scope = outer_scope(scope);
      frame.relative_to = placed.relative_to.empty() ? kRoot : placed.relative_to;
    } else if (!placed.relative_to.empty()) {
      at.fail("the <pose> of the outermost model is relative to nothing; remove 'relative_to'");
    }
    frames_.add(frame_name, std::move(frame));
  }

  static std::string outer_scope(const std::string& scope) {
    const std::size_t end = scope.rfind("::", scope.size() - 3);
    return end == std::string::npos ? "" : scope.substr(0, end + 2);
  }

  static std::string canonical_link(const SdfElement& at) {
    if (const std::string named = at.name_of("canonical_link"); !named.empty()) return named;
    if (const XmlElement* link = at.xml->FirstChildElement("link"))
      return at.file->text(*link, "name");
    if (const XmlElement* model = at.xml->FirstChildElement("model"))
      return at.file->text(*model, "name");
    return "";
  }

  // A model holds them, or the <include> that puts it there, or its world.
  static void refuse_couplings(const SdfElement& at) {
    for (const XmlElement* plugin : XmlFile::children(*at.xml, "plugin"))
      if (plugin->FirstChildElement("mimicJoint"))
        at.file->fail(*plugin,
                      "the coupling <mimicJoint> of a plugin is not read; say <mimic> in the "
                      "joint's <axis>");
  }

  void read_contents(const SdfElement& at, const std::string& scope, int depth) {
    refuse_couplings(at);
    for (const XmlElement* e = at.xml->FirstChildElement(); e; e = e->NextSiblingElement()) {
      const SdfElement here{at.file, e};
      const std::string_view kind = e->Name();
      if (kind == "include") include(here, scope, depth);
      if (kind != "link" && kind != "joint" && kind != "frame" && kind != "model") continue;
      const std::string name = checked_name(here, here.text("name"));
      if (kind == "model") {
        read_model(here, scope + name + "::", scope + name + "::__model__", depth + 1);
        continue;
      }
      const Placed placed = read_pose(here);
      SdfFrame frame;
      frame.at = here;
      frame.scope = frame.attached_scope = scope;
      frame.X = placed.X;
      frame.relative_to = kRoot;
      if (kind == "joint") {
        frame.attached_to = frame.relative_to = here.required("child").content();
        joints_.push_back({here, scope, scope + name});
      } else if (kind == "link") {
        links_.push_back({here, scope, scope + name});
      } else if (const std::string to = here.name_of("attached_to"); !to.empty()) {
        frame.attached_to = frame.relative_to = to;
      } else {
        frame.attached_to = kRoot;
      }
      if (!placed.relative_to.empty()) frame.relative_to = placed.relative_to;
      frames_.add(scope + name, std::move(frame));
    }
  }

  static std::string checked_name(const SdfElement& at, std::string name) {
    const bool reserved = name == "world" || (name.starts_with("__") && name.ends_with("__"));
    if (reserved || name.find("::") != std::string::npos)
      at.fail(fmt::format("the name {} is reserved; choose another", quote(name)));
    return name;
  }

  // A model in a file of its own: nested in another, or the robot itself.
  SdfElement include(const SdfElement& at, const std::string& scope, int depth,
                     bool is_root = false) {
    if (depth > kMaxDepth) at.fail("models are nested more than 20 deep");
    refuse_couplings(at);
    if (const auto merge = at.file->find_text(*at.xml, "merge"); merge && at.flag(*merge))
      at.fail("an <include> that merges is not read; put the model's elements in its place");
    if (const auto is_static = at.child("static"); is_static && is_static->is_true())
      static_ = *is_static;
    const SdfElement uri = at.required("uri");
    const fs::path path = find_sdf_model(uri, search_);
    if (files_.size() > kMaxFiles) at.fail(fmt::format("more than {} files", kMaxFiles));
    files_.push_back(std::make_unique<XmlFile>(path, "sdf"));
    const SdfElement model = open(*files_.back());
    const auto named = at.child("name");
    const std::string name = checked_name(at, named ? named->content() : model.text("name"));
    const auto placement = at.child("placement_frame");
    Placed placed = read_pose(at);
    const bool placed_here = at.child("pose").has_value();
    if (placement && !placed_here) at.fail("<placement_frame> needs a <pose> beside it");
    if (!placed_here) placed = read_pose(model);
    // The model's own holds for the pose of the <include>, too.
    const std::string by = placement ? placement->content() : model.name_of("placement_frame");
    const std::string inner = is_root ? "" : scope + name + "::";
    add_model_frame(model, inner, inner + kRoot, placed, by);
    read_contents(model, inner, depth + 1);
    return model;
  }

  void read_link(const Part& link) {
    out_.add_link(link.name);
    for (const XmlElement* e : XmlFile::children(*link.at.xml, "collision")) {
      const SdfElement at{link.at.file, e};
      (void)at.text("name");  // which the format demands
      if (const auto surface = at.child("surface")) check_surface(*surface);
      const Placed placed = read_pose(at);
      CollisionElement element;
      element.X_BS = placed.X;
      if (!placed.relative_to.empty())
        element.X_BS =
            frames_.pose(frames_.find(at, link.scope, placed.relative_to), link.name) * placed.X;
      const auto shape = read_shape(at.required("geometry"));
      if (!shape) continue;
      element.shape = *shape;
      out_.link(link.name).collision.push_back(std::move(element));
    }
  }

  static void check_surface(const SdfElement& at) {
    const auto contact = at.child("contact");
    if (!contact) return;
    for (const char* name : {"collide_bitmask", "category_bitmask"})
      if (const auto mask = contact->child(name)) {
        const std::string value = mask->content();
        if (value != "65535" && value != "0xffff" && value != "0xFFFF")
          mask->fail(
              fmt::format("<{}> is not read unless it is 65535; remove it, and disable pairs "
                          "in an SRDF",
                          name));
      }
    if (const auto without = contact->child("collide_without_contact");
        without && without->is_true())
      without->fail("a collision that is only sensed is not read; remove it");
  }

  std::optional<Shape> read_shape(const SdfElement& geometry) {
    const XmlElement* e = geometry.xml->FirstChildElement();
    if (!e) geometry.fail("<geometry> is empty");
    if (const XmlElement* second = e->NextSiblingElement())
      geometry.file->fail(*second,
                          "<geometry> holds more than one shape; use one <collision> for each");
    const SdfElement at{geometry.file, e};
    const std::string_view kind = e->Name();
    if (kind == "empty") return std::nullopt;
    const auto length = [&](const char* name) {
      const SdfElement place = at.required(name);
      return checked_size(place, place.numbers(1)[0]);
    };
    if (kind == "box") {
      const SdfElement size = at.required("size");
      const Vec3 full = size.vec3();
      for (int i = 0; i < 3; ++i) checked_size(size, full[i]);
      return Box{0.5 * full};
    }
    if (kind == "sphere") return Sphere{length("radius")};
    if (kind == "cylinder") return Cylinder{length("radius"), 0.5 * length("length")};
    if (kind == "capsule") return Capsule{length("radius"), 0.5 * length("length")};
    if (kind == "mesh") return read_mesh(at);
    at.fail(
        fmt::format("a <{}> cannot be said in URDF; use a box, cylinder, sphere, capsule or "
                    "mesh, or an obstacle of the scene",
                    kind));
  }

  static double checked_size(const SdfElement& at, double size) {
    if (const std::string refusal = refuse_size(size); !refusal.empty())
      at.fail(fmt::format("<{}>: {}", at.xml->Name(), refusal));
    return size;
  }

  Shape read_mesh(const SdfElement& at) {
    if (const auto part = at.child("submesh"))
      part->fail("a <submesh> is not read; put the part into a file of its own");
    const SdfElement uri = at.required("uri");
    Vec3 scale{1, 1, 1};
    if (const auto given = at.child("scale")) {
      scale = given->vec3();
      if (const std::string refusal = refuse_scale(scale); !refusal.empty())
        given->fail("<scale>: " + refusal);
    }
    try {
      const fs::path file = find_mesh(uri.content(), uri.file->path(), search_);
      const auto mesh = meshes_.mesh(file, scale);
      out_.meshes[mesh.get()] = {file, scale};
      return mesh;
    } catch (const Failure& failure) {
      io::fail(uri.file->place(*uri.xml), failure.error().text(), failure.error().code);
    }
  }

  void read_joint(const Part& part) {
    const SdfElement& at = part.at;
    RobotJoint joint;
    joint.name = part.name;
    joint.type = read_type(at);
    const SdfElement parent = at.required("parent"), child_at = at.required("child");
    const std::string parent_frame = parent.content();
    joint.parent_link = parent_frame == "world"
                            ? parent_frame
                            : frames_.link_of(frames_.find(parent, part.scope, parent_frame));
    const std::string below =
        frames_.link_of(frames_.find(child_at, part.scope, child_at.content()));
    if (joint.parent_link == below) at.fail("the joint holds a link to itself");
    if (!held_.insert(below).second)
      at.fail(fmt::format("link {} hangs on two joints, which closes a loop; remove one",
                          quote(below)));
    joint.X_PJ = joint.parent_link == "world" ? in_world(part.name)
                                              : frames_.pose(part.name, joint.parent_link);
    if (joint.type != JointType::fixed) read_axis(part, joint);
    // Behind the joint stands the link; where their frames differ, an empty one comes between.
    const Pose X_JC = frames_.pose(below, part.name);
    const bool direct = X_JC == Pose{};
    joint.child_link = direct ? below : out_.new_link_name(below + "_" + part.name);
    if (!direct) {
      out_.add_link(joint.child_link);
      RobotJoint back;
      back.name = out_.new_joint_name(below + "_fixed");
      back.parent_link = joint.child_link;
      back.child_link = below;
      back.X_PJ = X_JC;
      out_.robot.joints.push_back(std::move(back));
      if (joint.parent_link != "world")
        out_.robot.disabled_pairs.push_back({joint.parent_link, below, "Adjacent"});
    }
    out_.robot.joints.push_back(std::move(joint));
  }

  // Where the file puts a frame, in the world that the outermost model's <pose> is in.
  Pose in_world(const std::string& frame) const {
    return frames_.root_pose() * frames_.pose(frame, kRoot);
  }

  JointType read_type(const SdfElement& at) const {
    const std::string type = at.text("type");
    if (type == "fixed") return JointType::fixed;
    if (type != "revolute" && type != "continuous" && type != "prismatic")
      at.fail(
          fmt::format("a joint of type {} cannot be said in URDF; use fixed, revolute, "
                      "continuous or prismatic, several with empty links between",
                      quote(type)));
    if (at.child("axis2")) at.fail(fmt::format("a {} joint has no <axis2>", type));
    if (static_)
      static_->fail("a static model has joints that move; remove <static> or the joints");
    return type == "revolute"     ? JointType::revolute
           : type == "continuous" ? JointType::continuous
                                  : JointType::prismatic;
  }

  void read_axis(const Part& part, RobotJoint& joint) {
    const SdfElement axis = part.at.required("axis"), xyz = axis.required("xyz");
    xyz.file->require_attributes(*xyz.xml, {"xyz", {"expressed_in"}, {}, {}, {}});
    Vec3 direction = xyz.vec3();
    if (!(norm(direction) > 1e-10))
      xyz.fail(fmt::format("joint {} has a zero axis", quote(joint.name)));
    std::string frame = xyz.name_of("expressed_in");
    if (const auto old = axis.child("use_parent_model_frame"); old && old->is_true()) {
      if (!frame.empty()) old->fail("'expressed_in' says the frame of the axis; remove this");
      frame = kRoot;
    }
    if (!frame.empty())
      direction = frames_.pose(frames_.find(xyz, part.scope, frame), part.name).R * direction;
    joint.axis = normalized(direction);
    read_limits(axis, joint);
    if (const auto mimic = axis.child("mimic")) read_mimic(*mimic, part, joint);
    if (const auto mimic = part.at.child("drake:mimic")) read_drake_mimic(*mimic, part, joint);
  }

  // follower = multiplier * leader + offset
  static void read_drake_mimic(const SdfElement& at, const Part& part, RobotJoint& joint) {
    const Mimic says{part.scope + at.text("joint"),
                     at.file->find_number(*at.xml, "multiplier").value_or(1),
                     at.file->find_number(*at.xml, "offset").value_or(0)};
    const Mimic known = joint.mimic.value_or(says);
    if (known.joint != says.joint || known.multiplier != says.multiplier ||
        known.offset != says.offset)
      at.fail("<mimic> of the axis says something else; make them agree");
    joint.mimic = says;
  }

  void read_limits(const SdfElement& axis, RobotJoint& joint) {
    const auto at = axis.child("limit");
    const auto bound = [&](const char* name, double none) {
      const auto place = at ? at->child(name) : std::nullopt;
      if (!place) return none;
      const std::string value = place->content();
      if (value == "inf" || value == "+inf") return kNoLimit;
      if (value == "-inf") return -kNoLimit;
      return place->numbers(1)[0];
    };
    double lower = bound("lower", -kNoLimit), upper = bound("upper", kNoLimit);
    const double velocity = bound("velocity", -1);
    if (velocity > 0 && velocity < kNoLimit) joint.limits.velocity = velocity;
    if (joint.type == JointType::prismatic && lower <= -kNoLimit && upper >= kNoLimit) {
      lower = -kFarSlide;
      upper = kFarSlide;
      out_.robot.warnings.push_back(
          fmt::format("joint {} slides without limits, which URDF cannot say: its limits are {} "
                      "and {} m",
                      quote(joint.name), lower, upper));
    }
    const bool below = lower > -kNoLimit, above = upper < kNoLimit;
    const SdfElement& place = at ? *at : axis;
    if (joint.type == JointType::continuous && (below || above))
      place.fail(fmt::format("joint {} is continuous and has limits; use type revolute",
                             quote(joint.name)));
    if (joint.type == JointType::revolute && !below && !above) joint.type = JointType::continuous;
    if (joint.type == JointType::continuous) return;
    if (!below || !above)
      place.fail(fmt::format("joint {} needs <lower> and <upper>, as URDF cannot say one alone",
                             quote(joint.name)));
    if (!(lower <= upper))
      place.fail(fmt::format("joint {} has reversed limits: lower {}, upper {}", quote(joint.name),
                             lower, upper));
    joint.limits.lower = lower;
    joint.limits.upper = upper;
  }

  // follower = multiplier * (leader - reference) + offset
  static void read_mimic(const SdfElement& at, const Part& part, RobotJoint& joint) {
    if (at.file->find_text(*at.xml, "axis").value_or("axis") != "axis")
      at.fail("only the first axis of a joint can be followed");
    const auto number = [&](const char* name, double otherwise) {
      const auto place = at.child(name);
      return place ? place->numbers(1)[0] : otherwise;
    };
    const double multiplier = number("multiplier", 1);
    joint.mimic = Mimic{part.scope + at.text("joint"), multiplier,
                        number("offset", 0) - multiplier * number("reference", 0)};
  }

  // The link that no joint holds stands where the file puts it.
  void hang_roots(const SdfElement& model) {
    const Part* root = nullptr;
    for (const Part& link : links_) {
      if (held_.contains(link.name)) continue;
      if (root && !static_)
        link.at.fail(
            fmt::format("links {} and {} hang on no joint, and are not one robot; join them",
                        quote(root->name), quote(link.name)));
      root = &link;
      RobotJoint joint;
      joint.name = out_.new_joint_name(link.name + "_fixed");
      joint.parent_link = "world";
      joint.child_link = link.name;
      joint.X_PJ = in_world(link.name);
      out_.robot.joints.push_back(std::move(joint));
    }
    if (links_.empty()) model.fail("the model has no link");
    if (root && !static_)
      out_.robot.warnings.push_back(
          fmt::format("no joint holds link {} to the world: it stands where the file puts it",
                      quote(root->name)));
  }

  const ConvertOptions& options_;
  std::vector<std::unique_ptr<XmlFile>> files_;
  UrdfOptions search_;
  MeshCache meshes_;
  SdfFrames frames_;
  std::vector<Part> links_, joints_;
  XmlFile::Counts noted_;
  std::set<std::string> held_;
  std::optional<SdfElement> static_;
  ConvertedRobot out_;
};

}  // namespace

ConvertedRobot read_sdf(const std::filesystem::path& file, const ConvertOptions& options) {
  return SdfReader(file, options).read();
}

}  // namespace proven::io
