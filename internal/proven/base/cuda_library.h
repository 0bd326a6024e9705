// The library for GPUs is loaded where it is found; a program without it does everything else.
//
// Plain data and functions: this header is read by CUDA's compiler, too.
#pragma once

namespace proven {

inline constexpr int kCudaInterface = 4;
inline constexpr const char* kCudaLibrary = "libproven_cuda.so";
inline constexpr const char* kCudaSymbol = "proven_cuda_library";

// Where a function that fails leaves its reason.
struct CudaText {
  char* text;
  unsigned long size;
};

// What the library tells of itself. Beside it stand tables of functions, each a symbol of its own.
struct CudaLibrary {
  int interface;
  // Whether there is a GPU; a text if there is none.
  bool (*find)(CudaText why);
};

}  // namespace proven
