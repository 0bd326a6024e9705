// Chapter 15, at the end: what was read, for whoever compares it with another reading.
#include "proven/verify/traffic_reading.h"

#include "verify/readers/source.h"
#include "verify/traffic.h"

namespace proven::verifier {
namespace {

ReadPart rounded(const Part2& part) {
  ReadPart out{part.begin, part.end, {}, {}};
  for (const Shape2& shape : part.shapes) {
    ReadOutline& outline = out.outlines.emplace_back();
    for (const Point2& p : shape.corners)
      outline.corners.emplace_back(approximate(p.x), approximate(p.y));
    outline.radius = approximate(shape.radius);
  }
  for (const Sample2& s : part.samples)
    out.samples.push_back({s.t, approximate(s.x), approximate(s.y), approximate(s.heading),
                           approximate(s.deviation), approximate(s.turn_deviation)});
  return out;
}

}  // namespace

Result<std::vector<ReadMover>> read_movers(const std::filesystem::path& file) {
  try {
    std::vector<ReadMover> movers;
    for (const Mover2& mover : read_traffic_scene(file)) {
      ReadMover& out = movers.emplace_back();
      out.name = mover.name;
      for (const Part2& part : mover.parts) out.parts.push_back(rounded(part));
    }
    return movers;
  } catch (const Unreadable& error) {
    return bad_input(error.message, error.place);
  }
}

}  // namespace proven::verifier
