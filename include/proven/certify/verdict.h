// What a check answers.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/vec3.h"
#include "proven/base/words.h"

namespace proven {

enum class Verdict {
  free,       // at every configuration of the path every tested pair is farther apart than required
  collision,  // at the reported (segment, t) the reported pair overlaps, one solid holds the other,
              // or they are closer than required
  undecided,  // neither was proved: a gap below clearance + resolution, or a budget ran out
};

enum class ContactKind {
  overlap,      // two pieces overlap, by more than rounding
  containment,  // one body lies wholly inside the other
  too_close,    // apart, but closer than the required clearance
};
// For people; to_string (proven/base/words.h) gives the word.
std::string_view describe(ContactKind kind);

// Where two bodies meet. Points are in the world.
struct Witness {
  ContactKind kind = ContactKind::overlap;
  int segment = 0;
  double t = 0;                          // on the segment, exact
  double time = 0;                       // in seconds, of a motion with times
  std::vector<double> configuration;     // at t
  std::array<int, 2> bodies = {-1, -1};  // indices into Scene::bodies()
  std::array<int, 2> pieces = {-1, -1};  // of each body; -1 where it does not apply
  std::array<Vec3, 2> points;
  double distance = 0;
  // With `first`: no contact before t_lower; t is at most the resolution later (see CheckOptions).
  double t_lower = 0;
  // How many seconds late each of Scene::timed is, where something may be; else empty.
  std::vector<double> delays = {};
};

enum class UndecidedReason {
  gap_below_resolution,  // closer than clearance + resolution, no proof either way
  tube,      // the path itself is not shown to collide, but some motion within its tube might
  touching,  // surfaces touch or all but touch over a stretch, in more pieces than are worth a look
  depth,     // bisection reached its last level
  cells,     // the budget of cells ran out
  time,      // the budget of time ran out
  cancelled,
  sampled_only,  // the checker `fixed` found no collision at its step; it proves nothing
};
std::string_view describe(UndecidedReason reason);

struct Undecided {
  UndecidedReason reason = UndecidedReason::gap_below_resolution;
  int segment = 0;
  double t = 0;
  std::vector<double> configuration;
  std::array<int, 2> bodies = {-1, -1};
  std::array<Vec3, 2> points;
  double distance = 0;  // the gap reached
  double time = 0;      // as in Witness
};

struct CheckStats {
  std::int64_t box_tests = 0;       // every evaluation of a node pair of any kind
  std::int64_t triangle_tests = 0;  // every evaluation of two pieces
  std::int64_t configurations = 0;  // poses computed
  std::int64_t cells = 0;           // entries taken from the queue
  double seconds = 0;

  CheckStats& operator+=(const CheckStats& other);
};

// The pre-check's view of a segment or a configuration: a guide for planners, never a verdict.
// Only the search says `free` (docs/algorithms/sweep.md#evidence).
enum class PreVerdict {
  clear,    // no pair is left open
  contact,  // two bodies surely overlap or come closer than required
  open,     // neither
};
struct PreCheck {
  PreVerdict verdict = PreVerdict::open;
  std::array<int, 2> bodies = {-1, -1};  // in contact: indices into Scene::bodies()
  double t = 0;                          // of the contact
  CheckStats stats;                      // of the search, where it was used
};

// Where the work on a segment went, for CheckOptions::explain.
struct Effort {
  static constexpr int kStretches = 16;

  int segment = 0;
  std::array<int, 2> bodies = {-1, -1};  // the second is -1 where all still bodies are meant
  std::int64_t tests = 0;                // of node pairs
  std::array<std::int64_t, kStretches> tests_by_stretch = {};  // of equal parts of the segment
  // The smallest proved gap between two nodes at a moment that was looked at; infinite if none was.
  double least_gap = std::numeric_limits<double>::infinity();
  double t_least_gap = 0;
};

struct CheckResult {
  Verdict verdict = Verdict::undecided;
  std::optional<Witness> collision;    // verdict collision
  std::optional<Undecided> undecided;  // verdict undecided: the first place, in path order
  CheckStats stats;
  // With CheckOptions::certificate: the bytes of a certificate of `free` or `collision`.
  std::vector<std::uint8_t> certificate;
  std::vector<Effort> efforts;  // with CheckOptions::explain: most tests first
};

}  // namespace proven
