// Motions of several arms on one clock. Each was found, and proved, while the other arms stood
// still; where they overlap in time, the motion of all arms together is what is proved.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "manipulation/motions.h"

namespace proven::manipulation {

// A motion on the clock. `before` and `after` are as if each motion had ended when the next began.
struct ClockStep {
  MotionRequest request;
  Situation before, after;
  Motion motion;     // its own times
  double start = 0;  // on the clock

  double end() const { return start + duration_of(motion); }
};

// A stretch of time in which the same steps run. What has ended by then is done; what runs is where
// it was when it began, and moves from there.
struct Stretch {
  double begin = 0, end = 0;
  std::vector<int> steps;
  Situation situation;
  SceneSource scene;
  Motion motion;  // of all arms, on the clock
};

// Why the steps, in the order of their starts, cannot be run at these times whatever the geometry:
// two of them share an arm, an object or what one of them stands on, or one moves a fixture. Empty:
// nothing does.
std::string refute_order(const World& world, std::span<const ClockStep> steps);

// The stretches that end after `from`, of all steps that overlap others: their motions alone are no
// proof, for the other arms are elsewhere. The order must not be refuted.
Result<std::vector<Stretch>> stretches_of(const World& world, std::span<const ClockStep> steps,
                                          double from = 0);

// Why the steps are not proved free at these times, from `from` on; empty: they are. The same on
// every machine.
Result<std::string> refute_together(const World& world, std::span<const ClockStep> steps,
                                    double from = 0);

// An action of a plan: with a motion, the place of its step, or -1.
struct ClockAction {
  double start = 0, duration = 0;
  int step = -1;
};

// When each action starts, how long it waits although its facts would allow it to start, and why.
struct Timetable {
  struct Entry {
    double start = 0, waits = 0;
    std::string reason;
  };
  std::vector<Entry> entries;
};

// As early as is proved, one action after the other, in the order of their starts. Whoever started
// after another one's end still does: that may be for reasons that only the domain knows. At the
// latest an action waits until all before it have ended, when its own proof is enough.
Result<Timetable> tighten(const World& world, std::span<const ClockAction> actions,
                          std::vector<ClockStep> steps, double separation);

}  // namespace proven::manipulation
