// Clearances and tracking errors in Python: a number, or a dict by class of pairs ("world",
// "robots", "self", "attached") or by joint.
#pragma once

#include <pybind11/pybind11.h>

#include <stdexcept>
#include <string>

#include "proven/scene/scene_source.h"

namespace pybind11::detail {

inline double number_of(const handle& value, const std::string& what) {
  make_caster<double> number;
  if (!number.load(value, true)) throw type_error(what + ": expected a number");
  return cast_op<double>(number);
}

template <>
struct type_caster<proven::Clearances> {
  PYBIND11_TYPE_CASTER(proven::Clearances, const_name("float | dict[str, float]"));

  bool load(handle source, bool convert) {
    if (!isinstance<dict>(source)) {
      make_caster<double> number;
      if (!number.load(source, convert)) return false;
      value = proven::Clearances(cast_op<double>(number));
      return true;
    }
    value = {};
    for (const auto& [key, metres] : reinterpret_borrow<dict>(source)) {
      const auto word = key.cast<std::string>();
      double* const member = word == "world"      ? &value.world
                             : word == "robots"   ? &value.robots
                             : word == "self"     ? &value.self
                             : word == "attached" ? &value.attached
                                                  : nullptr;
      if (!member)
        throw key_error("clearance: there is no class '" + word +
                        "'; there are world, robots, self and attached");
      *member = number_of(metres, "clearance of " + word);
    }
    return true;
  }
  static handle cast(const proven::Clearances& c, return_value_policy, handle) {
    dict all;
    all["world"] = c.world;
    all["robots"] = c.robots;
    all["self"] = c.self;
    all["attached"] = c.attached;
    return all.release();
  }
};

template <>
struct type_caster<proven::TrackingError> {
  PYBIND11_TYPE_CASTER(proven::TrackingError, const_name("float | dict[str, float]"));

  bool load(handle source, bool convert) {
    if (!isinstance<dict>(source)) {
      make_caster<double> number;
      if (!number.load(source, convert)) return false;
      value = proven::TrackingError(cast_op<double>(number));
      return true;
    }
    value = {};
    for (const auto& [joint, error] : reinterpret_borrow<dict>(source))
      value.joints[joint.cast<std::string>()] = number_of(error, "tracking error of a joint");
    return true;
  }
  static handle cast(const proven::TrackingError& error, return_value_policy, handle) {
    dict all;
    for (const auto& [joint, own] : error.joints) all[str(joint)] = own;
    return all.release();
  }
};

}  // namespace pybind11::detail
