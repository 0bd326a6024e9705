#include "proven/io/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "io/failure.h"
#include "io/file_descriptor.h"
#include "io/text.h"
#include "proven/io/document.h"

namespace proven {
namespace io {
namespace {

// The first value in which two headers differ, by its key.
std::string difference(const Node& there, const Node& wanted) {
  if (!there.is(Node::Kind::object) || !wanted.is(Node::Kind::object))
    return there.summary() == wanted.summary()
               ? ""
               : fmt::format("{} is {}, not {}", quote(wanted.key()), there.summary(),
                             wanted.summary());
  for (const Node& member : wanted.members()) {
    const Node* other = there.find(member.key());
    if (!other) return fmt::format("{} is missing", quote(member.key()));
    if (const std::string found = difference(*other, member); !found.empty())
      return member.is(Node::Kind::object) ? fmt::format("{}: {}", member.key(), found) : found;
  }
  return "";
}

std::string difference(const std::filesystem::path& file, std::string_view there,
                       std::string_view wanted) {
  try {
    const Document a = parse_json(file, there), b = parse_json(file, wanted);
    const std::string found = difference(a.root(), b.root());
    return found.empty() ? "its header differs" : found;
  } catch (const Failure&) {
    return "it is no file of results";
  }
}

[[noreturn]] void fail_as_other(const std::filesystem::path& file, const std::string& why) {
  fail(file.string(),
       fmt::format("is there already, and of something else: {}; remove it or name another file",
                   why));
}

}  // namespace

// Where its last whole line ends; 0 if it has none, as after a kill during the first write.
std::int64_t find_end(const std::filesystem::path& file, const std::string& header,
                      std::int64_t& lines, std::string& last_line) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  std::int64_t end = 0;
  lines = -1;
  while (std::getline(in, line)) {
    if (in.eof()) {  // without an end
      if (lines < 0 && !header.starts_with(line)) fail_as_other(file, "it is no file of results");
      break;
    }
    if (lines < 0 && line != header) fail_as_other(file, difference(file, line, header));
    end += static_cast<std::int64_t>(line.size()) + 1;
    if (lines >= 0) last_line = line;
    ++lines;
  }
  return end;
}

}  // namespace io

Result<Journal> Journal::open(const std::filesystem::path& file, const std::string& header) {
  return io::guarded<Journal>(file, [&] {
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0666);
    if (fd < 0) io::fail(file.string(), fmt::format("cannot be written: {}", std::strerror(errno)));
    Journal journal(file, fd);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
      io::fail(file.string(), "another program is writing it");
    const std::int64_t end = io::find_end(file, header, journal.lines_, journal.last_line_);
    if (::ftruncate(fd, end) != 0)
      io::fail(file.string(), fmt::format("cannot be written: {}", std::strerror(errno)));
    if (end == 0) {
      io::unwrap(journal.append(header + "\n"));
      journal.lines_ = 0;
    }
    return journal;
  });
}

Journal::Journal(Journal&& other) noexcept
    : file_(std::move(other.file_)),
      fd_(std::exchange(other.fd_, -1)),
      lines_(other.lines_),
      last_line_(std::move(other.last_line_)) {}

Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> Journal::append(std::string_view lines) {
  if (!io::write_all(fd_, lines.data(), lines.size()))
    return bad_input(fmt::format("cannot be written: {}", std::strerror(errno)), file_.string());
  return {};
}

Result<void> Journal::sync() const {
  if (::fdatasync(fd_) != 0 && errno != EINVAL && errno != EROFS)
    return bad_input(fmt::format("cannot be written: {}", std::strerror(errno)), file_.string());
  return {};
}

Result<void> read_journal(const std::filesystem::path& file,
                          const std::function<Result<void>(std::string_view line)>& take) {
  return io::guarded<void>(file, [&] {
    std::ifstream in(file, std::ios::binary);
    if (!in) io::fail(file.string(), "cannot be read", ErrorCode::not_found);
    bool any = false;
    for (std::string line; std::getline(in, line); any = true) {
      if (in.eof()) io::fail(file.string(), "its last line has no end: it is not finished");
      io::unwrap(take(line));
    }
    if (!any) io::fail(file.string(), "is empty");
  });
}

}  // namespace proven
