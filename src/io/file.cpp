#include "proven/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "io/failure.h"
#include "io/file_descriptor.h"
#include "io/text.h"

namespace proven {
namespace io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to(const char* be_done, const fs::path& file) {
  fail(file.string(), fmt::format("cannot be {}: {}", be_done, std::strerror(errno)),
       errno == ENOENT || errno == ENOTDIR ? ErrorCode::not_found : ErrorCode::bad_input);
}

[[noreturn]] void fail_as_too_large(const fs::path& file, std::uintmax_t size,
                                    std::uintmax_t max_bytes) {
  fail(file.string(), fmt::format("has {} bytes; at most {} are read", size, max_bytes),
       ErrorCode::exhausted);
}

// To the end, or a byte beyond the limit.
std::string read_all(int fd, const fs::path& file, std::uintmax_t expected,
                     std::uintmax_t max_bytes) {
  std::string bytes;
  for (std::size_t done = 0;;) {
    if (done == bytes.size())  // a byte more than expected: its end is seen without growing
      bytes.resize(std::max<std::size_t>(done + (std::size_t{1} << 16), expected + 1));
    const ssize_t n = ::read(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_to("read", file);
    done += static_cast<std::size_t>(n);
    if (done > max_bytes) fail_as_too_large(file, done, max_bytes);
    if (n > 0) continue;
    bytes.resize(done);
    return bytes;
  }
}

// The file that a link leads to, so that the link stays a link.
fs::path without_links(const fs::path& file) {
  std::error_code error;
  const fs::path target = fs::canonical(file, error);
  return error ? file : target;
}

void write_and_close(int fd, const fs::path& file, std::string_view bytes, bool regular) {
  const FileDescriptor out(fd);
  if (fd < 0 || !write_all(fd, bytes.data(), bytes.size()) || (regular && ::fsync(fd) != 0))
    fail_to("written", file);
}

}  // namespace

std::string read_bytes(const fs::path& file, std::uintmax_t max_bytes) {
  if (file == "-") return read_all(STDIN_FILENO, file, 0, max_bytes);
  std::error_code error;
  const auto status = fs::status(file, error);
  if (!fs::exists(status)) fail(file.string(), "no such file", ErrorCode::not_found);
  if (!fs::is_regular_file(status)) fail(file.string(), "not a file");
  const FileDescriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (in.fd < 0 || ::fstat(in.fd, &info) != 0) fail_to("read", file);
  const auto size = static_cast<std::uintmax_t>(info.st_size);
  if (size > max_bytes) fail_as_too_large(file, size, max_bytes);
  return read_all(in.fd, file, size, max_bytes);
}

void write_bytes(const fs::path& to, std::string_view bytes) {
  if (to == "-") {
    if (!write_all(STDOUT_FILENO, bytes.data(), bytes.size())) fail_to("written", to);
    return;
  }
  const fs::path file = without_links(to);
  struct stat old {};
  const bool exists = ::stat(file.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail(to.string(), "cannot be written: it is a folder");
  if (exists && !S_ISREG(old.st_mode))
    return write_and_close(::open(file.c_str(), O_WRONLY | O_CLOEXEC), to, bytes, false);
  static std::atomic<int> count = 0;
  const fs::path beside = fmt::format("{}.{}.{}.new", file.string(), ::getpid(), count++);
  try {
    const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd >= 0 && exists) (void)!::fchmod(fd, old.st_mode & 07777);
    write_and_close(fd, to, bytes, true);
    if (::rename(beside.c_str(), file.c_str()) != 0) fail_to("written", to);
  } catch (const Failure&) {
    ::unlink(beside.c_str());
    throw;
  }
}

}  // namespace io

Result<std::string> read_file(const std::filesystem::path& file, std::uintmax_t max_bytes) {
  return io::guarded<std::string>(file, [&] { return io::read_bytes(file, max_bytes); });
}

Result<void> write_file(const std::filesystem::path& file, std::string_view bytes) {
  return io::guarded<void>(file, [&] { io::write_bytes(file, bytes); });
}

}  // namespace proven
