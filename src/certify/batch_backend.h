// What settles batches of segments: the host, or a GPU. Both run the same programs.
#pragma once

#include <memory>
#include <string>

#include "batch_backend_abi.h"
#include "batch_model.h"
#include "proven/base/result.h"

namespace proven {
class Workers;
}

namespace proven::batch {

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Result<void> run(const Question& question, const Listener& listener, Counts& counts) = 0;
};

// On threads of the host.
std::unique_ptr<Backend> host_backend(const BatchModel& model, Workers& workers);

// On the first GPU. Fails where there is none, or the library that knows them is not there.
Result<std::unique_ptr<Backend>> cuda_backend(const BatchModel& model);

}  // namespace proven::batch
