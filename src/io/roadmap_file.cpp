#include "proven/io/roadmap_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "io/file_descriptor.h"
#include "proven/io/file.h"

namespace proven {
namespace {

namespace fs = std::filesystem;

Error cannot(const char* what, const fs::path& file) {
  return {errno == ENOENT ? ErrorCode::not_found : ErrorCode::bad_input,
          fmt::format("cannot {}: {}", what, std::strerror(errno)), file.string()};
}

struct Mapping {
  void* data = nullptr;
  std::size_t size = 0;
  Mapping(void* d, std::size_t s) : data(d), size(s) {}
  ~Mapping() { ::munmap(data, size); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
};

constexpr char kJournalMagic[9] = "PRVNJRN1";

struct JournalHeader {
  char magic[8];
  std::uint64_t identity[2];
};

struct RecordHeader {
  std::uint64_t size, stage_and_block;
  std::uint64_t checksum[2];  // of the two words above and the payload
};

Hash128 checksum(const RecordHeader& header, std::span<const std::uint8_t> payload) {
  Hasher hasher;
  hasher.add(header.size);
  hasher.add(header.stage_and_block);
  hasher.add_bytes(payload);
  return hasher.finish();
}

std::uint64_t key_of(roadmap::BuildStage stage, int block) {
  return static_cast<std::uint64_t>(stage) << 32 | static_cast<std::uint32_t>(block);
}

}  // namespace

Result<roadmap::Model> load_roadmap(const fs::path& file) {
  const io::FileDescriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.fd < 0) return cannot("open", file);
  struct stat info {};
  if (::fstat(in.fd, &info) != 0) return cannot("read", file);
  if (!S_ISREG(info.st_mode) || info.st_size == 0)
    return bad_input("this is not a roadmap file", file.string());
  const auto size = static_cast<std::size_t>(info.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, in.fd, 0);
  if (data == MAP_FAILED) return cannot("map", file);
  auto memory = std::make_shared<Mapping>(data, size);
  auto model = roadmap::from_bytes({static_cast<const std::uint8_t*>(data), size}, memory);
  if (!model.ok()) {
    Error error = model.error();
    error.context = file.string();
    return error;
  }
  return model;
}

Result<void> save_roadmap(const fs::path& file, const roadmap::Model& model) {
  const auto bytes = to_bytes(model);
  return write_file(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

struct FileJournal::State {
  explicit State(int fd) : file(fd) {}

  struct Place {
    std::uint64_t offset, size;
  };
  io::FileDescriptor file;
  fs::path path;
  std::map<std::uint64_t, Place> records;
  std::uint64_t end = 0;  // of the last whole record
  int found = 0;
  bool healthy = true;

  bool read_at(std::uint64_t offset, void* to, std::size_t size) const {
    return ::pread(file.fd, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
  }
  void read_records();
};

// Up to the first record that is cut off or damaged.
void FileJournal::State::read_records() {
  struct stat info {};
  ::fstat(file.fd, &info);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  RecordHeader header;
  std::vector<std::uint8_t> payload;
  while (end + sizeof(header) <= size && read_at(end, &header, sizeof(header))) {
    if (header.size > size - end - sizeof(header)) break;
    payload.resize(header.size);
    if (!read_at(end + sizeof(header), payload.data(), payload.size())) break;
    if (checksum(header, payload) != Hash128{header.checksum[0], header.checksum[1]}) break;
    records[header.stage_and_block] = {end + sizeof(header), header.size};
    end += sizeof(header) + header.size;
  }
  found = static_cast<int>(records.size());
}

FileJournal::FileJournal(std::unique_ptr<State> state) : state_(std::move(state)) {}
FileJournal::~FileJournal() = default;

Result<std::unique_ptr<FileJournal>> FileJournal::open(const fs::path& file,
                                                       const Hash128& identity) {
  auto state = std::make_unique<State>(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (state->file.fd < 0) return cannot("write", file);
  if (::flock(state->file.fd, LOCK_EX | LOCK_NB) != 0)
    return bad_input("another program is building this roadmap", file.string());
  state->path = file;
  JournalHeader header{};
  if (state->read_at(0, &header, sizeof(header))) {
    if (std::memcmp(header.magic, kJournalMagic, 8) != 0)
      return bad_input("this is not the journal of a build; delete it", file.string());
    if (header.identity[0] != identity.high || header.identity[1] != identity.low)
      return bad_input(
          "the journal belongs to a build of another scene or with other options: delete it to "
          "start anew, or give the same options to go on",
          file.string());
    state->end = sizeof(header);
    state->read_records();
  } else {
    std::memcpy(header.magic, kJournalMagic, 8);
    header.identity[0] = identity.high;
    header.identity[1] = identity.low;
    if (::ftruncate(state->file.fd, 0) != 0 ||
        !io::write_all(state->file.fd, &header, sizeof(header)))
      return cannot("write", file);
    state->end = sizeof(header);
  }
  if (::ftruncate(state->file.fd, static_cast<off_t>(state->end)) != 0 ||
      ::lseek(state->file.fd, static_cast<off_t>(state->end), SEEK_SET) < 0)
    return cannot("write", file);
  return std::unique_ptr<FileJournal>(new FileJournal(std::move(state)));
}

std::optional<std::vector<std::uint8_t>> FileJournal::find(roadmap::BuildStage stage, int block) {
  const auto at = state_->records.find(key_of(stage, block));
  if (at == state_->records.end()) return std::nullopt;
  std::vector<std::uint8_t> bytes(at->second.size);
  if (!state_->read_at(at->second.offset, bytes.data(), bytes.size())) return std::nullopt;
  return bytes;
}

void FileJournal::store(roadmap::BuildStage stage, int block, std::span<const std::uint8_t> bytes) {
  RecordHeader header{bytes.size(), key_of(stage, block), {}};
  const Hash128 sum = checksum(header, bytes);
  header.checksum[0] = sum.high;
  header.checksum[1] = sum.low;
  std::vector<std::uint8_t> record(sizeof(header) + bytes.size());
  std::memcpy(record.data(), &header, sizeof(header));
  if (!bytes.empty()) std::memcpy(record.data() + sizeof(header), bytes.data(), bytes.size());
  state_->healthy = state_->healthy && io::write_all(state_->file.fd, record.data(), record.size());
}

int FileJournal::num_found() const {
  return state_->found;
}
bool FileJournal::healthy() const {
  return state_->healthy;
}
void FileJournal::discard() {
  std::error_code ignored;
  fs::remove(state_->path, ignored);
}

}  // namespace proven
