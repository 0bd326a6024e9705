// Shortcuts on a path until they are of little use, and waypoints that are not needed.
#pragma once

#include <memory>

#include "plan/inquiry.h"
#include "plan/shortcut_path.h"
#include "proven/plan/smooth.h"

namespace proven {

// Which shortcuts a smoother tries.
class Reaches {
 public:
  struct Reach {
    double from = 0, to = 0;  // places
  };

  virtual ~Reaches() = default;
  // The next one of a step, on a path of this length; false: the step is over.
  virtual bool next(double length, Random& random, Reach& reach) = 0;
  // What it gained.
  virtual void take(double gain) = 0;
};

// Steps as the options say, with their seed. Path, space and budget stay the caller's.
class Shortcuts : public Inquiry {
 public:
  Shortcuts(const SmoothOptions& options, const JointSpace& space, const Budget& budget,
            ShortcutPath& path);

  const MotionQuestion* next() override;
  void take(bool proved) override;

  std::int64_t steps() const { return steps_; }
  bool converged() const { return converged_; }

 private:
  // What of a shortcut is asked.
  enum class Part { whole, begin, end };

  bool begin_step();
  void end_step();
  bool propose();
  void ask();

  const SmoothOptions& options_;
  const JointSpace& space_;
  const Budget& budget_;
  ShortcutPath& path_;
  std::unique_ptr<Reaches> reaches_;
  Random random_;
  std::int64_t steps_ = 0, since_ = 0;  // since the length below was noted
  double noted_;
  bool stepping_ = false, ended_ = false, converged_ = false;
  double least_gain_ = 0;
  std::optional<ShortcutPath::Shortcut> shortcut_;  // under work
  Part part_ = Part::whole;
  MotionQuestion question_;
};

// Drops waypoints where the straight motion past them is proved, until none is left to drop.
class Drops : public Inquiry {
 public:
  Drops(const JointSpace& space, const Budget& budget, ShortcutPath& path)
      : space_(space), budget_(budget), path_(path), question_(space) {}

  const MotionQuestion* next() override;
  void take(bool proved) override;

 private:
  const JointSpace& space_;
  const Budget& budget_;
  ShortcutPath& path_;
  int waypoint_ = 1;
  bool waiting_ = false, dropped_ = false;  // one in this pass
  MotionQuestion question_;
};

// To its end, by the prover.
void ask_alone(Inquiry& inquiry, Prover& prover, const Budget& budget);

}  // namespace proven
