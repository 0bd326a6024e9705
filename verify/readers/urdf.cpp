// URDF. Everything that says where bodies are, what they are made of and how they move is read;
// what is known to say nothing of that is skipped; all else is refused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "verify/readers/joints.h"
#include "verify/readers/robots.h"
#include "verify/readers/xml.h"

namespace proven::verifier {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
}

// A folder is the package if its package.xml says so.
bool has_manifest(const fs::path& folder, const std::string& package) {
  const fs::path manifest = folder / "package.xml";
  return is_file(manifest) &&
         file_bytes(manifest).find("<name>" + package + "</name>") != std::string::npos;
}

// The folders of an environment variable.
std::vector<fs::path> listed(const char* variable) {
  std::vector<fs::path> folders;
  const char* value = std::getenv(variable);
  std::istringstream text(value ? value : "");
  for (std::string folder; std::getline(text, folder, ':');)
    if (!folder.empty()) folders.emplace_back(folder);
  return folders;
}

// package://NAME/FILE: where the package is said to be; if nothing is said, from the URDF's folder
// upwards.
fs::path find_in_package(const std::string& package, const fs::path& rest, const fs::path& urdf,
                         const Packages& packages) {
  const auto said = packages.find(package);
  if (said != packages.end()) {
    if (is_file(said->second / rest)) return said->second / rest;
    refuse("", fmt::format("{} is not in {}, which package {} is said to be", rest.string(),
                           said->second.string(), package));
  }
  std::error_code error;
  fs::path folder = fs::absolute(urdf, error).lexically_normal();
  do {
    folder = folder.parent_path();
    const bool is_package = folder.filename() == package || has_manifest(folder, package);
    if (is_package && is_file(folder / rest)) return folder / rest;
    if (is_file(folder / package / rest)) return folder / package / rest;
  } while (folder.has_relative_path());
  for (const fs::path& prefix : listed("AMENT_PREFIX_PATH"))
    if (is_file(prefix / "share" / package / rest)) return prefix / "share" / package / rest;
  for (const fs::path& source : listed("ROS_PACKAGE_PATH")) {
    const bool is_package = source.filename() == package || has_manifest(source, package);
    if (is_package && is_file(source / rest)) return source / rest;
    if (is_file(source / package / rest)) return source / package / rest;
  }
  refuse("", fmt::format("{} of package {} was not found", rest.string(), package));
}

// package:///FILE: absolute, or below the URDF's folder or one above it.
fs::path find_nameless(const fs::path& file, const fs::path& urdf) {
  if (is_file(file)) return file;
  std::error_code error;
  fs::path folder = fs::absolute(urdf, error).lexically_normal();
  do {
    folder = folder.parent_path();
    if (is_file(folder / file.relative_path())) return folder / file.relative_path();
  } while (folder.has_relative_path());
  refuse("", fmt::format("{} was not found", file.string()));
}

fs::path find_mesh(std::string name, const fs::path& urdf, const Packages& packages) {
  for (const std::string_view scheme : {"package://", "model://"}) {
    if (!name.starts_with(scheme)) continue;
    name.erase(0, scheme.size());
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) refuse("", "a package and a file are needed");
    if (slash == 0) return find_nameless("/" / fs::path(name).relative_path(), urdf);
    return find_in_package(name.substr(0, slash), fs::path(name.substr(slash + 1)).relative_path(),
                           urdf, packages);
  }
  if (name.starts_with("file://"))
    name.erase(0, 7);
  else if (name.find("://") != std::string::npos)
    refuse("", "only package://, model:// and file:// are read");
  const fs::path file = (urdf.parent_path() / name).lexically_normal();
  if (!is_file(file)) refuse("", fmt::format("mesh {} was not found", file.string()));
  return file;
}

// What a place in a URDF may hold. Skipped are things that neither hold nor move a body: looks,
// masses, friction, sensors, motors, notes to other programs, and other programs' lists of pairs
// that they do not test.
struct Place {
  using Words = std::vector<std::string_view>;
  Words attributes, elements, skipped_elements, skipped_attributes;
};

bool lists(const Place::Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const Place kRobot{{"name", "version", "path"},
                   {"link", "joint", "mujoco", "ignored"},
                   {"material", "transmission", "gazebo", "ros2_control", "sensor", "model_state",
                    "frame", "fixed_frame", "force_element", "bullet", "self_filter",
                    "collision_filter_group", "collision_checking", "self_collision_checking"},
                   {}};
const Place kLink{{"name", "type"},
                  {"collision"},
                  {"visual",
                   "inertial",
                   "material",
                   "dynamics",
                   "contact",
                   "sensor",
                   "gazebo",
                   "bullet",
                   "verbose",
                   "map",
                   "audio_source",
                   "gravity",
                   "turnGravityOff",
                   "mu1",
                   "mu2",
                   "kp",
                   "kd",
                   "self_filter",
                   "self_collide",
                   "selfCollide",
                   "collision_checking",
                   "self_collision_checking"},
                  {"concave", "group", "dont_collapse"}};
const Place kCollision{
    {"name"},
    {"origin", "geometry"},
    {"material", "verbose", "contact", "contact_coefficients", "surface", "friction", "bounce",
     "max_contacts", "map", "self_filter", "drake_compliance", "bullet"},
    {"concave", "group"}};
const Place kGeometry{{}, {"box", "sphere", "cylinder", "capsule", "mesh"}, {}, {}};
const Place kJoint{{"name", "type"},
                   {"parent", "child", "origin", "axis", "limit", "mimic"},
                   {"dynamics",
                    "calibration",
                    "safety_controller",
                    "joint_properties",
                    "hardwareInterface",
                    "verbose",
                    "map",
                    "physics",
                    "sensor",
                    "gazebo",
                    "bullet",
                    "transmission",
                    "material",
                    "actuator",
                    "friction",
                    "self_filter",
                    "command_effort",
                    "implicitSpringDamper",
                    "provideFeedback",
                    "dont_collapse",
                    "preserveFixedJoint",
                    "disableFixedJointLumping",
                    "disable_fixed_joint_lumping"},
                   {"dont_collapse"}};
const Place kLimit{{"lower", "upper", "velocity", "acceleration", "effort"},
                   {},
                   {},
                   {"command_effort", "current", "friction", "damping"}};
const Place kMujoco{{}, {"compiler"}, {"option", "size"}, {}};
const Place kCompiler{{"angle", "coordinate"},
                      {},
                      {"lengthrange"},
                      {"autolimits", "boundmass", "boundinertia", "settotalmass", "balanceinertia",
                       "strippath", "fitaabb", "meshdir", "texturedir", "assetdir", "discardvisual",
                       "convexhull", "usethread", "fusestatic", "inertiafromgeom",
                       "exactmeshinertia", "inertiagrouprange", "saveinertial", "alignfree"}};

Place only(std::initializer_list<std::string_view> attributes) {
  return {attributes, {}, {}, {}};
}

class Urdf {
 public:
  Urdf(const fs::path& file, const Packages& packages, const Names& ignore, Meshes& meshes)
      : xml_(file, "robot"), packages_(packages), ignore_(ignore), meshes_(meshes) {}

  Robot read() {
    const Element& root = xml_.root();
    holds(root, kRobot);
    // An empty name is none.
    const char* name = root.Attribute("name");
    const bool named = name && !without_blanks(name).empty();
    robot_.name = named ? name : xml_.file().stem().string();
    if (has_control(robot_.name)) xml_.fail(root, "a name holds a control character");
    list_packages(root);
    for (const Element* link : Xml::children(root, "link")) read_link(*link);
    for (const Element* joint : Xml::children(root, "joint")) read_joint(*joint);
    for (const Element* mujoco : Xml::children(root, "mujoco")) read_mujoco(*mujoco);
    for (const Element* was : Xml::children(root, "ignored")) read_ignored(*was);
    for (const auto& [what, count] : ignored_)
      robot_.ignored.push_back(fmt::format("{} ({})", what, count));
    JointList unused;
    at_place(xml_.place(root), [&] { add_joints(robot_, robot_.name, unused); });
    return std::move(robot_);
  }

 private:
  // Refuses what the place does not know, unless its name is to be ignored; that is counted.
  void holds(const Element& element, const Place& place) {
    const auto foreign = [](std::string_view name) {
      return name == "xmlns" || name.find(':') != std::string_view::npos;
    };
    for (const tinyxml2::XMLAttribute* a = element.FirstAttribute(); a; a = a->Next()) {
      if (foreign(a->Name()) || lists(place.attributes, a->Name()) ||
          lists(place.skipped_attributes, a->Name()))
        continue;
      if (!ignore_.contains(a->Name()))
        xml_.fail(element, fmt::format("unknown attribute '{}'", a->Name()));
      ++ignored_[fmt::format("'{}' of <{}>", a->Name(), element.Name())];
    }
    for (const tinyxml2::XMLNode* node = element.FirstChild(); node; node = node->NextSibling()) {
      if (node->ToText() && &element != &xml_.root() && !without_blanks(node->Value()).empty())
        xml_.fail(element, "holds a text");
      if (!node->ToElement() || foreign(node->Value()) || lists(place.elements, node->Value()) ||
          lists(place.skipped_elements, node->Value()))
        continue;
      if (!ignore_.contains(node->Value()))
        xml_.fail(element, fmt::format("unknown element <{}>", node->Value()));
      ++ignored_[fmt::format("<{}> in <{}>", node->Value(), element.Name())];
    }
  }

  // What MuJoCo's compiler may be told of a URDF without that its numbers mean something else.
  void read_mujoco(const Element& element) {
    holds(element, kMujoco);
    for (const Element* compiler : Xml::children(element, "compiler")) {
      holds(*compiler, kCompiler);
      if (xml_.text(*compiler, "angle").value_or("radian") != "radian" ||
          xml_.text(*compiler, "coordinate").value_or("local") != "local")
        xml_.fail(*compiler, "angles of a URDF are in radians, and frames are local");
    }
  }

  // What was left out when the URDF was written.
  void read_ignored(const Element& element) {
    holds(element, only({"element", "count"}));
    const std::string what = xml_.need_text(element, "element");
    const double count = xml_.number(element, "count").value_or(0);
    if (has_control(what) || !(count >= 1 && count <= 1e6) || count != std::floor(count))
      xml_.fail(element, "names what was left out, and how often");
    ignored_[what] += static_cast<int>(count);
  }

  // Of every file that the robot names, seen or touched.
  void list_packages(const Element& parent) {
    for (const Element* element : Xml::children(parent)) {
      const char* attribute = element->Attribute("filename");
      const std::string_view file = attribute ? attribute : "";
      const std::size_t colon = file.find("://");
      const std::string_view scheme = file.substr(0, std::min(colon, file.size()));
      if (scheme == "package" || scheme == "model") {
        const std::string_view rest = file.substr(colon + 3);
        meshes_.packages.emplace(rest.substr(0, rest.find('/')));
      }
      list_packages(*element);
    }
  }
  std::string name_of(const Element& element) const {
    std::string name = xml_.need_text(element, "name");
    if (has_control(name)) xml_.fail(element, "a name holds a control character");
    return name;
  }
  void read_link(const Element& element) {
    holds(element, kLink);
    RobotLink link;
    link.name = name_of(element);
    link.has_visual = !Xml::children(element, "visual").empty();
    for (const Element* collision : Xml::children(element, "collision")) {
      holds(*collision, kCollision);
      const Element& geometry = xml_.need(*collision, "geometry");
      holds(geometry, kGeometry);
      const auto shapes = Xml::children(geometry);
      if (shapes.size() != 1) xml_.fail(geometry, "expected one shape");
      link.collision.push_back(at_place(xml_.place(*shapes[0]), [&] {
        return CollisionElement{read_shape(*shapes[0]), read_origin(*collision), {}};
      }));
    }
    robot_.links.push_back(std::move(link));
  }

  Shape read_shape(const Element& element) {
    const std::string_view kind = element.Name();
    if (kind == "mesh") return read_mesh_shape(element);
    if (kind == "box") {
      holds(element, only({"size"}));
      const auto size = xml_.vector(element, "size");
      if (!size) xml_.fail(element, "no 'size'");
      return Box{
          {0.5 * checked_size(size->x), 0.5 * checked_size(size->y), 0.5 * checked_size(size->z)}};
    }
    if (kind == "sphere") {
      holds(element, only({"radius"}));
      return Sphere{length(element, "radius")};
    }
    if (kind != "cylinder" && kind != "capsule") xml_.fail(element, "is no shape");
    holds(element, only({"radius", "length"}));
    const double radius = length(element, "radius"), half = 0.5 * length(element, "length");
    if (kind == "cylinder") return Cylinder{radius, half};
    return Capsule{radius, half};
  }
  double length(const Element& element, const char* attribute) const {
    const auto value = xml_.number(element, attribute);
    if (!value) xml_.fail(element, fmt::format("no '{}'", attribute));
    return checked_size(*value);
  }
  Shape read_mesh_shape(const Element& element) {
    holds(element, only({"filename", "scale", "convex"}));
    const Vec3 scale = checked_scale(xml_.vector(element, "scale").value_or(Vec3{1, 1, 1}));
    const std::string convex = xml_.text(element, "convex").value_or("false");
    if (convex != "true" && convex != "false") xml_.fail(element, "'convex' is true or false");
    const fs::path file = find_mesh(xml_.need_text(element, "filename"), xml_.file(), packages_);
    if (convex == "true") return meshes_.hull(file, scale);
    return meshes_.mesh(file, scale);
  }

  Pose read_origin(const Element& parent) {
    const Element* origin = xml_.child(parent, "origin");
    if (!origin) return {};
    holds(*origin, only({"xyz", "rpy", "rotation"}));
    return at_place(xml_.place(*origin), [&] {
      Pose X;
      X.p = checked_position(xml_.vector(*origin, "xyz").value_or(Vec3{}));
      const auto rpy = xml_.vector(*origin, "rpy");
      const auto rows = xml_.numbers(*origin, "rotation", 9);
      X.R = rotation_of_rpy(rpy.value_or(Vec3{}));
      if (!rows) return X;
      const Mat3 angles = X.R;
      for (std::size_t i = 0; i < 9; ++i) X.R.row[i / 3][static_cast<int>(i % 3)] = (*rows)[i];
      for (std::size_t i = 0; rpy && i < 3; ++i)
        if (!(max_abs(X.R.row[i] - angles.row[i]) <= 1e-6))
          xml_.fail(*origin, "'rpy' and 'rotation' disagree");
      X.R = checked_rotation(X.R);
      return X;
    });
  }

  void read_joint(const Element& element) {
    holds(element, kJoint);
    RobotJoint joint;
    joint.name = name_of(element);
    joint.type = read_type(element);
    joint.parent_link = read_end(element, "parent");
    joint.child_link = read_end(element, "child");
    joint.X_PJ = read_origin(element);
    if (const Element* axis = xml_.child(element, "axis")) {
      holds(*axis, only({"xyz", "rpy"}));
      if (max_abs(xml_.vector(*axis, "rpy").value_or(Vec3{})) != 0)
        xml_.fail(*axis, "'rpy' of an axis means nothing, so it is 0 0 0");
      const auto xyz = xml_.vector(*axis, "xyz");
      if (!xyz || (joint.type != JointType::fixed && max_abs(*xyz) == 0))
        xml_.fail(*axis, "no 'xyz', or zero");
      joint.axis = *xyz;
    }
    read_limit(element, joint);
    if (const Element* mimic = xml_.child(element, "mimic")) {
      holds(*mimic, only({"joint", "multiplier", "offset"}));
      joint.mimic =
          Mimic{xml_.need_text(*mimic, "joint"), xml_.number(*mimic, "multiplier").value_or(1),
                xml_.number(*mimic, "offset").value_or(0)};
    }
    robot_.joints.push_back(std::move(joint));
  }

  JointType read_type(const Element& element) const {
    constexpr std::pair<std::string_view, JointType> kTypes[] = {
        {"fixed", JointType::fixed},           {"revolute", JointType::revolute},
        {"continuous", JointType::continuous}, {"prismatic", JointType::prismatic},
        {"planar", JointType::planar},         {"floating", JointType::floating}};
    const std::string type = xml_.need_text(element, "type");
    for (const auto& [name, meant] : kTypes)
      if (type == name) return meant;
    xml_.fail(element, fmt::format("'{}' is no type of a joint", type));
  }
  std::string read_end(const Element& element, const char* name) {
    const Element& end = xml_.need(element, name);
    holds(end, only({"link"}));
    return xml_.need_text(end, "link");
  }

  // A rate of 0 says that it is not known.
  void read_limit(const Element& element, RobotJoint& joint) {
    const Element* limit = xml_.child(element, "limit");
    const bool bounded = joint.type == JointType::revolute || joint.type == JointType::prismatic;
    if (!limit) {
      if (bounded) xml_.fail(element, "no <limit>");
      return;
    }
    holds(*limit, kLimit);
    const auto lower = xml_.number(*limit, "lower"), upper = xml_.number(*limit, "upper");
    if (bounded && !lower && !upper) xml_.fail(*limit, "neither 'lower' nor 'upper'");
    if (bounded) {
      joint.limits.lower = lower.value_or(0);
      joint.limits.upper = upper.value_or(0);
      const double most = std::fmax(std::fabs(joint.limits.lower), std::fabs(joint.limits.upper));
      if (joint.limits.lower > joint.limits.upper ||
          (joint.type == JointType::prismatic && most > kFarthest))
        xml_.fail(*limit, "reversed, or too far");
    }
    for (const auto& [name, rate] : {std::pair("velocity", &joint.limits.velocity),
                                     std::pair("acceleration", &joint.limits.acceleration)}) {
      const double value = xml_.number(*limit, name).value_or(0);
      if (value < 0) xml_.fail(*limit, fmt::format("'{}' is negative", name));
      if (value > 0) *rate = value;
    }
  }

  Xml xml_;
  const Packages& packages_;
  const Names& ignore_;
  Meshes& meshes_;
  std::map<std::string, int> ignored_;  // what was passed over, and how often
  Robot robot_;
};

}  // namespace

void expect_folders(const Packages& packages) {
  std::error_code error;
  for (const auto& [name, folder] : packages)
    if (!fs::is_directory(folder, error))
      refuse("", fmt::format("there is no folder {} for package {}", folder.string(), name));
}

void expect_named(const Packages& packages, const std::set<std::string>& names) {
  for (const auto& [name, folder] : packages)
    if (!names.contains(name)) refuse("", fmt::format("package {} is named by nothing", name));
}

Robot read_urdf(const fs::path& file, const Packages& packages, const Names& ignore,
                Meshes& meshes) {
  return Urdf(file, packages, ignore, meshes).read();
}

}  // namespace proven::verifier
