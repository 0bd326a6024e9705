// Paths in files of HDF5.
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "io/failure.h"
#include "io/hdf5_library.h"
#include "io/path_array.h"
#include "io/text.h"

namespace proven::io {
namespace {

using Id = Hdf5Library::Id;
using Size = Hdf5Library::Size;

constexpr std::size_t kChunkCache = std::size_t{16} << 20;
// Groups within groups; more is taken for a circle.
constexpr int kDeepest = 32;
constexpr Size kMostNames = 4096;

// Something of the library that closes itself.
class Handle {
 public:
  Handle() = default;
  Handle(Id id, int (*close)(Id)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Id id() const { return id_; }
  bool ok() const { return id_ >= 0; }

 private:
  Id id_ = -1;
  int (*close_)(Id) = nullptr;
};

std::vector<std::int64_t> lengths_of(Hdf5Library& hdf5, Id space) {
  const int rank = hdf5.dimensions(space);
  std::vector<Size> lengths(static_cast<std::size_t>(std::max(0, rank)));
  if (rank > 0 && hdf5.lengths(space, lengths.data(), nullptr) < 0) lengths.clear();
  return {lengths.begin(), lengths.end()};
}

Handle open_file(Hdf5Library& hdf5, const std::filesystem::path& file) {
  Handle handle(hdf5.open_file(file.c_str(), 0, Hdf5Library::kDefault), hdf5.close_file);
  if (!handle.ok()) fail(file.string(), "is no file of HDF5, or it is damaged");
  return handle;
}

// The file and data set that were read last stay open: chunks that are unpacked are then at hand,
// and of many files one alone is open.
struct Open {
  std::filesystem::path file;
  std::string name;
  Handle handle, data_set;
};
Open& last_open() {
  static Open& open = *new Open;  // the library may be gone when the program ends
  return open;
}

class Hdf5Array : public PathArray {
 public:
  Hdf5Array(std::filesystem::path file, std::string name)
      : file_(std::move(file)), name_(std::move(name)) {}

  std::vector<double> read(std::int64_t first, std::int64_t count) const override {
    Hdf5Library& hdf5 = Hdf5Library::get();
    const std::lock_guard lock(hdf5.mutex);
    const Id data_set = open(hdf5);
    const Handle space(hdf5.space_of(data_set), hdf5.close_space);
    const auto length = [](std::int64_t n) { return static_cast<Size>(n); };
    const std::vector<Size> start =
        single ? std::vector<Size>{0, 0} : std::vector<Size>{length(first), 0, 0};
    const std::vector<Size> part =
        single ? std::vector<Size>{length(waypoints), length(joints)}
               : std::vector<Size>{length(count), length(waypoints), length(joints)};
    const Handle memory(hdf5.make_space(static_cast<int>(part.size()), part.data(), nullptr),
                        hdf5.close_space);
    std::vector<double> values(static_cast<std::size_t>(count * waypoints * joints));
    if (!space.ok() || !memory.ok() ||
        hdf5.select(space.id(), 0, start.data(), nullptr, part.data(), nullptr) < 0 ||
        hdf5.read(data_set, hdf5.native_double, memory.id(), space.id(), Hdf5Library::kDefault,
                  values.data()) < 0)
      fail(place(),
           "cannot be read: the file is damaged, has changed, or needs a filter of HDF5 "
           "that is not installed");
    return values;
  }

 private:
  std::string place() const { return fmt::format("{}:{}", file_.string(), name_); }
  Id open(Hdf5Library& hdf5) const {
    Open& last = last_open();
    if (last.data_set.ok() && last.file == file_ && last.name == name_) return last.data_set.id();
    last = {};
    last.handle = open_file(hdf5, file_);
    const Handle access(hdf5.make_list(hdf5.data_set_access), hdf5.close_list);
    hdf5.set_chunk_cache(access.id(), 12421, kChunkCache, 1.0);
    last.data_set =
        Handle(hdf5.open_data_set(last.handle.id(), name_.c_str(), access.id()), hdf5.close_object);
    if (!last.data_set.ok()) fail(place(), "changed while it was read; begin again");
    last.file = file_;
    last.name = name_;
    return last.data_set.id();
  }

  std::filesystem::path file_;
  std::string name_;
};

// The texts of an attribute: of one length, or each of its own.
std::vector<std::string> read_texts(Hdf5Library& hdf5, Id attribute, const std::string& place) {
  const Handle type(hdf5.attribute_type(attribute), hdf5.close_type),
      space(hdf5.attribute_space(attribute), hdf5.close_space);
  const std::vector<std::int64_t> lengths = lengths_of(hdf5, space.id());
  if (lengths.size() != 1 || static_cast<Size>(lengths[0]) > kMostNames ||
      hdf5.class_of(type.id()) != Hdf5Library::kText)
    fail(place, "the attribute joints must be a list of texts, one for each column");
  const auto count = static_cast<std::size_t>(lengths[0]);
  std::vector<std::string> texts;
  if (hdf5.is_variable(type.id()) > 0) {
    const Handle memory(hdf5.copy_type(hdf5.text_type), hdf5.close_type);
    hdf5.set_size(memory.id(), Hdf5Library::kVariable);
    hdf5.set_characters(memory.id(), hdf5.characters(type.id()));
    std::vector<char*> pointers(count, nullptr);
    if (hdf5.read_attribute(attribute, memory.id(), pointers.data()) < 0)
      fail(place, "the attribute joints cannot be read");
    for (const char* text : pointers) texts.emplace_back(text ? text : "");
    hdf5.reclaim(memory.id(), space.id(), Hdf5Library::kDefault, pointers.data());
    return texts;
  }
  const std::size_t size = hdf5.size_of(type.id());
  if (size > kMostNames) fail(place, "the attribute joints cannot be read");
  std::string bytes(count * size, '\0');
  if (hdf5.read_attribute(attribute, type.id(), bytes.data()) < 0)
    fail(place, "the attribute joints cannot be read");
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = bytes.substr(i * size, size);
    text.resize(std::min(text.find('\0'), text.size()));
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> names_at(Hdf5Library& hdf5, Id object, const std::string& place) {
  if (hdf5.has_attribute(object, "joints") <= 0) return {};
  const Handle attribute(hdf5.open_attribute(object, "joints", Hdf5Library::kDefault),
                         hdf5.close_attribute);
  if (!attribute.ok()) fail(place, "the attribute joints cannot be read");
  return read_texts(hdf5, attribute.id(), place);
}

class Walk {
 public:
  Walk(Hdf5Library& hdf5, const std::filesystem::path& file) : hdf5_(hdf5), file_(file) {}

  std::vector<NamedArray> arrays() {
    const Handle file = open_file(hdf5_, file_);
    const Handle root(hdf5_.open_object(file.id(), "/", Hdf5Library::kDefault), hdf5_.close_object);
    names_ = names_at(hdf5_, root.id(), file_.string());
    enter(root.id(), "", 0);
    if (arrays_.empty()) fail(file_.string(), "expected at least one array of paths");
    return std::move(arrays_);
  }

 private:
  void enter(Id group, const std::string& prefix, int depth) {
    if (depth > kDeepest) fail(file_.string(), "its groups go around in a circle");
    Hdf5Library::GroupInfo info{};
    if (hdf5_.group_info(group, &info) < 0) fail(file_.string(), "is damaged");
    for (Size i = 0; i < info.links; ++i) {
      const long length = hdf5_.link_name(group, ".", 0, 0, i, nullptr, 0, Hdf5Library::kDefault);
      std::string name(static_cast<std::size_t>(std::max(0L, length)) + 1, '\0');
      if (length <= 0 ||
          hdf5_.link_name(group, ".", 0, 0, i, name.data(), name.size(), Hdf5Library::kDefault) < 0)
        fail(file_.string(), "is damaged");
      name.pop_back();
      visit(group, name, prefix + name, depth);
    }
  }

  void visit(Id group, const std::string& name, const std::string& full, int depth) {
    Hdf5Library::LinkInfo link{};
    if (hdf5_.link_info(group, name.c_str(), &link, Hdf5Library::kDefault) < 0)
      fail(file_.string(), "is damaged");
    if (link.type != Hdf5Library::kHard) {
      arrays_.push_back({full, nullptr,
                         fmt::format("{}:{}: is a link to elsewhere; copy what it leads to",
                                     file_.string(), full)});
      return;
    }
    const Handle object(hdf5_.open_object(group, name.c_str(), Hdf5Library::kDefault),
                        hdf5_.close_object);
    if (!object.ok()) fail(file_.string(), "is damaged");
    const int type = hdf5_.type_of_id(object.id());
    if (type == Hdf5Library::kGroup) return enter(object.id(), full + "/", depth + 1);
    if (type != Hdf5Library::kDataSet) return;  // a type that has a name
    NamedArray& added = arrays_.emplace_back();
    added.name = full;
    try {
      added.array = open(object.id(), full);
    } catch (const Failure& failure) {
      added.error = failure.error().text();
    }
  }

  std::shared_ptr<const PathArray> open(Id data_set, const std::string& name) const {
    const std::string place = fmt::format("{}:{}", file_.string(), name);
    const Handle type(hdf5_.number_type_of(data_set), hdf5_.close_type),
        space(hdf5_.space_of(data_set), hdf5_.close_space);
    if (hdf5_.class_of(type.id()) != Hdf5Library::kFloat || hdf5_.size_of(type.id()) > 8)
      fail(place,
           "paths are floating-point numbers of at most 64 bits; name those that are meant "
           "as 'arrays' in a manifest");
    auto array = std::make_shared<Hdf5Array>(file_, name);
    set_shape(*array, place, lengths_of(hdf5_, space.id()));
    array->names = names_at(hdf5_, data_set, place);
    if (array->names.empty()) array->names = names_;
    return array;
  }

  Hdf5Library& hdf5_;
  const std::filesystem::path& file_;
  std::vector<std::string> names_;
  std::vector<NamedArray> arrays_;
};

}  // namespace

std::vector<NamedArray> open_hdf5(const std::filesystem::path& file) {
  return at_place([&] { return file.string(); },
                  [&] {
                    Hdf5Library& hdf5 = Hdf5Library::get();
                    const std::lock_guard lock(hdf5.mutex);
                    return Walk(hdf5, file).arrays();
                  });
}

}  // namespace proven::io
