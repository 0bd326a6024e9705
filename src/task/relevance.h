// Removes actions that cannot contribute to the goal.
#pragma once

#include "task/ground_task.h"
#include "task/watch.h"

namespace proven::task {

// Backward from the goal: an action stays if some effect makes a wanted literal true or writes a
// wanted number; its conditions are then wanted too. An action that goes can only have unwanted
// effects, so every plan stays a plan without it. Where modules are called all actions stay: what
// a module reads is not known in advance.
void remove_irrelevant_actions(GroundTask& task, Watch& watch);

}  // namespace proven::task
