// Triangle meshes from files.
//
// STL, PLY (both binary and ASCII), OBJ and DAE (COLLADA), read strictly; coordinates become
// doubles as written. Of a DAE, unit and node transforms are applied and the axes stay as in the
// file.
#pragma once

#include <filesystem>
#include <memory>

#include "proven/base/result.h"
#include "proven/base/vec3.h"
#include "proven/geometry/shapes.h"

namespace proven {

// The format follows from the file's ending. `scale` multiplies the coordinates; a mirroring scale
// (odd number of negative factors) turns the triangles round, so that outward stays outward. Fails
// on zero or non-finite factors, on a mesh without triangles, and on one that is larger than 10,000
// km or smaller than a nanometre. Polygons are cut into fans, which cover every planar polygon.
Result<std::shared_ptr<const TriangleMesh>> load_mesh(const std::filesystem::path& file,
                                                      const Vec3& scale = {1, 1, 1});

// Binary STL: rounds coordinates to single precision.
Result<void> save_stl(const std::filesystem::path& file, const TriangleMesh& mesh);
// OBJ: coordinates come back bit for bit.
Result<void> save_obj(const std::filesystem::path& file, const TriangleMesh& mesh);

}  // namespace proven
