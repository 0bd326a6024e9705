// Text helpers.
#pragma once

#include <string>
#include <string_view>

namespace proven {

// For XML and HTML contents: &, < and > written as entities.
std::string xml_escaped(std::string_view text);

}  // namespace proven
