// What the checker's reader honours or refuses, both verifiers honour or refuse: small files that
// say something in a place or a form that is easily dropped.
#include <cstdlib>

#include "readers_support.h"

namespace proven::test {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

struct Case {
  std::string what;
  bool good;
  Files files;
  std::string scene = "scene.json";
};

constexpr const char* kScene =
    R"({"proven": 1, "robots": [{"name": "r", "urdf": "r.urdf", "srdf": "r.srdf"}]})";
constexpr const char* kSrdf =
    R"(<robot name="r"><disable_collisions link1="a" link2="c" reason="User"/></robot>)";

// Two joints; `more` goes into the places {link}, {joint}, {robot}, {behind}.
std::string urdf(const std::string& place = "", const std::string& more = "") {
  std::string text =
      "<robot name=\"r\" xmlns:drake=\"http://drake.mit.edu\" xmlns:foo=\"http://foo\">"
      "<link name=\"a\"><collision><origin xyz=\"0 0 1\"/><geometry><sphere radius=\"0.1\"/>"
      "{geometry}</geometry>{collision}</collision>{link}</link>"
      "<link name=\"b\"/><link name=\"c\"><collision><geometry><box size=\"1 1 1\"/></geometry>"
      "</collision></link><joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child "
      "link=\"b\"/><limit lower=\"-1\" upper=\"1\"/></joint><joint name=\"k\" type=\"revolute\">"
      "<parent link=\"b\"/><child link=\"c\"/><origin xyz=\"3 0 0\"/><limit lower=\"-1\" "
      "upper=\"1\"/>{joint}</joint>{robot}</robot>{behind}";
  for (const char* name :
       {"{geometry}", "{collision}", "{link}", "{joint}", "{robot}", "{behind}"}) {
    const std::size_t at = text.find(name);
    text.replace(at, std::string(name).size(), name == "{" + place + "}" ? more : "");
  }
  return text;
}

Case robot(const std::string& what, bool good, const std::string& place, const std::string& more) {
  return {what, good, {{"r.urdf", urdf(place, more)}, {"r.srdf", kSrdf}, {"scene.json", kScene}}};
}

Case mesh(const std::string& what, bool good, const std::string& name, const std::string& text) {
  Case made = robot(what, good, "", "");
  made.files.emplace_back(name, text);
  made.files[2].second = R"({"proven": 1, "robots": [{"name": "r", "urdf": "r.urdf"}],
"obstacles": [{"name": "o", "mesh": ")" +
                         name + R"(", "pose": {"xyz": [9, 9, 9]}}]})";
  return made;
}

Case planning(const std::string& what, bool good, const std::string& rest) {
  Case made = robot(what, good, "", "");
  made.files.pop_back();
  made.files.emplace_back("s.yaml", "robot_model_name: r\n" + rest);
  made.scene = "s.yaml";
  return made;
}

std::vector<Case> robots() {
  const std::string control =
      "<ros2_control name=\"x\"><joint name=\"k\"><param name=\"mimic\">j</param>"
      "<param name=\"multiplier\">-1</param></joint></ros2_control>";
  const std::string mimic = "<mimic joint=\"j\" multiplier=\"-1\"/>";
  std::vector<Case> cases = {
      robot("plain", true, "", ""),
      robot("ros2_control", true, "robot", control),
      robot("drake:mimic", true, "joint", "<drake:mimic joint=\"j\" offset=\"0.5\"/>"),
      robot("plugin", true, "robot",
            "<gazebo><plugin><joint>j</joint><mimicJoint>k</mimicJoint><offset>0.1</offset>"
            "</plugin></gazebo>"),
      robot("two controls that differ", false, "robot",
            control + "<ros2_control name=\"x\"><joint name=\"k\"><param name=\"mimic\">j</param>"
                      "</joint></ros2_control>"),
      robot("mimics that differ", false, "joint", mimic + "<drake:mimic joint=\"j\"/>"),
      robot("no such joint", false, "robot",
            "<ros2_control><joint name=\"l\"><param name=\"mimic\">j</param></joint>"
            "</ros2_control>"),
      robot("parameter twice", false, "robot",
            "<ros2_control><joint name=\"k\"><param name=\"mimic\">j</param><param "
            "name=\"offset\">1</param><param name=\"offset\">2</param></joint></ros2_control>"),
      robot("not followed", false, "robot",
            "<ros2_control><joint name=\"k\" mimic=\"false\"/></ros2_control>"),
      robot("harmless", true, "joint", "<drake:rotor_inertia value=\"1\"/>"),
      robot("others' in the robot", true, "robot", "<foo:motor/>"),
      robot("second origin", false, "collision", "<origin xyz=\"0 0 2\"/>"),
      robot("second axis", false, "joint", "<axis xyz=\"0 0 1\"/><axis xyz=\"0 1 0\"/>"),
      robot("second limit", false, "joint", "<limit lower=\"0\" upper=\"0.5\"/>"),
      robot("second mimic", false, "joint", mimic + mimic),
      robot("second shape", false, "geometry", "<box size=\"1 1 1\"/>"),
      robot("second geometry", false, "collision", "<geometry><box size=\"1 1 1\"/></geometry>"),
      robot("four numbers", false, "joint", "<axis xyz=\"0 0 1 0\"/>"),
      robot("behind the root", false, "behind", "<robot name=\"x\"/>"),
      robot("text behind the root", false, "behind", "x"),
      robot("comment behind the root", true, "behind", "<!-- x -->"),
      robot("limits of others", false, "joint", "<foo:limit lower=\"0\" upper=\"0.5\"/>")};
  for (const char* place : {"link", "joint", "collision", "geometry"})
    for (const char* name : {"foo:collision", "foo:origin", "foo:unknown", "unknown"})
      cases.push_back(
          robot(fmt::format("{} in {}", name, place), false, place, fmt::format("<{}/>", name)));
  Case srdf = robot("second root of an SRDF", false, "", "");
  srdf.files[1].second = std::string(kSrdf) + "<robot name=\"x\"/>";
  cases.push_back(srdf);
  Case repeated = robot("a key twice", false, "", "");
  repeated.files[2].second = R"({"proven": 1, "robots": [{"name": "r", "urdf": "r.urdf"}],
"clearance": 0.1, "clearance": 0})";
  cases.push_back(repeated);
  return cases;
}

std::vector<Case> meshes() {
  const std::string arrow = "v 2 0 0\nv -1 1 0\nv 0 0 0\nv -1 -1 0\nv 0 0 1\nf 2 3 5\n";
  const std::string bow = "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\n";
  const std::string dae =
      "<COLLADA version=\"1.4.1\"><library_geometries><geometry id=\"g\"><mesh><source id=\"p\">"
      "<float_array id=\"f\" count=\"12\">2 0 0 -1 1 0 -2 0 0 -1 -1 0</float_array>"
      "<technique_common><accessor source=\"#f\" count=\"4\" stride=\"3\"/></technique_common>"
      "</source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
      "<polylist count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
      "<vcount>4</vcount><p>{}</p></polylist></mesh></geometry></library_geometries>"
      "<library_visual_scenes><visual_scene id=\"s\"><node><instance_geometry url=\"#g\"/></node>"
      "</visual_scene></library_visual_scenes></COLLADA>";
  const auto indices = [&](const char* p) {
    std::string text = dae;
    return text.replace(text.find("{}"), 2, p);
  };
  return {
      mesh("an arrow", true, "o.obj", arrow + "f 1 2 3 4\n"),
      mesh("an arrow from another corner", true, "o.obj", arrow + "f 4 1 2 3\n"),
      mesh("a bow", false, "o.obj", bow + "f 1 2 3 4\n"),
      mesh("a bent square", false, "o.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0.3\nv 0 1 0\nf 1 2 3 4\n"),
      mesh("an arrow of COLLADA", true, "o.dae", indices("0 1 2 3")),
      mesh("a bow of COLLADA", false, "o.dae", indices("0 2 1 3")),
      mesh("two roots of COLLADA", false, "o.dae", indices("0 1 2 3") + "<COLLADA/>")};
}

std::vector<Case> planning_scenes() {
  const auto state = [](const std::string& value) {
    return "robot_state: {joint_state: {name: [j], position: [" + value + "]}}\n";
  };
  const auto matrix = [](const std::string& text) {
    return "allowed_collision_matrix: {" + text + "}\n";
  };
  std::vector<Case> cases = {
      planning("a state", true, state("0.25")),
      planning("merge", false, "<<: {is_diff: false}\n"),
      planning("a key twice", false, state("0.1") + state("0.2")),
      planning("matrix yes", true,
               matrix("entry_names: [a, c], entry_values: [[false, true], [true, false]]")),
      planning("matrix no", true,
               matrix("entry_names: [a, c], entry_values: [[false, false], [false, false]]")),
      planning("default yes", true,
               matrix("default_entry_names: [a, c], default_entry_values: [true, true]")),
      planning("default half", true,
               matrix("default_entry_names: [a, c], default_entry_values: [true, false]")),
      planning("of others", true,
               matrix("entry_names: [a, b], entry_values: [[false, true], [true, false]]")),
      planning("default twice", false,
               matrix("default_entry_names: [a, a], default_entry_values: [true, true]"))};
  for (const char* value : {"010", "0x1", "0o1", "1_0", "0:1", "yes", "True", ".nan", ".inf"})
    cases.push_back(planning(value, false, state(value)));
  return cases;
}

// What both readers and Python say of all cases, and what follows for pairs and couplings.
TEST(Refusals, AreThoseOfAllReaders) {
  PROVEN_REQUIRE_TOOL(std::system("python3 -c 'import mpmath' 2>/dev/null") == 0,
                      "python3 with mpmath");
  const TemporaryFolder folder;
  std::vector<Case> cases = robots();
  for (const auto& more : {meshes(), planning_scenes()})
    cases.insert(cases.end(), more.begin(), more.end());
  std::string scenes;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const auto& [name, text] : cases[i].files)
      folder.write(std::to_string(i) + "/" + name, text);
    scenes += fmt::format("{}/{}/{}\n", folder.path().string(), i, cases[i].scene);
  }
  folder.write("list", scenes);
  folder.write("all.py", R"(
import os, sys
sys.path.insert(0, sys.argv[1])
from argparse import Namespace
from scene_model import Model
for scene in open(sys.argv[2]).read().split():
    try:
        model = Model(scene, Namespace(robot='', clearance='0', trust_srdf_never=False))
        print('good', len(model.clearance) // 2, len(model.coordinates))
    except Exception as error:
        print('bad', type(error).__name__, str(error).replace('\n', ' '))
)");
  const std::string there = folder.path().string();
  ASSERT_EQ(std::system(("python3 " + there + "/all.py '" + source_dir() + "/verify' " + there +
                         "/list > " + there + "/said")
                            .c_str()),
            0);
  std::istringstream said(contents(folder.path() / "said"));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].what);
    std::string python;
    std::getline(said, python);
    const fs::path file = folder.path() / std::to_string(i) / cases[i].scene;
    Tally tally;
    compare_scene(file, cases[i].what, tally);
    const auto scene = load_scene(file);
    EXPECT_EQ(scene.ok(), cases[i].good) << error_text(scene);
    EXPECT_EQ(python.starts_with("good"), cases[i].good) << python;
    if (!scene.ok() || !python.starts_with("good")) continue;
    EXPECT_EQ(python, fmt::format("good {} {}", scene.value().pairs().size(),
                                  scene.value().tree().num_coordinates()));
  }
}

}  // namespace
}  // namespace proven::test
