#include "batch_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "margins.h"
#include "proven/geometry/body_geometry.h"

namespace proven {
namespace {

// Distances in double: four times ρ for the poses of a sweep; the body's frame in its joint's, the
// pose of one body seen from the other and the supports of boxes and pieces cost less than another
// ρ (margins.h: ρ/256 for relative poses, ρ/16 for supports).
constexpr double kFinePoseError = kSweepPoseError + 1;

void copy(const Pose& X, double* out) {
  for (int i = 0; i < 9; ++i) out[i] = X.R(i / 3, i % 3);
  for (int i = 0; i < 3; ++i) out[9 + i] = X.p[i];
}
void copy(const Vec3& v, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = v[i];
}

bool add_piece(const Convex& c, std::vector<batch::Piece>& pieces) {
  if (c.kind == ConvexKind::hull) return false;
  batch::Piece piece = {};
  piece.kind = c.kind == ConvexKind::cylinder ? batch::Piece::kCylinder : batch::Piece::kBox;
  piece.radius = c.radius;
  copy(c.X_BS, piece.v);
  if (c.kind != ConvexKind::sphere) copy(c.half_extents, piece.v + 12);
  pieces.push_back(piece);
  return true;
}

}  // namespace

BatchModel::BatchModel(const SweepModel& sweep) : sweep_(sweep) {
  usable_ = sweep.usable() && !sweep.bodies().empty();
  if (!usable_) return;
  for (const Interval& range : sweep.model().reach().ranges())
    ranges_.push_back(range.lower), ranges_.push_back(range.upper);
  add_joints();
  if (!usable_) return;
  add_bodies();
  add_stills();
  add_pairs();
  lay_out();
}

// A frame is kept where another joint than the next one hangs below it.
void BatchModel::add_joints() {
  const auto joints = sweep_.joints();
  int slots = 0;
  for (const SweepModel::Joint& joint : joints) {
    if (joint.kind == SweepJoint::Kind::ball) usable_ = false;
    batch::Joint made = {};
    copy(joint.exact_X_PJ, made.X_PJ);
    made.multiplier = joint.multiplier;
    made.offset = joint.offset;
    made.coordinate = joint.coordinate;
    made.slides = joint.kind == SweepJoint::Kind::slide ? 1 : 0;
    made.parent = joint.parent;
    made.slot = made.parent_slot = -1;
    if (joint.parent >= 0 && joint.parent + 1 != static_cast<int>(joints_.size())) {
      int& slot = joints_[static_cast<std::size_t>(joint.parent)].slot;
      if (slot < 0) slot = slots++;
      made.parent_slot = slot;
    }
    joints_.push_back(made);
  }
  tables_.num_slots = slots;
}

batch::Outline BatchModel::add_outline(const SweepModel::Outline& outline) {
  batch::Outline made = {};
  made.first_point = static_cast<int>(points_.size()) / 3;
  made.num_points = outline.num_points;
  made.radius = outline.radius;
  for (int i = 0; i < 3; ++i) made.middle[i] = static_cast<float>(outline.middle[i]);
  const SweepPoints points = sweep_.points(outline);
  points_.insert(points_.end(), points.xyz, points.xyz + 3 * points.count);
  return made;
}

batch::Inner BatchModel::add_inner(const InnerLanes& inside) {
  const batch::Inner made = {static_cast<int>(inner_.size()) / 4, inside.count};
  for (int i = 0; i < inside.count; ++i)
    for (const auto& lane : inside.lanes) inner_.push_back(lane[static_cast<std::size_t>(i)]);
  return made;
}

int BatchModel::add_shape(int body, const Pose& X) {
  const BodyGeometry& geometry = *sweep_.model().scene().body(body).geometry;
  batch::Shape shape = {};
  copy(X, shape.X_FB);
  shape.has_inside = geometry.has_inside() ? 1 : 0;
  copy(geometry.bounds()[0], shape.lo);
  copy(geometry.bounds()[1], shape.hi);
  shape.first_component = static_cast<int>(components_.size()) / 3;
  shape.num_components =
      geometry.grains().empty() ? static_cast<int>(geometry.components().size()) : -1;
  for (const Component& component : geometry.components())
    for (int i = 0; i < 3; ++i) components_.push_back(component.point[i]);
  shape.first_piece = static_cast<int>(pieces_.size());
  shape.first_node = -1;
  bool all = geometry.grains().empty();
  for (const Triangle& triangle : geometry.triangles()) {
    batch::Piece piece = {};
    copy(triangle.a, piece.v), copy(triangle.b, piece.v + 3), copy(triangle.c, piece.v + 6);
    pieces_.push_back(piece);
  }
  for (const Convex& c : geometry.convexes()) all = all && add_piece(c, pieces_);
  if (all) {
    shape.first_node = static_cast<int>(nodes_.size());
    const BoxTree& tree = geometry.box_tree();
    const int first_point = static_cast<int>(node_points_.size()) / 3;
    for (const Vec3& p : tree.points)
      for (int i = 0; i < 3; ++i) node_points_.push_back(static_cast<float>(p[i]));
    for (const BoxNode& node : tree.nodes) {
      batch::Node made = {};
      copy(node.centre, made.centre), copy(node.half, made.half);
      made.first_child = node.first_child;
      made.piece = node.item;
      made.num_points = tree.point_radius == 0 ? node.num_points : 0;
      made.first_point = first_point + node.first_point;
      nodes_.push_back(made);
    }
  }
  shapes_.push_back(shape);
  return static_cast<int>(shapes_.size()) - 1;
}

int BatchModel::add_table(const PairTable* table, const Pose& X_a, const Pose& X_b, bool swapped) {
  if (!table) return -1;
  batch::Table made = {};
  for (std::size_t a = 0; a < 2; ++a) {
    made.coordinate[a] = table->axis[a].coordinate;
    made.lower[a] = table->axis[a].lower;
    made.per_width[a] = table->axis[a].per_width;
    made.whole[a] = table->axis[a].whole ? 1 : 0;
    made.count[a] = made.coordinate[a] < 0 ? 1 : a == 0 ? PairTable::kCells : PairTable::kStripes;
  }
  static_assert(PairTable::kCells == 256);        // four words in a row
  static_assert(PairTable::kFarthest == 0x1p13);  // BallSweep::kFarthest
  made.first_word = static_cast<int>(table_bits_.size());
  for (int stripe = 0; stripe < made.count[1]; ++stripe)
    for (const std::uint64_t word : table->row(stripe)) table_bits_.push_back(word);
  made.first_place = table->contact_of().empty() ? -1 : static_cast<int>(contact_places_.size());
  contact_places_.insert(contact_places_.end(), table->contact_of().begin(),
                         table->contact_of().end());
  made.first_contact = static_cast<int>(contacts_.size());
  const auto put = [](const PairTable::Ball& ball, const Pose& X, float* out) {
    const Vec3 c = X * Vec3{ball.centre[0], ball.centre[1], ball.centre[2]};
    for (int i = 0; i < 3; ++i) out[i] = static_cast<float>(c[i]);
    out[3] = ball.radius;
  };
  for (const PairTable::Contact& contact : table->contacts()) {
    batch::TableContact balls = {};
    put(contact.a, X_a, swapped ? balls.b : balls.a);
    put(contact.b, X_b, swapped ? balls.a : balls.b);
    contacts_.push_back(balls);
  }
  pair_tables_.push_back(made);
  return static_cast<int>(pair_tables_.size()) - 1;
}

void BatchModel::add_bodies() {
  const ModelData& model = sweep_.model();
  for (const SweepModel::Lever& lever : sweep_.levers())
    levers_.push_back({lever.joint, lever.turns ? 1 : 0, lever.radius, lever.point_radius});
  for (const SweepModel::Body& body : sweep_.bodies()) {
    batch::Body made = {};
    made.joint = body.joint;
    made.shape = add_shape(body.body, body.X_FB);
    std::copy_n(body.centre.data(), 3, made.centre);
    made.radius = body.radius;
    made.first_ball = body.first_ball;
    made.num_balls = body.num_balls;
    made.first_lever = body.first_lever;
    made.num_levers = body.num_levers;
    made.outline = add_outline(body.outline);
    made.inner = add_inner(*body.inside);
    made.error = body.error;
    made.most_needed = body.most_needed;
    made.first_still = static_cast<int>(still_pairs_.size());
    const double rounding = model.body(body.body).rounding_bound;
    for (std::size_t still = 0; still < body.still_pairs.size(); ++still) {
      batch::StillPair pair = {body.still_pairs[still], body.still_need[still], -1, 0};
      const int other = model.still_body(static_cast<int>(still));
      pair.fine_error = kFinePoseError * (rounding + model.body(other).rounding_bound);
      if (body.still_link[still] >= 0) {
        const SweepModel::StillLink& link =
            body.still_links[static_cast<std::size_t>(body.still_link[still])];
        pair.link = static_cast<int>(still_links_.size());
        const bool first = model.pair(pair.pair).a == body.body;
        const Pose& X_W = model.still_pose(other);
        still_links_.push_back(
            {add_table(link.table.get(), first ? body.X_FB : X_W, first ? X_W : body.X_FB, !first),
             add_outline(link.outline), add_inner(*link.inside)});
      }
      still_pairs_.push_back(pair);
    }
    bodies_.push_back(made);
  }
  const auto balls = sweep_.balls();
  for (const SweepModel::Body& body : sweep_.bodies()) {
    const float* centres = sweep_.centres(body);
    for (int i = 0; i < body.num_balls; ++i) {
      const SweepBall& ball =
          balls[static_cast<std::size_t>(body.first_ball) + static_cast<std::size_t>(i)];
      balls_.push_back(
          {{centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]}, ball.radius, ball.depth});
    }
  }
}

void BatchModel::add_stills() {
  const ModelData& model = sweep_.model();
  for (int still = 0; still < model.num_still(); ++still) {
    const int body = model.still_body(still);
    batch::Still made = {};
    made.shape = add_shape(body, model.still_pose(body));
    for (const SweepModel::Hollow& hollow : sweep_.hollow_bodies()) {
      if (hollow.still != still) continue;
      made.hollow = 1;
      std::copy_n(hollow.lo.data(), 3, made.lo);
      std::copy_n(hollow.hi.data(), 3, made.hi);
    }
    stills_.push_back(made);
  }
  for (std::size_t i = 0; i < sweep_.solids().size(); ++i) {
    const SweepSolid& solid = sweep_.solids()[i];
    batch::Solid made = {};
    std::copy_n(solid.R, 9, made.R);
    std::copy_n(solid.c, 3, made.c);
    std::copy_n(solid.half, 3, made.half);
    made.radius = solid.radius;
    made.cylinder = solid.cylinder ? 1 : 0;
    made.whole = solid.whole ? 1 : 0;
    made.still = sweep_.solid_body(static_cast<int>(i));
    solids_.push_back(made);
  }
  const std::size_t count = (solids_.size() + batch::kLanes - 1) / batch::kLanes * batch::kLanes;
  tables_.solid_row = static_cast<int>(count);
  const auto boxes = sweep_.solid_boxes();
  for (int side = 0; side < 6; ++side)
    for (std::size_t i = 0; i < count; ++i)
      solid_bounds_.push_back(i < solids_.size() ? boxes[i / kMoments].v[side][i % kMoments]
                              : side < 3         ? INFINITY
                                                 : -INFINITY);
}

void BatchModel::add_pairs() {
  const ModelData& model = sweep_.model();
  for (const SweepModel::Pair& pair : sweep_.pairs())
    pairs_.push_back(
        {pair.pair, pair.a, pair.b, pair.need,
         add_table(pair.table.get(), sweep_.bodies()[static_cast<std::size_t>(pair.a)].X_FB,
                   sweep_.bodies()[static_cast<std::size_t>(pair.b)].X_FB, false),
         pair.shared, kFinePoseError * model.pair(pair.pair).rounding_bound});
  // Starts are posed in float: boxes are widened by more than that errs.
  float most = 0;
  for (const batch::Body& body : bodies_) most = std::max(most, body.error);
  for (batch::Shape& shape : shapes_) shape.slack = 4 * static_cast<double>(most);
}

void BatchModel::lay_out() {
  constexpr std::size_t kAlign = 16;
  std::vector<std::size_t> places;
  const auto add = [&](const auto& values) {
    const std::size_t place = (bytes_.size() + kAlign - 1) / kAlign * kAlign;
    const std::size_t size = values.size() * sizeof(values[0]);
    bytes_.resize(place + size);
    if (size > 0) std::memcpy(bytes_.data() + place, values.data(), size);
    places.push_back(place);
  };
  add(ranges_), add(joints_), add(levers_), add(balls_), add(points_), add(inner_), add(bodies_);
  add(still_pairs_), add(still_links_), add(stills_), add(solids_), add(solid_bounds_);
  add(pairs_), add(pair_tables_), add(table_bits_), add(contact_places_), add(contacts_),
      add(shapes_), add(nodes_);
  add(node_points_), add(pieces_), add(components_);
  std::size_t next = 0;
  batch::each_array(tables_, [&](auto*& array) {
    array =
        reinterpret_cast<std::remove_reference_t<decltype(array)>>(bytes_.data() + places[next++]);
  });
  tables_.num_coordinates = static_cast<int>(sweep_.model().scene().home().size());
  tables_.num_joints = static_cast<int>(joints_.size());
  tables_.num_bodies = static_cast<int>(bodies_.size());
  tables_.num_stills = static_cast<int>(stills_.size());
  tables_.num_solids = static_cast<int>(solids_.size());
  tables_.num_pairs = static_cast<int>(pairs_.size());
}

}  // namespace proven
