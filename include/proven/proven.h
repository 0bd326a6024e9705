// Everything that most programs need: scenes and their edits, checks, planners, certificates,
// files. Dynamic roadmaps, traffic and task planning have headers of their own (docs/api.md).
#pragma once

#include "proven/certify/certificate.h"
#include "proven/certify/check.h"
#include "proven/certify/least_clearance.h"
#include "proven/certify/monitor.h"
#include "proven/certify/prover.h"
#include "proven/io/certificate_file.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"
#include "proven/plan/joint_space.h"
#include "proven/plan/plan.h"
#include "proven/plan/repair.h"
#include "proven/plan/smooth.h"
#include "proven/plan/timing.h"
#include "proven/scene/scene.h"
#include "proven/scene/voxel_map.h"
#include "proven/verify/verify.h"
