// Robots in other languages: what they become as URDF and SRDF, read as a scene.
#pragma once

#include <map>

#include "bench/doors/door.h"

namespace proven::bench {

// The checker converts and reads what it wrote; the verifier reads that too, and must agree.
std::vector<DoorReader> converted_readers(const std::map<std::string, std::string>& arguments = {});

// A tetrahedron as STL.
void write_corner(const std::filesystem::path& file, double size);

}  // namespace proven::bench
