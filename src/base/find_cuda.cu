// Whether there is a GPU: what the library for them tells of itself.
#include "proven/base/cuda_calls.h"

extern "C" const proven::CudaLibrary proven_cuda_library = {
    proven::kCudaInterface,
    [](proven::CudaText why) {
      return proven::cuda::went_through(why, proven::cuda::require_gpu);
    }};
