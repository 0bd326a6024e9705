// Tokens of those who may come in.
#pragma once

#include <string>

namespace proven::tools {

// 128 bits from the system's source of randomness.
std::string make_token();
// In a time that does not tell how much of it was right.
bool same_token(const std::string& a, const std::string& b);

}  // namespace proven::tools
