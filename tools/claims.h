// What a check is asked to prove beyond "no contact": clearances by class of pairs and the tube
// around the path. How they are written on the command line, and how verdicts tell them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "proven/base/result.h"
#include "proven/certify/options.h"
#include "proven/scene/scene.h"

namespace proven::tools {

// "0.01", "0.01,self=0.002", "world=0.01,robots=0.05": a number alone is for world and robots.
Result<Clearances> parse_clearances(std::string_view text);

// "0.01", "0.01,arm/finger=0.001": a number alone is for all joints.
Result<TrackingError> parse_tracking_error(std::string_view text);

std::string to_text(const TrackingError& error);

// Of scene and command together, by class.
Clearances required(const Scene& scene, const CheckOptions& options);
// Of one pair, which may have its own.
double required(const BodyPair& pair, const CheckOptions& options);
// By the classes that the scene has, from the least to the most.
std::string required_text(const Scene& scene, const CheckOptions& options);

// The "claims" of `check --json`: clearances by class, of pairs with their own, the tube, and
// bodies without a well-defined inside.
nlohmann::ordered_json claims_json(const Scene& scene, const CheckOptions& options);

}  // namespace proven::tools
