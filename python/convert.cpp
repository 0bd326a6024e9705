#include "convert.h"

#include <fmt/format.h>

#include "proven/kinematics/interpolation.h"
#include "proven/scene/remarks.h"
#include "proven/scene/sensed.h"

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

py::bytes to_bytes(const Certificate& certificate) {
  return {reinterpret_cast<const char*>(certificate.data()), certificate.size()};
}

std::vector<double> to_vector(const Array& array, const char* what) {
  if (array.ndim() != 1)
    throw LibraryError{bad_input(fmt::format("{} must be a list of numbers", what))};
  return {array.data(), array.data() + array.size()};
}

std::vector<double> to_configuration(const Array& array, const PyScene& scene) {
  std::vector<double> q = to_vector(array, "a configuration");
  value_of(check_configuration(scene.scene.tree(), q));
  return q;
}

std::vector<std::string> names_without_inside(const PyScene& scene) {
  std::vector<std::string> names;
  for (const int body : scene.scene.bodies_without_inside())
    names.push_back(scene.scene.body(body).name);
  return names;
}

std::vector<std::map<std::string, std::string>> remarks_of(const PyScene& scene) {
  std::vector<std::map<std::string, std::string>> list;
  for (const Remark& remark : find_remarks(scene.scene))
    list.push_back({{"code", std::string(to_string(remark.code))},
                    {"text", remark.text},
                    {"where", remark.where}});
  return list;
}

std::map<std::string, std::string> sensed_of(const PyScene& scene) {
  std::map<std::string, std::string> statements;
  for (const auto& [name, statement] : sensed_bodies(scene.scene)) statements[name] = statement;
  return statements;
}

Pose to_pose(const Array& pose) {
  if (pose.ndim() == 1 && pose.shape(0) == 3) {
    const double* p = pose.data();
    return Pose::translation({p[0], p[1], p[2]});
  }
  if (pose.ndim() != 2 || pose.shape(0) != 4 || pose.shape(1) != 4)
    throw LibraryError{bad_input("a pose is a 4 x 4 matrix, or x, y and z alone")};
  const auto m = pose.unchecked<2>();
  if (m(3, 0) != 0 || m(3, 1) != 0 || m(3, 2) != 0 || m(3, 3) != 1)
    throw LibraryError{bad_input("the last row of a pose is 0, 0, 0, 1")};
  Pose X;
  for (py::ssize_t i = 0; i < 3; ++i) {
    X.R.row[static_cast<std::size_t>(i)] = {m(i, 0), m(i, 1), m(i, 2)};
    X.p[static_cast<int>(i)] = m(i, 3);
  }
  return X;
}

py::array_t<double> to_matrix(const Pose& X) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < 3; ++i)
    rows.push_back({X.R.row[i].x, X.R.row[i].y, X.R.row[i].z, X.p[static_cast<int>(i)]});
  rows.push_back({0, 0, 0, 1});
  return to_array(rows);
}

}  // namespace proven::python
