// What the program and the library for GPUs tell each other about cells: plain data and functions.
#pragma once

#include "proven/base/cuda_library.h"
#include "roadmap/cells_tables.h"

namespace proven::roadmap {

// What can be under way at a time.
struct CellRooms {
  int rooms;       // questions
  int most_items;  // of each
  int words;       // of the mask of an item
  int passages;    // of a question, as a rule
};

struct CellFunctions {
  // Null, with a text, if it cannot.
  void* (*open)(const CellTables* tables, const CellRooms* rooms, CudaText why);
  // Whether it could begin with the items [0, num_items): the passages are its own then. Each room
  // on one thread.
  bool (*begin)(void* opened, int room, const Passage* passages, int num_passages, int num_items,
                CudaText why);
  // The masks of the items, one after the other, until the room's next question; null if it failed.
  const std::uint64_t* (*finish)(void* opened, int room, CudaText why);
  void (*close)(void* opened);
};
inline constexpr const char* kCellFunctions = "proven_cuda_cells";

}  // namespace proven::roadmap
