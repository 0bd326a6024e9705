// The library for GPUs is loaded where it is found; a program without it does everything else.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "batch_backend.h"

namespace proven::batch {
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

const CudaFunctions* library() {
  static const CudaFunctions* functions = [] {
    void* handle = open_library();
    return handle ? static_cast<const CudaFunctions*>(dlsym(handle, kCudaSymbol)) : nullptr;
  }();
  return functions;
}

Error no_gpu(const char* why) {
  return unsupported(fmt::format("no GPU is used: {}", why));
}

class CudaBackend : public Backend {
 public:
  CudaBackend(const CudaFunctions& functions, void* opened)
      : functions_(functions), opened_(opened) {}
  ~CudaBackend() override { functions_.close(opened_); }
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  Result<void> run(const Question& question, const Listener& listener, Counts& counts) override {
    std::array<char, 256> text = {};
    if (functions_.run(opened_, &question, &listener, &counts, text.data(), text.size())) return {};
    return unsupported(fmt::format("the GPU failed: {}", text.data()));
  }

 private:
  const CudaFunctions& functions_;
  void* opened_;
};

}  // namespace

Result<void> find_gpu() {
  const CudaFunctions* functions = library();
  if (!functions)
    return unsupported(
        fmt::format("{} is not there: build where CUDA's nvcc is, or name it by "
                    "PROVEN_CUDA_LIBRARY",
                    kCudaLibrary));
  if (functions->interface != kCudaInterface)
    return unsupported(fmt::format("{} is of another version of this program", kCudaLibrary));
  std::array<char, 256> text = {};
  if (!functions->find(text.data(), text.size())) return no_gpu(text.data());
  return {};
}

Result<std::unique_ptr<Backend>> cuda_backend(const BatchModel& model) {
  if (auto found = find_gpu(); !found.ok()) return found.error();
  std::array<char, 256> text = {};
  void* opened = library()->open(&model.tables(), model.bytes().data(), model.bytes().size(),
                                 text.data(), text.size());
  if (!opened) return no_gpu(text.data());
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(*library(), opened));
}

}  // namespace proven::batch
