#include "proven/spacetime/road.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyline.h"

namespace proven::spacetime {
namespace {

constexpr double kLongestBorder = 1e6;  // metres

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Left forward, then right backward: clockwise, so that outside is to the left of every edge.
std::vector<Vec2> outline_of(const Lanelet& lanelet) {
  std::vector<Vec2> points = lanelet.left;
  points.insert(points.end(), lanelet.right.rbegin(), lanelet.right.rend());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  while (points.size() > 1 && points.front() == points.back()) points.pop_back();
  return points;
}

std::vector<Vec2> middle_of(const Lanelet& lanelet) {
  const std::vector<double> l = lengths_along(lanelet.left), r = lengths_along(lanelet.right);
  const int parts = std::max(2, static_cast<int>(std::max(l.back(), r.back()) / 1.0));
  std::vector<Vec2> line;
  for (int i = 0; i <= parts; ++i) {
    const double share = static_cast<double>(i) / parts;
    line.push_back(0.5 * (point_at(lanelet.left, l, share) + point_at(lanelet.right, r, share)));
  }
  return line;
}

// Whether the ray from p to the right crosses the edge.
bool is_left_of(Vec2 p, Vec2 a, Vec2 b) {
  return (a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x;
}

bool inside(const std::vector<Vec2>& outline, Vec2 p) {
  bool odd = false;
  for (std::size_t i = 0, j = outline.size() - 1; i < outline.size(); j = i++)
    if (is_left_of(p, outline[i], outline[j])) odd = !odd;
  return odd;
}

double distance_to_edge(Vec2 p, Vec2 a, Vec2 b) {
  const Vec2 d = b - a, to = p - a;
  const double length_squared = dot(d, d);
  const double u = length_squared > 0 ? std::clamp(dot(to, d) / length_squared, 0.0, 1.0) : 0;
  const Vec2 off = to - u * d;
  return std::sqrt(dot(off, off));
}

// An outline whose edges are looked at in short runs, each in its box.
class Outline {
 public:
  explicit Outline(const std::vector<Vec2>& corners) : corners_(corners) {
    constexpr std::size_t kRun = 8;
    for (std::size_t i = 0; i < corners.size(); i += kRun) {
      Run run{i, std::min(i + kRun, corners.size()), corners[i], corners[i]};
      for (std::size_t k = i + 1; k <= run.end; ++k) {
        const Vec2 p = corners[k % corners.size()];
        run.low = {std::min(run.low.x, p.x), std::min(run.low.y, p.y)};
        run.high = {std::max(run.high.x, p.x), std::max(run.high.y, p.y)};
      }
      runs_.push_back(run);
    }
  }

  // Whether the distance of p, negative inside, is below a limit.
  bool is_nearer(Vec2 p, double limit) const {
    const double r = std::fabs(limit);
    bool odd = false, near = false;
    for (const Run& run : runs_) {
      const bool level = p.y >= run.low.y && p.y <= run.high.y && p.x <= run.high.x;
      const bool reached = !near && p.x >= run.low.x - r && p.x <= run.high.x + r &&
                           p.y >= run.low.y - r && p.y <= run.high.y + r;
      if (!level && !reached) continue;
      for (std::size_t i = run.first; i < run.end; ++i) {
        const Vec2 a = corners_[i], b = corners_[(i + 1) % corners_.size()];
        if (level && is_left_of(p, a, b)) odd = !odd;
        if (reached && !near) near = distance_to_edge(p, a, b) < r;
      }
    }
    return odd ? limit > 0 || !near : limit > 0 && near;
  }

 private:
  struct Run {
    std::size_t first = 0, end = 0;
    Vec2 low, high;
  };
  const std::vector<Vec2>& corners_;
  std::vector<Run> runs_;
};

struct Stretch {
  Vec2 from, to;
};

// What is left of the outlines, moved out by kSeam, where no other lanelet is beyond.
class BorderMaker {
 public:
  BorderMaker(const std::vector<std::vector<Vec2>>& outlines, const std::vector<Vec2>& low,
              const std::vector<Vec2>& high, std::span<const int> chosen)
      : outlines_(outlines), low_(low), high_(high), chosen_(chosen) {
    for (const std::vector<Vec2>& outline : outlines) runs_.emplace_back(outline);
  }

  std::vector<Stretch> run() {
    for (const int lanelet : chosen_) {
      own_ = lanelet;
      const std::vector<Vec2>& outline = outlines_[static_cast<std::size_t>(lanelet)];
      const std::size_t n = outline.size();
      for (std::size_t i = 0; i < n; ++i) {
        const Vec2 p = outline[i], q = outline[(i + 1) % n], r = outline[(i + 2) % n];
        const Vec2 out = normal(p, q), next = normal(q, r);
        add(p + kSeam * out, q + kSeam * out);
        bevel(q, out, next);
      }
    }
    return std::move(kept_);
  }

 private:
  static Vec2 normal(Vec2 p, Vec2 q) {
    const Vec2 d = q - p;
    return (1 / norm(d)) * Vec2{-d.y, d.x};
  }

  // Around a corner, in chords of at most 30 degrees: they stay beyond 0.96 of the seam.
  void bevel(Vec2 corner, Vec2 from, Vec2 to) {
    const double turn = std::atan2(cross(from, to), dot(from, to));
    const int parts = std::max(1, static_cast<int>(std::ceil(std::fabs(turn) / (M_PI / 6))));
    Vec2 before = from;
    for (int i = 1; i <= parts; ++i) {
      const double angle = turn * i / parts, c = std::cos(angle), s = std::sin(angle);
      const Vec2 at = i == parts ? to : Vec2{c * from.x - s * from.y, s * from.x + c * from.y};
      add(corner + kSeam * before, corner + kSeam * at);
      before = at;
    }
  }

  // The distance is 1-Lipschitz, so its value in the middle bounds it on the whole stretch. Every
  // lanelet's own road holds what is within 0.96 of the seam.
  bool is_beyond(Vec2 p, Vec2 q) const {
    const Vec2 middle = 0.5 * (p + q);
    const double half = 0.5 * norm(q - p), limit = 0.9 * kSeam - half;
    for (const int other : chosen_) {
      if (other == own_) continue;
      const auto o = static_cast<std::size_t>(other);
      const double wide = kSeam;
      if (middle.x < low_[o].x - wide || middle.x > high_[o].x + wide ||
          middle.y < low_[o].y - wide || middle.y > high_[o].y + wide)
        continue;
      if (runs_[o].is_nearer(middle, limit)) return true;
    }
    return false;
  }

  void add(Vec2 p, Vec2 q) {
    constexpr double kShortest = 0.01;
    if (p == q) return;
    if (is_beyond(p, q)) return;
    if (norm(q - p) > kShortest) {
      const Vec2 middle = 0.5 * (p + q);
      add(p, middle);
      add(middle, q);
      return;
    }
    // Parts of one straight line are joined again.
    if (!kept_.empty() && kept_.back().to == p) {
      const Vec2 a = kept_.back().to - kept_.back().from, b = q - p;
      if (std::fabs(cross(a, b)) <= 1e-9 * norm(a) * norm(b) && dot(a, b) > 0) {
        kept_.back().to = q;
        return;
      }
    }
    kept_.push_back({p, q});
  }

  const std::vector<std::vector<Vec2>>& outlines_;
  const std::vector<Vec2>&low_, &high_;
  const std::span<const int> chosen_;
  std::vector<Outline> runs_;
  int own_ = -1;
  std::vector<Stretch> kept_;
};

// Short chains, so that the boxes around them are small.
std::vector<Obstacle> as_obstacles(const std::vector<Stretch>& stretches) {
  // Openings of a hair's breadth are nothing to what keeps kSeam away.
  constexpr double kLongest = 6, kHair = 1e-5;
  constexpr std::size_t kMostPieces = 8;
  std::vector<Obstacle> obstacles;
  std::vector<Vec2> chain;
  const auto finish = [&] {
    if (chain.size() < 2) return;
    Obstacle obstacle;
    obstacle.name = "road border";
    obstacle.footprint = Footprint::polyline(chain).value();
    obstacles.push_back(std::move(obstacle));
  };
  double length = 0;
  Vec2 last;  // where the chain ends; a hair's breadth from its last point
  for (const Stretch& stretch : stretches) {
    const Vec2 d = stretch.to - stretch.from;
    const int parts = std::max(1, static_cast<int>(std::ceil(norm(d) / kLongest)));
    for (int i = 0; i < parts; ++i) {
      const Vec2 from = i == 0 ? stretch.from : last;
      const Vec2 to =
          i + 1 == parts ? stretch.to : stretch.from + (static_cast<double>(i + 1) / parts) * d;
      length += norm(to - from);
      if (chain.empty() || !(last == from) || length > kLongest || chain.size() > kMostPieces) {
        finish();
        chain = {from};
        length = norm(to - from);
      }
      last = to;
      if (norm(to - chain.back()) > kHair) chain.push_back(to);
    }
  }
  finish();
  return obstacles;
}

}  // namespace

bool TrafficLight::may_pass(double t) const {
  double whole = 0;
  for (const Phase& phase : phases) whole += phase.duration;
  if (!(whole > 0)) return true;
  double at = std::fmod(t - offset, whole);
  if (at < 0) at += whole;
  for (const Phase& phase : phases) {
    if (at < phase.duration) return phase.may_pass;
    at -= phase.duration;
  }
  return phases.back().may_pass;
}

Result<Road> Road::build(std::vector<Lanelet> lanelets, std::vector<TrafficLight> lights) {
  Road road;
  road.lanelets_ = std::move(lanelets);
  road.lights_ = std::move(lights);
  for (std::size_t i = 0; i < road.lanelets_.size(); ++i) {
    const Lanelet& lanelet = road.lanelets_[i];
    const std::string place = fmt::format("lanelet '{}'", lanelet.id);
    if (!road.index_.emplace(lanelet.id, static_cast<int>(i)).second)
      return bad_input("two lanelets have this id", place);
    if (lanelet.left.size() < 2 || lanelet.right.size() < 2 ||
        !(lengths_along(lanelet.left).back() > 0) || !(lengths_along(lanelet.right).back() > 0))
      return bad_input("a border has no length", place);
    // Cells and samples along borders are counted by int. What is no number is too long.
    for (const auto* border : {&lanelet.left, &lanelet.right})
      if (!(lengths_along(*border).back() <= kLongestBorder))
        return bad_input("a border is longer than 1e6 m: give metres", place);
    std::vector<Vec2> outline = outline_of(lanelet);
    if (outline.size() < 3) return bad_input("it has no area", place);
    Vec2 low{kInfinity, kInfinity}, high{-kInfinity, -kInfinity};
    for (const Vec2 p : outline) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    road.low_.push_back(low);
    road.high_.push_back(high);
    road.outlines_.push_back(std::move(outline));
    road.centres_.push_back(middle_of(lanelet));
  }
  return road;
}

int Road::find(const std::string& id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? -1 : found->second;
}

const TrafficLight* Road::find_light(const std::string& id) const {
  for (const TrafficLight& light : lights_)
    if (light.id == id) return &light;
  return nullptr;
}

bool Road::holds(int lanelet, Vec2 p) const {
  return inside(outlines_[static_cast<std::size_t>(lanelet)], p);
}

const std::vector<Vec2>& Road::centre_line(int lanelet) const {
  return centres_[static_cast<std::size_t>(lanelet)];
}

double Road::length(int lanelet) const {
  return lengths_along(centre_line(lanelet)).back();
}

double Road::direction(int lanelet, Vec2 p) const {
  const std::vector<Vec2>& line = centre_line(lanelet);
  double best = kInfinity, heading = 0;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const double distance = distance_to_edge(p, line[i], line[i + 1]);
    if (!(distance < best) || line[i] == line[i + 1]) continue;
    best = distance;
    const Vec2 d = line[i + 1] - line[i];
    heading = std::atan2(d.y, d.x);
  }
  return heading;
}

std::vector<int> Road::at(const Pose2& pose) const {
  std::vector<int> found;
  for (const int i : all())
    if (holds(i, {pose.x, pose.y}) && std::cos(direction(i, {pose.x, pose.y}) - pose.heading) > 0)
      found.push_back(i);
  return found;
}

std::vector<int> Road::all() const {
  std::vector<int> found;
  for (std::size_t i = 0; i < lanelets_.size(); ++i)
    if (lanelets_[i].for_vehicles) found.push_back(static_cast<int>(i));
  return found;
}

std::vector<Obstacle> Road::border(std::span<const int> lanelets) const {
  return as_obstacles(BorderMaker(outlines_, low_, high_, lanelets).run());
}

}  // namespace proven::spacetime
