// Files that are no trees, as tables and arrays: each alteration is written down with what must
// come of it.
#pragma once

#include "bench/doors/door.h"

namespace proven::bench {

enum class Wanted : std::uint8_t {
  refused,  // it is not what the format says
  said,     // it says something else: the reading differs, or is refused
  same,     // another way to write the same: the reading is the same, or refused
};

struct LooseAlteration {
  std::string what, bytes;
  Wanted wanted = Wanted::refused;
};

struct LooseDoor {
  std::string name, file, bytes;  // "set.csv" and what stands in it
  std::vector<DoorReader> readers;
  std::vector<LooseAlteration> alterations;
};

Result<DoorResult> try_loose_door(const LooseDoor& door, const DoorOptions& options);

std::vector<LooseDoor> loose_doors(std::uint64_t seed);

}  // namespace proven::bench
