#include "proven/io/proof_archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "io/failure.h"
#include "io/file_descriptor.h"
#include "io/text.h"

namespace proven {
namespace io {
namespace {

constexpr std::string_view kBegin = "PROVENS\n", kEnd = "PROVENE\n", kRecord = "PROF",
                           kIndex = "INDX";
// Of a record before its certificate: tag, checksum, path, length.
constexpr std::int64_t kRecordHead = 24, kEntry = 16;

void put(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
}

std::uint64_t get(std::string_view bytes, std::size_t at, int size) {
  std::uint64_t value = 0;
  for (int i = size; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(
      ::crc32_z(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::string begin_of(const std::string& header) {
  std::string bytes(kBegin);
  put(bytes, checksum(header), 4);
  put(bytes, header.size(), 4);
  return bytes + header;
}

[[noreturn]] void fail_as_unwritable(const std::filesystem::path& file) {
  fail(file.string(), fmt::format("cannot be written: {}", std::strerror(errno)));
}

}  // namespace

// An archive that is open for reading, at some place.
class ArchiveStream {
 public:
  explicit ArchiveStream(const std::filesystem::path& file)
      : file_(file), in_(file, std::ios::binary) {
    if (!in_) fail(file.string(), "cannot be read", ErrorCode::not_found);
    size_ = static_cast<std::int64_t>(std::filesystem::file_size(file));
  }

  std::int64_t at() const { return at_; }
  std::int64_t size() const { return size_; }
  void seek(std::int64_t at) {
    at_ = at;
    in_.clear();
    in_.seekg(at);
  }
  // Nothing if the file ends before.
  std::optional<std::string> take(std::int64_t count) {
    if (count < 0 || count > size_ - at_) return std::nullopt;
    std::string bytes(static_cast<std::size_t>(count), '\0');
    if (!in_.read(bytes.data(), static_cast<std::streamsize>(count)))
      fail(file_.string(), "cannot be read");
    at_ += count;
    return bytes;
  }
  [[noreturn]] void fail_here(std::int64_t at, const std::string& why) const {
    fail(fmt::format("{}: byte {}", file_.string(), at), why);
  }

  std::string read_header() {
    const auto begin = take(16);
    if (!begin || !begin->starts_with(kBegin))
      fail(file_.string(), "is no archive of certificates");
    auto header = take(static_cast<std::int64_t>(get(*begin, 12, 4)));
    if (!header || checksum(*header) != get(*begin, 8, 4)) fail_here(0, "its header is damaged");
    return std::move(*header);
  }

  struct Head {
    std::uint32_t sum = 0;
    std::int64_t path = 0, length = 0;
    std::string bytes;
  };
  // The head of the next record; nothing at the end, at an index and where the file breaks off.
  std::optional<Head> next_head() {
    const std::int64_t before = at_;
    auto bytes = take(kRecordHead);
    if (!bytes || !bytes->starts_with(kRecord)) {
      seek(before);
      return std::nullopt;
    }
    Head head{static_cast<std::uint32_t>(get(*bytes, 4, 4)),
              static_cast<std::int64_t>(get(*bytes, 8, 8)),
              static_cast<std::int64_t>(get(*bytes, 16, 8)), std::move(*bytes)};
    if (head.length < 0 || head.length > size_ - at_) {
      seek(before);
      return std::nullopt;
    }
    return head;
  }
  void skip(const Head& head) { seek(at_ + head.length); }

  ProofRecord read(const Head& head) {
    const std::int64_t begin = at_ - kRecordHead;
    const auto certificate = take(head.length);
    if (!certificate ||
        checksum(*certificate, checksum(std::string_view(head.bytes).substr(8))) != head.sum)
      fail_here(begin, "this record is damaged: its checksum differs");
    return {head.path, Certificate(certificate->begin(), certificate->end())};
  }

 private:
  std::filesystem::path file_;
  std::ifstream in_;
  std::int64_t at_ = 0, size_ = 0;
};

// Where the archive goes on with the path `next`; 0 if nothing of it stands.
std::int64_t find_end(const std::filesystem::path& file, const std::string& header,
                      std::int64_t next) {
  ArchiveStream stream(file);
  const std::string begin = begin_of(header);
  const auto there =
      stream.take(std::min<std::int64_t>(stream.size(), static_cast<std::int64_t>(begin.size())));
  if (!begin.starts_with(*there))
    fail(file.string(), "is there already, and of something else; remove it or name another file");
  if (there->size() < begin.size()) return 0;
  std::int64_t end = stream.at();
  while (const auto head = stream.next_head()) {
    if (head->path >= next) break;
    stream.skip(*head);
    end = stream.at();
  }
  return end;
}

// The index of all records, behind them. It is made in parts: there may be millions.
void write_index(const std::filesystem::path& file, int fd) {
  ArchiveStream stream(file);
  const auto write = [&](const std::string& bytes) {
    if (!write_all(fd, bytes.data(), bytes.size())) fail_as_unwritable(file);
  };
  // Twice over the records: for the checksum and the count, which stand first, and to write.
  (void)stream.read_header();
  const std::int64_t first = stream.at();
  const auto for_each_part = [&](auto&& take) {
    std::string part;
    stream.seek(first);
    for (std::int64_t at = first; const auto head = stream.next_head(); at = stream.at()) {
      put(part, static_cast<std::uint64_t>(head->path), 8);
      put(part, static_cast<std::uint64_t>(at), 8);
      stream.skip(*head);
      if (part.size() < std::size_t{1} << 16) continue;
      take(part);
      part.clear();
    }
    take(part);
  };
  std::uint32_t sum = 0;
  std::uint64_t count = 0;
  for_each_part([&](const std::string& part) {
    sum = checksum(part, sum);
    count += part.size() / static_cast<std::size_t>(kEntry);
  });
  const std::int64_t begin = stream.at();
  std::string head(kIndex);
  put(head, sum, 4);
  put(head, count, 8);
  write(head);
  for_each_part(write);
  std::string end;
  put(end, static_cast<std::uint64_t>(begin), 8);
  write(end + std::string(kEnd));
}

}  // namespace io

Result<ProofArchive> ProofArchive::open(const std::filesystem::path& file,
                                        const std::string& header, std::int64_t next) {
  return io::guarded<ProofArchive>(file, [&] {
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0666);
    if (fd < 0) io::fail_as_unwritable(file);
    ProofArchive archive(file, fd);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
      io::fail(file.string(), "another program is writing it");
    const std::int64_t end = io::find_end(file, header, next);
    if (::ftruncate(fd, end) != 0) io::fail_as_unwritable(file);
    if (end == 0) io::unwrap(archive.append(io::begin_of(header)));
    return archive;
  });
}

ProofArchive::ProofArchive(ProofArchive&& other) noexcept
    : file_(std::move(other.file_)), fd_(std::exchange(other.fd_, -1)) {}

ProofArchive::~ProofArchive() {
  if (fd_ >= 0) ::close(fd_);
}

void ProofArchive::add_record(std::int64_t path, std::span<const std::uint8_t> certificate,
                              std::string& bytes) {
  std::string rest;
  io::put(rest, static_cast<std::uint64_t>(path), 8);
  io::put(rest, certificate.size(), 8);
  rest.append(reinterpret_cast<const char*>(certificate.data()), certificate.size());
  bytes += io::kRecord;
  io::put(bytes, io::checksum(rest), 4);
  bytes += rest;
}

Result<void> ProofArchive::append(std::string_view records) {
  if (!io::write_all(fd_, records.data(), records.size()))
    return bad_input(fmt::format("cannot be written: {}", std::strerror(errno)), file_.string());
  return {};
}

Result<void> ProofArchive::sync() const {
  if (::fdatasync(fd_) != 0 && errno != EINVAL && errno != EROFS)
    return bad_input(fmt::format("cannot be written: {}", std::strerror(errno)), file_.string());
  return {};
}

Result<void> ProofArchive::finish() {
  return io::guarded<void>(file_, [&] { io::write_index(file_, fd_); });
}

bool is_proof_archive(const std::filesystem::path& file) {
  std::string begin(io::kBegin.size(), '\0');
  std::ifstream in(file, std::ios::binary);
  return std::filesystem::is_regular_file(file) &&
         in.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == io::kBegin;
}

struct ProofReader::State {
  explicit State(const std::filesystem::path& file) : stream(file) {}
  io::ArchiveStream stream;
  std::uint32_t sum = 0;
  std::uint64_t count = 0;
  std::int64_t last = -1;
};

Result<ProofReader> ProofReader::open(const std::filesystem::path& file) {
  return io::guarded<ProofReader>(file, [&] {
    ProofReader reader;
    reader.state_ = std::make_shared<State>(file);
    reader.header_ = reader.state_->stream.read_header();
    return reader;
  });
}

Result<std::optional<ProofRecord>> ProofReader::next() {
  using Next = std::optional<ProofRecord>;
  return io::guarded<Next>("archive", [&]() -> Next {
    State& s = *state_;
    const std::int64_t at = s.stream.at();
    if (const auto head = s.stream.next_head()) {
      if (head->path <= s.last)
        s.stream.fail_here(at, "the records are not in the order of their paths");
      s.last = head->path;
      std::string entry;
      io::put(entry, static_cast<std::uint64_t>(head->path), 8);
      io::put(entry, static_cast<std::uint64_t>(at), 8);
      s.sum = io::checksum(entry, s.sum);
      ++s.count;
      return s.stream.read(*head);
    }
    if (at == s.stream.size()) return std::nullopt;  // a stream that was not finished
    const auto head = s.stream.take(16);
    if (!head || !head->starts_with(io::kIndex))
      s.stream.fail_here(at, "the archive breaks off in a record; run the audit again to mend it");
    std::string end;
    io::put(end, static_cast<std::uint64_t>(at), 8);
    end += io::kEnd;
    const auto length = static_cast<std::int64_t>(s.count) * io::kEntry;
    if (io::get(*head, 4, 4) != s.sum || io::get(*head, 8, 8) != s.count ||
        s.stream.size() - s.stream.at() != length + 16)
      s.stream.fail_here(at, "the index is not that of the records");
    s.stream.seek(s.stream.at() + length);
    if (s.stream.take(16) != end) s.stream.fail_here(at, "the index is not that of the records");
    complete_ = true;
    return std::nullopt;
  });
}

Result<std::optional<ProofRecord>> ProofReader::find(std::int64_t path) {
  using Found = std::optional<ProofRecord>;
  return io::guarded<Found>("archive", [&]() -> Found {
    io::ArchiveStream& stream = state_->stream;
    const std::int64_t before = stream.at();
    stream.seek(std::max<std::int64_t>(0, stream.size() - 16));
    const auto end = stream.take(16);
    if (!end || !end->ends_with(io::kEnd))
      stream.fail_here(stream.size(), "has no index: it is not finished");
    stream.seek(static_cast<std::int64_t>(io::get(*end, 0, 8)));
    const auto head = stream.take(16);
    if (!head || !head->starts_with(io::kIndex))
      stream.fail_here(stream.size(), "its index is damaged");
    const std::int64_t first = stream.at();
    std::int64_t low = 0, high = static_cast<std::int64_t>(io::get(*head, 8, 8));
    Found found;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      stream.seek(first + middle * io::kEntry);
      const auto entry = stream.take(io::kEntry);
      if (!entry) stream.fail_here(first, "its index is damaged");
      const auto at = static_cast<std::int64_t>(io::get(*entry, 0, 8));
      if (at == path) {
        stream.seek(static_cast<std::int64_t>(io::get(*entry, 8, 8)));
        const auto record = stream.next_head();
        if (!record || record->path != path) stream.fail_here(first, "its index is damaged");
        found = stream.read(*record);
        break;
      }
      (at < path ? low : high) = at < path ? middle + 1 : middle;
    }
    stream.seek(before);
    return found;
  });
}

}  // namespace proven
