// Two reports of one benchmark side by side: of two versions, or of two machines.
#pragma once

#include "bench/bench.h"

namespace proven::bench {

// What to_csv wrote. Cells that are numbers become numbers.
Result<Report> from_csv(std::string_view text, const std::string& file);

// One row per value that differs: the row's names, the column, both values and their ratio, what
// got worse most first. Rows are matched by their first column and their columns of text; of rows
// with the same names the first belongs to the first. Of costs (time, memory, work, misses) more is
// worse, of what succeeds less; where a name says neither, the value stands after these.
Report compare(const Report& before, const Report& after);

}  // namespace proven::bench
