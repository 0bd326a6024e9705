// --after: what obstacles are taken to do where their recording ends, and how that is told.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "proven/spacetime/afterwards.h"
#include "proven/spacetime/bodies.h"

namespace proven::tools {

struct ChosenAfterwards {
  spacetime::Afterwards after = spacetime::kUsualAfterwards;
  bool asked_for = false;
};

// When obstacles are known, and who ends before `until`.
struct ToldSpans {
  ChosenAfterwards chosen;
  std::vector<spacetime::Span> spans;
  std::vector<std::string> ended;
};
ToldSpans spans_until(const std::vector<spacetime::Obstacle>& obstacles, ChosenAfterwards chosen,
                      double until);
ToldSpans spans_until(const std::vector<spacetime::MovingBody>& bodies, ChosenAfterwards chosen,
                      double until);

// Adds "after", "spans" and "ended_early".
void add_spans(const ToldSpans& told, nlohmann::ordered_json& json);
void print_spans(const ToldSpans& told);

}  // namespace proven::tools
