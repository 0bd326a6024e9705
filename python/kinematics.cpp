// Where links and frames are, how they move with the joints, which joints bring them somewhere, and
// how far bodies are apart: each for one configuration or for an array of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "convert.h"
#include "docs.h"
#include "proven/base/parallel.h"
#include "proven/geometry/distance.h"
#include "proven/geometry/solid.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/inverse.h"
#include "proven/kinematics/poses.h"

namespace proven::python {
namespace {

using Axes = std::vector<py::ssize_t>;

[[noreturn]] void refuse(std::string text) {
  throw LibraryError{bad_input(std::move(text))};
}

// Configurations as rows, whatever the shape before the last axis.
struct Rows {
  const double* data = nullptr;
  std::size_t count = 0, size = 0;
  Axes shape;  // without the last axis

  std::span<const double> operator[](std::size_t i) const { return {data + i * size, size}; }
};

Rows rows_of(const Array& array, const PyScene& scene) {
  const auto size = static_cast<std::size_t>(scene.scene.tree().num_coordinates());
  if (array.ndim() < 1 || static_cast<std::size_t>(array.shape(array.ndim() - 1)) != size)
    refuse(
        fmt::format("configurations have {} values in their last axis, one for each joint", size));
  Rows rows{array.data(), 1, size, Axes(array.shape(), array.shape() + array.ndim() - 1)};
  for (const py::ssize_t n : rows.shape) rows.count *= static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < rows.count; ++i)
    value_of(check_configuration(scene.scene.tree(), rows[i]));
  return rows;
}

Axes joined(Axes shape, std::initializer_list<std::size_t> more) {
  for (const std::size_t n : more) shape.push_back(static_cast<py::ssize_t>(n));
  return shape;
}

// Calls work(i, thread) for every row, on so many threads; Ctrl-C ends it.
template <class Work>
void for_rows(std::size_t count, int threads, const Work& work) {
  std::atomic<bool> cancel = false;
  const int most = threads > 0 ? threads : default_threads();
  const auto all = [&] {
    parallel_for(static_cast<int>(count), most, [&](int i, int thread) {
      if (!cancel) work(static_cast<std::size_t>(i), static_cast<std::size_t>(thread));
    });
  };
  constexpr std::size_t kFew = 16;  // not worth a thread
  if (count <= kFew) {
    py::gil_scoped_release release;
    for (std::size_t i = 0; i < count; ++i) work(i, std::size_t{0});
  } else {
    interruptible(cancel, all);
  }
}

// A link, or a body on one.
struct Frame {
  int link = 0;
  Pose X_LF;
};

Frame frame_of(const PyScene& s, const std::string& name) {
  if (name == "world") return {};
  if (const int link = s.scene.tree().find_link(name); link >= 0) return {link, {}};
  const int body = s.scene.find_body(name);
  if (body < 0)
    refuse(
        fmt::format("no link and no body '{}' in the scene; scene.links and scene.bodies "
                    "list them",
                    name));
  return {s.scene.body(body).link, s.scene.body(body).X_LB};
}

Pose pose_of(const Frame& frame, const LinkPoses& poses) {
  return poses.X_WL[static_cast<std::size_t>(frame.link)] * frame.X_LF;
}

void write(const Pose& X, double* out) {
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) out[4 * i + k] = X.R(i, k);
    out[4 * i + 3] = X.p[i];
  }
  out[12] = out[13] = out[14] = 0;
  out[15] = 1;
}
void write(const Vec3& v, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = v[i];
}

std::vector<std::string> link_names(const PyScene& s) {
  std::vector<std::string> names;
  for (const Link& link : s.scene.tree().links().subspan(1)) names.push_back(link.name);
  return names;
}

py::array_t<double> poses(const PyScene& s, const Array& configurations, const py::object& which) {
  const Rows rows = rows_of(configurations, s);
  const bool one = py::isinstance<py::str>(which);
  std::vector<Frame> frames;
  if (one)
    frames.push_back(frame_of(s, which.cast<std::string>()));
  else
    for (const std::string& name :
         which.is_none() ? link_names(s) : which.cast<std::vector<std::string>>())
      frames.push_back(frame_of(s, name));
  py::array_t<double> array(one ? joined(rows.shape, {4, 4})
                                : joined(rows.shape, {frames.size(), 4, 4}));
  double* out = array.mutable_data();
  py::gil_scoped_release release;
  LinkPoses at;
  for (std::size_t i = 0; i < rows.count; ++i) {
    compute_poses(s.scene.tree(), rows[i], at);
    for (const Frame& frame : frames) {
      write(pose_of(frame, at), out);
      out += 16;
    }
  }
  return array;
}

// --- Jacobians -----------------------------------------------------------------------------------

// Adds the column of one coordinate: the velocity of the point p, and the angular velocity.
void add_column(double* J, std::size_t columns, std::size_t k, const Vec3& linear,
                const Vec3& angular) {
  for (std::size_t i = 0; i < 3; ++i) {
    J[i * columns + k] += linear[static_cast<int>(i)];
    J[(i + 3) * columns + k] += angular[static_cast<int>(i)];
  }
}

// Joint by joint from the link to the world. A coordinate may drive several joints of the chain.
void jacobian_at(const KinematicTree& tree, const LinkPoses& at, int link, const Vec3& p, double* J,
                 std::size_t columns) {
  std::fill(J, J + 6 * columns, 0.0);
  for (; link > 0; link = tree.link(link).parent) {
    const Joint& joint = tree.link(link).joint;
    if (joint.kind == JointKind::fixed) continue;
    const auto k = static_cast<std::size_t>(joint.coordinate);
    const JointAxis axis = joint_axis(tree, at, link);
    if (joint.kind == JointKind::revolute) {
      const Vec3 turn = joint.multiplier * axis.direction;
      add_column(J, columns, k, cross(turn, p - axis.point), turn);
    } else if (joint.kind == JointKind::prismatic) {
      add_column(J, columns, k, joint.multiplier * axis.direction, {});
    } else {  // angular velocity in the joint's frame, which the parent carries
      const Mat3 R = at.X_WL[static_cast<std::size_t>(tree.link(link).parent)].R * joint.X_PJ.R;
      for (std::size_t i = 0; i < 3; ++i) {
        const int c = static_cast<int>(i);
        const Vec3 turn{R(0, c), R(1, c), R(2, c)};
        add_column(J, columns, k + i, cross(turn, p - axis.point), turn);
      }
    }
  }
}

py::array_t<double> jacobian(const PyScene& s, const Array& configurations,
                             const std::string& frame_name, const std::array<double, 3>& point) {
  const Rows rows = rows_of(configurations, s);
  const Frame frame = frame_of(s, frame_name);
  py::array_t<double> array(joined(rows.shape, {6, rows.size}));
  double* out = array.mutable_data();
  py::gil_scoped_release release;
  LinkPoses at;
  for (std::size_t i = 0; i < rows.count; ++i) {
    compute_poses(s.scene.tree(), rows[i], at);
    const Vec3 p = pose_of(frame, at) * Vec3{point[0], point[1], point[2]};
    jacobian_at(s.scene.tree(), at, frame.link, p, out + i * 6 * rows.size, rows.size);
  }
  return array;
}

// --- Inverse kinematics --------------------------------------------------------------------------

FreeTurn free_turn_of(const std::string& word) {
  if (const auto found = parse_word<FreeTurn>(word)) return *found;
  refuse(fmt::format("no free turn '{}'; there are: none, x, y, z, all", word));
}

std::vector<int> coordinates_of(const PyScene& s, const py::object& joints) {
  std::vector<int> places;
  if (joints.is_none()) return places;
  for (const auto& name : joints.cast<std::vector<std::string>>()) {
    places.push_back(s.scene.tree().find_coordinate(name));
    if (places.back() < 0) refuse(fmt::format("no joint '{}'; scene.joints lists them", name));
  }
  return places;
}

// Targets as 4 x 4 matrices, or as places alone where turns are free.
std::vector<Pose> targets_of(const Array& given, bool places, Axes& shape) {
  const py::ssize_t own = places ? 1 : 2;
  if (given.ndim() < own || given.shape(given.ndim() - 1) != (places ? 3 : 4) ||
      (!places && given.shape(given.ndim() - 2) != 4))
    refuse("targets are 4 x 4 matrices; with free='all', x, y and z alone will do");
  shape.assign(given.shape(), given.shape() + given.ndim() - own);
  std::vector<Pose> targets;
  const py::ssize_t step = places ? 3 : 16;
  for (py::ssize_t i = 0; i < given.size() / step; ++i) {
    const double* p = given.data() + i * step;
    targets.push_back(places ? Pose::translation({p[0], p[1], p[2]})
                             : to_pose(Array(Axes{4, 4}, p)));
    const Pose& X = targets.back();
    if (!is_finite(X.p)) refuse("a target is not finite");
    constexpr double kRigid = 1e-6;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        if (!(std::fabs(
                  dot(X.R.row[static_cast<std::size_t>(r)], X.R.row[static_cast<std::size_t>(c)]) -
                  (r == c ? 1 : 0)) <= kRigid))
          refuse("a target is not a rotation and a place");
  }
  return targets;
}

py::tuple inverse(const PyScene& s, const std::string& frame_name, const Array& target,
                  const py::object& guess, const std::string& free, const py::object& joints,
                  double position_tolerance, double angle_tolerance, int restarts,
                  std::uint64_t seed, int threads) {
  const Frame frame = frame_of(s, frame_name);
  if (frame.link == 0) refuse(fmt::format("'{}' does not move", frame_name));
  const FreeTurn turn = free_turn_of(free);
  Axes shape;
  const bool places =
      turn == FreeTurn::all && (target.ndim() < 2 || target.shape(target.ndim() - 1) == 3);
  const std::vector<Pose> targets = targets_of(target, places, shape);
  const Array guesses =
      guess.is_none()
          ? Array(to_array(std::vector<double>(s.scene.home().begin(), s.scene.home().end())))
          : guess.cast<Array>();
  const Rows from = rows_of(guesses, s);
  if (from.count != 1 && from.shape != shape) refuse("give one guess, or one for each target");
  InverseOptions options;
  options.coordinates = coordinates_of(s, joints);
  options.position_tolerance = position_tolerance;
  options.angle_tolerance = angle_tolerance;
  options.max_restarts = restarts;
  options.seed = seed;
  py::array_t<double> array(joined(shape, {from.size}));
  py::array_t<bool> found(shape);
  double* out = array.mutable_data();
  bool* reached = found.mutable_data();
  for_rows(targets.size(), threads, [&](std::size_t i, std::size_t) {
    const auto q = solve_inverse(s.scene.tree(), {frame.link, frame.X_LF, targets[i], turn},
                                 from[from.count == 1 ? 0 : i], options);
    reached[i] = q.has_value();
    for (std::size_t k = 0; k < from.size; ++k)
      out[i * from.size + k] = q ? (*q)[k] : std::numeric_limits<double>::quiet_NaN();
  });
  return py::make_tuple(array, found);
}

// --- Distances -----------------------------------------------------------------------------------

std::vector<BodyPair> pairs_of(const PyScene& s, const py::object& which) {
  std::vector<BodyPair> pairs;
  if (which.is_none()) return {s.scene.pairs().begin(), s.scene.pairs().end()};
  for (const auto& [a, b] : which.cast<std::vector<std::pair<std::string, std::string>>>()) {
    const int i = s.scene.find_body(a), k = s.scene.find_body(b);
    if (i < 0 || k < 0) refuse(fmt::format("no body '{}'; scene.bodies lists them", i < 0 ? a : b));
    pairs.push_back({i, k});
  }
  return pairs;
}

// Pairs that were proved never to meet within limits are not among those that are tested.
void require_all_pairs(const PyScene& s, const Rows& rows) {
  if (!s.scene.has_proved_pairs()) return;
  const LimitBox limits(s.scene.tree());
  for (std::size_t i = 0; i < rows.count; ++i)
    if (const auto beyond = limits.find_beyond(s.scene.tree(), rows[i]))
      refuse(
          describe(*beyond) +
          "; pairs that the SRDF excludes as proved never to meet are so within limits: name the "
          "pairs");
}

// Where two bodies are closest, in the world.
struct Closest {
  double distance = 0;
  Vec3 points[2], direction;
};

Closest closest_at(const Scene& scene, const BodyPair& pair, const LinkPoses& at,
                   DistanceScratch& scratch) {
  const Body &a = scene.body(pair.a), &b = scene.body(pair.b);
  const Pose X_WA = scene.body_pose(pair.a, at);
  const Pose X_AB = relative_pose(X_WA, scene.body_pose(pair.b, at));
  const ExactDistance exact = exact_distance(*a.geometry, *b.geometry, X_AB, {-1, -1}, scratch);
  Closest closest{exact.distance, {X_WA * exact.points[0], X_WA * exact.points[1]}, {}};
  if (closest.distance > 0 && find_containment(*a.geometry, *b.geometry, X_AB).inside)
    closest.distance = 0;
  if (closest.distance > 0) {
    const Vec3 gap = X_WA.R * (exact.points[1] - exact.points[0]);
    closest.direction = 1 / norm(gap) * gap;
  }
  return closest;
}

py::tuple closest(const PyScene& s, const Array& configurations, const py::object& which,
                  int threads) {
  value_of(s.scene.require_no_clock());
  const Rows rows = rows_of(configurations, s);
  const std::vector<BodyPair> pairs = pairs_of(s, which);
  if (which.is_none()) require_all_pairs(s, rows);
  py::array_t<double> distance(joined(rows.shape, {pairs.size()})),
      points(joined(rows.shape, {pairs.size(), 2, 3})),
      direction(joined(rows.shape, {pairs.size(), 3}));
  double *d = distance.mutable_data(), *p = points.mutable_data(), *n = direction.mutable_data();
  struct Own {
    LinkPoses poses;
    DistanceScratch scratch;
  };
  std::vector<Own> own(static_cast<std::size_t>(threads > 0 ? threads : default_threads()));
  for_rows(rows.count, threads, [&](std::size_t i, std::size_t thread) {
    compute_poses(s.scene.tree(), rows[i], own[thread].poses);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const Closest at = closest_at(s.scene, pairs[k], own[thread].poses, own[thread].scratch);
      const std::size_t place = i * pairs.size() + k;
      d[place] = at.distance;
      write(at.points[0], p + 6 * place);
      write(at.points[1], p + 6 * place + 3);
      write(at.direction, n + 3 * place);
    }
  });
  return py::make_tuple(distance, points, direction);
}

}  // namespace

void bind_kinematics(py::class_<PyScene, std::shared_ptr<PyScene>>& scene) {
  const InverseOptions usual;
  scene
      .def_property_readonly("links", link_names,
                             "Names of all links of all robots, with or without geometry.")
      .def("poses", poses, py::arg("configurations"), py::arg("frames") = py::none(), doc::poses)
      .def("jacobian", jacobian, py::arg("configurations"), py::arg("frame"),
           py::arg("point") = std::array<double, 3>{}, doc::jacobian)
      .def("inverse", inverse, py::arg("frame"), py::arg("target"), py::arg("guess") = py::none(),
           py::kw_only(), py::arg("free") = "none", py::arg("joints") = py::none(),
           py::arg("position_tolerance") = usual.position_tolerance,
           py::arg("angle_tolerance") = usual.angle_tolerance,
           py::arg("restarts") = usual.max_restarts, py::arg("seed") = usual.seed,
           py::arg("threads") = 0, doc::inverse)
      .def("closest", closest, py::arg("configurations"), py::arg("pairs") = py::none(),
           py::kw_only(), py::arg("threads") = 0, doc::closest);
}

}  // namespace proven::python
