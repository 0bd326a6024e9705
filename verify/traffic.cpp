// Chapter 15, concluded: does a certificate prove that a trajectory is free, or that it is not?
//
// A leaf says: from where the one before ended until its own end, the direction n keeps the two
// pieces apart. Between two samples positions and headings change at constant rates, so a point of
// a piece at distance r from its origin leaves the chord between its places at a and b by at most
// r (1 - cos(phi/2)) <= r min(phi^2/8, 2), phi being the turn from a to b
// (docs/algorithms/spacetime.md, lemma 1). Hence along n the gap on [a, b] is at least the smaller
// of the gaps at a and b, less both of these, the radii and the deviations. That is what is
// checked.
#include "verify/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <map>

#include "proven/base/floating_point.h"
#include "proven/verify/traffic.h"
#include "verify/readers/source.h"

namespace proven::verifier {
namespace {

struct Rejected {
  std::string reason;
};
[[noreturn]] void reject(std::string reason) {
  throw Rejected{std::move(reason)};
}

class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}
  std::uint8_t u8() { return word<std::uint8_t>(); }
  std::uint32_t u32() { return word<std::uint32_t>(); }
  double f64() { return finite(std::bit_cast<double>(word<std::uint64_t>())); }
  double f32() { return finite(std::bit_cast<float>(word<std::uint32_t>())); }
  bool done() const { return rest_.empty(); }

 private:
  template <class Word>
  Word word() {
    if (rest_.size() < sizeof(Word)) reject("the certificate is cut short");
    Word value = 0;
    for (std::size_t i = 0; i < sizeof(Word); ++i)
      value = static_cast<Word>(value | static_cast<Word>(static_cast<unsigned char>(rest_[i]))
                                            << (8 * i));
    rest_.remove_prefix(sizeof(Word));
    return value;
  }
  static double finite(double x) {
    if (!std::isfinite(x)) reject("a number of the certificate is not finite");
    return x;
  }
  std::string_view rest_;
};

// A convex piece: the hull of its corners, and all within the radius.
struct Piece2 {
  std::vector<Point2> corners;
  Interval radius, reach;
};

Interval length(const Interval& x, const Interval& y) {
  return sqrt(square(x) + square(y));
}

// A shape as its hull, or by its edges.
void add_pieces(const Shape2& shape, bool by_edges, std::vector<Piece2>& pieces) {
  const auto add = [&](std::vector<Point2> corners) {
    Interval reach = 0;
    for (const Point2& p : corners) reach = max(reach, length(p.x, p.y));
    pieces.push_back({std::move(corners), upper(shape.radius), upper(reach)});
  };
  if (!by_edges) return add(shape.corners);
  std::vector<Point2> corners;
  const auto same = [](const Point2& a, const Point2& b) {
    return a.x.lo == b.x.lo && a.x.hi == b.x.hi && a.y.lo == b.y.lo && a.y.hi == b.y.hi;
  };
  for (const Point2& p : shape.corners)
    if (corners.empty() || !same(corners.back(), p)) corners.push_back(p);
  if (corners.size() > 1 && same(corners.front(), corners.back())) corners.pop_back();
  if (corners.size() < 3) reject("a shape without an inside is taken by its edges");
  for (std::size_t i = 0; i < corners.size(); ++i)
    add({corners[i], corners[(i + 1) % corners.size()]});
}

struct Pose2 {
  Interval x, y, c, s;
};

// A part with its steps, and its pieces as the certificate takes them.
struct Side {
  const Part2* part = nullptr;
  std::vector<Piece2> pieces;
  std::vector<bool> by_edges;

  double begin() const { return part->begin; }
  double end() const { return part->end; }
  // Whether there is a time at which both are there.
  bool meets(const Part2& other) const {
    return std::max(begin(), other.begin) <= std::min(end(), other.end);
  }

  // The last step that begins at or before t.
  std::size_t step(double t) const {
    if (part->stands()) return 0;
    const std::vector<Sample2>& s = part->samples;
    const auto after = std::upper_bound(s.begin(), s.end() - 1, t,
                                        [](double at, const Sample2& q) { return at < q.t; });
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, after - s.begin()) - 1);
  }
  Pose2 at(std::size_t k, double t) const {
    const Sample2& a = part->samples[k];
    Interval heading = a.heading, x = a.x, y = a.y;
    if (!part->stands()) {
      const Sample2& b = part->samples[k + 1];
      const Interval share = (Interval(t) - a.t) / (Interval(b.t) - a.t);
      x = x + share * (b.x - a.x), y = y + share * (b.y - a.y);
      heading = heading + share * (b.heading - a.heading);
    }
    return {x, y, cosine(heading), sine(heading)};
  }
  // Upper bounds on how far a point leaves its chord on [a, b], and on how far the truth is off.
  Interval sagitta(std::size_t k, double a, double b, const Interval& reach) const {
    if (part->stands()) return 0;
    const Sample2 &p = part->samples[k], &q = part->samples[k + 1];
    const Interval turn = abs(q.heading - p.heading) * (Interval(b) - a) / (Interval(q.t) - p.t);
    return upper(min(0.125 * square(turn), Interval(2)) * reach);
  }
  Interval deviation(std::size_t k, const Interval& reach) const {
    const Sample2& p = part->samples[k];
    Interval off = p.deviation + reach * p.turn_deviation;
    if (!part->stands()) {
      const Sample2& q = part->samples[k + 1];
      off = max(off, q.deviation + reach * q.turn_deviation);
    }
    return upper(off);
  }
};

// The extent of a piece along n: the least and the largest value.
Interval extent(const Piece2& piece, const Pose2& X, const Interval& nx, const Interval& ny) {
  const Interval lx = X.c * nx + X.s * ny, ly = X.c * ny - X.s * nx;
  Interval low = 1e300, high = -1e300;
  for (const Point2& p : piece.corners) {
    const Interval d = lx * p.x + ly * p.y;
    low = min(low, d), high = max(high, d);
  }
  const Interval origin = nx * X.x + ny * X.y;
  return {(origin + low).lo, (origin + high).hi};
}

class TrafficVerifier {
 public:
  TrafficVerifier(const std::vector<Mover2>& scene, const TrafficVerifyOptions& options,
                  TrafficVerifyReport& report)
      : scene_(scene), options_(options), report_(report) {}

  void run(const std::vector<Mover2>& motions, Input& in) {
    for (const Mover2& motion : motions) {
      const int kind = in.u8();
      if (kind == 2) reject(fmt::format("trajectory '{}' has no proof: undecided", motion.name));
      if (kind > 2) reject("unknown kind of proof");
      read_sides(motion, in);
      if (kind == 0)
        free(motion, in);
      else
        collision(motion, in);
    }
    if (!in.done()) reject("there are bytes behind the end of the certificate");
  }

 private:
  bool is_left_out(const Mover2& mover) const {
    return std::ranges::count(options_.left_out, mover.name) > 0;
  }

  Side side_of(const Part2& part, Input& in) {
    Side side;
    side.part = &part;
    for (const Shape2& shape : part.shapes) {
      const int mode = in.u8();
      if (mode > 1) reject("unknown form of a shape");
      side.by_edges.push_back(mode == 1);
      add_pieces(shape, mode == 1, side.pieces);
    }
    return side;
  }

  void read_sides(const Mover2& motion, Input& in) {
    own_ = side_of(motion.parts[0], in);
    others_.clear();
    for (const Mover2& mover : scene_) {
      others_.emplace_back();
      if (is_left_out(mover)) continue;
      // What is never there together with the trajectory has no pieces.
      for (const Part2& part : mover.parts)
        others_.back().push_back(own_.meets(part) ? side_of(part, in) : Side{&part, {}, {}});
    }
  }

  void free(const Mover2& motion, Input& in) {
    for (const Piece2& piece : own_.pieces)
      for (std::size_t o = 0; o < scene_.size(); ++o)
        for (const Side& other : others_[o]) {
          if (other.pieces.empty()) continue;
          name_ = fmt::format("trajectory '{}' and obstacle '{}'", motion.name, scene_[o].name);
          for (const Piece2& theirs : other.pieces) pair(piece, other, theirs, in);
        }
    for (std::size_t o = 0; o < scene_.size(); ++o)
      for (const Side& other : others_[o]) {
        if (other.pieces.empty()) continue;
        name_ = fmt::format("trajectory '{}' and obstacle '{}'", motion.name, scene_[o].name);
        outside(own_, other);
        outside(other, own_);
      }
    ++report_.free;
    report_.theorem.push_back(fmt::format(
        "'{}' is farther than {} m from every obstacle{} that is there, at all times from {} to {} "
        "s",
        motion.name, options_.clearance, options_.left_out.empty() ? "" : " that is not left out",
        own_.begin(), own_.end()));
  }

  // The leaves of a pair cover the time that both are there.
  void pair(const Piece2& mine, const Side& other, const Piece2& theirs, Input& in) {
    ++report_.pairs;
    const std::uint32_t leaves = in.u32();
    double at = std::max(own_.begin(), other.begin());
    const double end = std::min(own_.end(), other.end());
    if (leaves == 0) reject(name_ + ": no proof");
    for (std::uint32_t i = 0; i < leaves; ++i) {
      const double to = in.f64();
      const double nx = in.f32(), ny = in.f32();
      if (!(to > at || (to == at && at == end)) || !(to <= end))
        reject(name_ + ": leaves do not follow each other");
      leaf(mine, other, theirs, at, to, nx, ny);
      at = to;
      ++report_.leaves;
    }
    if (at != end) reject(name_ + ": the proof ends too early");
  }

  void leaf(const Piece2& mine, const Side& other, const Piece2& theirs, double from, double to,
            double nx, double ny) {
    double a = from;
    for (;;) {
      // To the next sample of either.
      const std::size_t i = own_.step(a), j = other.step(a);
      double b = to;
      const auto stop_at_sample = [&](const Side& side, std::size_t k) {
        if (!side.part->stands() && side.part->samples[k + 1].t > a)
          b = std::min(b, side.part->samples[k + 1].t);
      };
      stop_at_sample(own_, i);
      stop_at_sample(other, j);
      apart(mine, i, other, theirs, j, a, b, nx, ny);
      if (!(b < to)) return;
      a = b;
    }
  }

  void apart(const Piece2& mine, std::size_t i, const Side& other, const Piece2& theirs,
             std::size_t j, double a, double b, double nx, double ny) {
    const auto gap = [&](double t) {
      const Interval A = extent(mine, own_.at(i, t), nx, ny);
      const Interval B = extent(theirs, other.at(j, t), nx, ny);
      return Interval(B.lo) - A.hi;
    };
    const Interval first = gap(a), last = a == b ? first : gap(b);
    const Interval loss = own_.sagitta(i, a, b, mine.reach) + other.sagitta(j, a, b, theirs.reach) +
                          own_.deviation(i, mine.reach) + other.deviation(j, theirs.reach) +
                          mine.radius + theirs.radius + options_.clearance;
    const Interval needed = length(nx, ny) * loss;
    if (!(min(first, last).lo > needed.hi))
      reject(fmt::format("{}: from {} to {} s the line does not separate them", name_, a, b));
  }

  // What is taken by its edges must not hold the other: one point of each piece of the other, when
  // both are first there, is outside; edges that are never touched keep it there.
  void outside(const Side& hollow, const Side& other) {
    const double t = std::max(hollow.begin(), other.begin());
    std::size_t first = 0;
    for (std::size_t k = 0; k < hollow.part->shapes.size(); ++k) {
      const std::size_t count = hollow.by_edges[k] ? edges_of(hollow, first) : 1;
      if (hollow.by_edges[k])
        for (const Piece2& piece : other.pieces) {
          const Pose2 X = other.at(other.step(t), t), Y = hollow.at(hollow.step(t), t);
          const Point2 p = placed(piece.corners[0], X);
          bool odd = false;
          for (std::size_t e = first; e < first + count; ++e) {
            const Point2 a = placed(hollow.pieces[e].corners[0], Y),
                         b = placed(hollow.pieces[e].corners[1], Y);
            if (crosses(p, a, b)) odd = !odd;
          }
          if (odd) reject(name_ + ": one is inside the other");
        }
      first += count;
    }
  }
  // Edges follow each other around a shape until it is closed.
  static std::size_t edges_of(const Side& side, std::size_t first) {
    std::size_t count = 1;
    const Point2& start = side.pieces[first].corners[0];
    while (first + count < side.pieces.size()) {
      const Point2& end = side.pieces[first + count - 1].corners[1];
      if (end.x.lo == start.x.lo && end.y.lo == start.y.lo) break;
      ++count;
    }
    return count;
  }
  static Point2 placed(const Point2& p, const Pose2& X) {
    return {X.x + X.c * p.x - X.s * p.y, X.y + X.s * p.x + X.c * p.y};
  }
  // Whether the ray from p to the right crosses the edge, surely.
  bool crosses(const Point2& p, const Point2& a, const Point2& b) const {
    const auto above = [&](const Point2& q) {
      if (q.y.lo > p.y.hi) return true;
      if (q.y.hi < p.y.lo) return false;
      reject(name_ + ": a corner lies level with the point that is tested for being inside");
    };
    const bool a_above = above(a), b_above = above(b);
    if (a_above == b_above) return false;
    const Interval side = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
    if (side.lo <= 0 && side.hi >= 0) reject(name_ + ": a point on an edge");
    return (side.lo > 0) == b_above;
  }

  void collision(const Mover2& motion, Input& in) {
    const std::size_t o = in.u32(), p = in.u32(), i = in.u32(), j = in.u32();
    const double t = in.f64();
    const double ax = in.f64(), ay = in.f64(), bx = in.f64(), by = in.f64();
    if (o >= scene_.size() || p >= others_[o].size()) reject("a witness of no obstacle");
    const Side& other = others_[o][p];
    if (i >= own_.pieces.size() || j >= other.pieces.size()) reject("a witness of no piece");
    name_ = fmt::format("trajectory '{}' and obstacle '{}'", motion.name, scene_[o].name);
    if (!(t >= own_.begin() && t <= own_.end() && t >= other.begin() && t <= other.end()))
      reject(name_ + " are not both there at the time of the witness");
    const Piece2 &mine = own_.pieces[i], &theirs = other.pieces[j];
    const std::size_t k = own_.step(t), l = other.step(t);
    if (own_.deviation(k, mine.reach).hi > 0 || other.deviation(l, theirs.reach).hi > 0)
      reject(name_ + ": a witness needs exact motions");
    const Interval off_a = beyond(mine, own_.at(k, t), ax, ay);
    const Interval off_b = beyond(theirs, other.at(l, t), bx, by);
    // Around a point that is deep inside there is a ball of that size inside: so depths count as
    // much as distances.
    const Interval gap = length(Interval(ax) - bx, Interval(ay) - by) + off_a + off_b;
    const Interval reach = Interval(lower_of(i, own_)) + lower_of(j, other) + options_.clearance;
    if (!(gap.hi < reach.lo)) reject(name_ + ": the points of the witness are not near");
    ++report_.collisions;
    report_.theorem.push_back(fmt::format("'{}' and obstacle '{}' {} at {} s", motion.name,
                                          scene_[o].name,
                                          options_.clearance > 0 ? "are too near" : "overlap", t));
  }
  // A radius from below.
  double lower_of(std::size_t piece, const Side& side) const {
    std::size_t at = 0;
    for (std::size_t k = 0; k < side.part->shapes.size(); ++k) {
      const std::size_t count = side.by_edges[k] ? edges_of(side, at) : 1;
      if (piece < at + count) return side.part->shapes[k].radius.lo;
      at += count;
    }
    return 0;
  }
  // An upper bound on how far a point is beyond a core; less than 0 by its depth inside.
  static Interval beyond(const Piece2& piece, const Pose2& X, double x, double y) {
    std::vector<Point2> c;
    for (const Point2& p : piece.corners) c.push_back(placed(p, X));
    const std::size_t n = c.size();
    bool left = n > 2, right = n > 2;
    Interval best = 1e300, depth = 1e300;
    for (std::size_t i = 0; i < n; ++i) {
      const Point2 &a = c[i], &b = c[(i + 1) % n];
      const Interval side = (b.x - a.x) * (Interval(y) - a.y) - (b.y - a.y) * (Interval(x) - a.x);
      left = left && side.lo > 0;
      right = right && side.hi < 0;
      const Interval edge = length(b.x - a.x, b.y - a.y);
      if (left || right) depth = min(depth, Interval(below(abs(side).lo / edge.hi)));
      // Any point of the edge bounds the distance from above.
      const double dx = approximate(b.x - a.x), dy = approximate(b.y - a.y), l = dx * dx + dy * dy;
      const double u =
          l > 0 ? std::clamp(((x - approximate(a.x)) * dx + (y - approximate(a.y)) * dy) / l, 0.0,
                             1.0)
                : 0;
      const Interval px = a.x + u * (b.x - a.x), py = a.y + u * (b.y - a.y);
      best = min(best, upper(length(Interval(x) - px, Interval(y) - py)));
    }
    // Left of all edges, or right of all: in every half plane of a convex outline.
    return left || right ? upper(-Interval(depth.lo)) : upper(best);
  }

  const std::vector<Mover2>& scene_;
  const TrafficVerifyOptions& options_;
  TrafficVerifyReport& report_;
  Side own_;
  std::vector<std::vector<Side>> others_;
  std::string name_;
};

// When obstacles are there: sentences, one for all that are there at the same times.
void tell_times(const std::vector<Mover2>& movers, const TrafficVerifyOptions& options,
                std::vector<std::string>& theorem) {
  const auto left_out = [&](const Mover2& m) {
    return std::ranges::find(options.left_out, m.name) != options.left_out.end();
  };
  std::map<std::pair<double, double>, std::string> names;
  for (const Mover2& mover : movers) {
    if (left_out(mover)) continue;
    double begin = mover.parts[0].begin, end = mover.parts[0].end;
    for (const Part2& part : mover.parts)
      begin = std::min(begin, part.begin), end = std::max(end, part.end);
    std::string& list = names[{begin, end}];
    list += (list.empty() ? "'" : ", '") + mover.name + "'";
  }
  for (const auto& [times, list] : names) {
    const auto [begin, end] = times;
    if (begin <= -kAlways && end >= kAlways) {
      theorem.push_back(fmt::format("there at all times: {}", list));
      continue;
    }
    const char* then = options.after == "gone"   ? "not there after that"
                       : options.after == "rest" ? "at rest after that"
                                                 : "straight on as in its last step after that";
    theorem.push_back(fmt::format("there from {} s, known to {} s, {} (--after {}): {}", begin, end,
                                  then, options.after, list));
  }
}

Ending asked_ending(const TrafficVerifyOptions& options) {
  if (options.after == "rest") return Ending::rest;
  if (options.after == "continue") return Ending::straight_on;
  if (options.after == "gone") return Ending::gone;
  reject(fmt::format("--after '{}': there are rest, continue and gone", options.after));
}

void check_header(Input& in, Ending ending, std::size_t motions) {
  for (const char c : std::string_view("PRVNTRFC"))
    if (in.u8() != static_cast<unsigned char>(c)) reject("no certificate of traffic");
  if (in.u32() != 3) reject("a version that is not known");
  in.f64();  // the clearance it was made for; what is proved is what is asked
  constexpr const char* kWords[] = {"rest", "continue", "gone"};
  const int made = in.u8();
  if (made > 2) reject("an end of obstacles that is not known");
  if (made != static_cast<int>(ending))
    reject(fmt::format("it was made for --after {}, and is asked about --after {}", kWords[made],
                       kWords[static_cast<int>(ending)]));
  if (in.u32() != motions) reject("it is about another number of trajectories");
}

}  // namespace
}  // namespace proven::verifier

namespace proven {

TrafficVerifyReport verify_traffic(const std::filesystem::path& scene,
                                   const std::filesystem::path& trajectories,
                                   std::string_view certificate,
                                   const TrafficVerifyOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  TrafficVerifyReport report;
  try {
    if (const auto sane = check_floating_point_environment(); !sane.ok())
      verifier::reject(sane.error().text());
    if (!(options.clearance >= 0)) verifier::reject("a clearance is at least 0");
    const verifier::Ending ending = verifier::asked_ending(options);
    auto obstacles = verifier::read_traffic_scene(scene);
    const auto motions =
        verifier::read_traffic_motions(trajectories, {options.length, options.width});
    for (const std::string& name : options.left_out)
      if (std::ranges::none_of(obstacles, [&](const auto& o) { return o.name == name; }))
        verifier::reject(fmt::format("there is no obstacle '{}' to leave out", name));
    verifier::Input in(certificate);
    report.trajectories = static_cast<int>(motions.size());
    verifier::check_header(in, ending, motions.size());
    std::vector<std::string> times;
    verifier::tell_times(obstacles, options, times);
    double until = -verifier::kAlways;
    for (const auto& motion : motions) until = std::max(until, motion.parts[0].end);
    verifier::prolong(obstacles, ending, until);
    verifier::TrafficVerifier(obstacles, options, report).run(motions, in);
    report.theorem.insert(report.theorem.end(), times.begin(), times.end());
    for (const std::string& name : options.left_out)
      report.theorem.push_back(fmt::format("obstacle '{}' was left out", name));
    report.accepted = true;
  } catch (const verifier::Rejected& rejected) {
    report.reason = rejected.reason;
  } catch (const verifier::Unreadable& error) {
    report.reason = error.place + ": " + error.message;
  }
  if (!report.accepted) report.theorem.clear();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace proven
