// Why a trajectory stayed undecided: the enumerator's own name for programs, a sentence for people.
#pragma once

#include <string_view>

#include "proven/certify/verdict.h"

namespace proven::tools {

std::string_view word(UndecidedReason reason);
std::string_view sentence(UndecidedReason reason);

}  // namespace proven::tools
