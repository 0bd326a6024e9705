#include "goals.h"

#include <fmt/format.h>

#include <algorithm>

#include "archive.h"
#include "docs.h"
#include "proven/verify/readers.h"

namespace proven::python {
namespace {

struct PyConstraintResult {
  ConstraintResult result;
  std::string text;
  std::shared_ptr<PyScene> scene;
};

// As JSON, with arrays as lists.
std::string to_json(const py::object& object) {
  const py::cpp_function list([](const py::object& other) -> py::object {
    if (!py::hasattr(other, "tolist"))
      throw py::type_error("expected numbers, texts, lists and dictionaries, got " +
                           py::repr(other).cast<std::string>());
    return other.attr("tolist")();
  });
  return py::module_::import("json")
      .attr("dumps")(object, py::arg("default") = list)
      .cast<std::string>();
}

std::vector<double> configuration_of(const PyScene& scene, const py::object& object,
                                     const std::vector<double>& rest, const char* what) {
  if (!py::isinstance<py::str>(object)) return to_vector(object.cast<Array>(), what);
  std::vector<double> q = rest;
  auto set = set_named(scene.scene, object.cast<std::string>(), q);
  if (!set.ok()) throw LibraryError{bad_input(set.error().message, what)};
  return q;
}

// Read by the reader of files, strictly.
PoseQuery read_as_file(const PyScene& scene, const std::vector<double>& start,
                       const py::object& goals, const py::object& constraints) {
  py::dict query;
  py::list joints;
  for (const Coordinate& coordinate : scene.scene.tree().coordinates())
    joints.append(coordinate.name);
  query["proven"] = 1;
  query["joints"] = joints;
  query["start"] = start;
  query["goals"] = goals;
  if (!constraints.is_none()) query["constraints"] = constraints;
  return value_of(parse_pose_query("query", to_json(query), scene.scene, {true}));
}

// One goal, or each of several.
std::vector<py::object> goals_of(const py::object& goal) {
  if (py::isinstance<py::str>(goal) || py::isinstance<py::dict>(goal)) return {goal};
  std::vector<py::object> several;
  if (py::isinstance<py::array>(goal) && goal.cast<py::array>().ndim() < 2) return {goal};
  bool numbers = true;
  for (const py::handle& each : goal) {
    several.push_back(py::reinterpret_borrow<py::object>(each));
    numbers = numbers && PyNumber_Check(each.ptr()) == 1 && !py::isinstance<py::array>(each);
  }
  if (numbers) return {goal};
  return several;
}

PyConstraintResult check_one(std::shared_ptr<PyScene> scene, const py::object& path,
                             const py::object& constraints, const TrackingError& tracking_error,
                             double max_seconds) {
  const Motion motion = to_motion(path, *scene);
  std::vector<FrameConstraint> all = to_constraints(*scene, constraints);
  if (all.empty()) throw LibraryError{bad_input("give at least one constraint")};
  std::atomic<bool> cancel = false;
  const Budget budget = Budget::of_seconds(max_seconds, &cancel);
  const KinematicTree& tree = scene->scene.tree();
  ConstraintResult result = interruptible(cancel, [&] {
    ConstraintProver prover(tree, all, tracking_error);
    return prover.check(motion, budget);
  });
  std::string text = describe(tree, all, result);
  return {std::move(result), std::move(text), std::move(scene)};
}

}  // namespace

std::vector<FrameConstraint> to_constraints(const PyScene& scene, const py::object& constraints) {
  if (constraints.is_none()) return {};
  const auto home = scene.scene.home();
  const std::vector<double> start(home.begin(), home.end());
  return read_as_file(scene, start, py::make_tuple(start), constraints).constraints;
}

std::vector<KeptFrame> to_kept(const SceneSource& scene, const py::object& constraints) {
  if (constraints.is_none()) return {};
  py::dict file;
  file["proven"] = 1;
  file["constraints"] = constraints;
  return value_of(verifier::read_constraints_text("constraints", to_json(file), scene));
}

PoseQuery to_query(const PyScene& scene, const py::object& start, const py::object& goal,
                   const std::string& group, const py::object& constraints) {
  PoseQuery query;
  const auto home = scene.scene.home();
  query.query.start =
      configuration_of(scene, start, std::vector<double>(home.begin(), home.end()), "the start");
  for (const py::object& each : goals_of(goal)) {
    if (py::isinstance<py::dict>(each)) {
      PoseQuery read = read_as_file(scene, query.query.start, py::make_tuple(each), py::none());
      query.goals.push_back(std::move(read.goals.front()));
      continue;
    }
    auto q = configuration_of(scene, each, query.query.start, "the goal");
    if (query.query.goal.empty()) query.query.goal = q;
    query.goals.emplace_back(std::move(q));
  }
  query.constraints = to_constraints(scene, constraints);
  if (group.empty()) return query;
  const std::vector<std::string> joints = value_of(group_joints(scene.scene, group));
  const auto coordinates = scene.scene.tree().coordinates();
  for (std::size_t c = 0; c < coordinates.size(); ++c)
    if (std::ranges::find(joints, coordinates[c].joint) != joints.end())
      query.query.planned.push_back(static_cast<int>(c));
  return query;
}

void bind_constraints(py::module_& module) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  py::class_<PyConstraintResult> result(module, "ConstraintResult", doc::constraint_result);
  pickles_with_scene(result, &PyConstraintResult::result, &PyConstraintResult::text);
  no_truth_value(result, "verdict");
  const auto figure = [&](const char* name, auto member) {
    result.def_property_readonly(
        name, [member](const PyConstraintResult& r) { return r.result.*member; });
  };
  figure("constraint", &ConstraintResult::constraint);
  figure("segment", &ConstraintResult::segment);
  figure("t", &ConstraintResult::t);
  figure("time", &ConstraintResult::time);
  figure("beyond", &ConstraintResult::beyond);
  result
      .def_property_readonly(
          "verdict",
          [](const PyConstraintResult& r) { return std::string(to_string(r.result.verdict)); })
      .def_property_readonly(
          "configuration",
          [](const PyConstraintResult& r) { return to_array(r.result.configuration); })
      .def_property_readonly("text", [](const PyConstraintResult& r) { return r.text; })
      .def("__repr__", [](const PyConstraintResult& r) {
        return fmt::format("<proven.ConstraintResult: {}: {}>", to_string(r.result.verdict),
                           r.text);
      });
  module.def("check_constraints", check_one, py::arg("scene"), py::arg("path"),
             py::arg("constraints"), py::kw_only(), py::arg("tracking_error") = 0.0,
             py::arg("max_seconds") = kForever, doc::check_constraints);
}

}  // namespace proven::python
