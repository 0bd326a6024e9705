// The viewer's page: one HTML file that holds the viewer and what it shows, and loads nothing.
#pragma once

#include <filesystem>
#include <string>

#include "proven/base/result.h"
#include "tools/view/document.h"

namespace proven::tools {

// What the page may do, as the browser enforces it: run its own script, and nothing else.
extern const char* const kPagePolicy;
// The same, and listen to the server that it came from.
extern const char* const kLivePagePolicy;

// Whether the program was built with the viewer; without it there are no pages.
bool has_viewer();

// Fails if the program was built without the viewer.
Result<std::string> page_of(const ViewDocument& document, const char* policy = kPagePolicy);
Result<void> write_page(const std::filesystem::path& file, const ViewDocument& document);

}  // namespace proven::tools
