// The colours that documents give to what they draw. Those of the viewer itself:
// viewer/src/colours.js.
#pragma once

namespace proven::tools::colours {

// Lines of motions, one after the other.
inline constexpr const char* kMotions[] = {"#2f6fbd", "#8a6bb8"};

// Dynamic roadmaps.
inline constexpr const char *kLost = "#c8492f", *kLeft = "#3f7fb5", *kOccupied = "#e0a64a";

// Traffic.
inline constexpr const char *kOwn = "#e8762c", *kMoving = "#5f8fc0", *kStanding = "#9aa3ab",
                            *kRegion = "#d9a13a", *kRoad = "#7d8894", *kAsphalt = "#c9d0d6",
                            *kGoal = "#3a9a5b", *kStopLine = "#c8492f", *kProved = "#3a9a5b",
                            *kContact = "#d62728";

}  // namespace proven::tools::colours
