#include "io/included_models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "io/failure.h"
#include "io/model_readers.h"
#include "io/text.h"

namespace proven::io {
namespace {

namespace fs = std::filesystem;

// That are read, the oldest first.
constexpr std::array<std::string_view, 8> kVersions = {"1.5", "1.6",  "1.7",  "1.8",
                                                       "1.9", "1.10", "1.11", "1.12"};

// The file that a package names for the newest version of SDF that is read here; of one without
// versions the first.
fs::path configured_model(const fs::path& config) {
  const XmlFile xml(config, "model");
  const XmlElement* best = nullptr;
  std::size_t best_version = 0;  // from 1
  for (const XmlElement* at : XmlFile::children(xml.root(), "sdf")) {
    const std::string given = xml.find_text(*at, "version").value_or("");
    const auto known = std::find(kVersions.begin(), kVersions.end(), trimmed(given));
    const std::size_t version =
        known == kVersions.end() ? 0 : static_cast<std::size_t>(known - kVersions.begin()) + 1;
    if (best && version > 0 && version == best_version)
      xml.fail(*at, fmt::format("two files are of SDF {}; name one", given));
    if (best && version <= best_version) continue;
    best = at;
    best_version = version;
  }
  if (!best) xml.fail(xml.root(), "it names no file of the model in <sdf version=\"...\">");
  const std::string name = SdfElement{&xml, best}.content();
  fs::path file = config.parent_path() / name;
  std::error_code error;
  if (name.empty() || !fs::is_regular_file(file, error))
    xml.fail(*best, fmt::format("there is no file {}", quote(file.string())));
  return file;
}

}  // namespace

void check_sdf_version(const XmlFile& file) {
  const SdfElement root{&file, &file.root()};
  const std::string version = root.text("version");
  if (std::find(kVersions.begin(), kVersions.end(), version) == kVersions.end())
    root.fail(fmt::format("SDF {} is not read; there are {}; run: gz sdf -p {}", version,
                          fmt::join(kVersions, ", "), file.path().filename().string()));
}

fs::path find_sdf_model(const SdfElement& at, const UrdfOptions& search) {
  const std::string uri = at.content();
  return at_place([&] { return at.file->place(*at.xml); },
                  [&]() -> fs::path {
                    fs::path folder = at.file->path().parent_path() / uri;
                    if (uri.starts_with("model://"))
                      folder = find_package(uri.substr(8), at.file->path(), search);
                    std::error_code error;
                    if (fs::is_regular_file(folder, error)) return folder;
                    for (const char* name : {"model.config", "manifest.xml"})
                      if (fs::is_regular_file(folder / name, error))
                        return configured_model(folder / name);
                    if (fs::is_regular_file(folder / "model.sdf", error))
                      return folder / "model.sdf";
                    at.fail(fmt::format("{} is neither a file nor a folder with model.sdf",
                                        quote(folder.string())));
                  });
}

}  // namespace proven::io
