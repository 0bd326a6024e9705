// Between numpy arrays and the library's plain data.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "proven/base/result.h"
#include "proven/base/vec3.h"
#include "proven/certify/certificate.h"
#include "proven/certify/check.h"
#include "proven/certify/verdict.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"
#include "requirements.h"

namespace proven::python {

namespace py = pybind11;

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

// proven.Error
struct LibraryError {
  Error error;
};

template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) throw LibraryError{result.error()};
  return std::move(result).value();
}
inline void value_of(const Result<void>& result) {
  if (!result.ok()) throw LibraryError{result.error()};
}

// "refuse" or "ignore".
inline Limits limits_of(const std::string& word) {
  if (const auto limits = parse_word<Limits>(word)) return *limits;
  throw LibraryError{bad_input("limits is \"refuse\" or \"ignore\", not \"" + word + "\"")};
}

// Joints whose limits of rates no file says.
inline py::dict assumed_of(const AssumedRates& assumed) {
  py::dict d;
  d["velocity"] = assumed.velocity;
  d["acceleration"] = assumed.acceleration;
  return d;
}

// A scene prepared for questions, with scratch memory that the calls of one thread use at a time.
struct Prepared {
  CheckModel model;
  std::mutex mutex;
  Scratch scratch;

  explicit Prepared(CheckModel m) : model(std::move(m)) {}
};

// A scene as Python holds it.
struct PyScene {
  Scene scene;
  std::mutex mutex;
  std::shared_ptr<Prepared> prepared;  // by the last `check`, for the next with the same options

  explicit PyScene(Scene s) : scene(std::move(s)) {}
};

// A motion with the scene that gives its coordinates meaning.
struct PyMotion {
  Motion motion;
  std::shared_ptr<PyScene> scene;
};

// A result with the scene that gives its indices names.
struct PyCheckResult {
  CheckResult result;
  std::shared_ptr<PyScene> scene;
};

// Results have more than two outcomes: `if result:` says where to look instead.
template <class Class>
void no_truth_value(Class& bound, const char* look_at) {
  bound.def("__bool__", [look_at](const py::object&) -> bool {
    throw py::type_error(std::string("a result is not a truth value; look at result.") + look_at);
  });
}

py::array_t<double> to_array(const std::vector<double>& values);
py::array_t<double> to_array(const std::vector<std::vector<double>>& rows);
py::array_t<double> to_array(const Vec3& v);
py::bytes to_bytes(const Certificate& certificate);
std::vector<double> to_vector(const Array& array, const char* what);
// One value for each joint of the scene, all finite, quaternions of length 1.
std::vector<double> to_configuration(const Array& array, const PyScene& scene);
// A Motion of these joints, or an array of waypoints.
Motion to_motion(const py::object& object, const PyScene& scene);
// A 4 x 4 matrix; or a place alone, without a turn.
Pose to_pose(const Array& pose);
py::array_t<double> to_matrix(const Pose& X);
// Bodies of tested pairs that have no well-defined inside.
std::vector<std::string> names_without_inside(const PyScene& scene);
// What a person should know of the scene (find_remarks).
std::vector<std::map<std::string, std::string>> remarks_of(const PyScene& scene);
// What a verdict says of bodies that sensors saw, by name.
std::map<std::string, std::string> sensed_of(const PyScene& scene);

// Runs without the interpreter's lock on another thread, so that Ctrl-C and other Python threads
// are served meanwhile; on an interrupt `cancel` is set, and the work ends soon.
template <class Work>
auto interruptible(std::atomic<bool>& cancel, Work work) {
  auto done = std::async(std::launch::async, std::move(work));
  while (true) {
    bool ready = false;
    {
      py::gil_scoped_release release;
      ready = done.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready;
    }
    if (ready) return done.get();
    if (PyErr_CheckSignals() == 0) continue;
    cancel = true;
    {
      py::gil_scoped_release release;
      done.wait();
    }
    throw py::error_already_set();
  }
}

void bind_scene(py::module_& module);
void bind_edits(py::class_<PyScene, std::shared_ptr<PyScene>>& scene);
void bind_kinematics(py::class_<PyScene, std::shared_ptr<PyScene>>& scene);
void bind_notebook(py::module_& module);
void bind_motion(py::module_& module);
void bind_check(py::module_& module);
void bind_plan(py::module_& module);
void bind_roadmap(py::module_& parent);
void bind_tool(py::module_& module);
void bind_robot(py::module_& module);
void bind_spacetime(py::module_& parent);
void bind_task(py::module_& parent);

}  // namespace proven::python
