#include "pair_rule.h"

#include <algorithm>
#include <cmath>

#include "proven/base/rounding.h"
#include "proven/geometry/penetration.h"
#include "proven/geometry/separating_direction.h"

namespace proven {
namespace {

const BodyMotion kRest;

// A node whose extent along the best direction is below this share of the other's is flat. Larger
// shares cost more in scenes of thin bars (docs/decisions).
constexpr double kFlat = 0.02;

bool holds(const Slack& slack) {
  return slack.gap > 0 && slack.before > 0 && slack.after > 0;
}

// The points that stand for a node when a direction is sought: its own, or the corners of its box.
std::span<const Vec3> points_of(const Side& side, const BoxNode& node, std::vector<Vec3>& points) {
  points.clear();
  if (node.num_points > 0) {
    const Vec3* first = side.tree->points.data() + node.first_point;
    for (int i = 0; i < node.num_points; ++i) points.push_back(side.X_WB * first[i]);
    return points;
  }
  for (int corner = 0; corner < 8; ++corner)
    points.push_back(side.X_WB * (node.centre + Vec3{corner & 1 ? node.half.x : -node.half.x,
                                                     corner & 2 ? node.half.y : -node.half.y,
                                                     corner & 4 ? node.half.z : -node.half.z}));
  return points;
}

}  // namespace

Side PairRule::side_of(int body, int ancestor, BodyMotion& scratch) {
  const BodyGeometry& geometry = *model_->scene().body(body).geometry;
  const BodyMotion* motion = &kRest;
  if (!model_->is_still(body)) {
    if (ancestor == 0) {
      motion = &anchor_->motion(body);
    } else {
      anchor_->compute_motion(body, ancestor, scratch);
      motion = &scratch;
    }
  }
  return {anchor_->X_WB(body),
          &geometry.box_tree(),
          &geometry,
          motion,
          anchor_->centre(body),
          model_->body(body).sphere.radius};
}

Side PairRule::still_side() const {
  const BoxNode& root = model_->still_tree().nodes[0];
  return {Pose{}, &model_->still_tree(), nullptr, &kRest, root.centre, norm(root.half)};
}

// What is required at the anchor, and how fast it grows per unit of t, rounded up.
double PairRule::required(const Match& match) const {
  if (match.growth == 0) return match.clearance;
  return (match.clearance + match.growth * anchor_->clock()) * (1 + 0x1p-50);
}

double PairRule::growth(const Match& match) const {
  return match.growth * anchor_->duration() * kProductUp;
}

void PairRule::begin_match(int index) {
  const Match& match = model_->match(index);
  side_a_ = side_of(match.a, match.ancestor, scratch_a_);
  side_b_ =
      match.b == Match::kStillBodies ? still_side() : side_of(match.b, match.ancestor, scratch_b_);
  separation_.begin(side_a_, side_b_, required(match), match.rounding_bound, anchor_->reach(),
                    growth(match));
  closing_speed_ = separation_.closing_speed();
}

MovingSphere PairRule::sphere_of(int body, int ancestor) {
  if (body == Match::kStillBodies) {
    const BoxNode& root = model_->still_tree().nodes[0];
    return {root.centre, norm(root.half), 0};
  }
  const double speed = model_->is_still(body) ? 0 : anchor_->speed_upper(body, ancestor);
  return {anchor_->centre(body), model_->body(body).sphere.radius, speed};
}

Slack PairRule::spheres(int index) {
  const Match& match = model_->match(index);
  const MovingSphere a = sphere_of(match.a, match.ancestor), b = sphere_of(match.b, match.ancestor);
  closing_speed_ = a.speed_upper + b.speed_upper + growth(match);
  return separate_spheres(a, b, required(match), match.rounding_bound, anchor_->reach(),
                          growth(match));
}

std::optional<Slack> PairRule::points(const NodePair& entry, const Vec3& guess) {
  const BoxNode &a = node_a(entry), &b = node_b(entry);
  if (a.num_points == 0 && b.num_points == 0) return std::nullopt;
  const Vec3 n =
      separating_direction(points_of(side_a_, a, points_a_), points_of(side_b_, b, points_b_),
                           guess, separation_.clearance() + separation_.side_margin() + moved());
  if (n == Vec3{}) return std::nullopt;
  return separation_.along(n, a, b);
}

bool PairRule::a_goes_first(const NodePair& entry, const Vec3& n) const {
  const BoxNode &a = node_a(entry), &b = node_b(entry);
  const auto extent = [&](const Side& side, const BoxNode& node) {
    const Vec3 m = transpose_times(side.X_WB.R, n);
    return std::fabs(m.x) * node.half.x + std::fabs(m.y) * node.half.y +
           std::fabs(m.z) * node.half.z;
  };
  const double along_a = extent(side_a_, a), along_b = extent(side_b_, b);
  return squared_norm(a.half) >= squared_norm(b.half) ? along_a >= kFlat * along_b
                                                      : along_b < kFlat * along_a;
}

double PairRule::squared_distance(const NodePair& entry) const {
  return squared_norm(side_b_.X_WB * node_b(entry).centre - side_a_.X_WB * node_a(entry).centre);
}

Gap PairRule::gap_of(const NodePair& entry, const Vec3& point_a, const Vec3& point_b,
                     double distance) const {
  const Match& match = model_->match(entry.match);
  Gap gap;
  gap.kind = Gap::Kind::close;
  gap.distance = distance;
  gap.pieces = {node_a(entry).item, node_b(entry).item};
  gap.points = {point_a, point_b};
  if (model_->pair(match.pair).a == match.a) return gap;
  // The pair names the bodies the other way round, and points are in the frame of its first.
  const Pose X_BA = relative_pose(side_b_.X_WB, side_a_.X_WB);
  std::swap(gap.pieces[0], gap.pieces[1]);
  gap.points = {X_BA * point_b, X_BA * point_a};
  return gap;
}

// Two convex bodies that may overlap up to a depth.
PairRule::Pieces PairRule::overlapping_pieces(const NodePair& entry, const Pose& X_AB,
                                              double resolution) const {
  const BodyGeometry &body_a = *side_a_.geometry, &body_b = *side_b_.geometry;
  const Match& match = model_->match(entry.match);
  const SignedDistance measured = signed_distance(body_a, body_b, X_AB);
  Pieces result;
  result.slack = along(normalized(side_a_.X_WB.R * measured.direction), entry);
  if (holds(result.slack) || result.slack.gap > resolution) {
    result.kind = Pieces::Kind::apart;
    return result;
  }
  result.gap = gap_of(entry, body_a.convexes()[0].X_BS.p, X_AB * body_b.convexes()[0].X_BS.p,
                      measured.lower);
  result.gap.contact_kind = ContactKind::too_close;
  if (overlap_deeper_than(body_a, body_b, X_AB, -match.clearance + match.rounding_bound))
    result.kind = Pieces::Kind::contact;
  return result;
}

PairRule::Pieces PairRule::pieces(const NodePair& entry, const Vec3& guess,
                                  double resolution) const {
  const BoxNode &a = node_a(entry), &b = node_b(entry);
  const BodyGeometry &body_a = *side_a_.geometry, &body_b = *side_b_.geometry;
  const Pose X_AB = relative_pose(side_a_.X_WB, side_b_.X_WB);
  const Match& match = model_->match(entry.match);
  if (match.clearance < 0) return overlapping_pieces(entry, X_AB, resolution);
  const double rounding = match.rounding_bound;
  const double least = required(match) * (1 - 0x1p-49);  // surely required
  const Mat3& R_WA = side_a_.X_WB.R;
  Pieces result;
  const auto separated_along = [&](const Vec3& n_A) {
    result.slack = along(normalized(R_WA * n_A), entry);
    const bool apart = holds(result.slack) || result.slack.gap > resolution;
    if (apart) result.kind = Pieces::Kind::apart;
    return apart;
  };
  const auto contact = [&](ContactKind kind) {
    result.gap.contact_kind = kind;
    result.kind = Pieces::Kind::contact;
  };

  // Most pieces are apart, and need not be measured to be separated.
  const Vec3 proposal =
      piece_direction(body_a, a.item, body_b, b.item, X_AB, transpose_times(R_WA, guess));
  if (proposal != Vec3{} && separated_along(proposal)) return result;
  const PieceDistance distance = piece_distance(body_a, a.item, body_b, b.item, X_AB);
  result.gap = gap_of(entry, distance.point_a, distance.point_b, distance.distance);
  if (distance.distance > 0) {
    if (distance.distance + rounding < least)
      contact(ContactKind::too_close);
    else
      (void)separated_along(distance.point_b - distance.point_a);
    return result;
  }
  // Every point of either body is within rounding_bound of where it was computed.
  if (const auto sure = find_sure_overlap(body_a, a.item, body_b, b.item, X_AB, 2 * rounding)) {
    result.gap = gap_of(entry, *sure, *sure, 0);
    contact(ContactKind::overlap);
  } else if (rounding < least) {
    contact(ContactKind::too_close);
  }
  return result;
}

}  // namespace proven
