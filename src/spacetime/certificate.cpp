#include "proven/spacetime/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "spacetime/pair.h"

namespace proven::spacetime {
namespace {

constexpr char kMagic[] = "PRVNTRFC";
constexpr std::uint32_t kVersion = 3;

class Bytes {
 public:
  void u8(std::uint8_t value) { text_.push_back(static_cast<char>(value)); }
  void u32(std::uint32_t value) { raw(value); }
  void f32(float value) { raw(std::bit_cast<std::uint32_t>(value)); }
  void f64(double value) { raw(std::bit_cast<std::uint64_t>(value)); }
  void add(const Bytes& other) { text_ += other.text_; }
  std::string take() { return std::move(text_); }

 private:
  template <class Word>
  void raw(Word word) {
    for (std::size_t i = 0; i < sizeof word; ++i)
      text_.push_back(static_cast<char>(word >> (8 * i) & 0xff));
  }
  std::string text_;
};

// A shape as the format has it: whole (the hull of its corners) or, if it was cut, its edges.
struct Shapes {
  std::vector<std::uint8_t> edges;  // 1 or 0 for each
  std::vector<Piece> pieces;
};

Result<Shapes> shapes_of(const Footprint& footprint) {
  Shapes out;
  for (int i = 0; i < static_cast<int>(footprint.pieces().size());) {
    const auto cut = std::ranges::find_if(footprint.cuts(),
                                          [&](const Footprint::Cut& c) { return c.first == i; });
    const Piece& piece = footprint.pieces()[static_cast<std::size_t>(i)];
    if (cut == footprint.cuts().end()) {
      out.edges.push_back(0);
      out.pieces.push_back(piece);
      ++i;
      continue;
    }
    std::vector<Vec2> line = cut->outline;
    line.erase(std::unique(line.begin(), line.end()), line.end());
    if (!(line.front() == line.back())) line.push_back(line.front());
    const auto edges = Footprint::polyline(line);
    if (!edges.ok()) return edges.error();
    out.edges.push_back(1);
    for (Piece edge : edges.value().pieces()) {
      edge.radius = piece.radius;
      out.pieces.push_back(std::move(edge));
    }
    i += cut->count;
  }
  return out;
}

// One side of a pair over time: a motion, or something that stands for a while.
struct Mover {
  const Trajectory* motion = nullptr;
  double begin = 0, end = 0;  // of what stands
  Pose2 pose;
  double rounding = 0;

  double t_begin() const { return motion ? motion->t.front() : begin; }
  double t_end() const { return motion ? motion->t.back() : end; }
  Segment segment(double a, double b, double reach) const {
    if (!motion)
      return fixed_segment(a, b, {pose.x, pose.y, std::cos(pose.heading), std::sin(pose.heading)});
    const std::vector<double>& t = motion->t;
    auto k = static_cast<int>(std::upper_bound(t.begin(), t.end(), a) - t.begin()) - 1;
    k = std::clamp(k, 0, motion->size() - 2);
    return make_segment(view(*motion), k, reach);
  }
};

Mover mover_of(const Footprint& footprint, const Trajectory& m) {
  Mover mover;
  mover.motion = &m;
  const int n = m.size();
  mover.rounding =
      rounding_bound(std::max(largest(m.x.data(), n), largest(m.y.data(), n)) + footprint.reach(),
                     largest(m.heading.data(), n), footprint.core_reach());
  return mover;
}

Mover standing(const Footprint& footprint, const Pose2& pose, double begin, double end) {
  Mover mover;
  mover.begin = begin, mover.end = end, mover.pose = pose;
  mover.rounding =
      rounding_bound(std::max(std::fabs(pose.x), std::fabs(pose.y)) + footprint.reach(),
                     std::fabs(pose.heading), footprint.core_reach());
  return mover;
}

// The leaves of one pair of pieces: each from where the one before ended to `end`.
struct Leaf {
  double end = 0;
  float x = 0, y = 0;
};

class PairProof {
 public:
  PairProof(const Piece& a, const Mover& mover_a, const Piece& b, const Mover& mover_b,
            double clearance)
      : a_(a), b_(b), mover_a_(mover_a), mover_b_(mover_b), clearance_(clearance) {}

  bool run(double begin, double end) {
    std::vector<double> times = {begin, end};
    for (const Mover* mover : {&mover_a_, &mover_b_})
      if (mover->motion)
        for (const double t : mover->motion->t)
          if (t > begin && t < end) times.push_back(t);
    std::ranges::sort(times);
    times.erase(std::unique(times.begin(), times.end()), times.end());
    if (times.size() == 1) times.push_back(times[0]);
    for (std::size_t i = 0; i + 1 < times.size(); ++i)
      if (!cover(times[i], times[i + 1])) return false;
    return true;
  }
  const std::vector<Leaf>& leaves() const { return leaves_; }

 private:
  // Both move by one step each on [from, to].
  bool cover(double from, double to) {
    segment_a_ = mover_a_.segment(from, to, a_.reach);
    segment_b_ = mover_b_.segment(from, to, b_.reach);
    query_ = {&a_,       &b_, &segment_a_, &segment_b_, mover_a_.rounding + mover_b_.rounding,
              clearance_};
    return split(from, to, 0);
  }

  bool split(double from, double to, int depth) {
    const Placed A0 = place(segment_a_, from), B0 = place(segment_b_, from);
    const Placed A1 = place(segment_a_, to), B1 = place(segment_b_, to);
    const double loss = loss_upper(query_, from, A0, B0, to, A1, B1);
    // The verifier does the same sums in another order.
    const double enough = clearance_ + 2 * query_.rounding;
    const auto proves = [&](float x, float y) {
      const double length = norm({x, y});
      if (!(length > 0)) return false;
      const Vec2 n{x / length, y / length};
      return distance_lower(query_, n, A0, B0, A1, B1, loss) > enough;
    };
    if (!leaves_.empty() && proves(leaves_.back().x, leaves_.back().y)) {
      leaves_.back().end = to;
      return true;
    }
    const Vec2 at_start = separation(a_, A0, b_, B0).direction,
               at_end = separation(a_, A1, b_, B1).direction;
    const Vec2 d{(B1.x - A1.x) - (B0.x - A0.x), (B1.y - A1.y) - (B0.y - A0.y)};
    const Vec2 side{-d.y, d.x};
    for (const Vec2 n : {at_end, at_start, side, -1 * side}) {
      const auto x = static_cast<float>(n.x), y = static_cast<float>(n.y);
      if (!proves(x, y)) continue;
      leaves_.push_back({to, x, y});
      return true;
    }
    const double middle = from + 0.5 * (to - from);
    if (depth > 40 || !(from < middle && middle < to)) return false;
    return split(from, middle, depth + 1) && split(middle, to, depth + 1);
  }

  const Piece &a_, &b_;
  const Mover &mover_a_, &mover_b_;
  const double clearance_;
  Segment segment_a_, segment_b_;
  PairQuery query_;
  std::vector<Leaf> leaves_;
};

// A part of an obstacle: the obstacle itself, or one of its occupancies.
struct Part {
  Shapes shapes;
  Mover mover;

  // Whether there is a time at which both are there.
  bool meets(const Mover& other) const {
    return std::max(mover.t_begin(), other.t_begin()) <= std::min(mover.t_end(), other.t_end());
  }
};

class Maker {
 public:
  Maker(const TrafficScene& scene, std::span<const int> except, const TrafficOptions& options)
      : scene_(scene), except_(except), options_(options) {}

  Result<void> prepare(double begin, double end) {
    const auto& obstacles = scene_.obstacles();
    for (std::size_t o = 0; o < obstacles.size(); ++o) {
      const Obstacle& obstacle = obstacles[o];
      std::vector<Part> parts;
      const auto add = [&](const Footprint& footprint, const Mover& mover) -> Result<void> {
        auto shapes = shapes_of(footprint);
        if (!shapes.ok()) return shapes.error();
        parts.push_back({std::move(shapes).value(), mover});
        return {};
      };
      Result<void> added;
      for (const Occupancy& part : obstacle.occupancies)
        if (added.ok())
          added = add(part.region, standing(part.region, {}, part.t_begin, part.t_end));
      if (obstacle.moves()) {
        if (obstacle.motion.between != Interpolation::linear)
          return bad_input("certificates are for linear motions",
                           fmt::format("obstacle '{}'", obstacle.name));
        added = add(obstacle.footprint, mover_of(obstacle.footprint, obstacle.motion));
      } else if (!obstacle.is_set()) {
        added = add(obstacle.footprint, standing(obstacle.footprint, obstacle.pose, begin, end));
      }
      if (!added.ok()) return added.error();
      parts_.push_back(std::move(parts));
    }
    return {};
  }

  // Appends the proof of one motion.
  Result<void> add(const CertifiedMotion& entry, const TrafficResult& result, Bytes& out,
                   TrafficCertificate& counts) {
    auto own = shapes_of(entry.footprint);
    if (!own.ok()) return own.error();
    const Mover mover = mover_of(entry.footprint, entry.motion);
    if (result.verdict == Verdict::undecided) return out.u8(2), Result<void>{};
    if (result.verdict == Verdict::collision)
      return add_witness(own.value(), mover, *result.contact, out);
    out.u8(0);
    add_modes(own.value(), mover, out);
    for (const Piece& piece : own.value().pieces)
      for (std::size_t o = 0; o < parts_.size(); ++o) {
        if (is_left_out(o)) continue;
        for (const Part& part : parts_[o]) {
          if (!part.meets(mover)) continue;
          for (const Piece& other : part.shapes.pieces) {
            ++counts.pairs;
            const double begin = std::max(mover.t_begin(), part.mover.t_begin());
            const double end = std::min(mover.t_end(), part.mover.t_end());
            PairProof proof(piece, mover, other, part.mover, options_.clearance);
            if (!proof.run(begin, end))
              return bad_input(
                  fmt::format("no proof was found for obstacle '{}'", scene_.obstacles()[o].name));
            out.u32(static_cast<std::uint32_t>(proof.leaves().size()));
            for (const Leaf& leaf : proof.leaves()) {
              out.f64(leaf.end), out.f32(leaf.x), out.f32(leaf.y);
              ++counts.leaves;
            }
          }
        }
      }
    return {};
  }

 private:
  bool is_left_out(std::size_t o) const {
    return std::ranges::count(except_, static_cast<int>(o)) > 0;
  }
  void add_modes(const Shapes& own, const Mover& mover, Bytes& out) const {
    for (const std::uint8_t mode : own.edges) out.u8(mode);
    for (std::size_t o = 0; o < parts_.size(); ++o)
      if (!is_left_out(o))
        for (const Part& part : parts_[o])
          if (part.meets(mover))
            for (const std::uint8_t mode : part.shapes.edges) out.u8(mode);
  }

  // Two points, one of each, that are the same or too near: the middle of what overlaps.
  Result<void> add_witness(const Shapes& own, const Mover& mover, const TrafficContact& contact,
                           Bytes& out) const {
    const auto o = static_cast<std::size_t>(contact.obstacle);
    for (std::size_t p = 0; p < parts_[o].size(); ++p) {
      const Part& part = parts_[o][p];
      if (contact.t < part.mover.t_begin() || contact.t > part.mover.t_end()) continue;
      for (const Piece& mine : own.pieces)
        for (const Piece& theirs : part.shapes.pieces) {
          const Placed A = place(mover.segment(contact.t, contact.t, mine.reach), contact.t);
          const Placed B = place(part.mover.segment(contact.t, contact.t, theirs.reach), contact.t);
          Vec2 in_a, in_b;
          if (!near_points(mine, A, theirs, B, in_a, in_b)) continue;
          out.u8(1);
          add_modes(own, mover, out);
          out.u32(static_cast<std::uint32_t>(o)), out.u32(static_cast<std::uint32_t>(p));
          out.u32(static_cast<std::uint32_t>(&mine - own.pieces.data()));
          out.u32(static_cast<std::uint32_t>(&theirs - part.shapes.pieces.data()));
          out.f64(contact.t);
          out.f64(in_a.x), out.f64(in_a.y), out.f64(in_b.x), out.f64(in_b.y);
          return {};
        }
    }
    return bad_input("the contact has no witness that the verifier could check");
  }

  static std::vector<Vec2> corners(const Piece& piece, const Placed& X) {
    std::vector<Vec2> local = piece.corners;
    if (piece.is_box()) {
      const Vec2 c = piece.centre, h = piece.half;
      local = {c + h, c + Vec2{-h.x, h.y}, c - h, c + Vec2{h.x, -h.y}};
      if (h.x == 0 && h.y == 0) local = {c};
    }
    for (Vec2& p : local) p = {X.x + X.c * p.x - X.s * p.y, X.y + X.s * p.x + X.c * p.y};
    return local;
  }

  static Vec2 middle(const std::vector<Vec2>& points) {
    Vec2 sum;
    for (const Vec2 point : points) sum = sum + point;
    return (1.0 / static_cast<double>(points.size())) * sum;
  }

  // What of a point, a line or an outline is within a convex outline.
  static std::vector<Vec2> clipped(std::vector<Vec2> part, const std::vector<Vec2>& outline) {
    for (std::size_t i = 0; i < outline.size(); ++i) {
      const Vec2 from = outline[i], d = outline[(i + 1) % outline.size()] - from;
      const auto side = [&](Vec2 p) { return cross(d, p - from); };
      std::vector<Vec2> left;
      for (std::size_t k = 0; k < part.size(); ++k) {
        const Vec2 p = part[k], q = part[(k + 1) % part.size()];
        const double a = side(p), b = side(q);
        if (a >= 0) left.push_back(p);
        if ((a > 0 && b < 0) || (a < 0 && b > 0)) left.push_back(p + (a / (a - b)) * (q - p));
      }
      part = std::move(left);
    }
    return part;
  }

  // A point in the middle of what two cores share; or else their nearest points, by alternating
  // projections, which are precise enough for what is clearly too near.
  bool near_points(const Piece& a, const Placed& A, const Piece& b, const Placed& B, Vec2& in_a,
                   Vec2& in_b) const {
    const std::vector<Vec2> p = corners(a, A), q = corners(b, B);
    const bool by_p = p.size() > 2;
    if (by_p || q.size() > 2) {
      const std::vector<Vec2> shared = by_p ? clipped(q, p) : clipped(p, q);
      if (!shared.empty()) return in_a = in_b = middle(shared), true;
    }
    in_a = middle(p), in_b = middle(q);
    for (int round = 0; round < 4000; ++round) {
      in_a = nearest(p, in_b);
      in_b = nearest(q, in_a);
    }
    return norm(in_b - in_a) < a.radius + b.radius + options_.clearance - 1e-9;
  }

  static Vec2 nearest(const std::vector<Vec2>& outline, Vec2 p) {
    if (outline.size() == 1) return outline[0];
    bool in = outline.size() > 2;
    for (std::size_t i = 0; i < outline.size() && in; ++i) {
      const Vec2 from = outline[i], to = outline[(i + 1) % outline.size()];
      in = cross(to - from, p - from) >= 0;
    }
    if (in) return p;
    double best = 1e300;
    Vec2 found = p;
    for (std::size_t i = 0; i < outline.size(); ++i) {
      const Vec2 from = outline[i], d = outline[(i + 1) % outline.size()] - from;
      const double l = dot(d, d), u = l > 0 ? std::clamp(dot(p - from, d) / l, 0.0, 1.0) : 0;
      const Vec2 at = from + u * d;
      if (norm(p - at) < best) best = norm(p - at), found = at;
    }
    return found;
  }

  const TrafficScene& scene_;
  const std::span<const int> except_;
  const TrafficOptions& options_;
  std::vector<std::vector<Part>> parts_;
};

}  // namespace

Result<TrafficCertificate> certify_traffic(const TrafficScene& scene,
                                           std::span<const CertifiedMotion> motions,
                                           std::span<const int> except,
                                           const TrafficOptions& options, Afterwards after,
                                           const Budget& budget) {
  double begin = 1e300, end = -1e300;
  for (const CertifiedMotion& entry : motions) {
    if (entry.motion.between != Interpolation::linear)
      return bad_input("certificates are for linear motions");
    if (auto valid = validate(entry.motion); !valid.ok()) return valid.error();
    begin = std::min(begin, entry.motion.t.front());
    end = std::max(end, entry.motion.t.back());
  }
  const auto whole = TrafficScene::build(lasting(scene.obstacles(), after, end));
  if (!whole.ok()) return whole.error();
  std::vector<Obstacle> kept;
  for (std::size_t o = 0; o < scene.obstacles().size(); ++o)
    if (std::ranges::count(except, static_cast<int>(o)) == 0)
      kept.push_back(whole.value().obstacles()[o]);
  const auto among = TrafficScene::build(std::move(kept));
  if (!among.ok()) return among.error();
  Maker maker(whole.value(), except, options);
  if (auto prepared = maker.prepare(begin, end); !prepared.ok()) return prepared.error();
  TrafficCertificate out;
  Bytes bytes;
  for (const char c : std::string_view(kMagic, 8)) bytes.u8(static_cast<std::uint8_t>(c));
  bytes.u32(kVersion);
  bytes.f64(options.clearance);
  bytes.u8(static_cast<std::uint8_t>(after));
  bytes.u32(static_cast<std::uint32_t>(motions.size()));
  TrafficScratch scratch;
  for (const CertifiedMotion& entry : motions) {
    auto result = check(among.value(), entry.footprint, entry.motion, options, scratch, -1, budget);
    if (!result.ok()) return result.error();
    if (auto& contact = result.value().contact) {
      // Counted among all obstacles.
      int left = contact->obstacle, o = 0;
      for (;; ++o)
        if (std::ranges::count(except, o) == 0 && left-- == 0) break;
      contact->obstacle = o;
    }
    if (auto added = maker.add(entry, result.value(), bytes, out); !added.ok())
      return added.error();
  }
  out.bytes = bytes.take();
  return out;
}

std::string join_certificates(std::span<const TrafficCertificate> parts) {
  constexpr std::size_t kCount = 21, kHeader = 25;  // where the number of trajectories is
  if (parts.empty()) return {};
  std::string joined = parts[0].bytes.substr(0, kCount);
  std::uint32_t count = 0;
  for (const TrafficCertificate& part : parts)
    for (std::size_t i = 0; i < 4; ++i)
      count += static_cast<std::uint32_t>(static_cast<unsigned char>(part.bytes[kCount + i]))
               << (8 * i);
  Bytes words;
  words.u32(count);
  joined += words.take();
  for (const TrafficCertificate& part : parts) joined += part.bytes.substr(kHeader);
  return joined;
}

}  // namespace proven::spacetime
