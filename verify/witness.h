// Chapter 11: witnesses of collisions (format, section 7).
#pragma once

#include <string>

#include "verify/reader.h"
#include "verify/solids.h"

namespace proven::verifier {

// Throws Rejected unless the collision is confirmed; returns it as a sentence.
std::string confirm_witness(const Model& model, std::span<const Motion> runs, BodyStream& body);

}  // namespace proven::verifier
