// Batches on a GPU, by the library that knows them.
#include "batch_backend.h"
#include "proven/base/gpu.h"

namespace proven::batch {
namespace {

class CudaBackend : public Backend {
 public:
  CudaBackend(const CudaFunctions& functions, void* opened)
      : functions_(functions), opened_(opened) {}
  ~CudaBackend() override { functions_.close(opened_); }
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  Result<void> run(const Question& question, const Listener& listener, Counts& counts) override {
    GpuReason reason;
    if (functions_.run(opened_, &question, &listener, &counts, reason.room())) return {};
    return reason.failed();
  }

 private:
  const CudaFunctions& functions_;
  void* opened_;
};

}  // namespace

Result<std::unique_ptr<Backend>> cuda_backend(const BatchModel& model) {
  if (auto found = find_gpu(); !found.ok()) return found.error();
  const auto& functions = *static_cast<const CudaFunctions*>(gpu_functions(kCudaFunctions));
  GpuReason reason;
  void* opened =
      functions.open(&model.tables(), model.bytes().data(), model.bytes().size(), reason.room());
  if (!opened) return reason.not_used();
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(functions, opened));
}

}  // namespace proven::batch
