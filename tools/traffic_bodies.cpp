#include "tools/traffic_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "proven/io/bodies_file.h"
#include "tools/terminal.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;
using spacetime::BodyResult;
using spacetime::MovingBody;

Json to_json(const Pose& X) {
  Json rows = Json::array();
  for (const Vec3& row : X.R.row) rows.push_back({row.x, row.y, row.z});
  return {{"xyz", {X.p.x, X.p.y, X.p.z}}, {"rotation", rows}};
}

Json to_json(const BodyResult& r, const MovingBody& body,
             const std::vector<MovingBody>& obstacles) {
  const auto name = [&](int o) { return obstacles[static_cast<std::size_t>(o)].name; };
  Json json = {{"name", body.name}, {"verdict", to_string(r.verdict)}};
  json["collision"] = nullptr;
  json["undecided"] = nullptr;
  if (const auto& c = r.contact)
    json["collision"] = {{"obstacle", name(c->obstacle)},
                         {"t_lower", c->t_lower},
                         {"t", c->t},
                         {"pose", to_json(c->X_WB)},
                         {"obstacle_pose", to_json(c->X_WO)},
                         {"distance", c->distance}};
  if (const auto& d = r.doubt)
    json["undecided"] = {{"reason", to_string(d->reason)},
                         {"message", describe(d->reason)},
                         {"obstacle", name(d->obstacle)},
                         {"t", d->t},
                         {"distance", d->distance}};
  json["stats"] = {{"step_pairs", r.step_pairs}, {"cells", r.cells}};
  return json;
}

void print(const BodyResult& r, const MovingBody& body, const std::vector<MovingBody>& obstacles) {
  const auto name = [&](int o) { return obstacles[static_cast<std::size_t>(o)].name; };
  const Colour colour = r.verdict == Verdict::free        ? Colour::green
                        : r.verdict == Verdict::collision ? Colour::red
                                                          : Colour::yellow;
  std::string line = fmt::format("{:<12} {}", body.name, paint(colour, to_string(r.verdict)));
  if (const auto& c = r.contact)
    line += fmt::format(" with {} at {:.6f} s (free before {:.6f} s), at ({:.3f}, {:.3f}, {:.3f})",
                        name(c->obstacle), c->t, c->t_lower, c->X_WB.p.x, c->X_WB.p.y, c->X_WB.p.z);
  if (const auto& d = r.doubt)
    line += fmt::format(" with {} at {:.6f} s, gap {:.3g} m: {}", name(d->obstacle), d->t,
                        d->distance, describe(d->reason));
  fmt::print("{}\n", line);
}

// When the last of them ends; what stands has no end.
double end_of(const std::vector<MovingBody>& bodies) {
  double end = -HUGE_VAL;
  for (const MovingBody& body : bodies)
    if (body.motion.moves()) end = std::max(end, body.motion.t.back());
  return end;
}

struct Loaded {
  std::vector<MovingBody> obstacles, candidates;
  std::vector<int> self;  // which obstacle a candidate is itself; -1 if none
};

Result<Loaded> load(const std::string& scene, const std::string& candidates) {
  Loaded loaded;
  auto bodies = load_bodies(scene);
  if (!bodies.ok()) return bodies.error();
  loaded.obstacles = std::move(bodies).value();
  if (!candidates.empty()) {
    auto given = load_bodies(candidates);
    if (!given.ok()) return given.error();
    loaded.candidates = std::move(given).value();
    loaded.self.assign(loaded.candidates.size(), -1);
    return loaded;
  }
  for (std::size_t i = 0; i < loaded.obstacles.size(); ++i) {
    if (!loaded.obstacles[i].motion.moves()) continue;
    loaded.candidates.push_back(loaded.obstacles[i]);
    loaded.self.push_back(static_cast<int>(i));
  }
  return loaded;
}

}  // namespace

int run_bodies_check(const std::string& scene, const std::string& candidates,
                     const spacetime::TrafficOptions& options, ChosenAfterwards afterwards,
                     const CommonOptions& common, const Budget& budget) {
  const auto loaded = load(scene, candidates);
  if (!loaded.ok()) return report(loaded.error());
  const auto& [recorded, bodies, self] = loaded.value();
  const double until = end_of(bodies);
  const ToldSpans spans = spans_until(recorded, afterwards, until);
  const std::vector<MovingBody> obstacles = lasting(recorded, afterwards.after, until);
  Scratch scratch;
  int counts[3] = {};
  Json list = Json::array();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto result = check(obstacles, bodies[i], options, scratch, self[i], budget);
    if (!result.ok()) return report(result.error());
    ++counts[static_cast<int>(result.value().verdict)];
    if (common.json)
      list.push_back(to_json(result.value(), bodies[i], obstacles));
    else
      print(result.value(), bodies[i], obstacles);
  }
  const int collisions = counts[static_cast<int>(Verdict::collision)];
  const int undecided = counts[static_cast<int>(Verdict::undecided)];
  const Verdict worst = collisions  ? Verdict::collision
                        : undecided ? Verdict::undecided
                                    : Verdict::free;
  if (common.json) {
    Json json = {{"scene", scene},
                 {"verdict", to_string(worst)},
                 {"obstacles", obstacles.size()},
                 {"clearance", options.clearance},
                 {"resolution", options.resolution},
                 {"bodies", list}};
    add_spans(spans, json);
    fmt::print("{}\n", json.dump());
  } else if (!common.quiet) {
    fmt::print("{} bodies among {}: {} free, {} collision, {} undecided\n", bodies.size(),
               obstacles.size(), counts[static_cast<int>(Verdict::free)], collisions, undecided);
    print_spans(spans);
  }
  if (interrupted()) return kInterrupted;
  return collisions ? kCollision : undecided ? kUndecided : kOk;
}

}  // namespace proven::tools
