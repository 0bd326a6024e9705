#include "inner_lanes.h"

#include <algorithm>
#include <cmath>

#include "sweep_kernel.h"

namespace proven {

std::shared_ptr<const InnerLanes> InnerLanes::of(const BodyGeometry& geometry, const Pose& X) {
  auto made = std::make_shared<InnerLanes>();
  made->around = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  const auto add = [&](const Vec3& p, float radius) {
    for (int i = 0; i < 3; ++i) {
      made->lanes[static_cast<std::size_t>(i)].push_back(static_cast<float>(p[i]));
      made->around.lo[i] = std::min(made->around.lo[i], p[i] - radius);
      made->around.hi[i] = std::max(made->around.hi[i], p[i] + radius);
    }
    made->lanes[3].push_back(radius);
  };
  const auto down = [](double x) { return std::nextafterf(static_cast<float>(x), -INFINITY); };
  const double coordinate_error = 0x1p-44 * geometry.max_coordinate();
  for (const InnerBall& ball : geometry.inner_balls())
    add(X * ball.centre, down(ball.radius - coordinate_error));
  if (geometry.outline().on_body)
    for (const Vec3& p : geometry.outline().points) add(X * p, down(-coordinate_error));
  made->count = static_cast<int>(made->lanes[3].size());
  while (made->lanes[3].size() % kMoments != 0) add({}, -INFINITY);
  return made;
}

float InnerLanes::distance(const Vec3& p, int& nearest) const {
  const float* rows[4];
  for (std::size_t i = 0; i < 4; ++i) rows[i] = lanes[i].data();
  const float point[3] = {static_cast<float>(p.x), static_cast<float>(p.y),
                          static_cast<float>(p.z)};
  return sweep_kernel->ball(rows, static_cast<int>(lanes[0].size()), point, nearest);
}

}  // namespace proven
