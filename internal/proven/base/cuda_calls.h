// What the sources of the library for GPUs share: calls of CUDA that must not fail. For CUDA's
// compiler alone.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>

#include "proven/base/cuda_library.h"

namespace proven::cuda {

struct Failed {
  cudaError_t code;
  const char* what;
};

inline void require(cudaError_t code, const char* what) {
  if (code != cudaSuccess) throw Failed{code, what};
}

inline void require_gpu() {
  int devices = 0;
  require(cudaGetDeviceCount(&devices), "no GPU that CUDA can use");
  if (devices == 0) throw Failed{cudaErrorNoDevice, "no GPU that CUDA can use"};
}

// There, and here for copies.
template <class T>
void allocate(T*& p, std::size_t count, const char* what) {
  require(cudaMalloc(&p, std::max<std::size_t>(1, count) * sizeof(T)), what);
}
template <class T>
void allocate_here(T*& p, std::size_t count, const char* what) {
  require(cudaMallocHost(&p, std::max<std::size_t>(1, count) * sizeof(T)), what);
}

// Whether f() went through; else why not.
template <class F>
bool went_through(CudaText why, const F& f) {
  try {
    f();
    return true;
  } catch (const Failed& failed) {
    std::snprintf(why.text, why.size, "%s: %s", failed.what, cudaGetErrorString(failed.code));
    return false;
  }
}

}  // namespace proven::cuda
