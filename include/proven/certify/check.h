// check: is the whole continuous motion free of collision?
//
// A CheckModel is a scene prepared for questions: built once, const, and shared by any number of
// threads, each with a Scratch of its own. Copies are handles to the same preparation. `check`
// builds one for a single motion.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "proven/base/budget.h"
#include "proven/certify/options.h"
#include "proven/certify/scratch.h"
#include "proven/certify/verdict.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven {

class ModelData;
struct Runs;

// A piece of a motion between two full configurations, straight unless `inner` says otherwise (see
// MotionPiece).
struct SegmentQuery {
  std::span<const double> from, to;
  bool from_is_free = false;  // known: what does not move is then not proved again
  std::span<const std::vector<double>> inner = {};
};

class CheckModel {
 public:
  // Bounds on motion hold in `ranges`, one per coordinate, and within the joints' limits. Without
  // `ranges`: the limits and home; angles without limits may turn four times to each side. Fails on
  // options that make no sense. Costs a few microseconds per body.
  static Result<CheckModel> build(const Scene& scene, const CheckOptions& options = {},
                                  std::span<const Interval> ranges = {});

  const Scene& scene() const;
  const CheckOptions& options() const { return options_; }
  std::span<const Interval> ranges() const;
  bool covers(std::span<const double> q) const;
  // Whether sweeps are in use (CheckOptions::sweep): a segment then costs little more than a
  // configuration.
  bool sweeps() const;
  // Prepares them now, which takes up to a second for a robot; else a model does so when it was
  // asked some thousand times. What was prepared for a robot serves every scene with it.
  void prepare_sweeps() const;

  // Whether they are in use because this model, or the one that it was made from, was told so: that
  // does not depend on how often who else has asked.
  bool told_to_sweep() const;

  // Models that share with this one what is the same.
  CheckModel covering(std::span<const double> lower, std::span<const double> upper) const;
  // Of an edited scene: costs what changed.
  CheckModel with_scene(const Scene& scene) const;
  // Cheap unless checker, clearance or tracking error change. Fails as build does.
  Result<CheckModel> with_options(const CheckOptions& options) const;

  // Configurations are full (one finite value per coordinate): anything else is a mistake of the
  // caller and throws std::invalid_argument. Beyond the ranges a wider model is made for the call.
  CheckResult check_configuration(std::span<const double> q, Scratch& scratch,
                                  const Budget& budget = {}) const;
  CheckResult check_segment(const SegmentQuery& segment, Scratch& scratch,
                            const Budget& budget = {}) const;
  // As one path: the most urgent first, until one collides or all are decided. `segment` in a
  // witness is an index into `segments`.
  CheckResult check_together(std::span<const SegmentQuery> segments, Scratch& scratch,
                             const Budget& budget = {}) const;
  // Each on its own, on several threads (0: all); results in order, the same for any number.
  std::vector<CheckResult> check_segments(std::span<const SegmentQuery> segments, int threads,
                                          const Budget& budget = {}) const;
  // Fails on a motion without waypoints, of another size than the scene, and with values that are
  // not finite or beyond what the rounding bounds cover.
  Result<CheckResult> check(const Motion& motion, Scratch& scratch,
                            const Budget& budget = {}) const;

  // For planners, which choose by it what to try: a path that is returned is proved by `check`.
  // Sweeps decide where they can. With `thorough` the search decides what they leave open, or all
  // where they are not in use; the checker `fixed` is `clear` where no sample collides. What the
  // scratch was used for before can turn `open` into `contact`.
  enum class Effort { sweeps_alone, thorough };
  PreCheck pre_check(const SegmentQuery& segment, Effort effort, Scratch& scratch,
                     const Budget& budget = {}) const;
  // Of a configuration, thorough. These pairs (indices into Scene::pairs) are looked at first.
  PreCheck pre_check(std::span<const double> q, std::span<const int> likely_pairs, Scratch& scratch,
                     const Budget& budget = {}) const;

  // As check_configuration; these pairs (indices into Scene::pairs) are looked at first.
  CheckResult check_configuration(std::span<const double> q, std::span<const int> likely_pairs,
                                  Scratch& scratch, const Budget& budget) const;

  const ModelData& data() const { return *data_; }

 private:
  CheckModel(std::shared_ptr<const ModelData> data, const CheckOptions& options)
      : data_(std::move(data)), options_(options) {}
  // What `free` may rest on.
  enum class Evidence { search, sweeps_too };
  CheckResult decide(std::span<const double> q, std::span<const int> likely_pairs,
                     Evidence evidence, Scratch& scratch, const Budget& budget) const;
  CheckResult decide(const SegmentQuery& segment, Evidence evidence, Scratch& scratch,
                     const Budget& budget) const;
  PreCheck sweep_alone(const SegmentQuery& segment, Scratch& scratch) const;
  void require(std::span<const double> q) const;
  void require(const SegmentQuery& query) const;
  bool covers(const SegmentQuery& query) const;
  CheckModel covering(const SegmentQuery& query) const;
  CheckResult check_valid(const Runs& runs, Scratch& scratch, const Budget& budget) const;
  CheckResult check_covered(const Runs& runs, Scratch& scratch, const Budget& budget) const;
  Result<CheckResult> check_every_start(const Motion& motion, Scratch& scratch,
                                        const Budget& budget) const;
  bool may_be_tube(const CheckResult& result) const;
  CheckModel without_tube() const;

  std::shared_ptr<const ModelData> data_;
  CheckOptions options_;
};

// One motion. Fails as CheckModel does.
Result<CheckResult> check(const Scene& scene, const Motion& motion, const CheckOptions& options,
                          Scratch& scratch, const Budget& budget = {});

// A body that stands still against all others that do: no path tests these, for nothing changes
// between them. Whether an object can be put down where it stands.
CheckResult check_placement(const Scene& scene, int body, Scratch& scratch);

// Each motion on its own, on several threads (0: all); results in order, the same for any number of
// threads.
std::vector<Result<CheckResult>> check_all(const Scene& scene, std::span<const Motion> motions,
                                           const CheckOptions& options, int threads,
                                           const Budget& budget = {});

}  // namespace proven
