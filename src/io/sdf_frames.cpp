#include "io/sdf_frames.h"

#include <fmt/format.h>

#include "io/text.h"

namespace proven::io {
namespace {

constexpr int kMaxDepth = 1000;  // of frames in each other: more are a circle

}  // namespace

void SdfFrames::add(const std::string& full_name, SdfFrame frame) {
  const SdfElement at = frame.at;
  if (!frames_.emplace(full_name, std::move(frame)).second)
    at.fail(
        fmt::format("the name {} is taken; links, joints, frames and models share one set of "
                    "names",
                    quote(full_name)));
}

std::string SdfFrames::find(const SdfElement& at, const std::string& scope,
                            const std::string& name) const {
  const std::string full = scope + name;
  if (frames_.contains(full)) return full;
  if (frames_.contains(full + "::__model__")) return full + "::__model__";
  std::vector<std::string> known;
  for (const auto& [other, frame] : frames_)
    if (other.starts_with(scope)) known.push_back(other.substr(scope.size()));
  at.fail(fmt::format("there is no frame {}{}", quote(name), suggestion(name, known)));
}

std::pair<std::string, Pose> SdfFrames::above(const std::string& frame, int depth) const {
  const SdfFrame& f = frames_.at(frame);
  if (depth > kMaxDepth)
    f.at.fail(fmt::format("frame {} is placed relative to itself", quote(frame)));
  Pose X = f.X;
  if (!f.placement.empty()) {
    const std::string inner = frame.substr(0, frame.size() - std::string("__model__").size());
    const auto way = way_up(find(f.at, inner, f.placement), frame, depth + 1);
    X = X * inverse(way.back().X);
  }
  if (f.relative_to.empty()) return {"", X};
  return {find(f.at, f.scope, f.relative_to), X};
}

std::vector<SdfFrames::Step> SdfFrames::way_up(const std::string& frame, const std::string& top,
                                               int depth) const {
  std::vector<Step> way = {{frame, Pose{}}};
  while (way.back().frame != top) {
    const auto [parent, X] = above(way.back().frame, ++depth);
    if (parent.empty()) break;
    way.push_back({parent, X * way.back().X});
  }
  return way;
}

Pose SdfFrames::pose(const std::string& frame, const std::string& in) const {
  const std::vector<Step> way = way_up(frame, "", 0), other = way_up(in, "", 0);
  for (const Step& step : way)
    for (const Step& meeting : other)
      if (step.frame == meeting.frame)
        return meeting.frame == in ? step.X : inverse(meeting.X) * step.X;
  return {};
}

std::string SdfFrames::link_of(const std::string& frame) const {
  std::string at = frame;
  for (int depth = 0; depth <= kMaxDepth; ++depth) {
    const SdfFrame& f = frames_.at(at);
    if (f.attached_to.empty()) return at;
    at = find(f.at, f.attached_scope, f.attached_to);
  }
  frames_.at(frame).at.fail(fmt::format("frame {} is attached to itself", quote(frame)));
}

void SdfFrames::check() const {
  for (const auto& [name, frame] : frames_) {
    (void)link_of(name);
    (void)way_up(name, "", 0);
  }
}

}  // namespace proven::io
