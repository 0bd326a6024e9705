// Whether there is a GPU, and what the library that knows it can do.
#pragma once

#include <array>

#include "proven/base/cuda_library.h"
#include "proven/base/result.h"

namespace proven {

// Whether there is a GPU, and the library that knows it, or what is missing.
Result<void> find_gpu();
// A table of functions of that library, once find_gpu found it.
const void* gpu_functions(const char* symbol);

// Room for a reason, and what is said of it.
class GpuReason {
 public:
  CudaText room() { return {text_.data(), text_.size()}; }
  Error not_used() const;  // there is none, or it cannot do this
  Error failed() const;    // while it worked

 private:
  std::array<char, 256> text_ = {};
};

}  // namespace proven
