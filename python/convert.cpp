#include "convert.h"

#include <fmt/format.h>

#include <cmath>

namespace proven::python {

py::array_t<double> to_array(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::array_t<double> to_array(const std::vector<std::vector<double>>& rows) {
  const std::size_t columns = rows.empty() ? 0 : rows[0].size();
  py::array_t<double> array({rows.size(), columns});
  auto out = array.mutable_unchecked<2>();
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < columns; ++k)
      out(static_cast<py::ssize_t>(i), static_cast<py::ssize_t>(k)) = rows[i][k];
  return array;
}

py::array_t<double> to_array(const Vec3& v) {
  return to_array(std::vector<double>{v.x, v.y, v.z});
}

std::vector<double> to_vector(const Array& array, const char* what) {
  if (array.ndim() != 1)
    throw LibraryError{bad_input(fmt::format("{} must be a list of numbers", what))};
  return {array.data(), array.data() + array.size()};
}

std::vector<std::string> names_without_inside(const PyScene& scene) {
  std::vector<std::string> names;
  for (const int body : scene.scene.bodies_without_inside())
    names.push_back(scene.scene.body(body).name);
  return names;
}

Path to_path(const py::object& object, const PyScene& scene) {
  if (py::isinstance<Path>(object)) return object.cast<Path>();
  Array array;
  try {
    array = object.cast<Array>();
  } catch (const py::cast_error&) {
    throw LibraryError{bad_input("a path is a proven.Path or an array of waypoints")};
  }
  const auto size = scene.scene.tree().num_coordinates();
  if (array.ndim() != 2 || array.shape(1) != size || array.shape(0) == 0)
    throw LibraryError{bad_input(fmt::format(
        "waypoints must be an array with {} columns, one for each of scene.joints", size))};
  Path path;
  const auto rows = array.unchecked<2>();
  for (py::ssize_t i = 0; i < rows.shape(0); ++i) {
    std::vector<double>& q = path.waypoints.emplace_back();
    for (py::ssize_t k = 0; k < rows.shape(1); ++k) q.push_back(rows(i, k));
  }
  return path;
}

}  // namespace proven::python
