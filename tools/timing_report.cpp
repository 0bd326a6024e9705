#include "tools/timing_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <tuple>

namespace proven::tools {

nlohmann::ordered_json assumed_json(const AssumedRates& assumed) {
  return {{"velocity", assumed.velocity}, {"acceleration", assumed.acceleration}};
}

void print_assumed(const AssumedRates& assumed) {
  for (const auto& [joints, what, option] :
       {std::tuple(&assumed.velocity, "velocity", "--velocity"),
        std::tuple(&assumed.acceleration, "acceleration", "--acceleration")})
    if (!joints->empty())
      fmt::print("  no limit of {} is known, so {} says it, of {}\n", what, option,
                 fmt::join(*joints, ", "));
}

nlohmann::ordered_json timing_json(const TimingResult& timed) {
  return {{"seconds", timed.duration},
          {"with_stops", timed.with_stops},
          {"at_full_speed", timed.at_full_speed},
          {"deviation", timed.deviation},
          {"corners", timed.corners},
          {"stops", timed.stops},
          {"tightened", timed.tightened},
          {"pieces", timed.motion.num_segments()},
          {"degree", timed.motion.degree()},
          {"assumed", assumed_json(timed.assumed)}};
}

void print_timing(const TimingResult& timed) {
  fmt::print("{:.3f} s; with a stop at every waypoint {:.3f} s, the path at full speed {:.3f} s\n",
             timed.duration, timed.with_stops, timed.at_full_speed);
  fmt::print("  {} corners, {} of them stops, {} cut less than asked; within {:.3g} of the path\n",
             timed.corners, timed.stops, timed.tightened, timed.deviation);
  fmt::print("  {} pieces of degree {}\n", timed.motion.num_segments(), timed.motion.degree());
  print_assumed(timed.assumed);
}

}  // namespace proven::tools
