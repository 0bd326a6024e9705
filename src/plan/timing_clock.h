// Timed pieces as drivers are told them: positions and rates at whole nanoseconds.
#pragma once

#include <vector>

#include "plan/timing_law.h"

namespace proven {

// The nearest time that a file says as sec and nanosec: sec + 1e-9 nanosec.
double whole_nanoseconds(double seconds);

// The rates at which the pieces of a run join.
enum class Joined { velocities, accelerations };

// The same run from rest to rest, from `begin` on, in pieces between whole nanoseconds, none longer
// than `longest` (at least 1e-8 s; pieces that are too short for that are merged or moved): cubics
// with the positions and velocities that the run has there, or quintics with its accelerations
// too. Control points are computed as readers of files do, so that a file of these rates says
// exactly these pieces (docs/formats.md, Arithmetic). What is lost is of the size of a nanosecond.
std::vector<TimedPiece> on_whole_nanoseconds(const std::vector<TimedPiece>& run, double begin,
                                             double longest, Joined joined);

}  // namespace proven
