// A folder on disk that keeps what is slow to make of mesh files: parsed meshes, and the shapes of
// trees of boxes (never bounds: these are computed afresh, so that no entry makes a box too small).
//
// Nothing here can fail: what is missing, damaged or not to be written is made anew.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "proven/geometry/body_geometry.h"

namespace proven::io {

class GeometryCache : public BoxTreeShapes {
 public:
  static constexpr std::uintmax_t kMaxBytes = std::uintmax_t{1} << 30;
  // Less is made as quickly as it is looked up.
  static constexpr std::size_t kLeastPieces = 2000;
  static constexpr std::size_t kLeastMeshBytes = 100'000;

  // Without a folder nothing is kept. Beyond `max_bytes` the entries that were not used for longest
  // are deleted.
  explicit GeometryCache(std::filesystem::path folder, std::uintmax_t max_bytes = kMaxBytes);

  std::optional<BoxTreeShape> find(const Hash128& body) override;
  void store(const Hash128& body, const BoxTreeShape& shape) override;

  // By the hash of the file's bytes and ending; not yet scaled.
  std::optional<TriangleMesh> find_mesh(const Hash128& file);
  void store_mesh(const Hash128& file, const TriangleMesh& mesh);

  bool keeps() const { return !folder_.empty(); }

 private:
  enum class Kind : std::uint64_t { shape = 1, mesh = 2 };
  std::filesystem::path file_of(Kind kind, const Hash128& key) const;
  std::optional<std::string> read(Kind kind, const Hash128& key) const;
  void write(Kind kind, const Hash128& key, std::string_view contents) const;
  void prune() const;

  std::filesystem::path folder_;
  std::uintmax_t max_bytes_;
};

}  // namespace proven::io
