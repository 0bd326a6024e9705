#include "proven/io/certificate_file.h"

#include "proven/io/file.h"

namespace proven {

Result<Certificate> load_certificate(const std::filesystem::path& file) {
  const auto bytes = read_file(file);
  if (!bytes.ok()) return bytes.error();
  return Certificate(bytes.value().begin(), bytes.value().end());
}

Result<void> save_certificate(const std::filesystem::path& file, const Certificate& certificate) {
  return write_file(file, {reinterpret_cast<const char*>(certificate.data()), certificate.size()});
}

}  // namespace proven
