#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "io/failure.h"
#include "io/mjcf_model.h"
#include "io/sizes.h"
#include "io/text.h"

namespace proven::io {
namespace {

namespace fs = std::filesystem;

constexpr double kFarSlide = 1000;         // metres, where a file gives no limit
constexpr Box kBelowPlane{{100, 100, 5}};  // stands for what is below a plane
constexpr std::array kOrientations = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};

// The settings of <compiler>; of several, the last that says something counts.
struct Compiler {
  double angle = std::numbers::pi / 180;  // radians per unit of the file
  std::string eulerseq = "xyz";
  bool autolimits = true;
  fs::path meshdir;
  bool strippath = false;
};

// The turn that takes the z axis to v, about an axis across both.
Mat3 rotation_of_z(const Vec3& v) {
  const Vec3 axis{-v.y, v.x, 0};
  const double sine = norm(axis);
  if (sine < 1e-14) return v.z > 0 ? Mat3{} : rotation({1, 0, 0}, std::numbers::pi);
  return rotation((1 / sine) * axis, std::atan2(sine, v.z));
}

class MjcfReader {
 public:
  MjcfReader(const fs::path& file, const ConvertOptions& options) : options_(options) {
    model_.file = std::make_unique<MjcfFile>(file, options.ignore_elements);
  }

  MjcfModel read() {
    const MjcfFile& file = *model_.file;
    model_.name = file.root().text("model").value_or(file.path().stem().string());
    for (const MjcfElement& section : file.root().children) {
      if (section.name() == "compiler") read_compiler(section);
      if (section.name() == "option") check_option(section);
    }
    for (const MjcfElement* mesh : file.in_sections("asset"))
      if (mesh->name() == "mesh") add_mesh(*mesh);
    MjcfBody world;
    world.at = &file.root();
    world.name = "world";
    body_names_.insert(world.name);
    model_.bodies.push_back(std::move(world));
    // Names that the file gives go before those that it leaves to us.
    for (const MjcfElement* child : file.in_sections("worldbody")) collect_names(*child);
    std::vector<Placed> placed;
    for (const MjcfElement* child : file.in_sections("worldbody"))
      place(*child, Pose{}, "main", placed);
    for (const Placed& child : placed) {
      if (child.at->name() == "geom") read_geom(child, 0);
      if (child.at->name() == "body") read_body(child, 0);
    }
    for (const MjcfElement* contact : file.in_sections("contact")) read_contact(*contact);
    for (const auto& [at, geoms] : pairs_) check_pair(*at, geoms);
    for (const MjcfElement* equality : file.in_sections("equality")) read_equality(*equality);
    return std::move(model_);
  }

 private:
  void read_compiler(const MjcfElement& at) {
    const MjcfAttributes a(at, nullptr);
    const std::string angle = a.text("angle", "");
    if (angle == "radian")
      compiler_.angle = 1;
    else if (angle == "degree")
      compiler_.angle = std::numbers::pi / 180;
    else if (!angle.empty())
      at.fail(fmt::format("'angle' is degree or radian, not {}", quote(angle)));
    compiler_.eulerseq = a.text("eulerseq", compiler_.eulerseq.c_str());
    if (compiler_.eulerseq.size() != 3 ||
        compiler_.eulerseq.find_first_not_of("xyzXYZ") != std::string::npos)
      at.fail(
          fmt::format("'eulerseq' is three letters of xyzXYZ, not {}", quote(compiler_.eulerseq)));
    if (a.text("coordinate", "local") != "local")
      at.fail(
          "'coordinate' is not read unless it is local; let MuJoCo write the model out "
          "(mj_saveLastXML, or its program compile) and convert that");
    compiler_.autolimits = a.flag("autolimits", compiler_.autolimits);
    compiler_.strippath = a.flag("strippath", compiler_.strippath);
    if (const auto folder = at.text("assetdir")) compiler_.meshdir = *folder;
    if (const auto folder = at.text("meshdir")) compiler_.meshdir = *folder;
  }

  // What turns contacts, limits or couplings off is not what was written down as bodies and joints.
  static void check_option(const MjcfElement& at) {
    if (at.text("collision").value_or("all") == "predefined")
      at.fail("collision=\"predefined\" is not read; remove it, and <exclude> the other pairs");
    for (const MjcfElement& flag : at.children)
      for (const char* name : {"contact", "limit", "equality", "filterparent"})
        if (flag.text(name).value_or("enable") != "enable")
          flag.fail(fmt::format("<flag {}=\"disable\"> is not read; remove it", name));
  }

  void add_mesh(const MjcfElement& at) {
    const MjcfAttributes a = model_.file->attributes(at, "main", "mesh");
    const std::optional<std::string> file = at.text("file");
    const std::string name = at.text("name").value_or(file ? fs::path(*file).stem().string() : "");
    if (name.empty()) at.fail("<mesh> has neither 'name' nor 'file'");
    if (!mesh_assets_.emplace(name, a).second)
      at.fail(fmt::format("two meshes are named {}", quote(name)));
  }

  void collect_names(const MjcfElement& at) {
    if (at.name() == "body")
      if (const auto name = at.text("name"); name && !body_names_.insert(*name).second)
        at.fail(fmt::format("two bodies are named {}", quote(*name)));
    if (at.name() == "joint" || at.name() == "freejoint")
      if (const auto name = at.text("name"); name && !joint_names_.insert(*name).second)
        at.fail(fmt::format("two joints are named {}", quote(*name)));
    for (const MjcfElement& child : at.children) collect_names(child);
  }

  static std::string name_of(const MjcfElement& at, std::set<std::string>& taken, const char* kind,
                             std::size_t index) {
    if (const auto name = at.text("name")) return *name;
    std::string name = fmt::format("{}_{}", kind, index);
    while (!taken.insert(name).second) name += "_";
    return name;
  }

  // What a body holds, its frames resolved: each element stands in `X`.
  struct Placed {
    const MjcfElement* at = nullptr;
    Pose X;
    std::string childclass;
  };
  static Pose compose(const Pose& X, const Pose& Y) { return X == Pose{} ? Y : X * Y; }

  std::string class_below(const MjcfElement& at, const std::string& above) const {
    const auto named = at.text("childclass");
    if (named) model_.file->require_class(at, *named);
    return named.value_or(above);
  }

  void place(const MjcfElement& at, const Pose& X, const std::string& childclass,
             std::vector<Placed>& into) const {
    if (at.name() != "frame") {
      into.push_back({&at, X, childclass});
      return;
    }
    const Pose here = compose(X, read_pose(MjcfAttributes(at, nullptr)));
    for (const MjcfElement& child : at.children)
      place(child, here, class_below(at, childclass), into);
  }

  void read_body(const Placed& placed, int parent) {
    const MjcfElement& at = *placed.at;
    const std::string childclass = class_below(at, placed.childclass);
    const MjcfAttributes a(at, nullptr);
    const int index = static_cast<int>(model_.bodies.size());
    MjcfBody body;
    body.at = &at;
    body.name = name_of(at, body_names_, "body", model_.bodies.size());
    body.parent = parent;
    body.X = compose(placed.X, read_pose(a));
    std::vector<Placed> children;
    for (const MjcfElement& child : at.children) place(child, Pose{}, childclass, children);
    for (const Placed& child : children)
      if (child.at->name() == "joint" || child.at->name() == "freejoint")
        body.joints.push_back(read_joint(child, parent));
    for (const MjcfJoint& joint : body.joints)
      if (joint.type == JointType::floating && body.joints.size() > 1)
        joint.at->fail("a free joint must be the only joint of its body");
    const bool fixed = body.joints.empty();
    body.weld = fixed ? model_.bodies[static_cast<std::size_t>(parent)].weld : index;
    model_.bodies.push_back(std::move(body));
    for (const Placed& child : children)
      if (child.at->name() == "geom") read_geom(child, index);
    for (const Placed& child : children)
      if (child.at->name() == "body") read_body(child, index);
    if (a.flag("mocap", false)) check_mocap(at, index);
  }

  // A body that a program moves without a joint; as a mark that nothing touches it may stand still.
  void check_mocap(const MjcfElement& at, int index) {
    for (std::size_t i = static_cast<std::size_t>(index); i < model_.bodies.size(); ++i)
      if (!model_.bodies[i].parts.empty() || !model_.bodies[i].joints.empty())
        at.fail(
            "a mocap body moves without a joint; remove 'mocap' where it stands still, or give "
            "it joints");
    model_.notes.push_back(fmt::format("mocap body {} touches nothing, and stands still",
                                       model_.bodies[static_cast<std::size_t>(index)].name));
  }

  // Where it is put, at most once by each of `pos` and a turn.
  Pose read_pose(const MjcfAttributes& a) const {
    Pose X;
    X.p = a.vec3("pos").value_or(Vec3{});
    if (const std::string refusal = refuse_position(X.p); !refusal.empty()) a.fail(refusal);
    const char* turn = nullptr;
    for (const char* name : kOrientations) {
      if (!a.find(name)) continue;
      if (turn)
        a.fail(fmt::format("'{}' and '{}' of <{}> both turn it; give one of them", turn, name,
                           a.element().name()));
      turn = name;
    }
    if (turn) X.R = read_turn(a, turn);
    return X;
  }

  Mat3 read_turn(const MjcfAttributes& a, std::string_view kind) const {
    const auto unit = [&](const Vec3& v) {
      if (!(norm(v) > 1e-10)) a.fail(fmt::format("'{}' holds a vector without length", kind));
      return normalized(v);
    };
    if (kind == "quat") {
      const auto q = *a.numbers("quat", 4);
      if (!(std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3])) > 1e-10))
        a.fail("'quat' holds a vector without length");
      return rotation_from_quaternion({q[1], q[2], q[3], q[0]});
    }
    if (kind == "axisangle") {
      const auto v = *a.numbers("axisangle", 4);
      return rotation(unit({v[0], v[1], v[2]}), v[3] * compiler_.angle);
    }
    if (kind == "xyaxes") {
      const auto v = *a.numbers("xyaxes", 6);
      const Vec3 x = unit({v[0], v[1], v[2]}), y_given{v[3], v[4], v[5]};
      const Vec3 y = unit(y_given - dot(x, y_given) * x);
      return Mat3::from_columns(x, y, unit(cross(x, y)));
    }
    if (kind == "zaxis") return rotation_of_z(unit(*a.vec3("zaxis")));
    Mat3 R;
    const Vec3 angles = *a.vec3("euler");
    for (int i = 0; i < 3; ++i) {
      const char letter = compiler_.eulerseq[static_cast<std::size_t>(i)];
      Vec3 axis;
      axis[(letter | 0x20) - 'x'] = 1;
      const Mat3 turn = rotation(axis, angles[i] * compiler_.angle);
      R = letter >= 'x' ? R * turn : turn * R;  // about turned axes, or about fixed ones
    }
    return R;
  }

  MjcfJoint read_joint(const Placed& placed, int parent) {
    const MjcfElement& at = *placed.at;
    const bool is_free = at.name() == "freejoint";
    const MjcfAttributes a = is_free ? MjcfAttributes(at, nullptr)
                                     : model_.file->attributes(at, placed.childclass, "joint");
    MjcfJoint joint;
    joint.at = &at;
    joint.name = name_of(at, joint_names_, "joint", num_joints_++);
    const std::string type = is_free ? "free" : a.text("type", "hinge");
    if (type == "free") {
      joint.type = JointType::floating;
      if (parent != 0) at.fail("a free joint is for a body in <worldbody> alone");
      return joint;
    }
    if (type == "ball") at.fail("a ball joint cannot be said in URDF; use three hinges");
    if (type != "hinge" && type != "slide")
      at.fail(
          fmt::format("unknown joint type {}; there are free, ball, slide, hinge", quote(type)));
    const bool hinge = type == "hinge";
    joint.type = hinge ? JointType::revolute : JointType::prismatic;
    joint.pos = a.vec3("pos").value_or(Vec3{});
    if (const std::string refusal = refuse_position(joint.pos); !refusal.empty()) at.fail(refusal);
    const Vec3 axis = a.vec3("axis").value_or(Vec3{0, 0, 1});
    if (!(norm(axis) > 1e-10)) at.fail(fmt::format("joint {} has a zero axis", quote(joint.name)));
    joint.axis = normalized(axis);
    if (placed.X != Pose{}) {
      joint.pos = placed.X * joint.pos;
      joint.axis = placed.X.R * joint.axis;
    }
    const double unit = hinge ? compiler_.angle : 1;
    joint.ref = unit * a.number("ref").value_or(0);
    read_limits(a, joint, unit);
    return joint;
  }

  void read_limits(const MjcfAttributes& a, MjcfJoint& joint, double unit) {
    const std::string limited = a.text("limited", "auto");
    if (limited != "auto" && limited != "true" && limited != "false")
      a.fail(fmt::format("'limited' is true, false or auto, not {}", quote(limited)));
    const auto range = a.numbers("range", 2);
    const bool given = range && ((*range)[0] != 0 || (*range)[1] != 0);
    if (given && limited == "auto" && !compiler_.autolimits)
      a.fail(
          fmt::format("joint {} has a range, but autolimits is false and 'limited' does not say "
                      "whether it counts; say limited=\"true\" or \"false\"",
                      quote(joint.name)));
    if (limited == "true" || (limited == "auto" && given)) {
      if (!given || !((*range)[0] < (*range)[1]))
        a.fail(
            fmt::format("joint {} is limited and needs a range whose first number is the smaller",
                        quote(joint.name)));
      joint.limits.lower = unit * (*range)[0];
      joint.limits.upper = unit * (*range)[1];
    } else if (joint.type == JointType::prismatic) {
      joint.limits.lower = joint.ref - kFarSlide;
      joint.limits.upper = joint.ref + kFarSlide;
      model_.notes.push_back(
          fmt::format("joint {} slides without limits, which URDF cannot say: its limits are {} "
                      "and {} m",
                      quote(joint.name), joint.limits.lower, joint.limits.upper));
    }
  }

  void read_geom(const Placed& placed, int body) {
    const MjcfElement& at = *placed.at;
    const MjcfAttributes a = model_.file->attributes(at, placed.childclass, "geom");
    MjcfGeom geom{body, -1};
    const int contype = a.whole("contype", 1), conaffinity = a.whole("conaffinity", 1);
    const bool touches = contype != 0 || conaffinity != 0;
    geom.is_left_out =
        touches && options_.planes == Planes::skip && a.text("type", "sphere") == "plane";
    if (geom.is_left_out) ++model_.left_out["<geom type=\"plane\">"];
    // What no bit lets touch is there for the looks.
    if (touches && !geom.is_left_out) {
      auto& parts = model_.bodies[static_cast<std::size_t>(body)].parts;
      auto part = std::find_if(parts.begin(), parts.end(), [&](const MjcfPart& p) {
        return p.contype == contype && p.conaffinity == conaffinity;
      });
      if (part == parts.end()) part = parts.insert(parts.end(), {contype, conaffinity, {}, ""});
      part->elements.push_back(read_shape(a, body));
      CollisionElement& element = part->elements.back();
      element.X_BS = compose(placed.X, element.X_BS);
      geom.part = static_cast<int>(part - parts.begin());
    }
    const auto name = at.text("name");
    if (name && !model_.geoms.emplace(*name, geom).second)
      at.fail(fmt::format("two geoms are named {}", quote(*name)));
  }

  CollisionElement read_shape(const MjcfAttributes& a, int body) {
    const std::string type = a.text("type", "sphere");
    CollisionElement element;
    element.source = a.element().file->place(*a.element().xml);
    if (type == "plane" && options_.planes == Planes::box) return below_plane(a, body, element);
    for (const auto& [kind, remedy] :
         {std::pair{"plane", "--planes box writes a wide box, --planes skip leaves it out"},
          std::pair{"hfield", "use `heights` in a scene file"},
          std::pair{"ellipsoid", "use a capsule or a mesh"}, std::pair{"sdf", "use a mesh"}})
      if (type == kind)
        a.fail(
            fmt::format("a geom of type {} cannot be said in URDF; {}, or set contype=\"0\" "
                        "conaffinity=\"0\" if it touches nothing",
                        kind, remedy));
    if (type == "mesh") {
      element.X_BS = read_pose(a);
      element.shape = read_mesh(a, element.X_BS);
      return element;
    }
    if (a.find("mesh"))
      a.fail(
          fmt::format("a {} that is fitted to a mesh is not read; give its size, or "
                      "type=\"mesh\"",
                      type));
    std::vector<double> size = a.sizes("size");
    if (a.find("fromto"))
      element.X_BS = read_fromto(a, type, size);
    else
      element.X_BS = read_pose(a);
    element.shape = make_shape(a, type, size);
    return element;
  }

  // MuJoCo's planes have no end, whatever their size, and no way leads below them.
  CollisionElement below_plane(const MjcfAttributes& a, int body, CollisionElement element) {
    if (model_.bodies[static_cast<std::size_t>(body)].weld != 0)
      a.fail("a plane is for what stands still; put it into <worldbody>");
    element.X_BS = read_pose(a) * Pose::translation({0, 0, -kBelowPlane.half_extents.z});
    element.shape = kBelowPlane;
    model_.notes.push_back(
        fmt::format("{}: the plane is a box of 200 m by 200 m by 10 m below it; farther away there "
                    "is nothing",
                    element.source));
    return element;
  }

  // The middle of two points, with z from the second to the first; lengths follow.
  static Pose read_fromto(const MjcfAttributes& a, const std::string& type,
                          std::vector<double>& size) {
    if (type != "capsule" && type != "cylinder" && type != "box")
      a.fail(fmt::format("'fromto' is for capsules, cylinders and boxes, not for a {}", type));
    if (a.find("pos")) a.fail("'fromto' of <geom> says where it is; remove 'pos'");
    for (const char* turn : kOrientations)
      if (a.find(turn)) a.fail(fmt::format("'fromto' of <geom> turns it; remove '{}'", turn));
    const auto v = *a.numbers("fromto", 6);
    const Vec3 from{v[0], v[1], v[2]}, to{v[3], v[4], v[5]};
    for (const Vec3& p : {from, to})
      if (const std::string refusal = refuse_position(p); !refusal.empty()) a.fail(refusal);
    const double length = norm(from - to);
    if (!(length > 1e-10)) a.fail("the two points of 'fromto' are the same");
    if (size.empty()) a.fail("'size' of <geom> is missing");
    size = {size[0], 0.5 * length};
    if (type == "box") size = {size[0], size[0], size[1]};
    Pose X = Pose::translation(0.5 * (from + to));
    X.R = rotation_of_z(normalized(from - to));
    return X;
  }

  static Shape make_shape(const MjcfAttributes& a, const std::string& type,
                          const std::vector<double>& size) {
    const std::size_t count = type == "sphere" ? 1 : type == "box" ? 3 : 2;
    if (type != "sphere" && type != "box" && type != "capsule" && type != "cylinder")
      a.fail(fmt::format("unknown geom type {}; there are sphere, capsule, cylinder, box, mesh",
                         quote(type)));
    if (size.size() < count)
      a.fail(fmt::format("a {} needs {} number{} in 'size', and has {}", type, count,
                         count == 1 ? "" : "s", size.size()));
    for (std::size_t i = 0; i < count; ++i)
      if (const std::string refusal = refuse_size(size[i]); !refusal.empty())
        a.fail(fmt::format("'size' of <geom>: {}", refusal));
    if (type == "sphere") return Sphere{size[0]};
    if (type == "box") return Box{{size[0], size[1], size[2]}};
    if (type == "capsule") return Capsule{size[0], size[1]};
    return Cylinder{size[0], size[1]};
  }

  // MuJoCo's meshes touch as their convex hulls.
  // `X` becomes the pose of the file's own frame.
  Shape read_mesh(const MjcfAttributes& a, Pose& X) {
    const std::string name = a.text("mesh", "");
    if (name.empty()) a.fail("a geom of type mesh needs 'mesh'");
    const auto asset = mesh_assets_.find(name);
    if (asset == mesh_assets_.end()) {
      std::vector<std::string> known;
      for (const auto& [other, attributes] : mesh_assets_) known.push_back(other);
      a.fail(fmt::format("there is no mesh {}{}", quote(name), suggestion(name, known)));
    }
    const MjcfAttributes& mesh = asset->second;
    for (const char* attribute : {"vertex", "builtin"})
      if (mesh.find(attribute))
        mesh.fail(
            fmt::format("'{}' of <mesh> is not read; write the vertices as they should be "
                        "into a file",
                        attribute));
    const auto file = mesh.element().text("file");
    if (!file) mesh.fail("<mesh> has no 'file'");
    const Vec3 scale = mesh.vec3("scale").value_or(Vec3{1, 1, 1});
    if (const std::string refusal = refuse_scale(scale); !refusal.empty())
      mesh.fail("'scale' of <mesh>: " + refusal);
    X = compose(X, reference_of(mesh, scale));
    const fs::path path = model_.file->path().parent_path() / compiler_.meshdir /
                          (compiler_.strippath ? fs::path(*file).filename() : fs::path(*file));
    const std::string ending = extension(path);
    if (ending != ".stl" && ending != ".obj")
      mesh.fail(fmt::format("meshes end in .stl or .obj, not in {}; convert {}", quote(ending),
                            quote(*file)));
    if (const auto type = mesh.element().text("content_type");
        type && *type != "model/" + ending.substr(1))
      mesh.fail(
          fmt::format("'content_type' of <mesh> is {}, and the file ends in {}; make them agree",
                      quote(*type), ending));
    return at_place([&] { return mesh.element().file->place(*mesh.element().xml); },
                    [&]() -> Shape {
                      std::error_code error;
                      if (!fs::is_regular_file(path, error))
                        io::fail("", fmt::format("mesh {} is not found", quote(path.string())),
                                 ErrorCode::not_found);
                      const auto hull = meshes_.hull(path, scale);
                      model_.meshes[hull.get()] = {path, scale};
                      return hull;
                    });
  }

  // MuJoCo moves the vertices by -refpos, turns them back by refquat and then scales them.
  static Pose reference_of(const MjcfAttributes& mesh, const Vec3& scale) {
    const Vec3 p = mesh.vec3("refpos").value_or(Vec3{});
    const auto q = mesh.numbers("refquat", 4);
    Mat3 back;
    if (q) {
      if (!(std::hypot(std::hypot((*q)[0], (*q)[1]), std::hypot((*q)[2], (*q)[3])) > 1e-10))
        mesh.fail("'refquat' holds a vector without length");
      back = transpose(rotation_from_quaternion({(*q)[1], (*q)[2], (*q)[3], (*q)[0]}));
    }
    if (back != Mat3{} && (scale.x != scale.y || scale.y != scale.z))
      mesh.fail(
          "'refquat' of <mesh> beside a 'scale' of different numbers is not read; write the "
          "vertices as they should be into a file");
    const Vec3 scaled{scale.x * p.x, scale.y * p.y, scale.z * p.z};
    return {back, -(back * scaled)};
  }

  int find_body(const MjcfElement& at, const char* attribute) const {
    const std::string name = at.file->text(*at.xml, attribute);
    std::vector<std::string> known;
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      if (model_.bodies[i].name == name) return static_cast<int>(i);
      known.push_back(model_.bodies[i].name);
    }
    at.fail(fmt::format("there is no body {}{}", quote(name), suggestion(name, known)));
  }

  void read_contact(const MjcfElement& at) {
    if (at.name() == "exclude") {
      model_.excludes.emplace_back(find_body(at, "body1"), find_body(at, "body2"));
      return;
    }
    std::array<MjcfGeom, 2> geoms;
    const MjcfAttributes a = model_.file->attributes(at, "main", "pair");
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string name = a.text(i == 0 ? "geom1" : "geom2", "");
      const auto found = model_.geoms.find(name);
      if (found == model_.geoms.end()) at.fail(fmt::format("there is no geom {}", quote(name)));
      geoms[i] = found->second;
    }
    pairs_.emplace_back(&at, geoms);
  }

  // Pairs that are tested anyway need not be said; others cannot.
  void check_pair(const MjcfElement& at, const std::array<MjcfGeom, 2>& geoms) const {
    const auto [a, b] = geoms;
    if (a.is_left_out || b.is_left_out) return;
    const auto part = [&](const MjcfGeom& g) -> const MjcfPart& {
      return model_.bodies[static_cast<std::size_t>(g.body)]
          .parts[static_cast<std::size_t>(g.part)];
    };
    if (a.part < 0 || b.part < 0 || !model_.touches(a.body, part(a), b.body, part(b)))
      at.fail(
          "<pair> of geoms that would not touch without it is not read; let their contype and "
          "conaffinity meet, or remove it");
  }

  void read_equality(const MjcfElement& at) {
    const MjcfAttributes a = model_.file->attributes(at, "main", "equality");
    if (!a.flag("active", true)) return;
    if (at.name() != "joint" && model_.file->ignores(at.name())) {
      ++model_.left_out[fmt::format("<{}> in <equality>", at.name())];
      return;
    }
    if (at.name() != "joint")
      at.fail(
          fmt::format("<{0}> closes a loop, which no tree of joints can say; set "
                      "active=\"false\" or --ignore-elements {0} and let paths name all joints, "
                      "or use <joint> couplings",
                      at.name()));
    const std::string name = at.file->text(*at.xml, "joint1");
    MjcfJoint& joint = find_joint(at, name);
    const auto other = at.text("joint2");
    if (!other)
      at.fail(fmt::format("a joint that is held at one value is not read; remove joint {}",
                          quote(name)));
    const MjcfJoint& leader = find_joint(at, *other);
    std::vector<double> c = {0, 1, 0, 0, 0};
    if (at.xml->Attribute("polycoef")) {
      const std::vector<std::string_view> given = words(at.xml->Attribute("polycoef"));
      if (given.empty() || given.size() > 5) at.fail("'polycoef' holds 1 to 5 numbers");
      const auto numbers = *at.file->find_numbers(*at.xml, "polycoef", given.size());
      std::copy(numbers.begin(), numbers.end(), c.begin());
    }
    if (c[2] != 0 || c[3] != 0 || c[4] != 0)
      at.fail(
          "only the first two numbers of 'polycoef' may differ from 0: URDF's mimic is a "
          "straight line");
    if (joint.mimic) at.fail(fmt::format("joint {} is coupled twice", quote(name)));
    joint.mimic = Mimic{*other, c[1], joint.ref + c[0] - c[1] * leader.ref};
  }

  MjcfJoint& find_joint(const MjcfElement& at, const std::string& name) {
    MjcfJoint* joint = model_.find_joint(name);
    if (!joint)
      at.fail(fmt::format(
          "there is no joint {}{}", quote(name),
          suggestion(name, std::vector<std::string>(joint_names_.begin(), joint_names_.end()))));
    if (joint->type == JointType::floating)
      at.fail(fmt::format("joint {} has several values and cannot be coupled", quote(name)));
    return *joint;
  }

  const ConvertOptions& options_;
  MjcfModel model_;
  Compiler compiler_;
  MeshCache meshes_;
  std::map<std::string, MjcfAttributes> mesh_assets_;
  std::set<std::string> body_names_, joint_names_;
  std::vector<std::pair<const MjcfElement*, std::array<MjcfGeom, 2>>> pairs_;
  std::size_t num_joints_ = 0;
};

}  // namespace

MjcfJoint* MjcfModel::find_joint(const std::string& joint) {
  for (MjcfBody& body : bodies)
    for (MjcfJoint& j : body.joints)
      if (j.name == joint) return &j;
  return nullptr;
}

MjcfModel read_mjcf_model(const fs::path& file, const ConvertOptions& options) {
  return MjcfReader(file, options).read();
}

}  // namespace proven::io
