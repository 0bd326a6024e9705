// Paths in numpy's files: one array (.npy), or an archive of them (.npz).
#include <fmt/format.h>

#include <fstream>
#include <set>

#include "io/binary_number.h"
#include "io/failure.h"
#include "io/path_array.h"
#include "io/sensed_readers.h"
#include "io/text.h"
#include "io/zip_archive.h"

namespace proven::io {
namespace {

// The header is looked for in so many bytes.
constexpr std::uint64_t kHeader = 1 << 16;

class NumpyArray : public PathArray {
 public:
  NumpyArray(const Array& header, const std::string& place)
      : item_(header.item), begin_(header.begin), big_endian_(header.big_endian) {
    if (header.kind != Array::Kind::real)
      fail(place, "paths are floating-point numbers; convert with astype('<f8')");
    set_shape(*this, place, {header.shape.begin(), header.shape.end()});
    if (header.fortran_order && !single)
      fail(place, "is in Fortran order; save np.ascontiguousarray(paths)");
    by_columns_ = header.fortran_order;
  }

  std::vector<double> read(std::int64_t first, std::int64_t count) const override {
    const auto numbers = static_cast<std::uint64_t>(waypoints * joints);
    const std::string bytes = bytes_at(begin_ + static_cast<std::uint64_t>(first) * numbers * item_,
                                       static_cast<std::uint64_t>(count) * numbers * item_);
    std::vector<double> values;
    if (bytes.size() != static_cast<std::uint64_t>(count) * numbers * item_) return values;
    values.reserve(bytes.size() / item_);
    for (std::size_t at = 0; at < bytes.size(); at += item_)
      values.push_back(real_at(bytes.data() + at, item_, big_endian_));
    if (!by_columns_) return values;
    std::vector<double> rows(values.size());
    const auto height = static_cast<std::size_t>(waypoints),
               width = static_cast<std::size_t>(joints);
    for (std::size_t i = 0; i < height; ++i)
      for (std::size_t j = 0; j < width; ++j) rows[i * width + j] = values[j * height + i];
    return rows;
  }

 private:
  virtual std::string bytes_at(std::uint64_t offset, std::uint64_t count) const = 0;

  std::size_t item_;
  std::uint64_t begin_;
  bool big_endian_, by_columns_ = false;
};

class FileArray : public NumpyArray {
 public:
  FileArray(const std::filesystem::path& file, const Array& header)
      : NumpyArray(header, file.string()), file_(file) {}

 private:
  std::string bytes_at(std::uint64_t offset, std::uint64_t count) const override {
    std::ifstream in(file_, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(offset));
    std::string bytes(count, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
    return bytes;
  }
  std::filesystem::path file_;
};

class MemberArray : public NumpyArray {
 public:
  MemberArray(std::shared_ptr<const ZipArchive> archive, const ZipArchive::Member& member,
              const Array& header, const std::string& place)
      : NumpyArray(header, place), archive_(std::move(archive)), member_(member) {}

 private:
  std::string bytes_at(std::uint64_t offset, std::uint64_t count) const override {
    return archive_->read(member_, offset, count);
  }
  std::shared_ptr<const ZipArchive> archive_;
  const ZipArchive::Member& member_;
};

}  // namespace

void set_shape(PathArray& array, const std::string& place, const std::vector<std::int64_t>& shape) {
  if (shape.size() != 2 && shape.size() != 3)
    fail(place, fmt::format("paths are an array of shape (paths, waypoints, joints) or (waypoints, "
                            "joints), not ({})",
                            fmt::join(shape, ", ")));
  array.single = shape.size() == 2;
  array.paths = array.single ? 1 : shape[0];
  array.waypoints = shape[array.single ? 0 : 1];
  array.joints = shape[array.single ? 1 : 2];
  if (array.paths == 0 || array.waypoints == 0 || array.joints == 0)
    fail(place, "expected at least one path");
}

std::shared_ptr<const PathArray> open_npy(const std::filesystem::path& file) {
  return std::make_shared<FileArray>(file, read_npy_header(file));
}

std::vector<NamedArray> open_npz(const std::filesystem::path& file) {
  const auto archive = std::make_shared<const ZipArchive>(file);
  std::vector<NamedArray> arrays;
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const ZipArchive::Member& member : archive->members()) {
    std::string name = member.name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    const std::string place = fmt::format("{}:{}", file.string(), name);
    // numpy itself reads one of them alone.
    if (!known.insert(name).second) fail(place, "stands there twice; save each array once");
    const auto bytes = [&](std::uint64_t count) { return archive->read(member, 0, count); };
    if (name == "joints") {
      if (member.size > kHeader) fail(place, "there are too many names of joints");
      archive->check(member);
      names = read_npy_texts(place, bytes(kHeader));
      if (names.empty()) fail(place, "there are no names of joints; leave the array out");
      continue;
    }
    NamedArray& added = arrays.emplace_back();
    added.name = name;
    try {
      archive->check(member);
      added.array = std::make_shared<MemberArray>(
          archive, member, read_npy_header(place, bytes(kHeader), member.size), place);
    } catch (const Failure& failure) {
      added.error = failure.error().text();
    }
  }
  if (arrays.empty()) fail(file.string(), "expected at least one array of paths");
  for (NamedArray& one : arrays)
    if (one.array) std::const_pointer_cast<PathArray>(one.array)->names = names;
  return arrays;
}

}  // namespace proven::io
