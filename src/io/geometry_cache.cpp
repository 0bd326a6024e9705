#include "io/geometry_cache.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <vector>

#include "io/failure.h"
#include "io/text.h"
#include "proven/io/scene_file.h"

namespace proven {
namespace io {
namespace {

namespace fs = std::filesystem;

// To be raised whenever a mesh reader, the rule of trees or the layout of entries changes: entries
// of other versions are then passed over, and pruned in time.
constexpr std::uint64_t kVersion = 2;
constexpr std::uint64_t kMagic = 0x6f65676e76727000 + kVersion;  // "prvngeo" where bytes are ours
constexpr std::string_view kEnding = ".proven-cache";

// At the start of every entry, as it stands in memory: a machine with other bytes does not find its
// magic number.
struct Header {
  std::uint64_t magic = kMagic, kind = 0, key_high = 0, key_low = 0, size = 0, sum_high = 0,
                sum_low = 0;
  friend bool operator==(const Header&, const Header&) = default;
};

Header header_of(std::uint64_t kind, const Hash128& key, std::string_view contents) {
  Hasher hasher;
  hasher.add(contents);
  const Hash128 sum = hasher.finish();
  return {kMagic, kind, key.high, key.low, contents.size(), sum.high, sum.low};
}

template <class T>
void append(std::string& bytes, std::span<const T> values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

// Takes whole arrays from the front of `bytes`; false if there are too few.
template <class T>
bool take(std::string_view& bytes, std::uint64_t count, std::vector<T>& values) {
  if (count > bytes.size() / sizeof(T)) return false;
  values.resize(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
  return true;
}

}  // namespace

GeometryCache::GeometryCache(fs::path folder, std::uintmax_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {}

fs::path GeometryCache::file_of(Kind kind, const Hash128& key) const {
  const char* what = kind == Kind::shape ? "-shape" : "-mesh";
  return folder_ / (key.hex() + what + std::to_string(kVersion) + std::string(kEnding));
}

std::optional<std::string> GeometryCache::read(Kind kind, const Hash128& key) const {
  if (!keeps()) return std::nullopt;
  const fs::path file = file_of(kind, key);
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  std::string bytes;
  try {
    bytes = read_bytes(file);
  } catch (const Failure&) {
    return std::nullopt;
  }
  Header header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.erase(0, sizeof header);
  if (header != header_of(static_cast<std::uint64_t>(kind), key, bytes)) return std::nullopt;
  fs::last_write_time(file, fs::file_time_type::clock::now(), error);  // used: prune it late
  return bytes;
}

// Written beside and renamed: whoever reads or writes at the same time sees whole entries.
void GeometryCache::write(Kind kind, const Hash128& key, std::string_view contents) const {
  if (!keeps() || sizeof(Header) + contents.size() > std::min(max_bytes_, kMaxFileBytes)) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  std::string beside = (folder_ / ("XXXXXX" + std::string(kEnding))).string();
  const int descriptor = mkstemps(beside.data(), static_cast<int>(kEnding.size()));
  if (descriptor < 0) return;
  const Header header = header_of(static_cast<std::uint64_t>(kind), key, contents);
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += contents;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor, rest.data(), rest.size());
    if (written <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  ::close(descriptor);
  if (rest.empty()) fs::rename(beside, file_of(kind, key), error);
  if (!rest.empty() || error) fs::remove(beside, error);
  prune();
}

void GeometryCache::prune() const {
  struct Entry {
    fs::file_time_type used;
    fs::path file;
    std::uintmax_t size;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code error, gone;  // another process may delete a file at any time
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != kEnding || !it->is_regular_file(gone)) continue;
    const std::uintmax_t size = it->file_size(gone);
    if (gone) continue;
    entries.push_back({it->last_write_time(gone), it->path(), size});
    total += size;
  }
  if (total <= max_bytes_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes_) return;
    fs::remove(entry.file, gone);
    total -= entry.size;
  }
}

std::optional<BoxTreeShape> GeometryCache::find(const Hash128& body) {
  const std::optional<std::string> bytes = read(Kind::shape, body);
  if (!bytes) return std::nullopt;
  std::string_view rest = *bytes;
  std::vector<std::uint64_t> count;
  BoxTreeShape shape;
  if (!take(rest, 1, count) || count[0] == 0 || !take(rest, count[0], shape.order) ||
      !take(rest, count[0] - 1, shape.splits) || !rest.empty())
    return std::nullopt;
  return shape;  // BodyGeometry looks whether it is valid
}

void GeometryCache::store(const Hash128& body, const BoxTreeShape& shape) {
  const std::uint64_t count[1] = {shape.order.size()};
  std::string bytes;
  append(bytes, std::span<const std::uint64_t>(count));
  append(bytes, std::span<const int>(shape.order));
  append(bytes, std::span<const int>(shape.splits));
  write(Kind::shape, body, bytes);
}

std::optional<TriangleMesh> GeometryCache::find_mesh(const Hash128& file) {
  const std::optional<std::string> bytes = read(Kind::mesh, file);
  if (!bytes) return std::nullopt;
  std::string_view rest = *bytes;
  std::vector<std::uint64_t> counts;
  TriangleMesh mesh;
  if (!take(rest, 2, counts) || !take(rest, counts[0], mesh.vertices) ||
      !take(rest, counts[1], mesh.triangles) || !rest.empty())
    return std::nullopt;
  for (const auto& triangle : mesh.triangles)
    for (const std::uint32_t index : triangle)
      if (index >= mesh.vertices.size()) return std::nullopt;
  return mesh;
}

void GeometryCache::store_mesh(const Hash128& file, const TriangleMesh& mesh) {
  const std::uint64_t counts[2] = {mesh.vertices.size(), mesh.triangles.size()};
  std::string bytes;
  append(bytes, std::span<const std::uint64_t>(counts));
  append(bytes, std::span<const Vec3>(mesh.vertices));
  append(bytes, std::span<const std::array<std::uint32_t, 3>>(mesh.triangles));
  write(Kind::mesh, file, bytes);
}

}  // namespace io

std::filesystem::path default_cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  const std::string chosen = variable("PROVEN_CACHE");
  if (chosen == "off") return {};
  if (!chosen.empty()) return chosen;
  const std::filesystem::path xdg = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (xdg.is_absolute()) return xdg / "proven" / "geometry";
  if (home.is_absolute()) return home / ".cache" / "proven" / "geometry";
  return {};
}

}  // namespace proven
