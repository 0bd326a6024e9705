// proven.spacetime: trajectories among moving obstacles.
#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include <limits>

#include "archive_traffic.h"
#include "convert.h"
#include "docs_layers.h"
#include "proven/io/traffic_file.h"
#include "proven/spacetime/afterwards.h"
#include "proven/spacetime/check.h"

namespace proven::python {
namespace {

using namespace spacetime;

Interpolation interpolation_of(const std::string& name) {
  if (const auto found = parse_word<Interpolation>(name)) return *found;
  throw LibraryError{bad_input(
      fmt::format("no interpolation '{}'; there are: linear, arc, bounded_acceleration", name))};
}

Trajectory make_trajectory(const Array& t, const Array& poses, const std::string& between,
                           double max_acceleration, double max_angular_acceleration) {
  Trajectory trajectory;
  trajectory.t = to_vector(t, "t");
  if (poses.ndim() != 2 || poses.shape(1) != 3 || poses.shape(0) != t.size())
    throw LibraryError{
        bad_input("poses must be an array with the columns x, y, heading and one "
                  "row for each time")};
  const auto rows = poses.unchecked<2>();
  for (py::ssize_t i = 0; i < rows.shape(0); ++i) {
    trajectory.x.push_back(rows(i, 0));
    trajectory.y.push_back(rows(i, 1));
    trajectory.heading.push_back(rows(i, 2));
  }
  trajectory.between = interpolation_of(between);
  trajectory.max_acceleration = max_acceleration;
  trajectory.max_angular_acceleration = max_angular_acceleration;
  value_of(validate(trajectory));
  return trajectory;
}

py::array_t<double> poses_of(const Trajectory& trajectory) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < trajectory.t.size(); ++i)
    rows.push_back({trajectory.x[i], trajectory.y[i], trajectory.heading[i]});
  return to_array(rows);
}

std::vector<Vec2> to_points(const Array& outline) {
  if (outline.ndim() != 2 || outline.shape(1) != 2)
    throw LibraryError{bad_input("an outline is an array with the columns x and y")};
  std::vector<Vec2> points;
  const auto rows = outline.unchecked<2>();
  for (py::ssize_t i = 0; i < rows.shape(0); ++i) points.push_back({rows(i, 0), rows(i, 1)});
  return points;
}

py::tuple to_tuple(const Pose2& pose) {
  return py::make_tuple(pose.x, pose.y, pose.heading);
}
py::tuple to_tuple(const Bounds& bounds) {
  return py::make_tuple(bounds.lower, bounds.upper);
}

// A result with the scene that gives its indices names.
struct PyTrafficResult {
  TrafficResult result;
  std::shared_ptr<TrafficScene> scene;

  const std::string& name(int obstacle) const {
    return scene->obstacles()[static_cast<std::size_t>(obstacle)].name;
  }
};

py::object contact_of(const PyTrafficResult& r) {
  if (!r.result.contact) return py::none();
  const TrafficContact& c = *r.result.contact;
  py::dict d;
  d["obstacle"] = r.name(c.obstacle);
  d["t"] = c.t;
  d["t_lower"] = c.t_lower;
  d["pose"] = to_tuple(c.pose);
  d["obstacle_pose"] = to_tuple(c.obstacle_pose);
  d["distance"] = c.distance;
  return d;
}

py::object doubt_of(const PyTrafficResult& r) {
  if (!r.result.doubt) return py::none();
  const TrafficDoubt& doubt = *r.result.doubt;
  py::dict d;
  d["reason"] = std::string(to_string(doubt.reason));
  d["message"] = std::string(describe(doubt.reason));
  d["obstacle"] = r.name(doubt.obstacle);
  d["t_begin"] = doubt.t_begin;
  d["t_end"] = doubt.t_end;
  d["distance"] = doubt.distance;
  return d;
}

std::string describe(const PyTrafficResult& r) {
  std::string more;
  if (const auto& c = r.result.contact)
    more = fmt::format(": {} at t = {:.6g} s", r.name(c->obstacle), c->t);
  if (const auto& d = r.result.doubt)
    more =
        fmt::format(": {} from t = {:.6g} to {:.6g} s", r.name(d->obstacle), d->t_begin, d->t_end);
  return fmt::format("<proven.spacetime.TrafficResult: {}{}>", to_string(r.result.verdict), more);
}

std::string describe(const TrafficScene& scene) {
  return fmt::format("<proven.spacetime.TrafficScene: {} obstacles, {:.6g} to {:.6g} s>",
                     scene.obstacles().size(), scene.t_begin(), scene.t_end());
}

TrafficOptions options_of(double clearance, double resolution, bool first) {
  TrafficOptions options;
  options.clearance = clearance;
  options.resolution = resolution;
  options.first = first;
  return options;
}

// Work that Ctrl-C ends.
template <class Work>
auto by_budget(const Work& work) {
  std::atomic<bool> cancel = false;
  Budget budget;
  budget.cancel = &cancel;
  return interruptible(cancel, [&] { return work(budget); });
}

PyTrafficResult check_one(std::shared_ptr<TrafficScene> scene, const Footprint& footprint,
                          const Trajectory& trajectory, double clearance, double resolution,
                          bool first) {
  const auto ask = [&](const Budget& budget) {
    TrafficScratch workspace;
    return value_of(check(*scene, footprint, trajectory, options_of(clearance, resolution, first),
                          workspace, -1, budget));
  };
  {
    // Most take less than a thread of their own would.
    constexpr double kQuick = 2e-3;
    py::gil_scoped_release release;
    const TrafficResult result = ask(Budget::of_seconds(kQuick));
    if (!result.doubt || result.doubt->reason != UndecidedReason::time) return {result, scene};
  }
  return {by_budget(ask), scene};
}

// Rows of x, y and heading are candidates; columns are times.
CandidateSet candidates_of(const Footprint& footprint, const Array& t, const Array& x,
                           const Array& y, const Array& heading, const std::string& between) {
  CandidateSet set;
  set.footprint = footprint;
  set.between = interpolation_of(between);
  set.t = to_vector(t, "t");
  for (const Array* array : {&x, &y, &heading})
    if (array->ndim() != 2 || array->shape(1) != t.size() || array->shape(0) != x.shape(0))
      throw LibraryError{
          bad_input("x, y and heading need one row for each candidate and one "
                    "column for each time")};
  set.x.assign(x.data(), x.data() + x.size());
  set.y.assign(y.data(), y.data() + y.size());
  set.heading.assign(heading.data(), heading.data() + heading.size());
  return set;
}

std::vector<std::string> check_many(const std::shared_ptr<TrafficScene>& scene,
                                    const Footprint& footprint, const Array& t, const Array& x,
                                    const Array& y, const Array& heading,
                                    const std::string& between, double clearance, double resolution,
                                    int threads) {
  const CandidateSet set = candidates_of(footprint, t, x, y, heading, between);
  std::vector<std::string> names;
  for (const Verdict verdict : value_of(by_budget([&](const Budget& budget) {
         return verdicts(*scene, set, options_of(clearance, resolution, true), threads, budget);
       })))
    names.emplace_back(to_string(verdict));
  return names;
}

py::dict metrics_of(const std::shared_ptr<TrafficScene>& scene, const Footprint& footprint,
                    const Trajectory& trajectory, double tolerance, double time_tolerance,
                    double horizon) {
  MetricOptions options;
  options.tolerance = tolerance;
  options.time_tolerance = time_tolerance;
  options.horizon = horizon;
  Clearance nearest;
  Bounds collision;
  TimeGap gap;
  by_budget([&](const Budget& budget) {
    TrafficScratch workspace;
    nearest = value_of(clearance(*scene, footprint, trajectory, options, -1, budget));
    collision =
        value_of(time_to_collision(*scene, footprint, trajectory, options, workspace, -1, budget));
    gap = value_of(time_gap(*scene, footprint, trajectory, options, -1, budget));
  });
  py::dict d;
  d["clearance"] = to_tuple(nearest.distance);
  d["time_to_collision"] = to_tuple(collision);
  d["time_gap"] = to_tuple(gap.seconds);
  return d;
}

Obstacle make_obstacle(const std::string& name, const Footprint& footprint,
                       const std::optional<Trajectory>& motion, const std::array<double, 3>& pose) {
  Obstacle obstacle;
  obstacle.name = name;
  obstacle.footprint = footprint;
  if (motion) obstacle.motion = *motion;
  obstacle.pose = {pose[0], pose[1], pose[2]};
  return obstacle;
}

std::shared_ptr<TrafficScene> build_traffic(std::vector<Obstacle> obstacles) {
  return std::make_shared<TrafficScene>(value_of(TrafficScene::build(std::move(obstacles))));
}

void bind_shapes(py::module_& module) {
  py::class_<Footprint> footprint(module, "Footprint", doc::footprint);
  pickles(footprint);
  footprint
      .def_static(
          "box",
          [](double length, double width, std::array<double, 2> centre, double orientation) {
            return value_of(Footprint::box(length, width, {centre[0], centre[1]}, orientation));
          },
          py::arg("length"), py::arg("width"), py::arg("centre") = std::array<double, 2>{},
          py::arg("orientation") = 0.0, doc::footprint_box)
      .def_static(
          "circle",
          [](double radius, std::array<double, 2> centre) {
            return value_of(Footprint::circle(radius, {centre[0], centre[1]}));
          },
          py::arg("radius"), py::arg("centre") = std::array<double, 2>{}, doc::footprint_circle)
      .def_static(
          "polygon",
          [](const Array& outline) { return value_of(Footprint::polygon(to_points(outline))); },
          py::arg("outline"), doc::footprint_polygon)
      .def_static(
          "compound",
          [](const std::vector<Footprint>& parts) { return Footprint::compound(parts); },
          py::arg("parts"), doc::footprint_compound)
      .def("__repr__", [](const Footprint& f) {
        return fmt::format("<proven.spacetime.Footprint: {} convex pieces, {:.4g} x {:.4g} m>",
                           f.pieces().size(), 2 * f.box_half().x, 2 * f.box_half().y);
      });
  py::class_<Trajectory> bound(module, "Trajectory", doc::trajectory);
  pickles(bound);
  bound
      .def(py::init(&make_trajectory), py::arg("t"), py::arg("poses"), py::kw_only(),
           py::arg("between") = "linear", py::arg("max_acceleration") = 0.0,
           py::arg("max_angular_acceleration") = 0.0)
      .def_property_readonly("t", [](const Trajectory& t) { return to_array(t.t); })
      .def_property_readonly("poses", poses_of)
      .def(
          "pose_at",
          [](const Trajectory& trajectory, double t) { return to_tuple(pose_at(trajectory, t)); },
          py::arg("t"), doc::pose_at)
      .def("__len__", &Trajectory::size)
      .def("__repr__", [](const Trajectory& t) {
        return fmt::format("<proven.spacetime.Trajectory: {} samples, {:.6g} to {:.6g} s, {}>",
                           t.size(), t.t.front(), t.t.back(), to_string(t.between));
      });
}

}  // namespace

void bind_spacetime(py::module_& parent) {
  py::module_ module = parent.def_submodule("spacetime", "Trajectories among moving obstacles");
  bind_shapes(module);
  py::class_<Obstacle> obstacle(module, "Obstacle", doc::traffic_obstacle);
  pickles(obstacle);
  obstacle
      .def(py::init(&make_obstacle), py::arg("name"), py::arg("footprint"), py::kw_only(),
           py::arg("motion") = std::nullopt, py::arg("pose") = std::array<double, 3>{})
      .def_readonly("name", &Obstacle::name)
      .def_readonly("footprint", &Obstacle::footprint)
      .def_property_readonly("motion",
                             [](const Obstacle& o) -> py::object {
                               if (!o.moves()) return py::none();
                               return py::cast(o.motion);
                             })
      .def("__repr__", [](const Obstacle& o) {
        return fmt::format("<proven.spacetime.Obstacle {}: {}>", o.name,
                           o.is_set()  ? "occupied regions"
                           : o.moves() ? "moves"
                                       : "stands");
      });
  py::class_<TrafficScene, std::shared_ptr<TrafficScene>>(module, "TrafficScene",
                                                          doc::traffic_scene)
      .def(py::init(&build_traffic), py::arg("obstacles"))
      .def(py::pickle([](const TrafficScene& s) { return to_archive(s.obstacles()); },
                      [](const py::bytes& bytes) {
                        std::vector<Obstacle> obstacles;
                        from_archive(bytes, obstacles);
                        return build_traffic(std::move(obstacles));
                      }))
      .def_property_readonly("obstacles", &TrafficScene::obstacles)
      .def_property_readonly("t_begin", &TrafficScene::t_begin)
      .def_property_readonly("t_end", &TrafficScene::t_end)
      .def("__repr__", [](const TrafficScene& s) { return describe(s); });
  py::class_<PyTrafficResult> traffic(module, "TrafficResult", doc::traffic_result);
  traffic.def(py::pickle(
      [](const PyTrafficResult& r) { return py::make_tuple(r.scene, to_archive(r.result)); },
      [](const py::tuple& state) {
        PyTrafficResult r{{}, state[0].cast<std::shared_ptr<TrafficScene>>()};
        from_archive(state[1].cast<py::bytes>(), r.result);
        return r;
      }));
  no_truth_value(traffic, "verdict");
  traffic
      .def_property_readonly(
          "verdict",
          [](const PyTrafficResult& r) { return std::string(to_string(r.result.verdict)); })
      .def_property_readonly("contact", contact_of)
      .def_property_readonly("doubt", doubt_of)
      .def("__repr__", [](const PyTrafficResult& r) { return describe(r); });
  module.def(
      "load_traffic",
      [](const std::filesystem::path& file, const std::string& after, double seconds) {
        const auto chosen = afterwards_of(after);
        if (!chosen || !(seconds >= 0))
          throw LibraryError{bad_input(fmt::format(
              "after '{}' for {} seconds: there are rest, continue and gone", after, seconds))};
        std::vector<Obstacle> obstacles = value_of(load_traffic(file)).obstacles;
        double end = -std::numeric_limits<double>::infinity();
        for (const Span& span : spans_of(obstacles))
          if (!span.for_ever) end = std::max(end, span.end);
        return build_traffic(lasting(std::move(obstacles), *chosen, end + seconds));
      },
      py::arg("file"), py::kw_only(), py::arg("after") = "continue", py::arg("seconds") = 60.0,
      doc::load_traffic);
  module.def("check", check_one, py::arg("scene"), py::arg("footprint"), py::arg("trajectory"),
             py::kw_only(), py::arg("clearance") = 0.0, py::arg("resolution") = 1e-6,
             py::arg("first") = true, doc::traffic_check);
  module.def("verdicts", check_many, py::arg("scene"), py::arg("footprint"), py::arg("t"),
             py::arg("x"), py::arg("y"), py::arg("heading"), py::kw_only(),
             py::arg("between") = "linear", py::arg("clearance") = 0.0,
             py::arg("resolution") = 1e-6, py::arg("threads") = 1, doc::traffic_verdicts);
  module.def("metrics", metrics_of, py::arg("scene"), py::arg("footprint"), py::arg("trajectory"),
             py::kw_only(), py::arg("tolerance") = 1e-3, py::arg("time_tolerance") = 1e-3,
             py::arg("horizon") = 10.0, doc::metrics);
}

}  // namespace proven::python
