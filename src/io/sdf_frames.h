// The frames of an SDF model, each placed relative to another, and what they are attached to.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/sdf_element.h"
#include "proven/base/vec3.h"

namespace proven::io {

struct SdfFrame {
  SdfElement at;
  // Where it is: X in that frame, which has this name in this scope ("", or "model::"). The root
  // model's frame is relative to nothing.
  std::string scope, relative_to;
  Pose X;
  // A nested model that is placed by one of its frames: X is of that frame.
  std::string placement;
  // What it moves with; empty: a link.
  std::string attached_scope, attached_to;
};

// Frames by their full names: those of nested models are "model::frame", the model's own
// "model::__model__". The frame "__model__" is the root's.
class SdfFrames {
 public:
  void add(const std::string& full_name, SdfFrame frame);
  // The full name that `name` has in a scope; fails at `at` if there is none.
  std::string find(const SdfElement& at, const std::string& scope, const std::string& name) const;
  // The pose of one frame in another, by full names. Where one is placed below the other, it is
  // composed of the file's own numbers alone.
  Pose pose(const std::string& frame, const std::string& in) const;
  // The pose of the root's frame where the file puts it.
  Pose root_pose() const { return above("__model__", 0).second; }
  // The link that a frame moves with.
  std::string link_of(const std::string& frame) const;
  // Fails unless every frame has a place and a link, those too that nothing asks for.
  void check() const;

 private:
  struct Step {
    std::string frame;
    Pose X;  // of the frame that the way begins at, in this one
  };
  // Up to `top`, or to the root's frame.
  std::vector<Step> way_up(const std::string& frame, const std::string& top, int depth) const;
  // The frame above, and the pose in it; no name above the root's.
  std::pair<std::string, Pose> above(const std::string& frame, int depth) const;

  std::map<std::string, SdfFrame> frames_;
};

}  // namespace proven::io
