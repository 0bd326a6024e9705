// What a Scratch holds: caches that are emptied at the start of every call, and searches whose
// memory is used again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "anchor_cache.h"
#include "configuration_cache.h"
#include "proven/certify/scratch.h"
#include "proven/certify/verdict.h"
#include "proven/geometry/distance.h"

namespace proven {

class DirectionalSearch;
class Sweep;
struct OpenPart;
struct SweepHint;
struct SegmentWork;

// Level one of a path's queue: segments by the urgency of their first cell; of a first contact, in
// path order.
struct UrgentSegment {
  double urgency;
  int index;
  bool operator<(const UrgentSegment& other) const {
    return urgency != other.urgency ? urgency < other.urgency : index > other.index;
  }
};

struct Scratch::State {
  State();
  ~State();

  // Forgets what earlier calls computed.
  void begin(const Scene& scene) {
    configurations.begin(scene);
    anchors.begin();
    most_bodies = std::max(most_bodies, scene.bodies().size());
  }
  // Caches grow with the bodies of a scene, the rest with the segments of a path.
  bool holds_much() const;
  std::unique_ptr<DirectionalSearch> take_search();
  void give_back(std::unique_ptr<DirectionalSearch> search);

  std::size_t most_bodies = 0;  // of all scenes
  DistanceScratch distance;
  ConfigurationCache configurations;
  AnchorCache anchors;
  std::vector<std::unique_ptr<DirectionalSearch>> idle;
  std::unique_ptr<Sweep> sweep;
  std::vector<double> probed;        // a configuration
  std::vector<OpenPart> open_parts;  // of all parts of a segment
  std::vector<SweepHint> hints;
  LinkPoses poses;  // of a witness
  std::vector<UrgentSegment> queue;
  std::vector<SegmentWork> segments;  // of the path under work
  std::vector<SegmentWork*> list;     // of these
  std::vector<std::uint8_t> proof;    // of one segment, while it is written
};

}  // namespace proven
