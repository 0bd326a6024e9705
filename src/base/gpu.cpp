#include "proven/base/gpu.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

namespace proven {
namespace {

Error unsupported(std::string message) {
  return {ErrorCode::unsupported, std::move(message), {}};
}

// A file that the environment names; beside the program, as in a build; or as installed.
void* open_library() {
  if (const char* named = std::getenv("PROVEN_CUDA_LIBRARY")) return dlopen(named, RTLD_NOW);
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const char* beside : {"", "../lib/", "../cuda/"}) {
    if (error) break;
    const auto file = program.parent_path() / beside / kCudaLibrary;
    if (void* handle = dlopen(file.c_str(), RTLD_NOW)) return handle;
  }
  return dlopen(kCudaLibrary, RTLD_NOW);
}

void* library() {
  static void* const handle = open_library();
  return handle;
}

}  // namespace

Result<void> find_gpu() {
  if (!library())
    return unsupported(
        fmt::format("{} is not there: build where CUDA's nvcc is, or name it by "
                    "PROVEN_CUDA_LIBRARY",
                    kCudaLibrary));
  const auto* told = static_cast<const CudaLibrary*>(gpu_functions(kCudaSymbol));
  if (!told || told->interface != kCudaInterface)
    return unsupported(fmt::format("{} is of another version of this program", kCudaLibrary));
  GpuReason reason;
  if (!told->find(reason.room())) return reason.not_used();
  return {};
}

const void* gpu_functions(const char* symbol) {
  return dlsym(library(), symbol);
}

Error GpuReason::not_used() const {
  return unsupported(fmt::format("no GPU is used: {}", text_.data()));
}

Error GpuReason::failed() const {
  return unsupported(fmt::format("the GPU failed: {}", text_.data()));
}

}  // namespace proven
