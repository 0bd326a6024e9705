// smooth: shorter paths by shortcuts, every piece of the result proved.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proven/plan/plan.h"

namespace proven {

enum class Smoother {
  window,    // shortcuts between two points within a window that adapts to success (paper 000)
  midpoint,  // around a random point, halving towards it until a shortcut is free (paper 001)
};

struct SmoothOptions {
  Smoother smoother = Smoother::window;
  std::uint64_t seed = 1;
  CheckOptions check = proving_check();  // a proving checker; `certificate` as in PlanOptions
  std::int64_t max_steps = 1000;
  // A shortcut that grazes an obstacle costs more than it saves: it is given up after so many
  // cells.
  std::int64_t max_cells_per_shortcut = 2000;
  // Converged: this many steps in a row, and as many as the path has segments, together shortened
  // the path by less than the share `tolerance`. 0 steps: never.
  std::int64_t patience = 100;
  double tolerance = 1e-3;
  // Metres, as in PlanOptions: shortcuts keep as much of it as the path does.
  double margin = 0;
  // A shortcut that adds waypoints must shorten the path by this share for each, and waypoints that
  // are not needed are dropped at the end. 0: waypoints cost nothing and stay.
  double waypoint_cost = 0;
  // The path is known to be proved by the same scene, requirements and margin: it is not proved
  // first.
  bool input_is_proved = false;
  // After that so many rounds are spent on other paths: each plans one that can still be shorter
  // than the best, shortens it and joins it with the best where that is shorter. They end with the
  // budget, and where the path is as short as the straight line.
  std::int64_t rounds = 0;
  // Full configurations where these may end, as well as where the path does.
  std::vector<std::vector<double>> other_goals = {};
  // As in PlanOptions. A path that is not proved to keep them is an error.
  std::vector<FrameConstraint> constraints = {};
};

struct SmoothResult {
  // Of the path as given: it is returned unchanged unless it is free.
  CheckResult input;
  Path path;
  double margin_kept = 0;                      // all along the path
  std::string margin_reason;                   // why that is less than was asked for, for people
  Certificate certificate;                     // of the path, if it is free and one was asked for
  double length_before = 0, length_after = 0;  // Euclidean in joint space
  std::int64_t steps = 0;                      // of the smoother
  std::int64_t tried = 0, taken = 0;           // shortcuts
  std::int64_t rounds = 0, better = 0;  // of other paths; how many of them led to a shorter one
  bool converged = false;
  CheckStats check;
  double seconds = 0;
};

// Anytime: whatever stops it, the path is proved and no longer than before. Times are dropped.
// Progress counts steps, then rounds. Work that is cancelled in its rounds still ends with the
// proof of what it has.
Result<SmoothResult> smooth(const Scene& scene, const Path& path, const SmoothOptions& options,
                            const Budget& budget = {});
// The same for a scene that is kept prepared, as for plan.
Result<SmoothResult> smooth(const CheckModel& model, const Path& path, const SmoothOptions& options,
                            const Budget& budget = {});

// Many paths of one scene, each as it is smoothed alone with these options; results in order, the
// same for any number of threads, failures in their places. Where they are many and the options
// of the batch lead to a GPU, shortcuts of all paths are asked as batches: it may prove one on
// which the search gives up, and of a model that was told to sweep all are asked in full. The
// budget is that of all; progress counts paths. Fails as BatchChecker does.
Result<std::vector<Result<SmoothResult>>> smooth_all(const CheckModel& model,
                                                     std::span<const Path> paths,
                                                     const SmoothOptions& options,
                                                     const BatchOptions& batch,
                                                     const Budget& budget = {});

// Euclidean in joint space, a ball joint counting by its angle.
double path_length(const Scene& scene, const Path& path);

}  // namespace proven
