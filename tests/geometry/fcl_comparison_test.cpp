// Distances beside FCL's, as an implementation that shares no idea with ours. FCL's general solver
// stops at about 1e-6; where the two differ by more, the plane between our points decides.
#include <fcl/narrowphase/distance.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "geometry/pieces.h"
#include "piece_cases.h"
#include "support.h"

namespace proven {
namespace {

using test::PieceCase;
using test::PieceKind;

std::shared_ptr<fcl::CollisionGeometryd> fcl_shape(const PieceCase& c) {
  switch (c.kind) {
    case PieceKind::box:
      return std::make_shared<fcl::Boxd>(2 * c.half.x, 2 * c.half.y, 2 * c.half.z);
    case PieceKind::sphere:
      return std::make_shared<fcl::Sphered>(c.radius);
    case PieceKind::cylinder:
      return std::make_shared<fcl::Cylinderd>(c.half.x, 2 * c.half.z);
    default:
      return std::make_shared<fcl::Capsuled>(c.radius, 2 * c.half.z);
  }
}

fcl::Transform3d fcl_pose(const Pose& X) {
  fcl::Transform3d T = fcl::Transform3d::Identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) T.linear()(i, j) = X.R(i, j);
    T.translation()(i) = X.p[i];
  }
  return T;
}

double fcl_distance(const PieceCase& a, const PieceCase& b, const Pose& X_AB) {
  const fcl::CollisionObjectd object_a(fcl_shape(a), fcl_pose(a.X_BS));
  const fcl::CollisionObjectd object_b(fcl_shape(b), fcl_pose(X_AB * b.X_BS));
  fcl::DistanceRequestd request;
  request.distance_tolerance = 1e-9;
  request.gjk_solver_type = fcl::GST_INDEP;
  fcl::DistanceResultd result;
  fcl::distance(&object_a, &object_b, request, result);
  return result.min_distance;
}

TEST(FclComparison, PrimitivesInRandomPoses) {
  Random random(71);
  int compared = 0, agree = 0;
  for (int n = 0; n < test::cases(10000); ++n) {
    const PieceCase a = test::random_piece(random, static_cast<PieceKind>(1 + n % 4), 1);
    const PieceCase b = test::random_piece(random, static_cast<PieceKind>(1 + n / 4 % 4), 1);
    const Mat3 R = random.rotation();
    const Vec3 offset = 2 * (a.size + b.size) * random.uniform() * random.unit_vector();
    const Pose X_AB{R, a.inner - R * b.inner + offset};
    const PieceDistance ours = piece_distance(*a.body, 0, *b.body, 0, X_AB);
    if (ours.distance == 0) continue;
    const double theirs = fcl_distance(a, b, X_AB);
    ++compared;
    agree += std::fabs(ours.distance - theirs) < 1e-6;
    // Ours is proved from below and, by two points, from above.
    ASSERT_LT(ours.distance - ours.distance_lower, 1e-9 + 1e-6 * ours.distance);
  }
  EXPECT_GT(compared, test::cases(10000) / 3);
  EXPECT_GT(agree, compared * 95 / 100);
  RecordProperty("compared", compared);
  RecordProperty("agree_to_1e-6", agree);
}

}  // namespace
}  // namespace proven
