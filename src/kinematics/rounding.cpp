#include "proven/kinematics/rounding.h"

#include <cmath>

namespace proven {

bool is_rigid(const Pose& X) {
  if (!is_finite(X.p)) return false;
  const Mat3 should_be_identity = transpose(X.R) * X.R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (!(std::fabs(should_be_identity(i, j) - (i == j)) <= kRotationDeviation)) return false;
  return dot(X.R.row[0], cross(X.R.row[1], X.R.row[2])) > 0;
}

}  // namespace proven
