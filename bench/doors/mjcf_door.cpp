// MJCF, as MuJoCo's XML reference describes it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "bench/doors/converted.h"
#include "proven/io/file.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

// Decoration: looks (rgba, material, group, user), masses and inertias, forces and what makes them
// (solref, friction, margin, gap, damping, ...), what a solver and a renderer are told, and names
// that nothing refers to. Sites, cameras and lights collide with nothing; motors, sensors, tendons
// and custom data too, which is noted.
#define LOOKS "rgba=d? material=d? group=d? user=d? "
#define FORCES "solref=d? solimp=d? margin=d? gap=d? friction=d? "
#define TURNS "quat=N4? axisangle=N4? xyaxes=N6? zaxis=N3? euler=N3?0_0_0 "
constexpr SpecRow kRows[] = {
    {"mujoco", "model=t?",
     "compiler*% option*% size~ visual~ statistic~ default*% worldbody* asset* contact*% "
     "equality* keyframe*% actuator~ sensor~ tendon~ custom~ extension~ include*"},
    {"compiler",
     "angle=w(degree|radian)?degree eulerseq=t?xyz autolimits=w(true|false)?true meshdir=t? "
     "assetdir=t? strippath=w(true|false)?false coordinate=w(local)?local boundmass=d? "
     "boundinertia=d? settotalmass=d? balanceinertia=d? fitaabb=d? texturedir=d? "
     "discardvisual=d? convexhull=d? usethread=d? fusestatic=d? inertiafromgeom=d? "
     "exactmeshinertia=d? inertiagrouprange=d? alignfree=d? saveinertial=d?",
     "lengthrange~"},
    {"option",
     "timestep=d? apirate=d? impratio=d? tolerance=d? ls_tolerance=d? noslip_tolerance=d? "
     "mpr_tolerance=d? ccd_tolerance=d? gravity=d? wind=d? magnetic=d? density=d? viscosity=d? "
     "o_margin=d? o_solref=d? o_solimp=d? o_friction=d? integrator=d? cone=d? jacobian=d? "
     "solver=d? iterations=d? ls_iterations=d? noslip_iterations=d? mpr_iterations=d? "
     "ccd_iterations=d? sdf_iterations=d? sdf_initpoints=d? actuatorgroupdisable=d? "
     "collision=w(all|predefined|dynamic)?all",
     "flag*%"},
    {"flag",
     "constraint=w(enable|disable)?enable equality=w(enable|disable)?enable "
     "frictionloss=d? limit=w(enable|disable)?enable contact=w(enable|disable)?enable passive=d? "
     "gravity=d? clampctrl=d? warmstart=d? filterparent=w(enable|disable)?enable actuation=d? "
     "refsafe=d? sensor=d? midphase=d? eulerdamp=d? override=d? energy=d? fwdinv=d? invdiscrete=d? "
     "multiccd=d? island=d? nativeccd=d? autoreset=d?",
     ""},
    {"mujoco/default", "class=w(main)?main",
     "default* geom? joint? mesh? equality? pair? site~ camera~ light~ material~ tendon~ general~ "
     "motor~ position~ velocity~ intvelocity~ damper~ cylinder~ muscle~ adhesion~"},
    {"default", "class=t!",
     "default* geom? joint? mesh? equality? pair? site~ camera~ light~ material~ tendon~ general~ "
     "motor~ position~ velocity~ intvelocity~ damper~ cylinder~ muscle~ adhesion~"},
    {"worldbody", "", "geom* body* site~ camera~ light~ frame* include*"},
    {"body",
     "name=t? childclass=t? mocap=w(true|false)?false pos=N3?0_0_0 " TURNS
     "gravcomp=d? user=d? sleep=d?",
     "joint* freejoint? geom* body* inertial~ site~ camera~ light~ frame* include*"},
    {"joint",
     "name=t? class=t? type=w(free|ball|slide|hinge)?hinge group=d? pos=N3?0_0_0 "
     "axis=N3?0_0_1 range=N2? limited=w(true|false|auto)?auto ref=n?0 springdamper=d? "
     "solreflimit=d? solimplimit=d? solreffriction=d? solimpfriction=d? stiffness=d? margin=d? "
     "springref=d? armature=d? damping=d? frictionloss=d? user=d? actuatorfrcrange=d? "
     "actuatorfrclimited=d? actuatorgravcomp=d?",
     ""},
    {"freejoint", "name=t? group=d? align=d?", ""},
    {"geom",
     "name=d? class=t? type=w(plane|hfield|sphere|capsule|ellipsoid|cylinder|box|mesh|sdf)?sphere "
     "contype=i?1 conaffinity=i?1 size=N? fromto=N6? pos=N3?0_0_0 " TURNS
     "hfield=t? mesh=t? fitscale=n? condim=d? priority=d? mass=d? density=d? solmix=d? "
     "fluidshape=d? fluidcoef=d? shellinertia=d? " LOOKS FORCES,
     ""},
    {"asset", "", "mesh* texture~ material~ hfield~ skin~ include*"},
    {"mesh",
     "name=t? class=t? file=t! scale=N3?1_1_1 vertex=N? normal=d? texcoord=d? face=N? refpos=N3? "
     "refquat=N4? smoothnormal=d? inertia=d? maxhullvert=i? content_type=t? builtin=t? params=N?",
     ""},
    {"default/mesh", "scale=N3?1_1_1 maxhullvert=i?", ""},
    {"contact", "", "pair*% exclude*%"},
    {"pair", "name=d? class=t? geom1=t! geom2=t! condim=d? solreffriction=d? " FORCES, ""},
    {"default/pair", "condim=d? solreffriction=d? " FORCES, ""},
    {"exclude", "name=d? body1=t! body2=t!", ""},
    {"equality", "", "joint* connect* weld* tendon* flex* distance*"},
    {"default/equality", "active=w(true|false)?true solref=d? solimp=d?", ""},
    {"equality/joint",
     "name=d? class=t? active=w(true|false)?true solref=d? solimp=d? joint1=t! joint2=t? "
     "polycoef=N?",
     ""},
    {"connect",
     "name=d? class=t? active=w(true|false)?true solref=d? solimp=d? body1=t? body2=t? anchor=N3? "
     "site1=t? site2=t?",
     ""},
    {"keyframe", "", "key*"},
    {"key", "name=t? time=d? qpos=N? qvel=d? act=d? ctrl=d? mpos=d? mquat=d?", ""},
    {"include", "file=t!", ""},
    {"mujocoinclude", "", "default* worldbody* asset* contact*% equality* keyframe*% body* geom*"},
};
#undef LOOKS
#undef FORCES
#undef TURNS

constexpr const char* kArm = R"(<mujoco model="arm">
  <compiler angle="radian" autolimits="true" eulerseq="zyx" meshdir="meshes"/>
  <option timestep="0.002" gravity="0 0 -9.81"><flag energy="enable"/></option>
  <size njmax="500"/>
  <visual><global fovy="45"/></visual>
  <statistic extent="2"/>
  <custom><numeric name="n" data="1"/></custom>
  <default>
    <joint axis="0 0.6 0.8" damping="1"/>
    <geom rgba="0.5 0.5 0.5 1" friction="1 0.1 0.1"/>
    <mesh scale="0.5 0.5 0.25"/>
    <default class="finger">
      <geom type="box" size="0.01 0.02 0.04" pos="0 0 0.01"/>
      <joint type="slide" axis="0 1 0" range="0 0.04"/>
      <default class="thumb"><geom pos="0 0 0.03"/></default>
    </default>
  </default>
  <asset><mesh name="horn" file="corner.stl"/><mesh file="other.stl" scale="2 2 1"/><texture name="t" type="2d" builtin="flat" width="1" height="1"/></asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="table" type="box" size="0.5 0.4 0.05" pos="0 0 -0.25" euler="0.1 0.2 0.3"/>
    <body name="upper" pos="0 0 0.1">
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <joint name="shoulder" range="-2 2" ref="0.5"/>
      <geom name="rod" type="capsule" size="0.04" fromto="0 0 0.05 0.4 0 0.06"/>
      <geom type="mesh" mesh="horn" pos="0.1 0 0" axisangle="0 0 1 0.4"/>
      <site name="s" pos="0 0 0"/>
      <body name="lower" pos="0.4 0 0.02" euler="0.1 0.2 0.3">
        <joint name="elbow" pos="0 0 0.1" axis="0 1 0" limited="true" range="-1 1.5"/>
        <geom name="pipe" type="cylinder" size="0.03 0.1" zaxis="1 0 0.2"/>
        <geom type="sphere" size="0.2" contype="0" conaffinity="0"/>
        <geom type="box" size="0.02 0.03 0.04" contype="2" conaffinity="4" quat="0.8 0 0.6 0"/>
        <body name="left" pos="0.1 0.05 0" childclass="finger"><joint name="left"/><geom/></body>
        <body name="right" pos="0.1 -0.05 0" xyaxes="0 1 0 -1 0.1 0" childclass="finger"><joint name="right" axis="0 -1 0" range="-0.1 0.1"/><geom class="thumb"/></body>
        <body name="camera_mount" pos="0 0 0.2"><camera name="c" pos="0 0 0"/><geom type="mesh" mesh="other"/></body>
      </body>
    </body>
    <body name="base2" pos="1 1 0"><geom type="sphere" size="0.1" contype="4" conaffinity="0"/><geom type="box" size="0.1 0.2 0.1" contype="0" conaffinity="2"/></body>
  </worldbody>
  <contact><exclude name="e" body1="world" body2="upper"/><exclude body1="left" body2="right"/><pair geom1="pipe" geom2="table"/></contact>
  <equality><joint joint1="right" joint2="left" polycoef="0.01 -0.5 0 0 0"/></equality>
  <actuator><motor joint="elbow"/></actuator>
  <sensor><jointpos joint="elbow"/></sensor>
  <keyframe><key name="open" time="1" qpos="0.5 0.1 0.04 -0.01"/><key qpos="0.2 0.3 0.02 0"/></keyframe>
</mujoco>
)";

constexpr const char* kFree = R"(<mujoco model="free">
  <compiler angle="degree" assetdir="meshes" strippath="true"/>
  <include file="part.xml"/>
  <worldbody>
    <geom type="box" size="1 1 0.1" pos="0 0 -0.4"/>
    <body name="drone" pos="0 0 1" axisangle="0 0 1 30">
      <freejoint name="free"/>
      <geom type="mesh" mesh="horn"/>
      <body name="arm" pos="0.2 0 0" zaxis="0 0.3 1">
        <joint name="one" axis="1 0 0" range="-90 45" ref="10"/>
        <joint name="two" type="slide" axis="0 0 1" range="0 0.5" limited="true"/>
        <geom type="box" fromto="0 0 0 0 0.1 0.3" class="soft"/>
      </body>
    </body>
  </worldbody>
  <asset><mesh name="horn" file="elsewhere/corner.stl"/></asset>
</mujoco>
)";

std::vector<double> numbers(const std::string& text) {
  std::istringstream in(text);
  std::vector<double> list;
  for (double value = 0; in >> value;) list.push_back(value);
  return list;
}

// Directions of some of the numbers, and all others, are the same.
bool same_directions(const std::string& a, const std::string& b, std::size_t length) {
  std::vector<double> x = numbers(a), y = numbers(b);
  if (x.size() != y.size() || x.size() < length) return false;
  for (std::vector<double>* list : {&x, &y}) {
    double size = 0;
    for (std::size_t i = 0; i < length; ++i) size = std::hypot(size, (*list)[i]);
    for (std::size_t i = 0; i < length; ++i) (*list)[i] /= size;
  }
  return std::ranges::equal(x, y, [](double u, double v) { return std::fabs(u - v) < 1e-12; });
}

bool same_axes(const std::string& a, const std::string& b) {
  const std::vector<double> x = numbers(a), y = numbers(b);
  if (x.size() != 6 || y.size() != 6) return false;
  // The first is scaled: the second is made square to it anyway.
  return same_directions(a, b, 3);
}

// What MuJoCo's reference says counts for nothing.
bool same_mjcf(const Tree& before, const Tree& after, const Change& change) {
  const Tree& old = at(before, change.path);
  const auto is = [&](const char* name, const char* value) {
    return old.attribute(name) && *old.attribute(name) == value;
  };
  // A pair is read where its geoms touch anyway.
  if (old.name == "pair" && change.attribute.empty()) return true;
  if (change.attribute.empty()) return false;
  const std::string& name = change.attribute;
  const std::string& was = *old.attribute(name);
  if (change.kind == Change::Kind::drop)  // a range limits by itself
    return name == "limited" && was == "true" && old.attribute("range");
  if (change.kind != Change::Kind::value) return false;
  const std::string now = *at(after, change.path).attribute(name);
  // Directions have no length; sizes beyond those of the type are of no use; what is left out of
  // polycoef is 0; the first turn is about an axis that nothing has turned.
  if (name == "axis" || name == "zaxis" || name == "axisangle") return same_directions(was, now, 3);
  if (name == "quat") return same_directions(was, now, 4);
  if (name == "xyaxes") return same_axes(was, now);
  if (name == "size") {
    const std::vector<double> x = numbers(was), y = numbers(now);
    const std::size_t count = is("type", "box")                                 ? 3
                              : is("type", "sphere") || old.attribute("fromto") ? 1
                                                                                : 2;
    return x.size() >= count && y.size() >= count &&
           std::equal(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count), y.begin());
  }
  if (name == "polycoef") return was == now + " 0";
  if (name == "eulerseq")
    return was.substr(1) == now.substr(1) && (was[0] | 0x20) == (now[0] | 0x20);
  if (name == "file" && before.child("compiler")->attribute("strippath"))
    return fs::path(was).filename() == fs::path(now).filename();
  return false;
}

}  // namespace

std::vector<Door> mjcf_doors() {
  static const Spec kSpec{kRows};
  Door door;
  door.name = "MJCF";
  door.ending = ".xml";
  door.spec = &kSpec;
  door.files = {{"arm", kArm}, {"free", kFree}};
  door.readers = converted_readers();
  door.is_same = same_mjcf;
  // A geom without bits touches nothing.
  door.is_idle = [](const Tree& tree, const Change& change) {
    const Tree& geom = at(tree, change.path);
    const std::string* bits[] = {geom.attribute("contype"), geom.attribute("conaffinity")};
    return geom.name == "geom" && bits[0] && bits[1] && *bits[0] == "0" && *bits[1] == "0";
  };
  door.prepare = [](const fs::path& folder) {
    fs::create_directories(folder / "meshes");
    write_corner(folder / "meshes/corner.stl", 0.1);
    write_corner(folder / "meshes/other.stl", 0.2);
    write_corner(folder / "corner.stl", 0.3);
    write_corner(folder / "other.stl", 0.4);
    (void)write_file(folder / "part.xml",
                     "<mujocoinclude><default><default class=\"soft\"><geom size=\"0.02\"/>"
                     "</default></default></mujocoinclude>");
  };
  return {door};
}

}  // namespace proven::bench
