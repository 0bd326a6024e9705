#include "proven/io/prm_file.h"

#include "io/failure.h"
#include "io/text.h"

namespace proven {

Result<Roadmap> load_prm(const std::filesystem::path& file, const Scene& scene,
                         const CheckOptions& check) {
  return io::guarded<Roadmap>(file, [&] {
    auto roadmap = Roadmap::from_text(scene, io::read_text(file), check);
    if (!roadmap.ok()) io::fail(file.string(), roadmap.error().text(), roadmap.error().code);
    return std::move(roadmap).value();
  });
}

Result<void> save_prm(const std::filesystem::path& file, const Roadmap& roadmap) {
  return write_file(file, roadmap.to_text());
}

}  // namespace proven
