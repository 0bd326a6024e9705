// What an audit came to, read from its rows in one pass.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proven/base/result.h"

namespace proven::audit {

struct Counts {
  // `swept`: clear for the pre-check, and not proved.
  std::int64_t free = 0, swept = 0, collision = 0, undecided = 0, error = 0;
  std::int64_t all() const { return free + swept + collision + undecided + error; }

  Counts& operator+=(const Counts& other);
};

// A path that collides, as its row says.
struct Collision {
  std::int64_t index = 0;
  std::string group, name;
  std::array<std::string, 2> pair;
  int segment = 0;
  double t = 0;
  std::optional<double> depth;  // at least
  std::vector<double> configuration;
  std::array<std::array<double, 3>, 2> points{};
};

struct Failed {
  std::int64_t index = 0;
  std::string group, name, why;
};

struct Summary {
  static constexpr std::size_t kPerPair = 3;

  // Of the header.
  std::int64_t paths = 0;   // of the data set
  std::int64_t sample = 0;  // 0: all were looked at
  std::string shard, data_set, version;
  bool certificates = false;
  double clearance = 0;

  Counts counts;
  std::int64_t refuted = 0;  // collisions that the pre-check had found clear: a defect
  std::vector<std::pair<std::string, Counts>> groups;  // in their order
  // By length in joint space: the i-th is below 2^(i - 2).
  static constexpr std::size_t kLengths = 10;
  std::array<Counts, kLengths> lengths;
  std::map<std::array<std::string, 2>, std::int64_t> pairs;  // how often they collide
  std::map<std::string, std::int64_t> reasons;               // of undecided
  // The least clearance of free paths, proved: by the clearance that it is at least.
  std::map<double, std::int64_t> clearances;
  std::vector<Collision> worst;           // deepest first, at most kPerPair of a pair
  std::vector<Failed> undecided, errors;  // the first ones
};

// `kept`: how many of the worst, the undecided and the errors are kept.
Result<Summary> summarise(const std::filesystem::path& results, std::size_t kept = 12);

// The interval of Clopper and Pearson: with this confidence the share in the whole set lies in it,
// where `hits` of `drawn` paths of a random sample have the property. It is exact for draws with
// replacement and errs to the safe side for a sample without.
struct Interval95 {
  double low = 0, high = 1;
};
Interval95 clopper_pearson(std::int64_t hits, std::int64_t drawn, double confidence = 0.95);

}  // namespace proven::audit
