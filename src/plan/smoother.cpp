#include "plan/smoother.h"

#include <algorithm>
#include <utility>

namespace proven {
namespace {

// Shortcuts shorter than this share of the path are not worth a test.
constexpr double kLeastGain = 1e-6;
// A shortcut that gains more than this share of the path is asked in full: with all of them refused
// as easily, paths end half a percent longer (docs/decisions/0003-default-planner.md).
constexpr double kWorthAsking = 0.05;

// One shortcut in a step.
class WindowReaches : public Reaches {
 public:
  bool next(double length, Random& random, Reach& reach) override {
    if (std::exchange(asked_, !asked_)) return false;
    const double width = window_ * length * random.uniform();
    reach.from = random.uniform(0, length - width);
    reach.to = reach.from + width;
    return true;
  }
  // Long shortcuts save most but fail most: the window follows their success.
  void take(double gain) override {
    window_ = gain > 0 ? std::min(1.0, kGrow * window_) : std::max(kSmallest, kShrink * window_);
  }

 private:
  static constexpr double kGrow = 1.3, kShrink = 0.95, kSmallest = 0.01;
  double window_ = 1;
  bool asked_ = false;
};

// Around one place, until a shortcut is taken.
class MidpointReaches : public Reaches {
 public:
  bool next(double length, Random& random, Reach& reach) override {
    if (depth_ == kDepth) {
      depth_ = 0;
      return false;
    }
    if (depth_++ == 0) {
      middle_ = random.uniform(0, length);
      back_ = 0.5 * middle_;
      on_ = 0.5 * (length - middle_);
    } else {
      back_ *= 0.5;
      on_ *= 0.5;
    }
    reach = {middle_ - back_, middle_ + on_};
    return true;
  }
  void take(double gain) override {
    if (gain > 0) depth_ = kDepth;
  }

 private:
  static constexpr int kDepth = 10;
  int depth_ = 0;
  double middle_ = 0, back_ = 0, on_ = 0;
};

std::unique_ptr<Reaches> reaches_of(Smoother smoother) {
  if (smoother == Smoother::window) return std::make_unique<WindowReaches>();
  return std::make_unique<MidpointReaches>();
}

}  // namespace

Shortcuts::Shortcuts(const SmoothOptions& options, const JointSpace& space, const Budget& budget,
                     ShortcutPath& path)
    : options_(options),
      space_(space),
      budget_(budget),
      path_(path),
      reaches_(reaches_of(options.smoother)),
      random_(options.seed),
      noted_(path.length()),
      question_(space) {}

const MotionQuestion* Shortcuts::next() {
  while (!ended_ && !shortcut_) {
    if (!stepping_ && !begin_step()) break;
    if (!propose()) end_step();
  }
  return shortcut_ ? &question_ : nullptr;
}

bool Shortcuts::begin_step() {
  ended_ = steps_ >= options_.max_steps || path_.num_segments() <= 1;
  converged_ = ended_ && steps_ < options_.max_steps;
  if (!ended_) ended_ = budget_.stopped().has_value();
  stepping_ = !ended_;
  least_gain_ = kLeastGain * path_.length();
  return stepping_;
}

void Shortcuts::end_step() {
  stepping_ = false;
  if (++steps_ % 16 == 0) budget_.report("steps", steps_, options_.max_steps);
  if (path_.length() < (1 - options_.tolerance) * noted_) since_ = 0, noted_ = path_.length();
  if (++since_ <= std::max<std::int64_t>(options_.patience, path_.num_segments())) return;
  ended_ = options_.patience > 0;
  converged_ = ended_ && steps_ < options_.max_steps;
}

// The next shortcut of the step that is worth a test; false when the step is over.
bool Shortcuts::propose() {
  Reaches::Reach reach;
  while (reaches_->next(path_.length(), random_, reach)) {
    shortcut_ = path_.propose(reach.from, reach.to, least_gain_);
    if (shortcut_) {
      part_ = Part::whole;
      ask();
      return true;
    }
    reaches_->take(0);
  }
  return false;
}

// Waypoints of the path are free, and so is the end of a motion that was proved.
void Shortcuts::ask() {
  const ShortcutPath::Shortcut& s = *shortcut_;
  if (part_ == Part::whole)
    question_.set(space_, s.from_point, s.to_point, !s.cuts_begin(),
                  s.gain <= kWorthAsking * path_.length());
  else if (part_ == Part::begin)
    question_.set(space_, path_.point(s.from.segment), s.from_point, true, false);
  else
    question_.set(space_, s.to_point, path_.point(s.to.segment + 1), true, false);
}

void Shortcuts::take(bool proved) {
  if (proved) {
    const bool begins = part_ == Part::whole && shortcut_->cuts_begin();
    if (begins || (part_ != Part::end && shortcut_->cuts_end())) {
      part_ = begins ? Part::begin : Part::end;
      ask();
      return;
    }
  }
  reaches_->take(proved ? path_.take(*shortcut_) : 0);
  shortcut_.reset();
}

const MotionQuestion* Drops::next() {
  if (waiting_) return &question_;
  if (waypoint_ >= path_.num_segments() && std::exchange(dropped_, false)) waypoint_ = 1;
  if (waypoint_ >= path_.num_segments() || budget_.stopped()) return nullptr;
  path_.propose_drop();
  question_.set(space_, path_.point(waypoint_ - 1), path_.point(waypoint_ + 1), true, false);
  waiting_ = true;
  return &question_;
}

void Drops::take(bool proved) {
  waiting_ = false;
  if (proved) {
    path_.drop(waypoint_);
    dropped_ = true;
  } else {
    ++waypoint_;
  }
}

void ask_alone(Inquiry& inquiry, Prover& prover, const Budget& budget) {
  while (const MotionQuestion* asked = inquiry.next()) {
    const SegmentQuery motion = asked->segment();
    inquiry.take(asked->others ? prover.seems_free_quickly(motion, budget)
                               : prover.seems_free(motion, budget));
  }
}

}  // namespace proven
