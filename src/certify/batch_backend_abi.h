// What the program and the library for GPUs tell each other: plain data and functions.
#pragma once

#include <cstdint>

#include "batch_tables.h"
#include "proven/base/cuda_library.h"

namespace proven::batch {

// Straight segments: a row of values for each, one per coordinate.
struct Question {
  const double* from;
  const double* to;
  int count;
  int starts_free;  // all of them
  int most_steps;   // of a task of the search
};

// Of some of them, one after the other: no state is `open`.
struct Answer {
  int first, count;
  const State* states;
  const Found* found;
};

// Who is told the answers as they come, those of all segments in order, on the thread that asks.
struct Listener {
  void* self;
  void (*take)(void* self, const Answer& answer);
};

struct Counts {
  std::int64_t entries = 0, tasks = 0;  // that balls, that outlines left open
  double seconds = 0;                   // of the work itself, without copies to and from it
};

// The functions of that library.
struct CudaFunctions {
  // Null, with a text, if it cannot.
  void* (*open)(const Tables* tables, const void* bytes, unsigned long size, CudaText why);
  // Whether it could.
  bool (*run)(void* opened, const Question* question, const Listener* listener, Counts* counts,
              CudaText why);
  void (*close)(void* opened);
};
inline constexpr const char* kCudaFunctions = "proven_cuda_batch";

}  // namespace proven::batch
