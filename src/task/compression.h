// Marks durative actions whose start and end search may apply in one step.
#pragma once

#include "task/ground_task.h"
#include "task/watch.h"

namespace proven::task {

// An action is compressed if no other event ever has to come between its start and its end:
//  - nothing that the start makes true is made false by the end (and the same for facts whose
//    negation some condition uses), and no number is written by both;
//  - if the start makes anything true, every end condition is also an over-all condition or about
//    facts that no action adds, and the end makes nothing false that some condition may need.
// Events that only use what the end changes can be put before the start: order in the search is not
// order in time. Numbers written at the start count as harmless; where that is wrong and search
// finds no plan, the planner repeats it without compression.
//
// Two actions that start together may each provide what the other needs throughout: neither start
// can come first in the search if over-all conditions have to hold at once. Actions on such a
// circle are marked; they are never compressed.
void mark_compressed(GroundTask& task, Watch& watch);

}  // namespace proven::task
