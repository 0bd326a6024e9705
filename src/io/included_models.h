// Versions of SDF, and the files of models that other files name.
#pragma once

#include <filesystem>

#include "io/sdf_element.h"
#include "proven/io/urdf.h"

namespace proven::io {

// Fails unless the file's version is read here.
void check_sdf_version(const XmlFile& file);

// The file of a model that an <include> names by its <uri>, which is a file or a folder; `search`
// says where packages are.
std::filesystem::path find_sdf_model(const SdfElement& uri, const UrdfOptions& search);

}  // namespace proven::io
