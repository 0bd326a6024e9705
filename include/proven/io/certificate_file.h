// Certificates in files (docs/certificate_format.md).
#pragma once

#include <filesystem>

#include "proven/base/result.h"
#include "proven/certify/certificate.h"

namespace proven {

// The bytes as they are: whether they prove anything is for the verifier to say. A file of more
// than kMaxFileBytes is an Error.
Result<Certificate> load_certificate(const std::filesystem::path& file);
Result<void> save_certificate(const std::filesystem::path& file, const Certificate& certificate);

}  // namespace proven
