// Arrays of numbers as the viewer reads them: little-endian bytes in base64.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proven::tools {

std::string base64(std::string_view bytes);

template <class T>
std::string packed(const std::vector<T>& values) {
  return base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

// The largest float that is not above the value: lower bounds stay lower bounds.
float rounded_down(double value);

}  // namespace proven::tools
