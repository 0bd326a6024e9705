#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
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

// The folders of an environment variable, in its order; none if it is not set.
std::vector<fs::path> folders_of(const char* variable) {
  std::vector<fs::path> folders;
  const char* value = std::getenv(variable);
  std::string_view rest = value ? value : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

void add_package_paths(Search& search, const std::string& package, const fs::path& rest,
                       const fs::path& urdf, const UrdfOptions& options) {
  if (const auto known = options.packages.find(package); known != options.packages.end())
    return search.add(known->second / rest);
  std::error_code error;
  fs::path folder = fs::absolute(urdf, error).lexically_normal().parent_path();
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (folder.filename() == package || is_package(folder, package)) search.add(folder / rest);
    search.add(folder / package / rest);
    if (folder == folder.parent_path()) break;
  }
  for (const fs::path& prefix : folders_of("AMENT_PREFIX_PATH"))
    search.add(prefix / "share" / package / rest);
  for (const fs::path& source : folders_of("ROS_PACKAGE_PATH")) {
    if (source.filename() == package || is_package(source, package)) search.add(source / rest);
    search.add(source / package / rest);
  }
}

// package:///FILE names no package: an absolute path, else one below the URDF's folder or a folder
// above it.
void add_nameless_paths(Search& search, const fs::path& file, const fs::path& urdf) {
  search.add(file);
  std::error_code error;
  fs::path folder = fs::absolute(urdf, error).lexically_normal().parent_path();
  for (; !folder.empty(); folder = folder.parent_path()) {
    search.add(folder / file.relative_path());
    if (folder == folder.parent_path()) break;
  }
}

bool strip_prefix(std::string& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.erase(0, prefix.size());
  return true;
}

}  // namespace

void require_package_folders(const PackageFolders& packages) {
  std::error_code error;
  for (const auto& [name, folder] : packages)
    if (!fs::is_directory(folder, error))
      fail("",
           fmt::format("package {} is mapped to {}, which is no folder", quote(name),
                       quote(folder.string())),
           ErrorCode::not_found);
}

void require_packages_used(const PackageFolders& packages, const std::set<std::string>& used) {
  const std::vector<std::string> known(used.begin(), used.end());
  for (const auto& [name, folder] : packages)
    if (!used.contains(name))
      fail("", fmt::format("package {} is mapped to {}, but nothing names it{}; leave it out",
                           quote(name), quote(folder.string()), suggestion(name, known)));
}

std::string package_of(std::string_view mesh) {
  for (const std::string_view scheme : {"package://", "model://"})
    if (mesh.starts_with(scheme)) {
      mesh.remove_prefix(scheme.size());
      return std::string(mesh.substr(0, mesh.find('/')));
    }
  return "";
}

fs::path find_package(const std::string& name, const fs::path& near, const UrdfOptions& options) {
  require_package_folders(options.packages);
  if (options.used_packages) options.used_packages->insert(name);
  if (const auto known = options.packages.find(name); known != options.packages.end())
    return known->second;
  std::vector<fs::path> folders;
  std::error_code error;
  fs::path folder = fs::absolute(near, error).lexically_normal().parent_path();
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (folder.filename() == name || is_package(folder, name)) folders.push_back(folder);
    folders.push_back(folder / name);
    if (folder == folder.parent_path()) break;
  }
  for (const fs::path& prefix : folders_of("AMENT_PREFIX_PATH"))
    folders.push_back(prefix / "share" / name);
  for (const fs::path& source : folders_of("ROS_PACKAGE_PATH")) {
    if (source.filename() == name || is_package(source, name)) folders.push_back(source);
    folders.push_back(source / name);
  }
  for (const fs::path& found : folders)
    if (fs::is_directory(found, error)) return found;
  fail("",
       fmt::format("package {} is not found; --package {}=FOLDER says where it is", quote(name),
                   name),
       ErrorCode::not_found);
}

fs::path find_mesh(const std::string& name, const fs::path& urdf, const UrdfOptions& options) {
  Search search;
  std::string rest = name, package;
  if (strip_prefix(rest, "package://") || strip_prefix(rest, "model://")) {
    const std::size_t slash = rest.find('/');
    if (slash == std::string::npos)
      fail("", fmt::format("mesh {} does not name a package and a file in it", quote(name)));
    package = rest.substr(0, slash);
    if (options.used_packages) options.used_packages->insert(package);
    const fs::path file = fs::path(rest.substr(slash + 1)).relative_path();
    if (package.empty())
      add_nameless_paths(search, "/" / file, urdf);
    else
      add_package_paths(search, package, file, urdf, options);
  } else if (strip_prefix(rest, "file://")) {
    search.add(urdf.parent_path() / rest);
  } else if (rest.find("://") != std::string::npos) {
    fail("", fmt::format("mesh {} is not a file; use a path, file:// or package://", quote(name)));
  } else {
    search.add(urdf.parent_path() / rest);
  }
  const fs::path* found = search.find();
  const auto known = options.packages.find(package);
  const std::string remedy =
      package.empty() ? ""
      : known != options.packages.end()
          ? fmt::format("; package {} is {}, where it was said to be, and nowhere else",
                        quote(package), known->second.string())
          : fmt::format("; --package {}=FOLDER says where the package is", package);
  if (!found)
    fail("", fmt::format("mesh {} not found; tried {}{}", quote(name), search.list(), remedy),
         ErrorCode::not_found);
  return *found;
}

}  // namespace proven::io
