#include "io/configuration_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/failure.h"
#include "io/text.h"
#include "proven/base/elementary.h"

namespace proven::io {
namespace {

// Files round their numbers; what disagrees by more was not meant to agree.
constexpr double kMimicTolerance = 1e-9;
constexpr double kUnitTolerance = 1e-6;
constexpr const char* kAccepts = "--ignore-limits accepts it";

bool means(const std::string& full_name, const std::string& name) {
  return full_name == name || (full_name.size() > name.size() && full_name.ends_with(name) &&
                               full_name[full_name.size() - name.size() - 1] == '/');
}

}  // namespace

bool is_known_joint(const Scene& scene, const std::string& name) {
  for (const Coordinate& coordinate : scene.tree().coordinates())
    if (means(coordinate.name, name)) return true;
  for (const KinematicTree::MimicName& mimic : scene.tree().mimic_names())
    if (means(mimic.name, name)) return true;
  return false;
}

bool is_quaternion(const Scene& scene, const std::string& name) {
  const auto coordinates = scene.tree().coordinates();
  return std::any_of(coordinates.begin(), coordinates.end(), [&](const Coordinate& coordinate) {
    return coordinate.quaternion && means(coordinate.name, name);
  });
}

ConfigurationReader::ConfigurationReader(const Scene& scene, const std::vector<std::string>& names,
                                         const PathOptions& options)
    : scene_(scene),
      options_(options),
      limits_(scene.tree()),
      named_(static_cast<std::size_t>(scene.tree().num_coordinates()), false) {
  std::vector<bool> named_mimic(scene.tree().mimic_names().size(), false);
  for (const std::string& name : names) {
    columns_.push_back(find(name));
    const Column& column = columns_.back();
    if (!column.is_mimic && scene.follows_clock(column.index))
      fail("",
           fmt::format("{} moves by the clock of the scene: it is not set by a path", quote(name)));
    auto seen = (column.is_mimic ? named_mimic : named_)[static_cast<std::size_t>(column.index)];
    if (seen) fail("", fmt::format("joint {} is named twice", quote(name)));
    seen = true;
  }
}

ConfigurationReader::ConfigurationReader(const Scene& scene, const PathOptions& options)
    : scene_(scene),
      options_(options),
      limits_(scene.tree()),
      named_(static_cast<std::size_t>(scene.tree().num_coordinates()), true) {
  for (int i = 0; i < scene.tree().num_coordinates(); ++i)
    if (!scene.follows_clock(i)) columns_.push_back({false, i});
}

ConfigurationReader::Column ConfigurationReader::find(const std::string& name) const {
  const auto coordinates = scene_.tree().coordinates();
  const auto mimics = scene_.tree().mimic_names();
  std::vector<Column> fits;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (coordinates[i].name == name) return {false, static_cast<int>(i)};
    if (means(coordinates[i].name, name)) fits.push_back({false, static_cast<int>(i)});
    known.push_back(coordinates[i].name);
  }
  for (std::size_t i = 0; i < mimics.size(); ++i) {
    if (mimics[i].name == name) return {true, static_cast<int>(i)};
    if (means(mimics[i].name, name)) fits.push_back({true, static_cast<int>(i)});
    known.push_back(mimics[i].name);
  }
  if (fits.size() > 1)
    fail("", fmt::format("joint {} is ambiguous: several robots have one; write robot/joint",
                         quote(name)));
  if (fits.empty())
    fail("",
         fmt::format("no joint that can move is named {}{}", quote(name), suggestion(name, known)));
  return fits[0];
}

std::vector<double> ConfigurationReader::read(std::span<const double> values) const {
  return read(values, scene_.home());
}

std::vector<double> ConfigurationReader::read(std::span<const double> values,
                                              std::span<const double> others) const {
  std::vector<double> configuration = place(values, others);
  check_mimics(values, configuration, false);
  if (!options_.ignore_limits) check_limits(configuration);
  check_quaternions(configuration);
  return configuration;
}

std::vector<double> ConfigurationReader::read_rates(std::span<const double> rates) const {
  std::vector<double> full = place(rates, std::vector<double>(named_.size(), 0));
  check_mimics(rates, full, true);
  return full;
}

std::vector<double> ConfigurationReader::read_inner(std::span<const double> values) const {
  const auto coordinates = scene_.tree().coordinates();
  std::vector<double> others(scene_.home().begin(), scene_.home().end());
  for (std::size_t i = 0; i < others.size(); ++i)
    if (coordinates[i].quaternion) others[i] = 0;
  std::vector<double> control = place(values, others);
  check_mimics(values, control, false);
  for (std::size_t i = 0; i < control.size(); ++i) {
    if (!coordinates[i].quaternion) continue;
    i += 3;
    if (control[i] != 0)
      fail("", fmt::format("{} is {}; between the ends of a piece a rotation vector stands in the "
                           "first three places of the quaternion and 0 in the fourth",
                           coordinates[i].name, control[i]));
  }
  return control;
}

std::vector<int> ConfigurationReader::read_degrees(std::span<const int> degrees) const {
  std::vector<int> full(named_.size(), 1);
  for (std::size_t i = 0; i < degrees.size(); ++i)
    if (!columns_[i].is_mimic) full[static_cast<std::size_t>(columns_[i].index)] = degrees[i];
  return full;
}

std::vector<double> ConfigurationReader::place(std::span<const double> values,
                                               std::span<const double> others) const {
  if (values.size() != columns_.size())
    fail("", fmt::format("expected {} values, got {}", columns_.size(), values.size()));
  std::vector<double> full(others.begin(), others.end());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!columns_[i].is_mimic) full[static_cast<std::size_t>(columns_[i].index)] = values[i];
  return full;
}

void ConfigurationReader::check_mimics(std::span<const double> values,
                                       std::span<const double> configuration, bool rates) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!columns_[i].is_mimic) continue;
    auto mimic = scene_.tree().mimic_names()[static_cast<std::size_t>(columns_[i].index)];
    if (rates) mimic.offset = 0;
    check_mimic(mimic, configuration[static_cast<std::size_t>(mimic.coordinate)], values[i]);
  }
}

void ConfigurationReader::check_mimic(const KinematicTree::MimicName& mimic, double value,
                                      double given) const {
  const double expected = mimic.multiplier * value + mimic.offset;
  if (std::fabs(given - expected) <= kMimicTolerance) return;
  const auto& leader = scene_.tree().coordinates()[static_cast<std::size_t>(mimic.coordinate)];
  fail("", fmt::format("joint {} follows {} and must be {} here, not {}; leave it out", mimic.name,
                       leader.name, expected, given));
}

void ConfigurationReader::check_limits(std::span<const double> configuration) const {
  const KinematicTree& tree = scene_.tree();
  const auto beyond = limits_.find_beyond(tree, configuration);
  if (!beyond) return;
  const auto leader = static_cast<std::size_t>(beyond->coordinate);
  const double radians = beyond->value * std::numbers::pi / 180;
  const bool degrees = tree.coordinates()[leader].rotary &&
                       std::fabs(beyond->value) > 2 * std::numbers::pi &&
                       radians >= beyond->lower && radians <= beyond->upper;
  const char* advice = degrees ? "in degrees? angles are in radians"
                       : named_[leader]
                           ? kAccepts
                           : "it is not named and keeps its home value: name it or set a home";
  fail("", fmt::format("{}; {}", describe(*beyond), advice));
}

void ConfigurationReader::check_piece(const Motion& motion, int index) const {
  const MotionPiece piece = motion.piece(index);
  if (options_.ignore_limits || piece.straight()) return;
  const auto beyond = limits_.find_beyond(scene_.tree(), piece);
  if (!beyond) return;
  const auto i = static_cast<std::size_t>(index);
  const std::string when =
      motion.times.empty()
          ? fmt::format("{} of its way", beyond->s)
          : fmt::format("{} s",
                        motion.times[i] + beyond->s * (motion.times[i + 1] - motion.times[i]));
  fail("", fmt::format("piece {} at {}: {}; {}", index, when, describe(*beyond), kAccepts));
}

void ConfigurationReader::check_quaternions(std::span<const double> configuration) const {
  const auto coordinates = scene_.tree().coordinates();
  for (std::size_t i = 0; i + 3 < coordinates.size(); ++i) {
    if (!coordinates[i].quaternion) continue;
    const double length = hypotenuse(hypotenuse(configuration[i], configuration[i + 1]),
                                     hypotenuse(configuration[i + 2], configuration[i + 3]));
    if (!(std::fabs(length - 1) <= kUnitTolerance))
      fail("", fmt::format("{} and the three after it must be a unit quaternion; its length is {}",
                           coordinates[i].name, length));
    i += 3;
  }
}

std::vector<double> ConfigurationReader::read(const std::string& state) const {
  const auto given = find_state(scene_, state);
  std::vector<bool> used(given.size(), false);
  std::vector<double> values;
  for (const Column& column : columns_) {
    const auto index = static_cast<std::size_t>(column.index);
    const std::string& name = column.is_mimic ? scene_.tree().mimic_names()[index].name
                                              : scene_.tree().coordinates()[index].name;
    std::size_t at = 0;
    while (at < given.size() && given[at].first != name) ++at;
    if (at == given.size())
      fail("", fmt::format("the configuration {} has no value of joint {}", quote(state), name));
    values.push_back(given[at].second);
    used[at] = true;
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const int index = scene_.tree().find_coordinate(given[i].first);
    if (used[i] || index < 0) continue;  // a mimic joint follows
    if (scene_.home()[static_cast<std::size_t>(index)] != given[i].second)
      fail("", fmt::format("the configuration {} also sets joint {}, which is not among the joints "
                           "here and stays at home; name it too",
                           quote(state), given[i].first));
  }
  return read(values);
}

std::vector<std::pair<std::string, double>> find_state(const Scene& scene,
                                                       const std::string& name) {
  std::vector<std::pair<std::string, double>> values;
  std::vector<std::string> known;
  bool found = false;
  for (const GroupState& state : scene.states()) {
    const std::string full = state.group + "/" + state.name;  // robot/group/name
    const std::string robot = full.substr(0, full.find('/'));
    known.push_back(full);
    if (!means(full, name) && robot + "/" + state.name != name) continue;
    found = true;
    for (const auto& [joint, value] : state.joints) {
      const auto same =
          std::find_if(values.begin(), values.end(),
                       [&name = joint](const auto& other) { return other.first == name; });
      if (same == values.end())
        values.emplace_back(joint, value[0]);
      else if (same->second != value[0])
        fail("", fmt::format("the configuration {} is ambiguous: joint {} is {} and {}; write "
                             "group/name",
                             quote(name), joint, same->second, value[0]));
    }
  }
  if (!found)
    fail("", fmt::format("there is no configuration {}{}; {}", quote(name), suggestion(name, known),
                         known.empty() ? std::string("the SRDF of the scene names none")
                                       : fmt::format("there are {}", fmt::join(known, ", "))));
  return values;
}

std::vector<std::string> joints_of_state(const Scene& scene, const std::string& name) {
  std::vector<std::string> joints;
  for (const auto& [joint, value] : find_state(scene, name)) joints.push_back(joint);
  return joints;
}

std::vector<int> ConfigurationReader::planned() const {
  std::vector<int> indices;
  for (std::size_t i = 0; i < named_.size(); ++i)
    if (named_[i]) indices.push_back(static_cast<int>(i));
  return indices;
}

std::vector<std::string> ConfigurationReader::defaulted() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < named_.size(); ++i)
    if (!named_[i] && !scene_.follows_clock(static_cast<int>(i)))
      names.push_back(scene_.tree().coordinates()[i].name);
  return names;
}

}  // namespace proven::io
