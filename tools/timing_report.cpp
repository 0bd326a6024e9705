#include "tools/timing_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace proven::tools {

nlohmann::ordered_json timing_json(const TimingResult& timed) {
  return {{"seconds", timed.duration},
          {"with_stops", timed.with_stops},
          {"at_full_speed", timed.at_full_speed},
          {"deviation", timed.deviation},
          {"corners", timed.corners},
          {"stops", timed.stops},
          {"tightened", timed.tightened},
          {"pieces", timed.motion.num_segments()},
          {"degree", timed.motion.degree()}};
}

void print_timing(const TimingResult& timed) {
  fmt::print("{:.3f} s; with a stop at every waypoint {:.3f} s, the path at full speed {:.3f} s\n",
             timed.duration, timed.with_stops, timed.at_full_speed);
  fmt::print("  {} corners, {} of them stops, {} cut less than asked; within {:.3g} of the path\n",
             timed.corners, timed.stops, timed.tightened, timed.deviation);
  fmt::print("  {} pieces of degree {}\n", timed.motion.num_segments(), timed.motion.degree());
}

}  // namespace proven::tools
