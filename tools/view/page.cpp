#include "tools/view/page.h"

#include <fmt/format.h>

#include "proven/base/text.h"
#include "proven/io/file.h"
#include "tools/view/bundle.h"

namespace proven::tools {

const char* const kPagePolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
    "blob:; base-uri 'none'; form-action 'none'";
const char* const kLivePagePolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
    "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'";

namespace {

// Inside <script type="application/json"> only "</script" and "<!--" could do harm.
std::string without_tags(std::string json) {
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at + 6))
    json.replace(at, 1, "\\u003c");
  return json;
}

}  // namespace

bool has_viewer() {
  return !viewer_script().empty();
}

Result<std::string> page_of(const ViewDocument& document, const char* policy) {
  if (!has_viewer())
    return Error{ErrorCode::unsupported,
                 "this program was built without the viewer: install npm and build again",
                 {}};
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n",
      policy, xml_escaped(document.title()));
  page += viewer_style();
  page +=
      "\n</style>\n</head>\n<body>\n<noscript>This page shows a motion in three dimensions; it "
      "needs JavaScript.</noscript>\n<script type=\"application/json\" id=\"document\">";
  page += without_tags(document.text());
  page += "</script>\n<script>\n";
  page += viewer_script();
  page += "\n</script>\n</body>\n</html>\n";
  return page;
}

Result<void> write_page(const std::filesystem::path& file, const ViewDocument& document) {
  const auto page = page_of(document);
  if (!page.ok()) return page.error();
  return write_file(file, page.value());
}

}  // namespace proven::tools
