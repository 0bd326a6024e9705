// The stops of a fail-safe drive: files for the verifier, and whether others kept their bounds.
#pragma once

#include <optional>
#include <string>

#include "proven/spacetime/certificate.h"
#include "proven/spacetime/drive.h"

namespace proven::tools {

// `drive.json` and `drive.proof` give drive.stops.json, drive.regions.json and drive.stops.proof.
struct StopFiles {
  std::string stops, regions, proof;
  std::int64_t pairs = 0, leaves = 0, bytes = 0;
};
StopFiles stop_files(const std::string& trajectory, const std::string& certificate);

// Writes all stops, each at a time of its own (1,000 s apart, so that a stop meets only what was
// predicted for it), the regions that it is free of, and the proof.
Result<StopFiles> write_stops(const spacetime::DriveResult& driven,
                              const spacetime::VehicleModel& vehicle, StopFiles files,
                              const spacetime::TrafficOptions& options, const Budget& budget);

// The first sample of a recording that leaves what was predicted for it.
struct Departure {
  std::string name;
  double t = 0;
};
std::optional<Departure> first_departure(const spacetime::DriveResult& driven,
                                         const spacetime::TrafficScene& recorded);

}  // namespace proven::tools
