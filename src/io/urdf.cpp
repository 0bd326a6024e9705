#include "proven/io/urdf.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/failure.h"
#include "io/model_readers.h"
#include "io/sizes.h"
#include "io/text.h"
#include "io/xml.h"
#include "proven/io/visuals.h"
#include "proven/kinematics/kinematic_tree.h"
#include "proven/kinematics/rounding.h"

namespace proven {
namespace io {

std::string refuse_rotation(const Mat3& R) {
  const Mat3 should_be_identity = transpose(R) * R;
  bool rigid = dot(R.row[0], cross(R.row[1], R.row[2])) > 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      rigid &= std::fabs(should_be_identity(i, j) - (i == j)) <= kRotationDeviation;
  return rigid ? "" : "the matrix is not a rotation in double precision";
}

namespace {

// What a URDF may hold. Looks, masses, friction, sensors and controllers do not change what
// collides; other programs' own filters of pairs would only leave out pairs that are tested here.
const std::vector<XmlFile::Rule>& urdf_rules() {
  static const std::vector<XmlFile::Rule> kRules = {
      {"robot",
       {"name", "version", "path"},
       {"link", "joint", "mujoco", "ignored"},
       {"material"},
       {"transmission", "gazebo", "ros2_control", "sensor", "mujoco", "model_state", "frame",
        "fixed_frame", "collision_filter_group", "collision_checking", "self_collision_checking",
        "self_filter", "force_element", "bullet"}},
      {"link",
       {"name", "type"},
       {"collision"},
       {"visual", "inertial"},
       {"contact",
        "sensor",
        "gazebo",
        "verbose",
        "map",
        "dynamics",
        "material",
        "self_collision_checking",
        "collision_checking",
        "self_collide",
        "selfCollide",
        "self_filter",
        "turnGravityOff",
        "gravity",
        "mu1",
        "mu2",
        "kp",
        "kd",
        "audio_source",
        "bullet"},
       {"concave", "group", "dont_collapse"}},
      {"collision",
       {"name"},
       {"origin", "geometry"},
       {"material"},
       {"verbose", "contact", "contact_coefficients", "surface", "friction", "bounce",
        "max_contacts", "map", "self_filter", "drake_compliance", "bullet"},
       {"concave", "group"}},
      {"geometry", {}, {"box", "sphere", "cylinder", "capsule", "mesh"}, {}, {}},
      {"origin", {"xyz", "rpy", "rotation"}, {}, {}, {}},
      {"box", {"size"}, {}, {}, {}},
      {"sphere", {"radius"}, {}, {}, {}},
      {"cylinder", {"radius", "length"}, {}, {}, {}},
      {"capsule", {"radius", "length"}, {}, {}, {}},
      {"mesh", {"filename", "scale", "convex"}, {}, {}, {}},
      {"joint",
       {"name", "type"},
       {"parent", "child", "origin", "axis", "limit", "mimic"},
       {"dynamics", "calibration", "safety_controller"},
       {"joint_properties",
        "hardwareInterface",
        "verbose",
        "map",
        "dont_collapse",
        "physics",
        "sensor",
        "gazebo",
        "transmission",
        "material",
        "actuator",
        "self_filter",
        "implicitSpringDamper",
        "provideFeedback",
        "preserveFixedJoint",
        "disableFixedJointLumping",
        "disable_fixed_joint_lumping",
        "command_effort",
        "friction",
        "bullet"},
       {"dont_collapse"}},
      {"parent", {"link"}, {}, {}, {}},
      {"child", {"link"}, {}, {}, {}},
      {"axis", {"xyz", "rpy"}, {}, {}, {}},
      {"limit",
       {"lower", "upper", "velocity", "acceleration", "effort"},
       {},
       {},
       {},
       {"command_effort", "current", "friction", "damping"}},
      {"mimic", {"joint", "multiplier", "offset"}, {}, {}, {}},
      {"ignored", {"element", "count"}, {}, {}, {}},
      // How MuJoCo is to read a URDF. What would give its numbers another meaning is refused.
      {"mujoco", {}, {"compiler"}, {"option", "size"}, {}},
      {"compiler",
       {"angle", "coordinate"},
       {},
       {"lengthrange"},
       {},
       {"autolimits", "boundmass", "boundinertia", "settotalmass", "balanceinertia", "strippath",
        "fitaabb", "meshdir", "texturedir", "assetdir", "discardvisual", "convexhull", "usethread",
        "fusestatic", "inertiafromgeom", "exactmeshinertia", "inertiagrouprange", "saveinertial",
        "alignfree"}},
  };
  return kRules;
}

class UrdfReader {
 public:
  UrdfReader(const std::filesystem::path& file, const UrdfOptions& options, MeshCache& meshes,
             const std::string* text = nullptr)
      : xml_(file, "robot", text), options_(options), meshes_(meshes) {}

  Robot read() {
    const XmlElement& root = xml_.root();
    require_known();
    // Some exporters leave the name empty; the file has one.
    const char* name = root.Attribute("name");
    robot_.name = name && !trimmed(name).empty() ? name : xml_.path().stem().string();
    if (const std::string why = refuse_name(robot_.name); !why.empty()) xml_.fail(root, why);
    note_packages(root);
    for (const XmlElement* link : XmlFile::children(root, "link")) read_link(*link);
    for (const XmlElement* joint : XmlFile::children(root, "joint")) read_joint(*joint);
    if (!missing_.empty()) report_missing();
    check_tree();
    if (meshes_.visuals && options_.load_meshes) meshes_.visuals->push_back(read_visuals());
    const auto is_bare = [](const RobotLink& link) { return link.collision.empty(); };
    if (!options_.allow_empty && options_.load_meshes &&
        std::all_of(robot_.links.begin(), robot_.links.end(), is_bare))
      xml_.fail(root,
                fmt::format("no link of robot {} has a <collision>: nothing of it can collide; "
                            "--allow-empty accepts that",
                            quote(robot_.name)));
    return std::move(robot_);
  }

 private:
  void require_known() {
    const XmlFile::PassedOver passed = xml_.require(urdf_rules(), &options_.ignore_elements);
    if (const auto noted = counted(passed.noted); !noted.empty())
      robot_.warnings.push_back(fmt::format("not read, as it moves and collides with nothing: {}",
                                            fmt::join(noted, ", ")));
    XmlFile::Counts ignored = passed.ignored;
    for (const XmlElement* was : XmlFile::children(xml_.root(), "ignored"))
      ignored[xml_.text(*was, "element")] += read_count(*was);
    robot_.ignored = counted(ignored);
    if (!ignored.empty())
      robot_.warnings.push_back(
          fmt::format("left out, as asked: {}", fmt::join(robot_.ignored, ", ")));
    for (const XmlElement* mujoco : XmlFile::children(xml_.root(), "mujoco"))
      for (const XmlElement* compiler : XmlFile::children(*mujoco, "compiler"))
        for (const auto& [name, meant] : {std::pair("angle", "radian"), {"coordinate", "local"}})
          if (xml_.find_text(*compiler, name).value_or(meant) != meant)
            xml_.fail(*compiler,
                      fmt::format("'{}' of <compiler> is {} in a URDF; remove it", name, meant));
  }

  // How often something was left out on the way to this file.
  int read_count(const XmlElement& element) const {
    const double count = xml_.number(element, "count");
    if (!(count >= 1 && count <= 1e6) || count != std::floor(count))
      xml_.fail(element, "'count' of <ignored>: expected a whole number from 1 to 1000000");
    if (const std::string why = refuse_name(xml_.text(element, "element")); !why.empty())
      xml_.fail(element, why);
    return static_cast<int>(count);
  }

  // All that name a file, drawn ones too: whoever maps a package for the drawing does so rightly.
  void note_packages(const XmlElement& above) {
    for (const XmlElement* element = above.FirstChildElement(); element;
         element = element->NextSiblingElement()) {
      const char* file = element->Attribute("filename");
      if (const std::string package = package_of(file ? file : ""); !package.empty())
        meshes_.packages.insert(package);
      note_packages(*element);
    }
  }
  std::string read_name(const XmlElement& element) const {
    std::string name = xml_.text(element, "name");
    if (const std::string why = refuse_name(name); !why.empty()) xml_.fail(element, why);
    return name;
  }
  void read_link(const XmlElement& element) {
    RobotLink link;
    link.name = read_name(element);
    lines_.insert_or_assign(link.name, &element);
    link.has_visual = element.FirstChildElement("visual") != nullptr;
    for (const XmlElement* collision : XmlFile::children(element, "collision"))
      read_collision(*collision, link.collision);
    if (const auto doubt = doubt_size("link " + quote(link.name), kLongLink, link.collision))
      robot_.warnings.push_back(*doubt);
    robot_.links.push_back(std::move(link));
  }

  void read_collision(const XmlElement& element, std::vector<CollisionElement>& collision) {
    const XmlElement& geometry = xml_.required_child(element, "geometry");
    const XmlElement* shape = geometry.FirstChildElement();
    if (!shape) xml_.fail(geometry, "<geometry> is empty");
    if (const XmlElement* second = shape->NextSiblingElement())
      xml_.fail(*second, "<geometry> holds more than one shape; use one <collision> for each");
    CollisionElement result;
    result.X_BS = read_origin(element);
    result.source = xml_.place(*shape);
    const std::string_view kind = shape->Name();
    if (kind == "mesh" && !options_.load_meshes) return;
    if (kind == "mesh")
      read_mesh(*shape, result);
    else
      result.shape = read_primitive(*shape, kind);
    collision.push_back(std::move(result));
  }

  Shape read_primitive(const XmlElement& shape, std::string_view kind) const {
    if (kind == "box") {
      const std::optional<Vec3> size = xml_.find_vec3(shape, "size");
      if (!size) xml_.fail(shape, "<box> has no 'size'");
      for (int i = 0; i < 3; ++i) check_size(shape, (*size)[i]);
      return Box{0.5 * *size};
    }
    if (kind == "sphere") return Sphere{size(shape, "radius")};
    if (kind == "cylinder") return Cylinder{size(shape, "radius"), 0.5 * size(shape, "length")};
    if (kind == "capsule") return Capsule{size(shape, "radius"), 0.5 * size(shape, "length")};
    xml_.fail(shape, fmt::format("collision shape <{}> is not supported; use box, cylinder, "
                                 "sphere, capsule or mesh",
                                 shape.Name()));
  }

  double size(const XmlElement& shape, const char* attribute) const {
    const double value = xml_.number(shape, attribute);
    check_size(shape, value);
    return value;
  }

  void check_size(const XmlElement& shape, double value) const {
    if (const std::string refusal = refuse_size(value); !refusal.empty())
      xml_.fail(shape, fmt::format("<{}>: {}", shape.Name(), refusal));
  }

  Shape load_mesh(const XmlElement& shape, std::string& source) {
    const Vec3 scale = xml_.find_vec3(shape, "scale").value_or(Vec3{1, 1, 1});
    if (const std::string refusal = refuse_scale(scale); !refusal.empty())
      xml_.fail(shape, "'scale' of <mesh>: " + refusal);
    const std::string convex = xml_.find_text(shape, "convex").value_or("false");
    if (convex != "true" && convex != "false")
      xml_.fail(shape, "'convex' of <mesh>: expected true or false, got " + quote(convex));
    const std::string name = xml_.text(shape, "filename");
    try {
      const std::filesystem::path file = find_mesh(name, xml_.path(), options_);
      source = file.string();
      if (convex == "true") return meshes_.hull(file, scale);
      return meshes_.mesh(file, scale);
    } catch (const Failure& failure) {
      io::fail(xml_.place(shape), failure.error().text(), failure.error().code);
    }
  }

  void read_mesh(const XmlElement& shape, CollisionElement& result) {
    try {
      result.shape = load_mesh(shape, result.source);
    } catch (const Failure& failure) {
      if (failure.error().code != ErrorCode::not_found) throw;
      missing_.emplace(xml_.text(shape, "filename"), std::pair(&shape, failure.error().message));
    }
  }

  // All at once: whoever fetches meshes wants the whole list.
  [[noreturn]] void report_missing() const {
    std::vector<std::pair<const XmlElement*, std::string>> list;
    for (const auto& [name, missing] : missing_) list.push_back(missing);
    std::ranges::sort(list, {}, [](const auto& m) { return m.first->GetLineNum(); });
    std::string text = list[0].second;
    for (std::size_t i = 1; i < list.size(); ++i)
      text += fmt::format("; line {}: {}", list[i].first->GetLineNum(), list[i].second);
    if (list.size() > 1) text = fmt::format("{} meshes are missing: {}", list.size(), text);
    io::fail(xml_.place(*list[0].first), text, ErrorCode::not_found);
  }

  Pose read_origin(const XmlElement& parent) const {
    const XmlElement* origin = xml_.child(parent, "origin");
    if (!origin) return {};
    Pose X;
    X.p = xml_.find_vec3(*origin, "xyz").value_or(Vec3{});
    if (const std::string refusal = refuse_position(X.p); !refusal.empty())
      xml_.fail(*origin, refusal);
    const Mat3 rpy = rotation_from_rpy(xml_.find_vec3(*origin, "rpy").value_or(Vec3{}));
    X.R = rpy;
    if (const auto m = xml_.find_numbers(*origin, "rotation", 9)) {
      for (std::size_t i = 0; i < 3; ++i)
        X.R.row[i] = {(*m)[3 * i], (*m)[3 * i + 1], (*m)[3 * i + 2]};
      for (std::size_t i = 0; i < 3; ++i)
        if (origin->Attribute("rpy") && !(max_abs(X.R.row[i] - rpy.row[i]) <= 1e-6))
          xml_.fail(*origin, "'rpy' and 'rotation' of <origin> disagree; give one of them");
      if (const std::string refusal = refuse_rotation(X.R); !refusal.empty())
        xml_.fail(*origin, refusal);
    }
    return X;
  }

  void read_joint(const XmlElement& element) {
    RobotJoint joint;
    joint.name = read_name(element);
    lines_.insert_or_assign(joint.name, &element);
    joint.type = read_type(element);
    joint.parent_link = xml_.text(xml_.required_child(element, "parent"), "link");
    joint.child_link = xml_.text(xml_.required_child(element, "child"), "link");
    joint.X_PJ = read_origin(element);
    read_axis(element, joint);
    read_limits(element, joint);
    if (const XmlElement* mimic = xml_.child(element, "mimic")) read_mimic(*mimic, joint);
    robot_.joints.push_back(std::move(joint));
  }

  JointType read_type(const XmlElement& element) const {
    const std::string type = xml_.text(element, "type");
    if (type == "fixed") return JointType::fixed;
    if (type == "revolute") return JointType::revolute;
    if (type == "continuous") return JointType::continuous;
    if (type == "prismatic") return JointType::prismatic;
    if (type == "planar") return JointType::planar;
    if (type == "floating") return JointType::floating;
    xml_.fail(element, fmt::format("unknown joint type {}; use fixed, revolute, continuous, "
                                   "prismatic, planar or floating",
                                   quote(type)));
  }

  void read_axis(const XmlElement& element, RobotJoint& joint) const {
    const XmlElement* axis = xml_.child(element, "axis");
    if (!axis) return;
    const std::optional<Vec3> xyz = xml_.find_vec3(*axis, "xyz");
    if (!xyz) xml_.fail(*axis, "<axis> has no 'xyz'");
    if (joint.type != JointType::fixed && max_abs(*xyz) == 0)
      xml_.fail(*axis, fmt::format("joint {} has a zero axis", quote(joint.name)));
    // The standard knows no 'rpy' here, and nobody turns the axis by it.
    if (max_abs(xml_.find_vec3(*axis, "rpy").value_or(Vec3{})) != 0)
      xml_.fail(*axis, "'rpy' of <axis> is not read unless it is 0 0 0; turn 'xyz' instead");
    joint.axis = *xyz;
  }

  void read_limits(const XmlElement& element, RobotJoint& joint) {
    const XmlElement* limit = xml_.child(element, "limit");
    const bool bounded = joint.type == JointType::revolute || joint.type == JointType::prismatic;
    const auto lower = limit ? xml_.find_number(*limit, "lower") : std::nullopt;
    const auto upper = limit ? xml_.find_number(*limit, "upper") : std::nullopt;
    if (bounded && !lower && !upper)
      xml_.fail(element, fmt::format("{} joint {} needs <limit lower=\"...\" upper=\"...\"/>{}",
                                     element.Attribute("type"), quote(joint.name),
                                     joint.type == JointType::revolute
                                         ? "; for one without limits use type continuous"
                                         : ""));
    if (bounded) {
      joint.limits.lower = lower.value_or(0);  // the standard's default
      joint.limits.upper = upper.value_or(0);
      check_limits(*limit, joint);
    }
    if (!bounded && joint.type != JointType::fixed && (lower || upper))
      robot_.warnings.push_back(fmt::format("'lower' and 'upper' do not bound {} joint {}",
                                            element.Attribute("type"), quote(joint.name)));
    if (limit) read_rates(*limit, joint);
  }

  void check_limits(const XmlElement& limit, const RobotJoint& joint) {
    const auto [lower, upper, velocity, acceleration] = joint.limits;
    if (lower > upper)
      xml_.fail(limit, fmt::format("joint {} has reversed limits: lower {}, upper {}",
                                   quote(joint.name), lower, upper));
    const double largest = std::fmax(std::fabs(lower), std::fabs(upper));
    if (joint.type == JointType::revolute && largest > 4 * std::numbers::pi)
      robot_.warnings.push_back(
          fmt::format("limits of joint {} are {} and {}: in degrees? URDF means radians",
                      quote(joint.name), lower, upper));
    if (joint.type == JointType::prismatic && largest > kLargestCoordinate)
      xml_.fail(limit, fmt::format("joint {} slides too far", quote(joint.name)));
  }

  // Many files write 0 where the rate is not known.
  void read_rates(const XmlElement& limit, RobotJoint& joint) {
    const auto read = [&](const char* attribute, double& rate) {
      const std::optional<double> value = xml_.find_number(limit, attribute);
      if (!value || *value == 0) return;
      if (*value < 0)
        xml_.fail(limit,
                  fmt::format("joint {}: {} {} is negative", quote(joint.name), attribute, *value));
      rate = *value;
    };
    read("velocity", joint.limits.velocity);
    read("acceleration", joint.limits.acceleration);
  }

  void read_mimic(const XmlElement& element, RobotJoint& joint) const {
    if (joint.type == JointType::planar || joint.type == JointType::floating)
      xml_.fail(element, fmt::format("joint {} has several values and cannot mimic another",
                                     quote(joint.name)));
    joint.mimic =
        Mimic{xml_.text(element, "joint"), xml_.find_number(element, "multiplier").value_or(1),
              xml_.find_number(element, "offset").value_or(0)};
  }

  // The kinematics layer knows what a tree is; the line is that of the first name it complains of.
  void check_tree() const {
    const Result<void> built = KinematicTree().add_robot(robot_, robot_.name, Pose{});
    if (built.ok()) return;
    const std::string& message = built.error().message;
    for (std::size_t at = message.find('\''); at != std::string::npos;) {
      const std::size_t end = message.find('\'', at + 1);
      if (end == std::string::npos) break;
      const auto named = lines_.find(message.substr(at + 1, end - at - 1));
      if (named != lines_.end()) xml_.fail(*named->second, message);
      at = message.find('\'', end + 1);
    }
    xml_.fail(xml_.root(), message);
  }

  using Colour = std::array<double, 4>;

  // What the links look like. Nothing depends on it: what cannot be read becomes a note.
  RobotVisuals read_visuals() {
    RobotVisuals result;
    const auto noting = [&](const char* what, const auto& read) {
      try {
        read();
      } catch (const Failure& failure) {
        result.notes.push_back(what + failure.error().text());
      }
    };
    // A material may be named before the place where its colour stands.
    std::map<std::string, Colour> materials;
    const auto take_colour = [&](const XmlElement& material) {
      if (material.FirstChildElement("texture"))
        result.notes.push_back(xml_.place(material) + ": textures are not drawn");
      const std::optional<Colour> colour = read_colour(material);
      if (colour && !name_of(material).empty())
        materials.insert_or_assign(name_of(material), *colour);
    };
    for (const XmlElement* material : XmlFile::children(xml_.root(), "material"))
      noting("", [&] { take_colour(*material); });
    for (const XmlElement* link : XmlFile::children(xml_.root(), "link"))
      for (const XmlElement* visual : XmlFile::children(*link, "visual"))
        for (const XmlElement* material : XmlFile::children(*visual, "material"))
          noting("", [&] { take_colour(*material); });
    for (const XmlElement* link : XmlFile::children(xml_.root(), "link")) {
      LinkVisuals of_link{xml_.text(*link, "name"), {}};
      for (const XmlElement* visual : XmlFile::children(*link, "visual"))
        noting("not shown: ",
               [&] { of_link.elements.push_back(read_visual(*visual, materials, result.notes)); });
      if (!of_link.elements.empty()) result.links.push_back(std::move(of_link));
    }
    return result;
  }

  std::optional<Colour> read_colour(const XmlElement& material) const {
    const XmlElement* element = xml_.child(material, "color");
    if (!element) return std::nullopt;
    const auto rgba = xml_.find_numbers(*element, "rgba", 4);
    if (!rgba) xml_.fail(*element, "<color> has no 'rgba'");
    for (const double v : *rgba)
      if (!(v >= 0 && v <= 1))
        xml_.fail(*element, "'rgba' of <color>: expected numbers from 0 to 1");
    return Colour{(*rgba)[0], (*rgba)[1], (*rgba)[2], (*rgba)[3]};
  }

  // Some exporters leave it empty.
  static std::string name_of(const XmlElement& material) {
    const char* name = material.Attribute("name");
    return name ? name : "";
  }

  // Its own, or that of the material with its name; what is wrong with it was noted before.
  std::optional<Colour> colour_of(const XmlElement& material,
                                  const std::map<std::string, Colour>& materials,
                                  std::vector<std::string>& notes) const {
    try {
      if (const auto own = read_colour(material)) return own;
    } catch (const Failure&) {
      return std::nullopt;
    }
    if (const auto found = materials.find(name_of(material)); found != materials.end())
      return found->second;
    if (!material.FirstChildElement("texture"))
      notes.push_back(fmt::format("{}: no material {} has a colour", xml_.place(material),
                                  quote(name_of(material))));
    return std::nullopt;
  }

  VisualElement read_visual(const XmlElement& element,
                            const std::map<std::string, Colour>& materials,
                            std::vector<std::string>& notes) {
    const XmlElement& geometry = xml_.required_child(element, "geometry");
    const XmlElement* shape = geometry.FirstChildElement();
    if (!shape) xml_.fail(geometry, "<geometry> is empty");
    if (const XmlElement* second = shape->NextSiblingElement())
      xml_.fail(*second, "<geometry> holds more than one shape; use one <visual> for each");
    VisualElement visual;
    visual.X_LV = read_origin(element);
    if (const XmlElement* material = xml_.child(element, "material"))
      visual.colour = colour_of(*material, materials, notes);
    const std::string_view kind = shape->Name();
    std::string source;
    visual.shape = kind == "mesh" ? load_mesh(*shape, source) : read_primitive(*shape, kind);
    return visual;
  }

  XmlFile xml_;
  const UrdfOptions& options_;
  MeshCache& meshes_;
  Robot robot_;
  std::map<std::string, const XmlElement*> lines_;  // of links and joints, by name
  // Meshes that were not found, by name: where, and what was tried.
  std::map<std::string, std::pair<const XmlElement*, std::string>> missing_;
};

}  // namespace

Robot read_urdf(const std::filesystem::path& file, const UrdfOptions& options, MeshCache& meshes) {
  return UrdfReader(file, options, meshes).read();
}

namespace {

// A robot by itself: what its options map must be there, and be of use.
Robot read_alone(const std::filesystem::path& file, const UrdfOptions& options,
                 const std::string* text) {
  const auto place = [&] { return file.string(); };
  MeshCache meshes;
  at_place(place, [&] { require_package_folders(options.packages); });
  Robot robot = UrdfReader(file, options, meshes, text).read();
  at_place(place, [&] { require_packages_used(options.packages, meshes.packages); });
  return robot;
}

}  // namespace
}  // namespace io

Result<Robot> parse_urdf(const std::string& text, const std::filesystem::path& name,
                         const UrdfOptions& options) {
  return io::guarded<Robot>(name, [&] { return io::read_alone(name, options, &text); });
}

Result<Robot> load_urdf(const std::filesystem::path& file, const UrdfOptions& options) {
  return io::guarded<Robot>(file, [&] { return io::read_alone(file, options, nullptr); });
}

}  // namespace proven
