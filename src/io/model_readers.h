// The readers behind urdf.h and srdf.h, for readers of whole scenes: they fail by Failure and share
// meshes.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "io/mesh_readers.h"
#include "proven/io/srdf.h"
#include "proven/io/urdf.h"

namespace proven::io {

Robot read_urdf(const std::filesystem::path& file, const UrdfOptions& options, MeshCache& meshes);
void read_srdf(const std::filesystem::path& file, Robot& robot, const SrdfOptions& options);

// The file that a URDF's mesh name means (see urdf.h); fails with every path tried.
std::filesystem::path find_mesh(const std::string& name, const std::filesystem::path& urdf,
                                const UrdfOptions& options);

// The folder of a package, sought like the packages of meshes. One that options.packages maps is
// there and nowhere else.
std::filesystem::path find_package(const std::string& name, const std::filesystem::path& near,
                                   const UrdfOptions& options);

// Fails, without a place, on a package that is mapped to what is no folder.
using PackageFolders = std::map<std::string, std::filesystem::path>;
void require_package_folders(const PackageFolders& packages);
// Fails, without a place, on a mapped package that is not among the `used` names.
void require_packages_used(const PackageFolders& packages, const std::set<std::string>& used);
// The package that "package://NAME/..." or "model://NAME..." names; empty: it names none.
std::string package_of(std::string_view mesh);

// The rotation with these rows; the text is empty, or says why it is none.
std::string refuse_rotation(const Mat3& R);

}  // namespace proven::io
