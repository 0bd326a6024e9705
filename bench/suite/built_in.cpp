#include "bench/suite/suite.h"
#include "scenes/scenes.h"

namespace proven::bench {
namespace {

Result<SuiteScene> load(const std::string& name, const RandomMotions& motions) {
  Result<SceneSource> source = make_scene(name);
  if (!source.ok()) return source.error();
  return make_suite_scene(std::move(source).value(), [motions](FclOracle& oracle, Random& random) {
    return random_case(motions, oracle, random);
  });
}

}  // namespace

std::vector<SuiteEntry> built_in_entries() {
  struct Choice {
    const char* scene;
    int cases;  // by the cost of one
    RandomMotions motions;
  };
  const Choice choices[] = {
      {"cage-a", 4000, {}},
      {"cage-b", 4000, {}},
      {"rod", 4000, {}},
      {"lattice-1", 4000, {}},
      {"lattice-9", 500, {.longest = 0.2, .long_share = 0}},
      {"rings", 2000, {.longest = 0.3, .long_share = 0}},
      {"machine-tool", 3000, {}},
      {"workshop", 1000, {.longest = 0.3}},
      {"car-a", 500, {.longest = 0.2, .long_share = 0}},
      {"car-b", 500, {.longest = 0.2, .long_share = 0}},
      {"demo", 4000, {}},
      {"gantry", 8000, {.longest = 1, .long_share = 0.1, .beyond_limits = 0.5}},
      {"free-flyer", 8000, {.longest = 2, .long_share = 0.2}},
      {"lever", 8000, {.longest = 2, .long_share = 0.2, .beyond_limits = 0.5}},
      {"planar-5", 8000, {.longest = 2, .long_share = 0.2}},
  };
  std::vector<SuiteEntry> entries;
  for (const Choice& c : choices)
    entries.push_back({c.scene, c.cases, [name = std::string(c.scene), motions = c.motions] {
                         return load(name, motions);
                       }});
  return entries;
}

}  // namespace proven::bench
