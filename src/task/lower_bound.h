// What no plan can undercut, by cuts in the relaxation.
#pragma once

#include "task/relaxed.h"

namespace proven::task {

// A lower bound on the sum of `costs` (one for each action, not negative) over the actions of any
// plan. The relaxation must be that without compression.
//
// Every plan crosses every cut between the facts at the start and a goal that is out of reach at no
// cost; so it pays for one of the actions on the cut at least. Their least cost is added to the
// bound and taken off all of them, and so on until a goal costs nothing. Whatever has been added up
// when the budget ends is a bound.
double cut_bound(const RelaxedTask& relaxed, const State& state, std::vector<double> costs,
                 const Budget& budget);

}  // namespace proven::task
