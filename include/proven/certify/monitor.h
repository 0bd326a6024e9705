// A motion in a world that changes: which of its segments still stand?
//
// A Monitor proves a motion once, pair of bodies by pair of bodies, and keeps what it proved. When
// the scene is edited it proves again only the pairs that the edit changed, by the search. Its
// answers are those of a Monitor made anew of the edited scene, and its verdicts those of
// CheckModel::check, except that where two bodies are within the resolution of each other either of
// the two may stay undecided.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "proven/base/budget.h"
#include "proven/certify/options.h"
#include "proven/certify/scratch.h"
#include "proven/certify/verdict.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven {

// What one call looked at.
struct MonitorCounts {
  int pairs_changed = 0;     // with a body, or a clearance, that is new
  int parts_proved = 0;      // of these, parts of segments that went to the search
  bool all_anew = false;     // the robots or their home changed: nothing could be kept
  std::vector<int> changed;  // segments whose verdict is not what it was before, in order
  CheckStats stats;
};

class Monitor {
 public:
  // Proves what it can; `segment` and `verdict` say how that went. Fails as CheckModel::check does,
  // on scenes where something moves by the clock, and on options about one answer alone: another
  // checker than directional, `certificate`, `explain` and `first`. `max_cells` counts per pair and
  // segment.
  static Result<Monitor> build(Scene scene, Motion motion, const CheckOptions& options,
                               Scratch& scratch, const Budget& budget = {});
  ~Monitor();
  Monitor(Monitor&&) noexcept;
  Monitor& operator=(Monitor&&) noexcept;

  const Scene& scene() const;
  const Motion& motion() const;
  const CheckOptions& options() const;

  // The scene as it is from now on: any scene for which the motion makes sense, at best an edit of
  // the last one, whose unchanged bodies share their geometry. Fails, and leaves everything as it
  // was, if the motion does not fit the scene. What the budget leaves open is undecided, and goes
  // on with the next call.
  Result<MonitorCounts> update(Scene scene, Scratch& scratch, const Budget& budget = {});
  // The motion has come to t of this segment: what lies behind does not count any more, but for up
  // to a fifteenth of a segment. Time does not go backwards: an earlier place changes nothing.
  MonitorCounts advance(int segment, double t, Scratch& scratch, const Budget& budget = {});

  // Where the part that is still ahead begins.
  struct Place {
    int segment = 0;
    double t = 0;
  };
  Place ahead() const;

  struct Segment {
    Verdict verdict = Verdict::free;  // of what is ahead; behind, nothing is in the way
    // The earliest, in the order of pairs where several are; null unless the verdict is that. Valid
    // until the next call that is not const.
    const Witness* collision = nullptr;
    const Undecided* undecided = nullptr;
  };
  int num_segments() const;
  Segment segment(int index) const;
  // The worst of all segments ahead.
  Verdict verdict() const;
  // The pairs that fell, by name, of all segments ahead: what stands in the way.
  std::vector<Witness> collisions() const;

 private:
  struct State;
  explicit Monitor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace proven
