// Proofs of traffic: written by `traffic check` and `traffic plan`, read by `traffic verify`.
#pragma once

#include <string>
#include <vector>

#include "proven/io/traffic_file.h"
#include "proven/spacetime/certificate.h"
#include "tools/command.h"

namespace proven::tools {

// Writes the proof of all motions among all obstacles but those left out, as the file has them.
// Returns what is in it.
Result<spacetime::TrafficCertificate> write_traffic_certificate(
    const std::vector<spacetime::Obstacle>& obstacles, const std::vector<std::string>& left_out,
    const std::vector<spacetime::CertifiedMotion>& motions,
    const spacetime::TrafficOptions& options, spacetime::Afterwards after, const std::string& file,
    const Budget& budget);

struct TrafficVerifyArguments {
  std::string scene, trajectories, certificate;
  std::vector<std::string> left_out;
  double clearance = 0, length = 4.5, width = 2;
  spacetime::Afterwards after = spacetime::kUsualAfterwards;
};
int run_traffic_verify(const TrafficVerifyArguments& arguments, const CommonOptions& common);

}  // namespace proven::tools
