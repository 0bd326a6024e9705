// Scenes and motions far from zero, for the suite of windings: turns by the million, limits up to
// 1e9, couplings of any factor, clearances of both signs, tubes wider than the room to a limit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proven/base/interval.h"
#include "proven/base/random.h"
#include "proven/certify/options.h"
#include "proven/scene/scene.h"

namespace proven::bench {

enum class WindingKind {
  turret,   // links that turn about the same axis, beside what stands on their own base
  chain,    // two to seven joints of every kind about any axes, among obstacles
  coupled,  // the same, where joints follow others: negative factors, huge ones, huge offsets
  stones,   // a slide among one to forty solids, of which some may be overlapped
};
inline constexpr WindingKind kWindingKinds[] = {WindingKind::turret, WindingKind::chain,
                                                WindingKind::coupled, WindingKind::stones};

// How the values of a coordinate are chosen.
struct WindingRange {
  Interval all;        // what the model is prepared for
  double scale = 1;    // of steps: small where a joint follows by a large factor
  double offset = 0;   // of the value whose turns are chosen
  bool turns = false;  // else it slides
};

struct WindingScene {
  Scene scene;
  CheckOptions options;  // what is required
  std::vector<WindingRange> ranges;

  std::vector<Interval> intervals() const;
};

// Nothing where the random parts make no scene.
std::optional<WindingScene> make_winding_scene(WindingKind kind, Random& random);
// The same robot, whatever its limits say: each joint may turn as often as it likes.
WindingScene unlimited(const Scene& scene, Random& random);

// One piece, straight or a curve, within what the model is prepared for.
struct WindingMotion {
  Motion motion;
  bool far = false;      // 28 turns or more above the lower end of what is prepared
  bool too_far = false;  // some value is beyond 2^19, where nothing is swept
};
WindingMotion make_winding_motion(const WindingScene& scene, bool curved, Random& random);

}  // namespace proven::bench
