// Scenes, queries, poses and distances.
#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include "convert.h"
#include "proven/geometry/distance.h"
#include "proven/geometry/solid.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"
#include "proven/kinematics/poses.h"
#include "scenes/scenes.h"

namespace proven::python {
namespace {

std::shared_ptr<PyScene> build_python_scene(const SceneSource& source) {
  return std::make_shared<PyScene>(PyScene{value_of(build_scene(source))});
}

std::shared_ptr<PyScene> load_python_scene(const std::filesystem::path& file, bool trust_srdf_never,
                                           bool allow_empty) {
  SceneOptions options;
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
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 3; ++i) rows.push_back({X.R.row[i].x, X.R.row[i].y, X.R.row[i].z, X.p[i]});
  rows.push_back({0, 0, 0, 1});
  return to_array(rows);
}

py::list distances(const PyScene& s, const Array& configuration) {
  const LinkPoses poses = poses_at(s, configuration);
  DistanceScratch workspace;
  py::list rows;
  for (const BodyPair& pair : s.scene.pairs()) {
    const Body &a = s.scene.body(pair.a), &b = s.scene.body(pair.b);
    const Pose X_AB =
        relative_pose(s.scene.body_pose(pair.a, poses), s.scene.body_pose(pair.b, poses));
    double distance = exact_distance(*a.geometry, *b.geometry, X_AB, {-1, -1}, workspace).distance;
    if (distance > 0 && find_containment(*a.geometry, *b.geometry, X_AB).inside) distance = 0;
    rows.append(py::make_tuple(a.name, b.name, distance));
  }
  return rows;
}

std::string describe(const PyScene& s) {
  return fmt::format("<proven.Scene: {} bodies, {} joints, {} pairs tested, {} excluded>",
                     s.scene.bodies().size(), s.scene.tree().num_coordinates(),
                     s.scene.pairs().size(), s.scene.excluded_pairs().size());
}

}  // namespace

void bind_scene(py::module_& module) {
  py::class_<PyScene, std::shared_ptr<PyScene>> bound(module, "Scene");
  bind_edits(bound);
  bound.def_property_readonly("joints", joint_names)
      .def_property_readonly("bodies", body_names)
      .def_property_readonly("limits", joint_limits_of)
      .def_property_readonly("pairs", tested_pairs)
      .def_property_readonly("excluded", excluded_pairs)
      .def_property_readonly(
          "home",
          [](const PyScene& s) {
            return to_array(std::vector<double>(s.scene.home().begin(), s.scene.home().end()));
          })
      .def_property_readonly("clearance", [](const PyScene& s) { return s.scene.clearance(); })
      .def_property_readonly("hash", [](const PyScene& s) { return s.scene.hash().hex(); })
      .def_property_readonly("no_inside", names_without_inside)
      .def_property_readonly("warnings",
                             [](const PyScene& s) {
                               return std::vector<std::string>(s.scene.warnings().begin(),
                                                               s.scene.warnings().end());
                             })
      .def("body_pose", body_pose_of, py::arg("body"), py::arg("configuration"))
      .def("distances", distances, py::arg("configuration"))
      .def("__repr__", describe);
  module.def("load_scene", load_python_scene, py::arg("file"), py::kw_only(),
             py::arg("trust_srdf_never") = false, py::arg("allow_empty") = false);
  module.def(
      "built_in_scene",
      [](const std::string& name) { return build_python_scene(value_of(make_scene(name))); },
      py::arg("name"));
  py::class_<Query>(module, "Query")
      .def_property_readonly("start", [](const Query& q) { return to_array(q.start); })
      .def_property_readonly("goal", [](const Query& q) { return to_array(q.goal); })
      .def("__repr__", [](const Query& q) {
        return fmt::format("<proven.Query: {} of {} joints planned>", q.planned.size(),
                           q.start.size());
      });
  module.def(
      "load_query",
      [](const std::filesystem::path& file, const PyScene& scene) {
        return value_of(load_query(file, scene.scene, {true}));
      },
      py::arg("file"), py::arg("scene"));
}

}  // namespace proven::python
