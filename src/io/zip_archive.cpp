#include "io/zip_archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>

#include "io/failure.h"
#include "io/text.h"

namespace proven::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::string bytes_at(std::ifstream& in, std::uint64_t at, std::uint64_t count) {
  std::string bytes(count, '\0');
  in.clear();
  in.seekg(static_cast<std::streamoff>(at));
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return bytes;
}

// Where the list of members is: the end of an archive says so, with a longer form for large ones.
struct Directory {
  std::uint64_t begin = 0, size = 0, members = 0;
};

Directory find_directory(const std::filesystem::path& file, std::ifstream& in) {
  constexpr std::size_t kEnd = 22, kComment = 65535, kLocator = 20, kEnd64 = 56;
  const std::uint64_t size = std::filesystem::file_size(file);
  const std::uint64_t tail = std::min<std::uint64_t>(size, kEnd + kComment + kLocator);
  const std::string bytes = bytes_at(in, size - tail, tail);
  const std::size_t end = bytes.rfind("PK\x05\x06");
  if (end == std::string::npos || bytes.size() < end + kEnd)
    fail(file.string(), "is no zip archive, or it is cut off (np.savez writes them)");
  if (number(bytes, end + 4, 2) != 0 || number(bytes, end + 6, 2) != 0)
    fail(file.string(), "is one of several parts of an archive; these are not read");
  Directory directory{number(bytes, end + 16, 4), number(bytes, end + 12, 4),
                      number(bytes, end + 10, 2)};
  const bool large =
      directory.begin == 0xFFFFFFFF || directory.size == 0xFFFFFFFF || directory.members == 0xFFFF;
  if (large && end >= kLocator && bytes.compare(end - kLocator, 4, "PK\x06\x07", 4) == 0) {
    const std::string end64 = bytes_at(in, number(bytes, end - kLocator + 8, 8), kEnd64);
    if (end64.size() != kEnd64 || !end64.starts_with("PK\x06\x06"))
      fail(file.string(), "its list of members is cut off");
    directory = {number(end64, 48, 8), number(end64, 40, 8), number(end64, 32, 8)};
  }
  if (directory.begin > size || directory.size > size - directory.begin ||
      directory.size > kMaxFileBytes)
    fail(file.string(), "its list of members lies beyond its end");
  if (bytes.size() != end + kEnd + number(bytes, end + 20, 2))
    fail(file.string(), "there are bytes behind its end");
  if (number(bytes, end + 8, 2) != number(bytes, end + 10, 2))
    fail(file.string(), "is one of several parts of an archive; these are not read");
  return directory;
}

// Sizes and place of large members stand in a field of their own, in this order, where the short
// ones are full.
void read_large(std::string_view extra, ZipArchive::Member& member) {
  while (extra.size() >= 4) {
    const std::uint64_t kind = number(extra, 0, 2), length = number(extra, 2, 2);
    if (extra.size() < 4 + length) return;
    std::string_view field = extra.substr(4, length);
    extra.remove_prefix(4 + length);
    if (kind != 1) continue;
    for (std::uint64_t* value : {&member.size, &member.packed, &member.header})
      if (*value == 0xFFFFFFFF && field.size() >= 8) {
        *value = number(field, 0, 8);
        field.remove_prefix(8);
      }
  }
}

}  // namespace

// Inflates a member from its beginning; the last two blocks stay, for those who look back a little.
class ZipArchive::Unpacker {
 public:
  Unpacker(const ZipArchive& archive, const Member& member)
      : archive_(archive), member_(&member), in_(archive.file(), std::ios::binary) {
    in_.seekg(static_cast<std::streamoff>(archive.data_of(member)));
    left_ = member.packed;
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK)
      fail(archive.file().string(), "there is no memory to unpack it");
  }
  ~Unpacker() { inflateEnd(&stream_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  const Member* member() const { return member_; }
  std::uint64_t begin() const { return begin_ - before_.size(); }  // of what is kept
  std::uint64_t end() const { return begin_ + block_.size(); }

  // Unpacks the next block; an empty one is the end.
  const std::string& next() {
    begin_ += block_.size();
    before_ = std::exchange(block_, std::string(kBlock, '\0'));
    stream_.next_out = reinterpret_cast<Bytef*>(block_.data());
    stream_.avail_out = static_cast<uInt>(kBlock);
    while (stream_.avail_out > 0 && !ended_) {
      if (stream_.avail_in == 0) fill();
      const int status = inflate(&stream_, Z_NO_FLUSH);
      ended_ = status == Z_STREAM_END;
      if (!ended_ && status != Z_OK) fail_as_damaged();
    }
    block_.resize(kBlock - stream_.avail_out);
    if (end() > member_->size) fail_as_damaged();
    return block_;
  }
  void copy(std::uint64_t offset, std::string& into, std::uint64_t wanted) const {
    for (const auto& [at, part] : {std::pair(begin(), &before_), std::pair(begin_, &block_)}) {
      if (offset + into.size() < at || offset + into.size() >= at + part->size()) continue;
      into += part->substr(offset + into.size() - at, wanted - into.size());
    }
  }
  [[noreturn]] void fail_as_damaged() const {
    fail(archive_.file().string(), fmt::format("its member {} is damaged", quote(member_->name)));
  }

 private:
  void fill() {
    input_.resize(std::min<std::uint64_t>(left_, kBlock / 16));
    in_.read(input_.data(), static_cast<std::streamsize>(input_.size()));
    if (input_.empty() || in_.gcount() != static_cast<std::streamsize>(input_.size()))
      fail_as_damaged();
    left_ -= input_.size();
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(input_.size());
  }

  const ZipArchive& archive_;
  const Member* member_;
  std::ifstream in_;
  std::uint64_t left_ = 0, begin_ = 0;
  z_stream stream_ = {};
  bool ended_ = false;
  std::string input_, before_, block_;
};

ZipArchive::ZipArchive(std::filesystem::path file) : file_(std::move(file)) {
  constexpr std::size_t kEntry = 46;
  std::ifstream in(file_, std::ios::binary);
  if (!in) fail(file_.string(), "cannot be read");
  const Directory directory = find_directory(file_, in);
  const std::string bytes = bytes_at(in, directory.begin, directory.size);
  std::string_view rest = bytes;
  for (std::uint64_t i = 0; i < directory.members; ++i) {
    if (rest.size() < kEntry || !rest.starts_with("PK\x01\x02"))
      fail(file_.string(), "its list of members is damaged");
    const std::size_t name = number(rest, 28, 2), extra = number(rest, 30, 2),
                      comment = number(rest, 32, 2);
    if (rest.size() < kEntry + name + extra + comment)
      fail(file_.string(), "its list of members is damaged");
    Member member{std::string(rest.substr(kEntry, name)),
                  number(rest, 42, 4),
                  number(rest, 20, 4),
                  number(rest, 24, 4),
                  static_cast<std::uint32_t>(number(rest, 16, 4)),
                  false};
    read_large(rest.substr(kEntry + name, extra), member);
    const std::uint64_t flags = number(rest, 8, 2), method = number(rest, 10, 2);
    if ((flags & 1) != 0)
      fail(file_.string(), fmt::format("its member {} is encrypted", quote(member.name)));
    if (method != 0 && method != 8)
      fail(file_.string(),
           fmt::format("its member {} is packed in a way that is not read; write it "
                       "by np.savez or np.savez_compressed",
                       quote(member.name)));
    member.deflated = method == 8;
    if (!member.deflated && member.packed != member.size)
      fail(file_.string(), fmt::format("the sizes of its member {} differ", quote(member.name)));
    if (std::ranges::count(members_, member.name, &Member::name) > 0)
      fail(file_.string(), fmt::format("two members are named {}", quote(member.name)));
    members_.push_back(std::move(member));
    rest.remove_prefix(kEntry + name + extra + comment);
  }
  if (!rest.empty()) fail(file_.string(), "its list of members is damaged");
}

ZipArchive::~ZipArchive() = default;

std::uint64_t ZipArchive::data_of(const Member& member) const {
  constexpr std::size_t kLocal = 30;
  std::ifstream in(file_, std::ios::binary);
  const std::string bytes = bytes_at(in, member.header, kLocal);
  const std::uint64_t size = std::filesystem::file_size(file_);
  if (bytes.size() == kLocal && bytes.starts_with("PK\x03\x04")) {
    const std::uint64_t begin =
        member.header + kLocal + number(bytes, 26, 2) + number(bytes, 28, 2);
    if (begin <= size && member.packed <= size - begin) return begin;
  }
  fail(file_.string(), fmt::format("its member {} is damaged", quote(member.name)));
}

std::string ZipArchive::read(const Member& member, std::uint64_t offset,
                             std::uint64_t count) const {
  if (offset >= member.size) return {};
  count = std::min(count, member.size - offset);
  if (!member.deflated) {
    std::ifstream in(file_, std::ios::binary);
    return bytes_at(in, data_of(member) + offset, count);
  }
  const std::lock_guard lock(mutex_);
  if (!unpacker_ || unpacker_->member() != &member || offset < unpacker_->begin())
    unpacker_ = std::make_unique<Unpacker>(*this, member);
  std::string bytes;
  bytes.reserve(count);
  for (unpacker_->copy(offset, bytes, count); bytes.size() < count;
       unpacker_->copy(offset, bytes, count))
    if (unpacker_->next().empty()) unpacker_->fail_as_damaged();
  return bytes;
}

void ZipArchive::check(const Member& member) const {
  std::uint64_t size = 0;
  uLong sum = 0;
  for (;;) {
    const std::string bytes = read(member, size, kBlock);
    if (bytes.empty()) break;
    sum = ::crc32_z(sum, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    size += bytes.size();
  }
  if (size != member.size || sum != member.checksum)
    fail(file_.string(), fmt::format("its member {} is damaged", quote(member.name)));
}

}  // namespace proven::io
