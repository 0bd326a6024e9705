#include "tools/traffic_certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "proven/io/file.h"
#include "proven/verify/traffic.h"
#include "tools/terminal.h"

namespace proven::tools {

Result<spacetime::TrafficCertificate> write_traffic_certificate(
    const std::vector<spacetime::Obstacle>& obstacles, const std::vector<std::string>& left_out,
    const std::vector<spacetime::CertifiedMotion>& motions,
    const spacetime::TrafficOptions& options, spacetime::Afterwards after, const std::string& file,
    const Budget& budget) {
  const auto scene = spacetime::TrafficScene::build(obstacles);
  if (!scene.ok()) return scene.error();
  std::vector<int> except;
  for (std::size_t o = 0; o < obstacles.size(); ++o)
    if (std::ranges::count(left_out, obstacles[o].name) > 0) except.push_back(static_cast<int>(o));
  auto made = certify_traffic(scene.value(), motions, except, options, after, budget);
  if (!made.ok()) return made.error();
  if (auto written = write_file(file, made.value().bytes); !written.ok()) return written.error();
  return made;
}

int run_traffic_verify(const TrafficVerifyArguments& arguments, const CommonOptions& common) {
  const auto bytes = read_file(arguments.certificate);
  if (!bytes.ok()) return report(bytes.error());
  TrafficVerifyOptions options;
  options.clearance = arguments.clearance;
  options.left_out = arguments.left_out;
  options.length = arguments.length;
  options.width = arguments.width;
  options.after = word_of(arguments.after);
  const TrafficVerifyReport found =
      verify_traffic(arguments.scene, arguments.trajectories, bytes.value(), options);
  if (common.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"accepted", found.accepted},
                                              {"reason", found.reason},
                                              {"theorem", found.theorem},
                                              {"after", options.after},
                                              {"trajectories", found.trajectories},
                                              {"free", found.free},
                                              {"collisions", found.collisions},
                                              {"pairs", found.pairs},
                                              {"leaves", found.leaves},
                                              {"bytes", bytes.value().size()},
                                              {"seconds", found.seconds}}
                           .dump());
  } else if (!found.accepted) {
    fmt::print("{}: {}\n", paint(Colour::red, "rejected"), found.reason);
  } else {
    fmt::print("{}\n", paint(Colour::green, "accepted"));
    for (const std::string& sentence : found.theorem) fmt::print("{}\n", sentence);
    if (!common.quiet)
      fmt::print("{} pairs, {} leaves, {} bytes, {:.1f} ms\n", found.pairs, found.leaves,
                 bytes.value().size(), 1e3 * found.seconds);
  }
  return found.accepted ? kOk : kRejected;
}

}  // namespace proven::tools
