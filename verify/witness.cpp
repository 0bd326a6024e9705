#include "verify/witness.h"

#include <fmt/format.h>

#include "verify/overlap.h"
#include "verify/walk.h"

namespace proven::verifier {
namespace {

struct Claim {
  int contact = 0;
  std::size_t segment = 0;
  double t = 0;
  std::array<int, 2> bodies = {}, pieces = {};
};

Claim read_claim(const Model& model, std::size_t segments, BodyStream& in) {
  Claim claim;
  claim.contact = in.u8();
  claim.segment = in.u32();
  claim.t = in.f64();
  const std::array<std::uint32_t, 2> bodies = {in.u32(), in.u32()};
  for (int& piece : claim.pieces) piece = static_cast<int>(in.signed_number(4));
  for (int i = 0; i < 7; ++i) in.f64();  // points and distance: for readers
  in.finish();
  if (claim.contact > 2) throw Rejected{"the witness is of an unknown kind"};
  if (claim.segment >= segments) throw Rejected{"the witness names a segment beyond the motion"};
  if (!(claim.t >= 0 && claim.t <= 1)) throw Rejected{"the witness names a time outside of [0, 1]"};
  for (std::size_t i = 0; i < 2; ++i) {
    if (bodies[i] >= model.bodies.size())
      throw Rejected{"the witness names a body that does not exist"};
    claim.bodies[i] = static_cast<int>(bodies[i]);
    const auto count = model.bodies[bodies[i]].pieces.size();
    if (claim.contact != 1 &&
        !(claim.pieces[i] >= 0 && static_cast<std::size_t>(claim.pieces[i]) < count))
      throw Rejected{"the witness names a piece that does not exist"};
  }
  return claim;
}

class Confirmation {
 public:
  Confirmation(const Model& model, const Motion& motion, const Claim& claim)
      : model_(model),
        claim_(claim),
        quick_(model, motion.piece(static_cast<int>(claim.segment)), {}),
        wide_(model, motion.piece(static_cast<int>(claim.segment)), {}) {
    for (std::size_t i = 0; i < 2; ++i) {
      body_[i] = &model.bodies[static_cast<std::size_t>(claim.bodies[i])];
      X_[i] = quick_.pose(claim.t, claim.bodies[i]);
      X_wide_[i] = wide_.pose(claim.t, claim.bodies[i]);
    }
  }

  // Each attempt starts the search from another point.
  bool closer_than(double c, int piece_a, int piece_b) const {
    constexpr std::uint64_t kAttempts = 20;
    const PlacedPiece a{body_[0], body_[0]->pieces[static_cast<std::size_t>(piece_a)]};
    const PlacedPiece b{body_[1], body_[1]->pieces[static_cast<std::size_t>(piece_b)]};
    const PlacedPair<Interval> pair{a, b, X_[0], X_[1]};
    const PlacedPair<Wide> wide_pair{a, b, X_wide_[0], X_wide_[1]};
    for (std::uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
      const auto found = find_tetrahedron(pair, c, attempt);
      if (found && (surrounds_origin(*found, pair) || surrounds_origin(*found, wide_pair)))
        return true;
    }
    return false;
  }

  // A component of one body lies inside a closed mesh, or in a convex piece, of the other.
  bool nested() {
    for (const bool swap : {false, true}) {
      const std::size_t inner = swap ? 1 : 0, outer = swap ? 0 : 1;
      if (find_nested(*body_[inner], X_[inner], *body_[outer], X_[outer]).side == Side::inside)
        return true;
      // Grains are solid in the eyes of whoever looks for overlaps: nothing lies inside of them.
      if (body_[inner]->sensed() || body_[outer]->sensed()) continue;
      const std::vector<Piece>& pieces = body_[outer]->pieces;
      for (const int component : body_[inner]->topology.components)
        for (std::size_t i = pieces.size(); i-- > 0 && pieces[i].triangle < 0;) {
          const int convex = static_cast<int>(i);
          if (swap ? closer_than(0, convex, component) : closer_than(0, component, convex))
            return true;
        }
    }
    return false;
  }

 private:
  const Model& model_;
  const Claim& claim_;
  SegmentMotion<Interval> quick_;
  mutable SegmentMotion<Wide> wide_;
  const Body* body_[2] = {};
  Placement<Interval> X_[2];
  Placement<Wide> X_wide_[2];
};

const Pair& tested_pair(const Model& model, const Claim& claim) {
  const auto [a, b] = std::minmax(claim.bodies[0], claim.bodies[1]);
  for (const Pair& pair : model.pairs)
    if (pair.a == a && pair.b == b) return pair;
  throw Rejected{"the pair of the witness is not one that is tested"};
}

// Surely required there: rounded down.
double required_at(const Pair& pair, const Motion& motion, const Claim& claim) {
  if (pair.growth == 0) return pair.clearance;
  const std::size_t i = claim.segment;
  const Interval begin = motion.times[i],
                 end = motion.times[std::min(i + 1, motion.times.size() - 1)];
  const Interval time = begin + Interval(claim.t) * (end - begin);
  return (Interval(pair.clearance) + Interval(pair.growth) * time).lo;
}

}  // namespace

std::string confirm_witness(const Model& model, std::span<const Motion> runs, BodyStream& body) {
  std::size_t segments = 0, run = 0;
  for (const Motion& motion : runs) segments += num_segments(motion);
  Claim claim = read_claim(model, segments, body);
  for (; claim.segment >= num_segments(runs[run]); ++run) claim.segment -= num_segments(runs[run]);
  const Motion& motion = runs[run];
  const Pair& pair = tested_pair(model, claim);
  const std::string of_run = runs.size() > 1 ? fmt::format(" in run {}", run) : "";
  const std::string where =
      fmt::format("At t = {} of segment {}{} {} and {}", claim.t, claim.segment, of_run,
                  model.bodies[static_cast<std::size_t>(claim.bodies[0])].name,
                  model.bodies[static_cast<std::size_t>(claim.bodies[1])].name);
  if (pair.clearance < 0) throw Rejected{where + ": depths of allowed overlaps are not confirmed"};
  Confirmation confirmation(model, motion, claim);
  if (claim.contact == 0) {
    if (!confirmation.closer_than(0, claim.pieces[0], claim.pieces[1]))
      throw Rejected{where + ": the overlap cannot be confirmed" + kUnverified};
    return where + " overlap.";
  }
  if (claim.contact == 1) {
    if (!confirmation.nested())
      throw Rejected{where + ": no part of one is found inside the other"};
    return where + " collide: a part of one lies inside the other.";
  }
  const double required = required_at(pair, motion, claim);
  if (!confirmation.closer_than(required, claim.pieces[0], claim.pieces[1]))
    throw Rejected{where + fmt::format(": that they are closer than {} m cannot be confirmed{}",
                                       required, kUnverified)};
  return where + fmt::format(" are closer than the required {} m.", required);
}

}  // namespace proven::verifier
