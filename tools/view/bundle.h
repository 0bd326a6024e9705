// The viewer (folder viewer/), built by npm and compiled into the program.
#pragma once

#include <string_view>

namespace proven::tools {

// Empty if the program was built without npm.
std::string_view viewer_script();
std::string_view viewer_style();

}  // namespace proven::tools
