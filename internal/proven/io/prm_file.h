// Probabilistic roadmaps (proven/plan/roadmap.h) in text files.
#pragma once

#include <filesystem>

#include "proven/base/result.h"
#include "proven/plan/roadmap.h"

namespace proven {

// Fails as Roadmap::from_text does: on another scene, and where `check` asks for more than was
// proved.
Result<Roadmap> load_prm(const std::filesystem::path& file, const Scene& scene,
                         const CheckOptions& check = proving_check());
Result<void> save_prm(const std::filesystem::path& file, const Roadmap& roadmap);

}  // namespace proven
