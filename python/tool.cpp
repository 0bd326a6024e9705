// Lines and arcs of a tool.
#include <fmt/format.h>

#include "archive.h"
#include "convert.h"
#include "docs.h"
#include "proven/plan/tool_motion.h"

namespace proven::python {
namespace {

struct PyToolMotion {
  ToolMotion moved;
  std::shared_ptr<PyScene> scene;
};

// A place alone keeps the turn of the start.
Pose goal_of(const py::object& given, const Pose& start) {
  const auto array = given.cast<Array>();
  Pose goal = to_pose(array);
  if (array.ndim() == 1) goal.R = start.R;
  return goal;
}

Vec3 point_of(const py::object& given, const char* what) {
  const auto p = to_vector(given.cast<Array>(), what);
  if (p.size() != 3) throw LibraryError{bad_input(fmt::format("{} is x, y and z", what))};
  return {p[0], p[1], p[2]};
}

ToolCurve curve_of(const Pose& start, const py::object& to, const py::object& by,
                   const py::object& via, const py::object& about, const std::string& frame) {
  if (to.is_none() == by.is_none() || (!by.is_none() && !(via.is_none() && about.is_none())) ||
      !(via.is_none() || about.is_none()))
    throw LibraryError{
        bad_input("give `to` for a line, `to` with `via` or `about` for an arc, or `by`")};
  if (frame != "world" && (frame != "tool" || by.is_none()))
    throw LibraryError{bad_input("frame is 'world', or 'tool' with `by`")};
  if (!by.is_none()) {
    const Vec3 step = point_of(by, "`by`");
    return value_of(
        tool_line(start, {start.R, start.p + (frame == "tool" ? start.R * step : step)}));
  }
  const Pose goal = goal_of(to, start);
  if (!via.is_none()) return value_of(tool_arc_through(start, point_of(via, "`via`"), goal));
  if (!about.is_none()) return value_of(tool_arc_about(start, point_of(about, "`about`"), goal));
  return value_of(tool_line(start, goal));
}

PyToolMotion move_one(std::shared_ptr<PyScene> scene, const std::string& link, const Array& start,
                      const py::object& to, const py::object& by, const py::object& via,
                      const py::object& about, const std::string& frame,
                      const py::object& tool_pose_given, double speed, double turn_speed,
                      double tolerance, double angle_tolerance, double velocity,
                      double acceleration) {
  const KinematicTree& tree = scene->scene.tree();
  ToolFrame tool{tree.find_link(link), {}};
  if (tool.link <= 0)
    throw LibraryError{bad_input(fmt::format("there is no link '{}': give ROBOT/LINK", link))};
  if (!tool_pose_given.is_none()) tool.X_LT = to_pose(tool_pose_given.cast<Array>());
  const std::vector<double> q = to_configuration(start, *scene);
  const ToolCurve curve = curve_of(tool_pose(tree, tool, q), to, by, via, about, frame);
  ToolMotionOptions options;
  options.speed = speed;
  options.turn_speed = turn_speed;
  options.tolerance = {tolerance, angle_tolerance};
  options.velocity = velocity;
  options.acceleration = acceleration;
  py::gil_scoped_release release;
  return {value_of(move_tool(tree, tool, curve, q, options)), std::move(scene)};
}

}  // namespace

void bind_tool(py::module_& module) {
  const ToolMotionOptions usual;
  py::class_<PyToolMotion> moved(module, "ToolMotion", doc::tool_motion);
  pickles_with_scene(moved, &PyToolMotion::moved);
  moved
      .def_property_readonly("motion",
                             [](const PyToolMotion& m) {
                               return PyMotion{m.moved.motion, m.scene};
                             })
      .def_property_readonly("duration", [](const PyToolMotion& m) { return m.moved.duration; })
      .def_property_readonly("assumed",
                             [](const PyToolMotion& m) { return assumed_of(m.moved.assumed); })
      .def_property_readonly("at_full_speed",
                             [](const PyToolMotion& m) { return m.moved.at_full_speed; })
      .def_property_readonly("deviation",
                             [](const PyToolMotion& m) {
                               return py::make_tuple(m.moved.deviation.position,
                                                     m.moved.deviation.angle);
                             })
      .def("__repr__", [](const PyToolMotion& m) {
        return fmt::format("<proven.ToolMotion: {:.3f} s, within {:.3g} m and {:.3g} rad>",
                           m.moved.duration, m.moved.deviation.position, m.moved.deviation.angle);
      });
  module.def(
      "move_tool", move_one, py::arg("scene"), py::arg("link"), py::arg("start"), py::kw_only(),
      py::arg("to") = py::none(), py::arg("by") = py::none(), py::arg("via") = py::none(),
      py::arg("about") = py::none(), py::arg("frame") = "world", py::arg("tool_pose") = py::none(),
      py::arg("speed") = usual.speed, py::arg("turn_speed") = usual.turn_speed,
      py::arg("tolerance") = usual.tolerance.position,
      py::arg("angle_tolerance") = usual.tolerance.angle, py::arg("velocity") = usual.velocity,
      py::arg("acceleration") = usual.acceleration, doc::move_tool);
}

}  // namespace proven::python
