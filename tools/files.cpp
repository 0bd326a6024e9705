#include "tools/files.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace proven::tools {

Result<std::vector<std::uint8_t>> read_bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad() || std::filesystem::is_directory(file))
    return Error{ErrorCode::not_found, "cannot be read", file};
  return bytes;
}

Result<void> save_bytes(const std::string& file, std::span<const std::uint8_t> bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) return bad_input("cannot be written", file);
  return {};
}

}  // namespace proven::tools
