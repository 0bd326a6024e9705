// What the verifier's own reader of traffic makes of a file, rounded to doubles: for comparisons
// with other readers.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "proven/base/result.h"

namespace proven::verifier {

struct ReadOutline {
  std::vector<std::pair<double, double>> corners;  // or one point
  double radius = 0;
};

struct ReadSample {
  double t = 0, x = 0, y = 0, heading = 0, deviation = 0, turn_deviation = 0;
};

// Something that is there from `begin` to `end`; one sample: it stands.
struct ReadPart {
  double begin = 0, end = 0;
  std::vector<ReadOutline> outlines;
  std::vector<ReadSample> samples;
};

struct ReadMover {
  std::string name;
  std::vector<ReadPart> parts;
};

Result<std::vector<ReadMover>> read_movers(const std::filesystem::path& file);

}  // namespace proven::verifier
