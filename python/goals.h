// What `plan` is asked in Python: starts and goals as arrays, names or poses; constraints as
// dictionaries, read as those of files are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "convert.h"
#include "proven/io/query_file.h"
#include "proven/verify/verify.h"

namespace proven::python {

// `start` is an array or the name of a configuration; `goal` one of these, a pose (a dictionary) or
// several of all kinds (a list, or the rows of an array). Without a group all joints are planned
// for, or those that poses need.
PoseQuery to_query(const PyScene& scene, const py::object& start, const py::object& goal,
                   const std::string& group, const py::object& constraints);

// A list of dictionaries, or None.
std::vector<FrameConstraint> to_constraints(const PyScene& scene, const py::object& constraints);

// The same, as the verifier's own reader reads it.
std::vector<KeptFrame> to_kept(const SceneSource& scene, const py::object& constraints);

void bind_constraints(py::module_& module);

}  // namespace proven::python
