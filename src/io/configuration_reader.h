// Turns values of named joints into full configurations of a scene.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "proven/io/path_file.h"
#include "proven/kinematics/limits.h"
#include "proven/scene/scene.h"

namespace proven::io {

class ConfigurationReader {
 public:
  // Finds each name: a coordinate, a mimic joint, or either without its robot's name if only one
  // fits. Fails on unknown, ambiguous and repeated names, with no place.
  ConfigurationReader(const Scene& scene, const std::vector<std::string>& names,
                      const PathOptions& options = {});
  // All coordinates of the scene in order.
  ConfigurationReader(const Scene& scene, const PathOptions& options);

  std::size_t num_values() const { return columns_.size(); }
  // The configuration with the values in the order of the names, the rest at home. Fails, with no
  // place, on a wrong count, values beyond limits, inconsistent mimic joints and quaternions that
  // are not of unit length.
  std::vector<double> read(std::span<const double> values) const;
  // The same with the rest at `others`, a full configuration, instead of home.
  std::vector<double> read(std::span<const double> values, std::span<const double> others) const;

  // A named configuration of the scene, which must have a value for each of the names; the joints
  // that it has beyond them must be at home. See find_state.
  std::vector<double> read(const std::string& state) const;

  // Rates in the order of the names, those of others 0. Fails on mimic joints that do not follow.
  std::vector<double> read_rates(std::span<const double> rates) const;
  // A control point between the ends of a piece: as `read`, but rotation vectors stand in the place
  // of quaternions, with 0 in the fourth, and nothing is said of limits.
  std::vector<double> read_inner(std::span<const double> values) const;
  // Degrees in the order of the names, those of others 1.
  std::vector<int> read_degrees(std::span<const int> degrees) const;
  // Fails, naming piece, time, joint and value, where a curved piece leaves the limits.
  void check_piece(const Motion& motion, int index) const;

  // Coordinates that are named, and names of those that are not.
  std::vector<int> planned() const;
  std::vector<std::string> defaulted() const;

 private:
  struct Column {
    bool is_mimic = false;
    int index = -1;  // of the coordinate or of the mimic name
  };
  Column find(const std::string& name) const;
  std::vector<double> place(std::span<const double> values, std::span<const double> others) const;
  void check_mimics(std::span<const double> values, std::span<const double> configuration,
                    bool rates) const;
  void check_mimic(const KinematicTree::MimicName& mimic, double value, double given) const;
  void check_limits(std::span<const double> configuration) const;
  void check_quaternions(std::span<const double> configuration) const;

  const Scene& scene_;
  PathOptions options_;
  LimitBox limits_;
  std::vector<Column> columns_;
  std::vector<bool> named_;  // by coordinate
};

// A named configuration (SRDF group state), written "name", "group/name", "robot/name" or
// "robot/group/name". States of several groups that fit are one if no joint has two values. Fails,
// with no place, and lists what there is.
std::vector<std::pair<std::string, double>> find_state(const Scene& scene, const std::string& name);
std::vector<std::string> joints_of_state(const Scene& scene, const std::string& name);

// Whether the name can mean a coordinate (or mimic joint) of the scene; a part of a quaternion.
bool is_known_joint(const Scene& scene, const std::string& name);
bool is_quaternion(const Scene& scene, const std::string& name);

}  // namespace proven::io
