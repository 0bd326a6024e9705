#pragma once

#include "anchor_cache.h"
#include "configuration_cache.h"
#include "proven/certify/verdict.h"
#include "proven/certify/workspace.h"
#include "proven/geometry/distance.h"

namespace proven {

struct Workspace::State {
  DistanceWorkspace distance;
  ConfigurationCache configurations;
  AnchorCache anchors;
};

}  // namespace proven
