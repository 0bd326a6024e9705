#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "io/failure.h"
#include "io/model_readers.h"
#include "io/text.h"

namespace proven::io {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Whether the folder has a package.xml that names the package.
bool is_package(const fs::path& folder, const std::string& name) {
  const fs::path manifest = folder / "package.xml";
  if (!is_file(manifest)) return false;
  return read_bytes(manifest).find("<name>" + name + "</name>") != std::string::npos;
}

// Remembers what was tried; find() returns the first that is a file.
class Search {
 public:
  void add(const fs::path& path) {
    const fs::path normal = path.lexically_normal();
    if (std::find(tried_.begin(), tried_.end(), normal) == tried_.end()) tried_.push_back(normal);
  }
  const fs::path* find() const {
    const auto found = std::find_if(tried_.begin(), tried_.end(), is_file);
    return found == tried_.end() ? nullptr : &*found;
  }
  std::string list() const {
    std::string text;
    for (const fs::path& path : tried_)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", path.string());
    return text;
  }

 private:
  std::vector<fs::path> tried_;
};

void add_package_paths(Search& search, const std::string& package, const fs::path& rest,
                       const fs::path& urdf, const UrdfOptions& options) {
  if (const auto known = options.packages.find(package); known != options.packages.end())
    search.add(known->second / rest);
  std::error_code error;
  fs::path folder = fs::absolute(urdf, error).lexically_normal().parent_path();
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (folder.filename() == package || is_package(folder, package)) search.add(folder / rest);
    search.add(folder / package / rest);
    if (folder == folder.parent_path()) break;
  }
}

bool strip_prefix(std::string& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.erase(0, prefix.size());
  return true;
}

}  // namespace

fs::path find_mesh(const std::string& name, const fs::path& urdf, const UrdfOptions& options) {
  Search search;
  std::string rest = name;
  if (strip_prefix(rest, "package://") || strip_prefix(rest, "model://")) {
    const std::size_t slash = rest.find('/');
    if (slash == 0 || slash == std::string::npos)
      fail("", fmt::format("mesh {} does not name a package and a file in it", quote(name)));
    add_package_paths(search, rest.substr(0, slash),
                      fs::path(rest.substr(slash + 1)).relative_path(), urdf, options);
  } else if (strip_prefix(rest, "file://")) {
    search.add(urdf.parent_path() / rest);
  } else if (rest.find("://") != std::string::npos) {
    fail("", fmt::format("mesh {} is not a file; use a path, file:// or package://", quote(name)));
  } else {
    search.add(urdf.parent_path() / rest);
  }
  const fs::path* found = search.find();
  if (!found)
    fail("", fmt::format("mesh {} not found; tried {}", quote(name), search.list()),
         ErrorCode::not_found);
  return *found;
}

}  // namespace proven::io
