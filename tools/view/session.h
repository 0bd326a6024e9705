// A recording of `proven serve --record`, as the viewer shows it.
#pragma once

#include <filesystem>

#include "proven/base/result.h"
#include "tools/view/document.h"

namespace proven::tools {

// Whether the file begins as recordings do.
bool is_session(const std::filesystem::path& file);

// Strict: every line is one of docs/serve.md#recordings, in an order that a server can have
// written. Half a line at the end is what a server leaves that is killed: it is left out, with a
// warning.
Result<ViewDocument> load_session(const std::filesystem::path& file);

}  // namespace proven::tools
