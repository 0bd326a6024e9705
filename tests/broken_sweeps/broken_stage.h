// Which stage of the sweeps is broken: it then settles whatever reaches it. For programs that link
// the copies of the sweeps that break.py makes.
#pragma once

namespace proven {

enum class BrokenStage {
  none,
  everything,  // nothing is near anything
  solids,      // no body is near what stands still
  pairs,       // no two bodies that move are near each other
  balls,       // balls leave nothing open
  tables,      // every cell of a table is free
  outlines,    // outlines leave nothing open
  parts,       // parts of surfaces leave nothing open
  leave,       // what is open is forgotten
  batch,       // a GPU's programs settle every segment
  batch_outlines,
  batch_search,
};

// At first the one that the environment variable PROVEN_BROKEN_STAGE names by its number.
void set_broken_stage(BrokenStage stage);
bool broken(BrokenStage stage);

}  // namespace proven
