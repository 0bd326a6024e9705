// Motions: from arrays and files, and their values over time.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "archive.h"
#include "convert.h"
#include "docs.h"
#include "proven/io/path_file.h"
#include "proven/kinematics/interpolation.h"
#include "proven/scene/splines.h"

namespace proven::python {
namespace {

using ScenePtr = std::shared_ptr<PyScene>;
using Rows = std::vector<std::vector<double>>;

[[noreturn]] void refuse(std::string text) {
  throw LibraryError{bad_input(std::move(text))};
}

Rows to_rows(const Array& array, const PyScene& scene, const char* what) {
  const auto size = scene.scene.tree().num_coordinates();
  if (array.ndim() != 2 || array.shape(1) != size || array.shape(0) == 0)
    refuse(fmt::format("{} must be an array with {} columns, one for each of scene.joints", what,
                       size));
  Rows rows;
  const auto given = array.unchecked<2>();
  for (py::ssize_t i = 0; i < given.shape(0); ++i) {
    std::vector<double>& row = rows.emplace_back();
    for (py::ssize_t k = 0; k < given.shape(1); ++k) row.push_back(given(i, k));
  }
  return rows;
}

std::vector<double> to_times(const py::object& given, std::size_t count) {
  if (given.is_none()) return {};
  std::vector<double> times = to_vector(given.cast<Array>(), "times");
  if (times.size() != count) refuse(fmt::format("{} waypoints need as many times", count));
  for (std::size_t i = 0; i < times.size(); ++i)
    if (!std::isfinite(times[i]) || (i > 0 && !(times[i] > times[i - 1])))
      refuse("times must be finite and increase");
  return times;
}

// Configurations and control points that mean something; limits are the matter of files.
PyMotion checked(Motion motion, ScenePtr scene) {
  const KinematicTree& tree = scene->scene.tree();
  for (const auto& q : motion.waypoints) value_of(check_configuration(tree, q));
  for (const auto& rows : motion.inner)
    for (const auto& row : rows) value_of(check_control_point(tree, row));
  if (motion.straight()) motion.inner.clear();
  return {std::move(motion), std::move(scene)};
}

// --- What a controller makes of points with rates ------------------------------------------------

struct Points {
  Rows q, v, a;  // no accelerations: cubics

  Knot knot(std::size_t i, std::size_t k) const {
    return {q[i][k], v[i][k], a.empty() ? 0 : a[i][k]};
  }
};

void check_rates(const Rows& rates, std::size_t count, const char* what) {
  if (rates.size() != count) refuse(fmt::format("{} waypoints need as many {}", count, what));
  for (const auto& row : rates)
    for (const double rate : row)
      if (rate != 0 &&
          !(std::fabs(rate) >= kSplineRates.lower && std::fabs(rate) <= kSplineRates.upper))
        refuse(fmt::format("one of the {} is {}: they are 0, or from 1e-60 to 1e60 in size", what,
                           rate));
}

void add_turn(const Points& points, std::size_t i, std::size_t k, double seconds,
              const std::string& joint, Rows& inner) {
  if (!points.a.empty())
    refuse(fmt::format("accelerations of a ball joint ({}) have no curve here; give control points",
                       joint));
  const int first = static_cast<int>(k);
  const Quaternion a = read_quaternion(points.q[i], first),
                   b = read_quaternion(points.q[i + 1], first);
  const auto spin = [&](std::size_t at) {
    const auto& v = points.v[at];
    const Vec3 omega{v[k], v[k + 1], v[k + 2]};
    if (!(norm(omega) * seconds <= kMostTurn))
      refuse(fmt::format("{} turns by more than {} rad between two waypoints; give more of them",
                         joint, kMostTurn));
    return omega;
  };
  if (!(rotation_angle(a, b) < 3.14))
    refuse(fmt::format("{} turns by half a circle between two waypoints; give one between", joint));
  const auto between = turn_cubic(a, spin(i), b, spin(i + 1), seconds);
  for (std::size_t n = 0; n < 2; ++n)
    for (int axis = 0; axis < 3; ++axis)
      inner[n][k + static_cast<std::size_t>(axis)] = between[n][axis];
}

Rows between(const Points& points, std::size_t i, double seconds, const KinematicTree& tree) {
  if (!(seconds >= kSplineSeconds.lower && seconds <= kSplineSeconds.upper))
    refuse(fmt::format("{} s between two waypoints; curves take 1e-9 to 1e9 s", seconds));
  const auto coordinates = tree.coordinates();
  Rows inner(points.a.empty() ? 2 : 4, std::vector<double>(coordinates.size(), 0));
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    if (coordinates[k].quaternion) {
      add_turn(points, i, k, seconds, coordinates[k].joint, inner);
      k += 3;
      continue;
    }
    const auto write = [&](const auto& control) {
      for (std::size_t n = 0; n < control.size(); ++n) inner[n][k] = control[n];
    };
    if (points.a.empty())
      write(cubic_between(points.knot(i, k), points.knot(i + 1, k), seconds));
    else
      write(quintic_between(points.knot(i, k), points.knot(i + 1, k), seconds));
  }
  return inner;
}

PyMotion of_waypoints(ScenePtr scene, const Array& waypoints, const py::object& times,
                      const py::object& velocities, const py::object& accelerations) {
  Points points{to_rows(waypoints, *scene, "waypoints"), {}, {}};
  Motion motion;
  motion.waypoints = points.q;
  motion.times = to_times(times, points.q.size());
  if (velocities.is_none() && !accelerations.is_none())
    refuse("accelerations without velocities are no curve of a controller; give both");
  if (velocities.is_none()) return checked(std::move(motion), std::move(scene));
  if (motion.times.empty()) refuse("velocities need times");
  points.v = to_rows(velocities.cast<Array>(), *scene, "velocities");
  check_rates(points.v, points.q.size(), "velocities");
  if (!accelerations.is_none()) {
    points.a = to_rows(accelerations.cast<Array>(), *scene, "accelerations");
    check_rates(points.a, points.q.size(), "accelerations");
  }
  for (const auto& q : motion.waypoints)
    value_of(check_configuration(scene->scene.tree(), q));  // before quaternions are divided by
  for (std::size_t i = 0; i + 1 < points.q.size(); ++i)
    motion.inner.push_back(
        between(points, i, motion.times[i + 1] - motion.times[i], scene->scene.tree()));
  return checked(std::move(motion), std::move(scene));
}

// --- Control points ------------------------------------------------------------------------------

PyMotion of_bezier(ScenePtr scene, const py::iterable& pieces, const py::object& times) {
  Motion motion;
  for (const py::handle given : pieces) {
    Rows rows = to_rows(given.cast<Array>(), *scene, "a piece");
    if (rows.size() < 2 || rows.size() > kMaxDegree + 1)
      refuse(fmt::format("a piece has 2 to {} rows, both ends among them", kMaxDegree + 1));
    if (motion.waypoints.empty()) motion.waypoints.push_back(rows.front());
    if (motion.waypoints.back() != rows.front())
      refuse(fmt::format("piece {} does not begin where the one before ends", motion.inner.size()));
    motion.waypoints.push_back(rows.back());
    motion.inner.emplace_back(rows.begin() + 1, rows.end() - 1);
  }
  if (motion.waypoints.empty()) refuse("a motion has at least one piece");
  motion.times = to_times(times, motion.waypoints.size());
  return checked(std::move(motion), std::move(scene));
}

PyMotion of_bspline(ScenePtr scene, int degree, const Array& knots, const Array& points) {
  const auto coordinates = scene->scene.tree().coordinates();
  if (std::ranges::any_of(coordinates, &Coordinate::quaternion))
    refuse("a ball joint has no B-spline; give control points with Motion.bezier");
  const Rows rows = to_rows(points, *scene, "points");
  const std::vector<double> knot_values = to_vector(knots, "knots");
  std::vector<Curve> curves;
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    std::vector<double> column;
    for (const auto& row : rows) column.push_back(row[k]);
    curves.push_back(value_of(curve_of_bspline(degree, knot_values, column)));
  }
  return checked(value_of(motion_of(curves)), std::move(scene));
}

// --- Values --------------------------------------------------------------------------------------

// A time on the motion: which piece, where on it, and its seconds. Without times a piece lasts 1.
struct Moment {
  int piece = 0;
  double s = 0, seconds = 1;
  bool within = true;  // before the first time and after the last a motion rests
};

Moment moment_at(const Motion& motion, double t) {
  if (std::isnan(t)) refuse("a time is not a number");
  const int pieces = std::max(1, motion.num_segments());
  const double first = motion.times.empty() ? 0 : motion.times.front();
  const double last = motion.times.empty() ? motion.num_segments() : motion.times.back();
  if (t < first || first == last) return {0, 0, 1, t == first && first < last};
  if (t > last) return {pieces - 1, 1, 1, false};
  if (motion.times.empty()) {
    const int piece = std::min(static_cast<int>(t), pieces - 1);
    return {piece, t - piece, 1, true};
  }
  const auto next = std::upper_bound(motion.times.begin(), motion.times.end(), t);
  const int piece = std::min(static_cast<int>(next - motion.times.begin()) - 1, pieces - 1);
  const double begin = motion.times[static_cast<std::size_t>(piece)];
  const double seconds = motion.times[static_cast<std::size_t>(piece) + 1] - begin;
  return {piece, (t - begin) / seconds, seconds, true};
}

// Derivatives of higher order by s, of coordinates that are numbers.
void differentiate_often(const MotionPiece& piece, double s, int order, std::span<double> out) {
  for (std::size_t k = 0; k < out.size(); ++k) {
    std::vector<double> c;
    for (int i = 0; i <= piece.degree(); ++i) c.push_back(piece.control(i)[k]);
    for (int n = 0; n < order && !c.empty(); ++n) {
      const auto factor = static_cast<double>(c.size() - 1);
      for (std::size_t i = 0; i + 1 < c.size(); ++i) c[i] = factor * (c[i + 1] - c[i]);
      c.pop_back();
    }
    while (c.size() > 1) {
      for (std::size_t i = 0; i + 1 < c.size(); ++i) c[i] = (1 - s) * c[i] + s * c[i + 1];
      c.pop_back();
    }
    out[k] = c.empty() ? 0 : c[0];
  }
}

void derivative_at(const PyMotion& m, const Moment& at, int order, std::span<double> out) {
  const MotionPiece piece = m.motion.piece(at.piece);
  std::vector<double> other(out.size());
  if (!at.within) {
    std::ranges::fill(out, 0);
    return;
  }
  if (order == 1)
    differentiate(m.scene->scene.tree(), piece, at.s, out, other);
  else if (order == 2)
    differentiate(m.scene->scene.tree(), piece, at.s, other, out);
  else
    differentiate_often(piece, at.s, order, out);
  for (double& value : out) value /= std::pow(at.seconds, order);
}

// One row per time, in the shape that the times have.
template <class Write>
py::array_t<double> over_times(const PyMotion& m, const Array& times, const Write& write) {
  if (m.motion.waypoints.empty()) refuse("there is no motion: nothing was found");
  const std::size_t columns = m.motion.waypoints[0].size();
  std::vector<py::ssize_t> shape(times.shape(), times.shape() + times.ndim());
  shape.push_back(static_cast<py::ssize_t>(columns));
  py::array_t<double> values(shape);
  double* out = values.mutable_data();
  const double* t = times.data();
  const auto count = static_cast<std::size_t>(times.size());
  py::gil_scoped_release release;
  for (std::size_t i = 0; i < count; ++i)
    write(moment_at(m.motion, t[i]), std::span<double>(out + i * columns, columns));
  return values;
}

py::array_t<double> evaluate(const PyMotion& m, const Array& times) {
  return over_times(m, times, [&](const Moment& at, std::span<double> out) {
    interpolate(m.scene->scene.tree(), m.motion.piece(at.piece), at.s, out);
  });
}

py::array_t<double> derivative(const PyMotion& m, const Array& times, int order) {
  if (order < 1) refuse("the order of a derivative is at least 1");
  if (order > 2 &&
      std::ranges::any_of(m.scene->scene.tree().coordinates(), &Coordinate::quaternion))
    refuse("derivatives of ball joints have order 1 or 2");
  return over_times(
      m, times, [&](const Moment& at, std::span<double> out) { derivative_at(m, at, order, out); });
}

py::list pieces_of(const PyMotion& m) {
  py::list pieces;
  for (int i = 0; i < m.motion.num_segments(); ++i) {
    const MotionPiece piece = m.motion.piece(i);
    Rows rows;
    for (int k = 0; k <= piece.degree(); ++k)
      rows.emplace_back(piece.control(k).begin(), piece.control(k).end());
    pieces.append(to_array(rows));
  }
  return pieces;
}

std::string describe(const PyMotion& m) {
  const Motion& motion = m.motion;
  return fmt::format("<proven.Motion: {} waypoints{}{}>", motion.waypoints.size(),
                     motion.straight() ? "" : fmt::format(", degree {}", motion.degree()),
                     motion.times.empty() ? "" : fmt::format(", {:.3f} s", motion.times.back()));
}

// --- Files ---------------------------------------------------------------------------------------

Interpolation interpolation_of(const std::string& word) {
  if (word == "as_given") return Interpolation::as_given;
  if (word == "linear") return Interpolation::linear;
  if (word == "cubic") return Interpolation::cubic;
  if (word == "quintic") return Interpolation::quintic;
  refuse(fmt::format("no interpolation '{}'; there are: as_given, linear, cubic, quintic", word));
}

PyMotion load(ScenePtr scene, const std::filesystem::path& file, bool ignore_limits,
              const std::string& interpolation) {
  Motion motion =
      value_of(load_path(file, scene->scene, {ignore_limits, interpolation_of(interpolation)}));
  return {std::move(motion), std::move(scene)};
}

PyMotion load_linear(const std::filesystem::path& file, ScenePtr scene, bool ignore_limits,
                     bool linear) {
  return load(std::move(scene), file, ignore_limits, linear ? "linear" : "as_given");
}

}  // namespace

Motion to_motion(const py::object& object, const PyScene& scene) {
  if (py::isinstance<PyMotion>(object)) {
    const auto& given = object.cast<const PyMotion&>();
    const auto names = [](const PyScene& s) { return s.scene.tree().coordinates(); };
    if (given.scene.get() != &scene && !std::ranges::equal(names(*given.scene), names(scene), {},
                                                           &Coordinate::name, &Coordinate::name))
      refuse("the motion is of a scene with other joints");
    return given.motion;
  }
  if (py::isinstance<py::array>(object)) {
    if (object.cast<py::array>().dtype().kind() == 'c') refuse("waypoints are real numbers");
    if (py::hasattr(object, "mask")) refuse("a masked array hides values: fill them first");
  }
  Array array;
  try {
    array = object.cast<Array>();
  } catch (const py::cast_error&) {
    refuse("a motion is a proven.Motion or an array of waypoints");
  }
  Motion motion;
  motion.waypoints = to_rows(array, scene, "waypoints");
  return motion;
}

void bind_motion(py::module_& module) {
  py::class_<PyMotion> motion(module, "Motion", doc::motion);
  pickles_with_scene(motion, &PyMotion::motion);
  motion
      .def(py::init(&of_waypoints), py::arg("scene"), py::arg("waypoints"),
           py::arg("times") = py::none(), py::kw_only(), py::arg("velocities") = py::none(),
           py::arg("accelerations") = py::none())
      .def_static("bezier", of_bezier, py::arg("scene"), py::arg("pieces"),
                  py::arg("times") = py::none(), doc::bezier)
      .def_static("bspline", of_bspline, py::arg("scene"), py::arg("degree"), py::arg("knots"),
                  py::arg("points"), doc::bspline)
      .def_static("load", load, py::arg("scene"), py::arg("file"), py::kw_only(),
                  py::arg("ignore_limits") = false, py::arg("interpolation") = "as_given",
                  doc::load_motion)
      .def(
          "save",
          [](const PyMotion& m, const std::filesystem::path& file) {
            value_of(save_path(file, m.motion, m.scene->scene));
          },
          py::arg("file"), doc::save_motion)
      .def_property_readonly(
          "waypoints", [](const PyMotion& m) { return to_array(m.motion.waypoints); },
          "Configurations where pieces meet, one row each.")
      .def_property_readonly(
          "times", [](const PyMotion& m) { return to_array(m.motion.times); },
          "Seconds, one for each waypoint; empty without times.")
      .def_property_readonly("pieces", pieces_of,
                             "Control points in Bernstein form, an array for each piece.")
      .def_property_readonly(
          "degree", [](const PyMotion& m) { return m.motion.degree(); },
          "The highest of all pieces; 1: straight lines.")
      .def_property_readonly(
          "duration",
          [](const PyMotion& m) -> std::optional<double> {
            if (m.motion.times.empty()) return std::nullopt;
            return m.motion.times.back() - m.motion.times.front();
          },
          "Seconds; None without times.")
      .def_property_readonly(
          "joints",
          [](const PyMotion& m) {
            std::vector<std::string> names;
            for (const Coordinate& c : m.scene->scene.tree().coordinates()) names.push_back(c.name);
            return names;
          },
          "Names of the columns.")
      .def_property_readonly(
          "at_home", [](const PyMotion& m) { return m.motion.defaulted; },
          "Joints that the file did not name; they rest at home.")
      .def("evaluate", evaluate, py::arg("t"), doc::evaluate)
      .def("derivative", derivative, py::arg("t"), py::arg("order") = 1, doc::derivative)
      .def("__len__", [](const PyMotion& m) { return m.motion.waypoints.size(); })
      .def("__repr__", describe);
  module.attr("Path") = module.attr("Motion");
  module.def("load_path", load_linear, py::arg("file"), py::arg("scene"), py::kw_only(),
             py::arg("ignore_limits") = false, py::arg("linear") = false, doc::load_path);
  module.def(
      "save_path",
      [](const std::filesystem::path& file, const py::object& path, const PyScene& scene) {
        value_of(save_path(file, to_motion(path, scene), scene.scene));
      },
      py::arg("file"), py::arg("path"), py::arg("scene"), doc::save_path);
}

}  // namespace proven::python
