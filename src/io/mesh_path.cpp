#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>
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
  void add(const fs::path& root, const fs::path& rest) {
    const fs::path normal = (root / rest).lexically_normal();
    if (std::find(tried_.begin(), tried_.end(), normal) != tried_.end()) return;
    tried_.push_back(normal);
    roots_.push_back(root.lexically_normal());
  }
  std::vector<fs::path> tried() const { return tried_; }
  std::vector<fs::path> roots() const { return roots_; }
  const fs::path* find() const {
    const auto found = std::find_if(tried_.begin(), tried_.end(), is_file);
    return found == tried_.end() ? nullptr : &*found;
  }

 private:
  std::vector<fs::path> tried_, roots_;
};

std::string listed(const std::vector<fs::path>& paths) {
  std::string text;
  for (const fs::path& path : paths)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", path.string());
  return text;
}

std::string package_remedy(const std::string& package, const UrdfOptions& options) {
  if (package.empty()) return "";
  const auto known = options.packages.find(package);
  if (known == options.packages.end())
    return fmt::format("--package {}=FOLDER says where the package is", package);
  return fmt::format("package {} is {}, where it was said to be, and nowhere else", quote(package),
                     quote(known->second.string()));
}

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
    return search.add(known->second, rest);
  std::error_code error;
  fs::path folder = fs::absolute(urdf, error).lexically_normal().parent_path();
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (folder.filename() == package || is_package(folder, package)) search.add(folder, rest);
    search.add(folder / package, rest);
    if (folder == folder.parent_path()) break;
  }
  for (const fs::path& prefix : folders_of("AMENT_PREFIX_PATH"))
    search.add(prefix / "share" / package, rest);
  for (const fs::path& source : folders_of("ROS_PACKAGE_PATH")) {
    if (source.filename() == package || is_package(source, package)) search.add(source, rest);
    search.add(source / package, rest);
  }
}

// package:///FILE names no package: an absolute path, else one below the URDF's folder or a folder
// above it.
void add_nameless_paths(Search& search, const fs::path& file, const fs::path& urdf) {
  search.add("/", file.relative_path());
  std::error_code error;
  fs::path folder = fs::absolute(urdf, error).lexically_normal().parent_path();
  for (; !folder.empty(); folder = folder.parent_path()) {
    search.add(folder, file.relative_path());
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

MeshSearch search_mesh(const std::string& name, const fs::path& urdf, const UrdfOptions& options) {
  Search search;
  MeshSearch result;
  std::string rest = name;
  if (strip_prefix(rest, "package://") || strip_prefix(rest, "model://")) {
    const std::size_t slash = rest.find('/');
    if (slash == std::string::npos)
      fail("", fmt::format("mesh {} does not name a package and a file in it", quote(name)));
    result.package = rest.substr(0, slash);
    if (options.used_packages) options.used_packages->insert(result.package);
    const fs::path file = fs::path(rest.substr(slash + 1)).relative_path();
    if (result.package.empty())
      add_nameless_paths(search, "/" / file, urdf);
    else
      add_package_paths(search, result.package, file, urdf, options);
  } else if (strip_prefix(rest, "file://") || rest.find("://") == std::string::npos) {
    search.add(urdf.parent_path(), rest);
  } else {
    fail("", fmt::format("mesh {} is not a file; use a path, file:// or package://", quote(name)));
  }
  if (const fs::path* found = search.find()) result.found = *found;
  result.tried = search.tried();
  result.roots = search.roots();
  return result;
}

fs::path find_mesh(const std::string& name, const fs::path& urdf, const UrdfOptions& options) {
  const MeshSearch search = search_mesh(name, urdf, options);
  if (!search.found.empty()) return search.found;
  const std::string remedy = package_remedy(search.package, options);
  fail("",
       fmt::format("mesh {} not found; tried {}{}{}", quote(name), listed(search.tried),
                   remedy.empty() ? "" : "; ", remedy),
       ErrorCode::not_found);
}

std::vector<MissingMeshes> group_missing(const std::vector<std::string>& names,
                                         const fs::path& urdf, const UrdfOptions& options) {
  std::vector<MissingMeshes> groups;
  std::vector<std::string> keys;
  for (const std::string& name : names) {
    const MeshSearch search = search_mesh(name, urdf, options);
    if (!search.found.empty()) continue;
    // Files without a package belong together where one folder should hold them.
    const bool packaged = !search.package.empty();
    const std::string key =
        packaged ? "package " + search.package : search.tried[0].parent_path().string();
    const auto known = std::find(keys.begin(), keys.end(), key);
    if (known != keys.end()) {
      groups[static_cast<std::size_t>(known - keys.begin())].meshes.push_back(name);
      continue;
    }
    keys.push_back(key);
    std::vector<fs::path> tried = search.roots;
    if (!packaged) {
      tried.clear();
      for (const fs::path& file : search.tried) tried.push_back(file.parent_path());
    }
    groups.push_back({search.package,
                      {name},
                      std::move(tried),
                      packaged ? package_remedy(search.package, options)
                               : "put the files there, or change their names in the robot"});
  }
  return groups;
}

}  // namespace proven::io

namespace proven {

std::string describe(const MissingMeshes& missing) {
  constexpr std::size_t kListed = 5;
  std::string names;
  for (const std::string& name :
       std::span(missing.meshes).first(std::min(kListed, missing.meshes.size())))
    names += (names.empty() ? "" : ", ") + io::quote(name);
  if (missing.meshes.size() > kListed)
    names += fmt::format(" and {} more", missing.meshes.size() - kListed);
  return fmt::format("{} mesh{} of {} {} missing: {}; tried {}; {}", missing.meshes.size(),
                     missing.meshes.size() == 1 ? "" : "es",
                     missing.package.empty() ? "a folder" : "package " + missing.package,
                     missing.meshes.size() == 1 ? "is" : "are", names, io::listed(missing.tried),
                     missing.remedy);
}

}  // namespace proven
