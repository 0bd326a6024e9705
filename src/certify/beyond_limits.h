// What is done about values beyond the limits of joints: refused, or checked in a scene that tests
// every pair which was proved apart within limits alone.
#pragma once

#include "proven/certify/check.h"
#include "proven/kinematics/limits.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven {

// Whether what is asked with these options may have joints beyond their limits by more than
// kLimitTolerance: what is proved of a tube is proved of all values in it.
bool may_leave_limits(const CheckOptions& options);

// The limits of all joints but those that follow the clock.
LimitBox own_limits(const Scene& scene);

Error refusal(const BeyondLimit& beyond);
// An Error, naming place, joint, value, limit and remedy, if the motion leaves the limits.
Result<void> require_within(const Scene& scene, const LimitBox& limits, const Motion& motion);
// The same of what follows the clock.
Result<void> require_timed_within(const Scene& scene);

}  // namespace proven
