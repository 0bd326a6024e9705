// Scenes, queries, poses and distances.
#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include <optional>
#include <set>

#include "archive.h"
#include "convert.h"
#include "docs.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"
#include "proven/kinematics/poses.h"
#include "proven/scene/distances.h"
#include "scenes/scenes.h"

namespace proven::python {
namespace {

std::shared_ptr<PyScene> build_python_scene(const SceneSource& source) {
  return std::make_shared<PyScene>(value_of(build_scene(source)));
}

std::shared_ptr<PyScene> load_python_scene(const std::filesystem::path& file, bool trust_srdf_never,
                                           bool allow_empty,
                                           const std::set<std::string>& ignore_elements) {
  SceneOptions options;
  options.ignore_elements = ignore_elements;
  options.trust_srdf_never = trust_srdf_never;
  options.allow_empty = allow_empty;
  SceneSource source = value_of(load_scene_source(file, options));
  source.trust_srdf_never = trust_srdf_never;
  return build_python_scene(source);
}

std::vector<std::string> joint_names(const PyScene& s) {
  std::vector<std::string> names;
  for (const Coordinate& c : s.scene.tree().coordinates()) names.push_back(c.name);
  return names;
}

std::vector<std::string> body_names(const PyScene& s) {
  std::vector<std::string> names;
  for (const Body& body : s.scene.bodies()) names.push_back(body.name);
  return names;
}

py::list tested_pairs(const PyScene& s) {
  py::list pairs;
  for (const BodyPair& p : s.scene.pairs())
    pairs.append(py::make_tuple(s.scene.body(p.a).name, s.scene.body(p.b).name));
  return pairs;
}

py::list excluded_pairs(const PyScene& s) {
  py::list pairs;
  for (const ExcludedPair& p : s.scene.excluded_pairs())
    pairs.append(py::make_tuple(s.scene.body(p.a).name, s.scene.body(p.b).name,
                                p.note.empty() ? std::string(describe(p.reason)) : p.note));
  return pairs;
}

py::array_t<double> joint_limits_of(const PyScene& s) {
  std::vector<std::vector<double>> rows;
  for (const Coordinate& c : s.scene.tree().coordinates()) rows.push_back({c.lower, c.upper});
  return to_array(rows);
}

LinkPoses poses_at(const PyScene& s, const Array& configuration) {
  const std::vector<double> q = to_vector(configuration, "a configuration");
  if (static_cast<int>(q.size()) != s.scene.tree().num_coordinates())
    throw LibraryError{bad_input(fmt::format("a configuration has {} values, one for each joint",
                                             s.scene.tree().num_coordinates()))};
  LinkPoses poses;
  compute_poses(s.scene.tree(), q, poses);
  return poses;
}

py::array_t<double> body_pose_of(const PyScene& s, const std::string& name,
                                 const Array& configuration) {
  const int index = s.scene.find_body(name);
  if (index < 0) throw LibraryError{bad_input(fmt::format("no body '{}' in the scene", name))};
  const Pose X = s.scene.body_pose(index, poses_at(s, configuration));
  return to_matrix(X);
}

py::list distances(const PyScene& s, const Array& configuration) {
  py::list rows;
  for (const PairDistance& pair : distances_at(s.scene, poses_at(s, configuration)))
    rows.append(
        py::make_tuple(s.scene.body(pair.a).name, s.scene.body(pair.b).name, pair.distance));
  return rows;
}

// All that a verdict depends on, and the hash by which the copy is known to be the same.
py::tuple scene_state(const PyScene& s) {
  return py::make_tuple(to_archive(s.scene.description()), s.scene.hash().hex());
}

std::shared_ptr<PyScene> scene_of_state(const py::tuple& state) {
  SceneSource source;
  from_archive(state[0].cast<py::bytes>(), source);
  auto scene = build_python_scene(source);
  if (scene->scene.hash().hex() != state[1].cast<std::string>())
    throw LibraryError{bad_input("the pickle holds another scene than was put into it")};
  return scene;
}

std::shared_ptr<PyScene> scene_of_robot(const std::optional<Robot>& robot,
                                        const std::optional<std::string>& name, const Array& pose) {
  SceneSource source;
  if (robot) source.robots.push_back({name.value_or(robot->name), *robot, to_pose(pose)});
  return build_python_scene(source);
}

std::string describe(const PyScene& s) {
  return fmt::format("<proven.Scene: {} bodies, {} joints, {} pairs tested, {} excluded>",
                     s.scene.bodies().size(), s.scene.tree().num_coordinates(),
                     s.scene.pairs().size(), s.scene.excluded_pairs().size());
}

}  // namespace

void bind_scene(py::module_& module) {
  py::class_<PyScene, std::shared_ptr<PyScene>> bound(module, "Scene", doc::scene);
  bind_edits(bound);
  bind_kinematics(bound);
  bound
      .def(py::init(&scene_of_robot), py::arg("robot") = py::none(), py::arg("name") = py::none(),
           py::arg("pose") = std::array<double, 3>{})
      .def(py::pickle(&scene_state, &scene_of_state))
      // A scene never changes: it is its own copy.
      .def("__copy__", [](std::shared_ptr<PyScene> s) { return s; })
      .def("__deepcopy__", [](std::shared_ptr<PyScene> s, const py::dict&) { return s; })
      .def_property_readonly("joints", joint_names,
                             "Names of what a configuration holds, in its order.")
      .def_property_readonly("bodies", body_names,
                             "Names of links with geometry, then obstacles, then held objects.")
      .def_property_readonly("limits", joint_limits_of,
                             "A row (lower, upper) for each of `joints`.")
      .def_property_readonly("pairs", tested_pairs, "Pairs of bodies that are tested.")
      .def_property_readonly("excluded", excluded_pairs,
                             "Pairs that are not tested, each with the reason.")
      .def_property_readonly(
          "home",
          [](const PyScene& s) {
            return to_array(std::vector<double>(s.scene.home().begin(), s.scene.home().end()));
          },
          "The configuration at which joints rest that a file does not name.")
      .def_property_readonly(
          "clearance", [](const PyScene& s) { return s.scene.clearance(); },
          "What pairs must keep, in metres, by class.")
      .def_property_readonly(
          "hash", [](const PyScene& s) { return s.scene.hash().hex(); },
          "Of all that a verdict depends on: equal hashes, equal answers.")
      .def_property_readonly("no_inside", names_without_inside,
                             "Tested bodies with an open mesh, which have no inside.")
      .def_property_readonly("sensed", sensed_of,
                             "What bodies that sensors saw are, and what is unknown in them counts "
                             "as, by name.")
      .def_property_readonly(
          "ignored", [](const PyScene& s) { return s.scene.ignored(); },
          "What robots' files hold and was left out, as asked: no part of any verdict.")
      .def_property_readonly(
          "warnings",
          [](const PyScene& s) {
            return std::vector<std::string>(s.scene.warnings().begin(), s.scene.warnings().end());
          },
          "What a person should know of how the scene was read.")
      .def("body_pose", body_pose_of, py::arg("body"), py::arg("configuration"), doc::body_pose)
      .def("distances", distances, py::arg("configuration"), doc::distances)
      .def("__repr__", describe);
  module.def("load_scene", load_python_scene, py::arg("file"), py::kw_only(),
             py::arg("trust_srdf_never") = false, py::arg("allow_empty") = false,
             py::arg("ignore_elements") = std::set<std::string>{}, doc::load_scene);
  module.def(
      "built_in_scene",
      [](const std::string& name) { return build_python_scene(value_of(make_scene(name))); },
      py::arg("name"), doc::built_in_scene);
  py::class_<Query> query(module, "Query", doc::query);
  pickles(query);
  query
      .def_property_readonly(
          "start", [](const Query& q) { return to_array(q.start); }, "A configuration.")
      .def_property_readonly(
          "goal", [](const Query& q) { return to_array(q.goal); }, "A configuration.")
      .def("__repr__", [](const Query& q) {
        return fmt::format("<proven.Query: {} of {} joints planned>", q.planned.size(),
                           q.start.size());
      });
  module.def(
      "load_query",
      [](const std::filesystem::path& file, const PyScene& scene) {
        return value_of(load_query(file, scene.scene, {true}));
      },
      py::arg("file"), py::arg("scene"), doc::load_query);
}

}  // namespace proven::python
